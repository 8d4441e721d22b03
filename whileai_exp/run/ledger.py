"""What a run notices while it runs: warnings with their fix, machine-readable degradations, and how long stages took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .._clock import Clock


class Ledger:
    """Collects; never raises, never prints."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.warnings: list[str] = []
        self.degraded: dict[str, Any] = {}
        self.timings: dict[str, float] = {}

    def warn(self, *sentences: str) -> None:
        """A full sentence each, naming the call or knob that changes it. Said once however often it is noticed."""
        self.warnings.extend(s for s in sentences if s not in self.warnings)

    def degrade(self, flags: Mapping[str, Any]) -> None:
        self.degraded.update(flags)

    def take(self, warnings: Iterable[str] = (), degraded: Mapping[str, Any] | None = None) -> None:
        self.warn(*warnings)
        self.degrade(degraded or {})

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Adds the block's seconds to the stage's timing."""
        start = self._clock.monotonic()
        try:
            yield
        finally:
            self.timings[name] = self.timings.get(name, 0.0) + self._clock.monotonic() - start
