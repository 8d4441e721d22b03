"""Judging many rows: bounded in flight, in input order, and never losing one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from ..schema import Judgment
from ._base import INLINE, AsJudge


async def run_judges(rows: Sequence[Mapping[str, Any]], judge: AsJudge, *, concurrency: int) -> list[Judgment]:
    """One judgment per row, in the order of `rows`. A failing judge is a status, never an exception."""
    if getattr(judge.function, INLINE, False):
        return [await judge.judge(row) for row in rows]
    out: list[Judgment | None] = [None] * len(rows)
    waiting = iter(range(len(rows)))

    async def work() -> None:
        for index in waiting:
            out[index] = await judge.judge(rows[index])

    async with asyncio.TaskGroup() as group:
        for _ in range(min(concurrency, len(rows))):
            group.create_task(work())
    return [judgment for judgment in out if judgment is not None]
