"""Judging rows for the library's callers: copies, or the run's own rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

from ..judges._said import said_of
from ..judges._session import JudgeOptions, judge_once
from ..schema import JudgeIdentity
from ..schema.row import write_judgment
from ..selection._hygiene import USABLE


@dataclass(frozen=True, slots=True)
class Judged:
    """Graded copies, who judged, and what the judge has to say about the whole."""

    rows: list[dict[str, Any]]
    identity: JudgeIdentity
    warnings: tuple[str, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)
    """rubric, self_judged, usage … for judges that are models."""


async def judged_copies(
    rows: Sequence[Mapping[str, Any]], judge: Any, *, run_id: str | None = None, **options: Unpack[JudgeOptions]
) -> Judged:
    """Copies of the rows with a verdict on each usable one. The rows given are not touched."""
    out = [dict(row) for row in rows]
    for row in out:
        if isinstance(row.get("markers"), Mapping):
            row["markers"] = dict(row["markers"])
    usable = [row for row in out if row.get("status", "ok") in USABLE]
    session = await judge_once(usable, judge, **options)
    for row, verdict in zip(usable, session.verdicts):
        earlier = row.get("lineage", {}).get("scoring_run_id") if isinstance(row.get("lineage"), Mapping) else None
        write_judgment(row, verdict)
        if run_id is not None:
            prior = {"prior_scoring_run_id": earlier} if earlier else {}
            row["lineage"] = {**(row.get("lineage") or {}), "scoring_run_id": run_id, **prior}
    warnings, notes = said_of(session.judge, options.get("spec"), options["knobs"], out)
    return Judged(out, session.judge.identity, warnings, notes)


async def judged_in_place(rows: Sequence[dict[str, Any]], judge: Any, **options: Unpack[JudgeOptions]) -> dict[str, Any]:
    """Grade a run's own rows; the report counts every status. Options are those of `judged_copies`."""
    done = await judged_copies(rows, judge, **options)
    statuses: dict[str, int] = {}
    for row, new in zip(rows, done.rows):
        row.clear()
        row.update(new)
        status = str(row.get("judge_status", "not_judged"))
        statuses[status] = statuses.get(status, 0) + 1
    return {
        "judge": done.identity.name,
        "judge_version": done.identity.version,
        "model": done.identity.model,
        "n": len(rows),
        "graded": statuses.get("ok", 0),
        "by_status": statuses,
        "warnings": list(done.warnings),
        **done.notes,
    }
