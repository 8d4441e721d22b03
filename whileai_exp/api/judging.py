"""Judging rows for the library's callers: copies, or the run's own rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

from ..judges import AsJudge
from ..judges._session import JudgeOptions, judge_once
from ..judges.llm import ModelJudge, floor_note
from ..knobs import RunKnobs
from ..schema import JudgeIdentity, Spec
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


def said_of(
    judge: AsJudge, spec: Spec | None, knobs: RunKnobs, rows: Sequence[Mapping[str, Any]]
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Warnings and notes about one judging of many rows."""
    warnings: list[str] = []
    notes: dict[str, Any] = {}
    inner = judge.function
    if isinstance(inner, ModelJudge):
        notes = {"rubric": inner.bar, "self_judged": inner.self_judged, "same_family": inner.same_family, "calls": inner.calls}
        notes["usage"] = {"input_tokens": inner.usage.input_tokens, "output_tokens": inner.usage.output_tokens}
        if inner.bar == "conduct_floor":
            warnings.append(floor_note(spec, knobs))
        if inner.self_judged:
            warnings.append(f"{inner.model} judged its own rollouts: models favour their own work; name another judging model")
        elif inner.same_family:
            warnings.append(f"{inner.model} is of one family with the model it judged: check it with judge_trust")
    unjudged = [row for row in rows if row.get("judge_status", "ok") not in ("ok", "abstained")]
    if unjudged:
        first = unjudged[0]
        why = (first.get("judge_meta") or {}).get("error") or first.get("reason") or first["judge_status"]
        warnings.append(f"{len(unjudged)} of {len(rows)} rows have no verdict; the first: {first['judge_status']}, {why}"[:400])
    verdicts = {row.get("reward") for row in rows if row.get("judge_status") == "ok"}
    if len(verdicts) == 1 and len(rows) >= 20:
        warnings.append(f"every verdict is {verdicts.pop():g}: a judge that never differs measures nothing")
    return tuple(warnings), notes


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
