"""What is to be said about one judging of many rows: who judged whom, under which bar, and what has no verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..knobs import RunKnobs
from ..schema import Spec
from ._base import AsJudge
from .llm import ModelJudge, floor_note
from .panel import BoundPanel

_FEW = 20


class Said(NamedTuple):
    """Warnings are whole sentences; notes are for machines: rubric, self_judged, calls, usage of judges that are models."""

    warnings: tuple[str, ...]
    notes: dict[str, Any]


def said_of(judge: AsJudge, spec: Spec | None, knobs: RunKnobs, rows: Sequence[Mapping[str, Any]]) -> Said:
    """What to say once `judge` has been over `rows`. Rows that it was not asked about, as they say nothing of the agent, do not count."""
    warnings: list[str] = []
    models = models_in(judge.function)
    for model in models:
        if model.bar == "conduct_floor":
            warnings.append(floor_note(spec, knobs))
        if model.self_judged:
            warnings.append(f"{model.model} judged its own rollouts: models favour their own work; name another judging model")
        elif model.same_family:
            warnings.append(f"{model.model} is of one family with the model it judged: check it with judge_trust")
    asked = [row for row in rows if row.get("judge_status") is not None]
    unjudged = [row for row in asked if row["judge_status"] not in ("ok", "abstained")]
    if unjudged:
        first = unjudged[0]
        why = (first.get("judge_meta") or {}).get("error") or first.get("reason") or first["judge_status"]
        warnings.append(f"{len(unjudged)} of {len(asked)} rows have no verdict; the first: {first['judge_status']}, {why}"[:400])
    verdicts = {row.get("reward") for row in asked if row["judge_status"] == "ok"}
    if len(verdicts) == 1 and len(asked) >= _FEW:
        warnings.append(f"every verdict is {verdicts.pop():g}: a judge that never differs measures nothing")
    return Said(tuple(dict.fromkeys(warnings)), _notes(models))


def models_in(function: Any) -> list[ModelJudge]:
    """The judges that are models: the judge itself, or those of a panel's members."""
    if isinstance(function, ModelJudge):
        return [function]
    if isinstance(function, BoundPanel):
        return [model for member in function.members for model in models_in(member)]
    return []


def _notes(models: Sequence[ModelJudge]) -> dict[str, Any]:
    if not models:
        return {}
    return {
        "rubric": models[0].bar,
        "self_judged": any(model.self_judged for model in models),
        "same_family": any(model.same_family for model in models),
        "calls": sum(model.calls for model in models),
        "usage": {
            "input_tokens": sum(model.usage.input_tokens or 0 for model in models),
            "output_tokens": sum(model.usage.output_tokens or 0 for model in models),
        },
    }
