"""Judging rows for the library's callers: copies, or the run's own rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._aio import CallPool
from ..judges import as_judge, run_judges
from ..schema import JudgeIdentity
from ..schema.row import write_judgment
from ..selection._hygiene import USABLE


async def judged_copies(
    rows: Sequence[Mapping[str, Any]],
    judge: Any,
    *,
    deadline_s: float,
    concurrency: int,
    reason_chars: int,
    name: str | None = None,
    version: str | None = None,
) -> tuple[list[dict[str, Any]], JudgeIdentity]:
    """Copies of the rows with a verdict on each usable one, and who judged. The rows given are not touched."""
    out = [dict(row) for row in rows]
    for row in out:
        if isinstance(row.get("markers"), Mapping):
            row["markers"] = dict(row["markers"])
    with CallPool(concurrency) as pool:
        made = as_judge(judge, pool=pool, deadline_s=deadline_s, reason_chars=reason_chars, name=name, version=version)
        usable = [row for row in out if row.get("status", "ok") in USABLE]
        for row, verdict in zip(usable, await run_judges(usable, made, concurrency=concurrency)):
            write_judgment(row, verdict)
    return out, made.identity


async def judged_in_place(
    rows: Sequence[dict[str, Any]], judge: Any, *, deadline_s: float, concurrency: int, reason_chars: int
) -> dict[str, Any]:
    """Grade a run's own rows; the report counts every status."""
    graded, identity = await judged_copies(rows, judge, deadline_s=deadline_s, concurrency=concurrency, reason_chars=reason_chars)
    statuses: dict[str, int] = {}
    for row, new in zip(rows, graded):
        row.clear()
        row.update(new)
        status = str(row.get("judge_status", "not_judged"))
        statuses[status] = statuses.get(status, 0) + 1
    return {
        "judge": identity.name,
        "judge_version": identity.version,
        "model": identity.model,
        "n": len(rows),
        "graded": statuses.get("ok", 0),
        "by_status": statuses,
    }
