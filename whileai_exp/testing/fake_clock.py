"""A clock that moves only when somebody sleeps, so that waiting costs no time and can be read afterwards."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta


class FakeClock:
    """A `_clock.Clock` whose sleeps return at once. `slept` lists them."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self.slept: list[float] = []
        self._start = start
        self._elapsed_s = 0.0

    def monotonic(self) -> float:
        return self._elapsed_s

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed_s)

    def advance(self, seconds: float) -> None:
        self._elapsed_s += seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._elapsed_s += seconds
        await asyncio.sleep(0)
