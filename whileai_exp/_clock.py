"""Time as something handed in. Durations come from `monotonic`; wall time is only ever a label."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def monotonic(self) -> float:
        """Seconds from an arbitrary start."""
        ...

    def now(self) -> datetime:
        """Wall time in UTC, for labels only."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's clock."""

    def monotonic(self) -> float:
        return time.monotonic()

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
