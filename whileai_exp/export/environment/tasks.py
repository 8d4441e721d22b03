"""Which tasks an exported environment trains on, and which it holds out.

The holdout is drawn first, by situation and never by difficulty, so that ceilings and regressions stay visible in it. What is
left is trained on when the logged policy sometimes solved it and sometimes did not; a train task that is, or paraphrases, a
held-out one goes. Every task that is left out is in `Split.drops` under its reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..._hash import sha
from ...errors import ConfigError, ExportError, Problem
from ...knobs import RunKnobs
from ...schema import Privileged, Spec, Task, TaskLineage, reward_of, task_key
from ...selection import decontaminate
from ...selection._hygiene import from_eval
from ...selection._recital import flat, texts_of
from ...selection.rl import Rate, pass_rates, placed
from ...situations.replay import tasks_from
from ...verify._base import MISSING, reference_of

Row = Mapping[str, Any]
BAND = ("unjudged", "single", "unanimous", "too_hard", "too_easy")
"""Reasons that the difficulty band keeps a task out of training."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A task and how often the logged policy solved it."""

    task: Task
    rate: Rate | None
    """None when no rollout of it has a verdict."""
    p_in_band: float | None = None
    """Posterior probability that its rate lies in the band."""
    why_out: str | None = None
    """Why it is not trained on, or None."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Row keys that the reward reads as its reference: part of the answer key."""

    def wire(self) -> dict[str, Any]:
        """The calibration as the task's line holds it."""
        told = self.rate.to_dict() if self.rate is not None else {"n": 0, "pass_rate": None, "ci95": None}
        return {**told, "p_in_band": None if self.p_in_band is None else round(self.p_in_band, 4)}


@dataclass(frozen=True, slots=True)
class Split:
    """The two task sets, in the order of the rows, and what is in neither."""

    train: tuple[Calibrated, ...]
    holdout: tuple[Calibrated, ...]
    drops: Mapping[str, tuple[str, ...]]
    """Reason to the ids of the train tasks left out for it."""
    contamination: Mapping[str, Any]
    band: tuple[float, float]

    @property
    def n(self) -> int:
        """Tasks of the rows."""
        return len(self.train) + len(self.holdout) + sum(map(len, self.drops.values()))


def calibrated(
    rows: Sequence[Row], spec: Spec, knobs: RunKnobs, *, band: tuple[float, float], reference: str | None = None
) -> list[Calibrated]:
    """One entry per task of the rows. `reference` is the row key that the reward reads its reference from, if it names one."""
    rates = pass_rates(rows)
    odds, out = placed(rates, *band, knobs.band_certainty)
    first: dict[str, Row] = {}
    rewards: dict[str, set[float]] = {}
    evals: set[str] = set()
    for row in rows:
        key = task_key(row)
        first.setdefault(key, row)
        reward = reward_of(row.get("reward"))
        if reward is not None and row.get("judge_status", "ok") == "ok":
            rewards.setdefault(key, set()).add(reward)
        if from_eval(row):
            evals.add(key)
    made = []
    for task in tasks_from(rows, spec, knobs):
        key = task.task_id
        rate = rates.get(key)
        why = "evaluation" if key in evals else _band_reason(rate, rewards.get(key, set()), out.get(key))
        task = replace(task, lineage=TaskLineage(task.lineage.writer_model, task.lineage.parent))
        source = first.get(key, {})
        own = {
            name: source[name] for name in [(reference or "").split(".")[0]] if name and name != "privileged" and name in source
        }
        made.append(Calibrated(with_reference(task, source), rate, odds.get(key), why, own))
    return made


def with_reference(task: Task, row: Row) -> Task:
    """The task with the reference that its row brings in a column of its own, when it has no answer key."""
    if task.privileged is not None:
        return task
    found, _ = reference_of(row, None)
    return task if found is MISSING else replace(task, privileged=Privileged(reference=found))


def _band_reason(rate: Rate | None, rewards: set[float], placed_out: str | None) -> str | None:
    if rate is None:
        return "unjudged"
    if rate.n < 2:
        return "single"
    return "unanimous" if len(rewards) < 2 else placed_out


def split(
    found: Sequence[Calibrated], knobs: RunKnobs, *, holdout: float | Iterable[Any] | None, band: tuple[float, float]
) -> Split:
    """Train and holdout. ExportError when either would be too small; ConfigError for a holdout that names no task."""
    held = _held_out(found, knobs, holdout)
    drops: dict[str, list[str]] = {}
    train: list[Calibrated] = []
    for item in found:
        if item.task.task_id in held:
            continue
        if item.why_out is None:
            train.append(item)
        else:
            drops.setdefault(item.why_out, []).append(item.task.task_id)
    kept_out = tuple(item for item in found if item.task.task_id in held)
    train, report = _clean(train, kept_out, knobs, drops)
    if not train:
        told = ", ".join(f"{len(ids)} {reason.replace('_', ' ')}" for reason, ids in drops.items())
        raise ExportError(
            f"no train task is left of {len(found)} ({told or 'none to begin with'}; {len(kept_out)} held out; band {list(band)}); "
            "nothing was written: grade 8 or more repeats of more situations, or widen band="
        )
    if len(kept_out) < _least(found, knobs, holdout):
        raise ExportError(
            f"{len(kept_out)} of {len(found)} tasks can be held out and environment_min_holdout is {knobs.environment_min_holdout}; "
            "nothing was written: play more situations, or set the knob lower"
        )
    return Split(tuple(train), kept_out, {reason: tuple(ids) for reason, ids in drops.items()}, report, band)


def _least(found: Sequence[Calibrated], knobs: RunKnobs, holdout: Any) -> int:
    return min(knobs.environment_min_holdout, len(found)) if isinstance(holdout, (int, float)) or holdout is None else 1


def _held_out(found: Sequence[Calibrated], knobs: RunKnobs, holdout: float | Iterable[Any] | None) -> frozenset[str]:
    """Ids of the held-out tasks: those named, or whole situations in the order of their hash until there are enough."""
    if holdout is not None and not isinstance(holdout, (int, float)):
        return _named(found, holdout)
    share = knobs.environment_holdout_share if holdout is None else float(holdout)
    if not 0 <= share < 1:
        raise ConfigError(Problem("holdout", f"{share!r} is not in [0, 1)", "give a share, or the ids or asks to hold out"))
    wanted = max(round(share * len(found)), knobs.environment_min_holdout)
    situations: dict[str, list[str]] = {}
    for item in found:
        situations.setdefault(item.task.situation.situation_id, []).append(item.task.task_id)
    held: list[str] = []
    for name in sorted(situations, key=lambda name: sha(f"holdout/{name}")):
        if len(held) >= wanted:
            break
        held += situations[name]
    return frozenset(held)


def _named(found: Sequence[Calibrated], wanted: Iterable[Any]) -> frozenset[str]:
    if isinstance(wanted, str):
        wanted = (wanted,)
    names = {str(item.get("task_id") or item.get("prompt")) if isinstance(item, Mapping) else str(item) for item in wanted}
    by_name: dict[str, set[str]] = {}
    for item in found:
        for name in (item.task.task_id, item.task.prompt):
            by_name.setdefault(name, set()).add(item.task.task_id)
    strangers = sorted(names - by_name.keys())
    if strangers:
        raise ConfigError(Problem("holdout", f"{strangers[0][:80]!r} is no task id and no ask of the rows"))
    return frozenset(task_id for name in names for task_id in by_name[name])


def _clean(
    train: list[Calibrated], holdout: Sequence[Calibrated], knobs: RunKnobs, drops: dict[str, list[str]]
) -> tuple[list[Calibrated], Mapping[str, Any]]:
    """The train tasks that no held-out one says as well."""
    if not train or not holdout:
        return train, {"n_contaminated": 0, "n": len(train), "rate": 0.0 if train else None, "examples": []}
    lines = [_said(item.task) for item in train]
    kept, report = decontaminate(lines, [_said(item.task) for item in holdout], knobs=knobs)
    ids = {line["task_id"] for line in kept}
    gone = [item.task.task_id for item in train if item.task.task_id not in ids]
    if gone:
        drops["contaminated"] = gone
    told = {name: report[name] for name in ("n_contaminated", "n", "rate", "n_exact", "n_near", "examples", "rule")}
    return [item for item in train if item.task.task_id in ids], told


def _said(task: Task) -> dict[str, Any]:
    return {"task_id": task.task_id, "prompt": task.prompt, "messages": [dict(message) for message in task.prefix]}


def shows_key(task: Task, quote_chars: int) -> bool:
    """Whether the ask itself holds a stretch of the task's answer key."""
    if task.privileged is None:
        return False
    key = texts_of(task.privileged.get(name) for name in ("reference", "tests"))
    parts = [part for part in map(flat, key) if len(part) >= quote_chars]
    if not parts:
        return False
    shown = flat(" ".join(texts_of([task.prompt, *task.prefix])))
    return any(part in shown for part in parts)
