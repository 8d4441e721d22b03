"""How many calls may be in flight to one endpoint right now, and whether it may be called at all.

Multiplicative decrease, driven by the share of recent calls that were throttled: a stray 429 is one call's matter and
only that call waits; when the share passes a tolerance the window is cut once per round trip, and a waiting time that
the server names parks the whole endpoint, so that no call finds out again what another was told. Cutting at every 429
would hold c calls at sqrt(1.5/p) of them under a share p. The breaker is permanent for the run: a refused key stays
refused.
"""

from __future__ import annotations

import asyncio
from collections import deque

from .._clock import Clock
from ..errors import KeyRefused

_MEMORY = 1.0 / 16.0
"""Weight of the newest call in the running share of throttled ones."""
_GROWTH = 0.5
"""What a success adds to a window that was cut: a round of them grows it by half."""


class Limiter:
    """The window of one endpoint. Belongs to one event loop at a time."""

    __slots__ = (
        "_clock",
        "_cut_at",
        "_most",
        "_parked_until",
        "_share",
        "_throttled",
        "_tolerance",
        "_waiting",
        "_waking",
        "in_flight",
        "refused",
        "window",
    )

    def __init__(self, most: int, share: float, tolerance: float, clock: Clock) -> None:
        self.window = float(most)
        self.in_flight = 0
        self.refused: KeyRefused | None = None
        self._most = most
        self._share = share
        self._tolerance = tolerance
        self._throttled = 0.0
        self._clock = clock
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._parked_until = float("-inf")
        self._cut_at = float("-inf")
        self._waking: asyncio.Task[None] | None = None

    async def enter(self) -> float:
        """Take a place; returns when it was taken. Raises the KeyRefused that broke the circuit, if one did."""
        while True:
            if self.refused is not None:
                raise KeyRefused(str(self.refused), kind=self.refused.kind, status=self.refused.status)
            now = self._clock.monotonic()
            if self.in_flight < self.window and now >= self._parked_until:
                self.in_flight += 1
                return now
            if now < self._parked_until and self._waking is None:
                self._waking = asyncio.ensure_future(self._wake_after(self._parked_until - now))
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            try:
                await waiter
            except asyncio.CancelledError:
                if waiter.done() and not waiter.cancelled():
                    self._wake()
                raise

    def leave(self) -> None:
        self.in_flight -= 1
        self._wake()

    def succeeded(self) -> None:
        self._throttled -= _MEMORY * self._throttled
        if self.window < self._most:
            self.window = min(self._most, self.window + _GROWTH)

    def throttled(self, entered: float, wait_s: float | None) -> None:
        """A 429 for a call that entered at `entered`; calls of the same round trip cut the window only once."""
        self._throttled += _MEMORY * (1.0 - self._throttled)
        if self._throttled <= self._tolerance:
            return
        now = self._clock.monotonic()
        if entered >= self._cut_at:
            self.window = max(1.0, min(self.window, float(self.in_flight)) * self._share)
            self._cut_at = now
        if wait_s is not None:
            self._parked_until = max(self._parked_until, now + wait_s)

    def refuse(self, error: KeyRefused) -> None:
        """Open the circuit for good and let everyone who waits find out."""
        self.refused = error
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)

    def _wake(self) -> None:
        room = int(self.window) - self.in_flight
        while self._waiting and room > 0:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)
                room -= 1

    async def _wake_after(self, seconds: float) -> None:
        await self._clock.sleep(seconds)
        self._waking = None
        self._wake()
