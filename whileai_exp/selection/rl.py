"""Rows for on-policy style training: whole groups whose rollouts disagree, inside the difficulty band.

Groups with one outcome carry no gradient (DAPO, arXiv:2503.14476), so they go; tasks that are nearly always or nearly
never solved go too. A pass rate from few rollouts is not a fact, so a task leaves the band only when it more likely than
not lies outside it: the posterior of its rate under Jeffreys' prior. Order inside what stays: fault kinds in turn, and
within one kind pass rates spread out, so that a small target is not all one kind of failure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._hash import sha
from .._text import did_you_mean
from ..errors import ConfigError, Problem
from ..knobs import RunKnobs
from ..measures._sources import Source, rows_of
from ..measures._table import items_of
from ..schema import Selection, reward_of, task_key
from ..stats.intervals import wilson
from ..stats.special import beta_between
from ._base import Row, Sieve, selections
from ._hygiene import is_truncated, label_reason, leak_reason, reply_key, silent_reason

TRUNCATED = ("drop", "keep", "penalize")
ORDERS = ("spread", "middle")


@dataclass(frozen=True, slots=True)
class Rate:
    """How often a task was solved, and what is known about how often it will be."""

    n: int
    """Judged rollouts."""
    passes: int
    mean: float
    """Mean reward."""

    @property
    def mixed(self) -> bool:
        return self.n >= 2 and 0 < self.passes < self.n

    def to_dict(self) -> dict[str, Any]:
        interval = wilson(self.passes, self.n)
        return {"n": self.n, "pass_rate": self.mean, "ci95": interval.to_list() if interval else None}


@selections.register("rl")
def select_rl(
    rows: Sequence[Row],
    *,
    knobs: RunKnobs,
    band: Sequence[float] | None = None,
    target: int | None = None,
    enforce_band: bool = True,
    truncated: str = "drop",
    order: str = "spread",
    prior: Source | None = None,
) -> Selection:
    """Whole mixed groups in the band, best spread first, until `target` rows are reached.

    The band is decided on the rows before hygiene (what the policy really did); `report["tasks"]` shows each task's pass rate
    with its Wilson interval and the probability that it lies in the band. `truncated`: rows cut at a cap are dropped, kept,
    or penalized (copies with reward 0, the earlier one in `reward_before_penalty`). `order`: pass rates spread out, or nearest
    the band's middle first. `prior`: rows of the round before (or a file or run directory of them); tasks outside the band there are dropped.
    """
    low, high = _checked(band, truncated, order, knobs)
    given = [_penalized(row) for row in rows] if truncated == "penalize" else rows
    rates = pass_rates(given)
    odds, out = placed(rates, low, high, knobs.band_certainty)
    sieve = Sieve(given)
    if prior is not None:
        earlier = placed(pass_rates(rows_of(prior, name="prior")), low, high, knobs.band_certainty).out
        sieve.gate("prior", lambda row: f"prior_{earlier[task_key(row)]}" if task_key(row) in earlier else None)
    sieve.gate("privileged_leak", lambda row: leak_reason(row, knobs.quote_chars))
    sieve.gate("label", label_reason)
    sieve.gate("truncated", lambda row: "truncated" if truncated == "drop" and is_truncated(row) else None)
    sieve.gate("junk", silent_reason)
    sieve.gate("unanimous", lambda row: _contrast_reason(rates.get(task_key(row))))
    duplicates = _Duplicates()
    sieve.gate("duplicate", duplicates.reason)
    left = pass_rates(sieve.rows)
    sieve.gate("collapsed", lambda row: None if left[task_key(row)].mixed else "collapsed")
    if enforce_band:
        sieve.gate("band", lambda row: out.get(task_key(row)))
    chosen = _ranked(sieve.rows, rates, target or knobs.select_target, order, (low + high) / 2)
    sieve.only("target", "over_target", chosen)
    mixed = [task for task, rate in rates.items() if rate.mixed]
    repeated = sum(rate.n >= 2 for rate in rates.values())
    unsure = sum(_unsure(odds[task], knobs) for task in mixed)
    report: dict[str, Any] = {
        "kind": "rl",
        "n": len(rows),
        "n_selected": len(chosen),
        "groups_selected": len({task_key(row) for row in chosen}),
        "gates": sieve.gates,
        "band": [low, high],
        "n_band_uncertain": unsure,
        "conflicting_duplicates": duplicates.conflicts,
        "fault_kinds": sorted({_kind([row]) for row in chosen}),
        "signal": {
            "n_groups": len(rates),
            "n_repeated": repeated,
            "n_mixed": len(mixed),
            "mixed_share": len(mixed) / repeated if repeated else None,
        },
        "tasks": {task: {**rate.to_dict(), "p_in_band": round(odds[task], 4)} for task, rate in rates.items()},
        "warnings": _warnings(len(mixed), unsure, duplicates.conflicts),
    }
    stamped = [
        {**row, "calibration": {"task_id": task_key(row), **rates[task_key(row)].to_dict(), "p_in_band": odds[task_key(row)]}}
        for row in chosen
    ]
    return Selection(stamped, sieve.drops, report)


def pass_rates(rows: Sequence[Row]) -> dict[str, Rate]:
    """Task to its rate over judged rollouts, each counted once; tasks without a verdict are absent."""
    groups: dict[str, list[float]] = defaultdict(list)
    seen: set[tuple[str, str]] = set()
    for row in rows:
        if row.get("judge_status", "ok") != "ok" or (reward := reward_of(row.get("reward"))) is None:
            continue
        if row.get("rollout_id") is not None:
            identity = (str(row["rollout_id"]), str(row.get("policy_version", "")))
            if identity in seen:
                continue
            seen.add(identity)
        groups[task_key(row)].append(reward)
    return {task: Rate(len(r), sum(x >= 1.0 for x in r), sum(r) / len(r)) for task, r in groups.items()}


class Placement(NamedTuple):
    """Where the tasks lie with respect to a band."""

    odds: Mapping[str, float]
    """Task to the posterior probability that its rate lies in the band, under Jeffreys' prior Beta(1/2, 1/2)."""
    out: Mapping[str, str]
    """The tasks outside, to `too_hard` or `too_easy`; a task of which nothing is known is not among them."""


def placed(rates: Mapping[str, Rate], low: float, high: float, certainty: float) -> Placement:
    """Each task in or out of the band; out means that it is inside with less than `certainty`."""
    n = np.array([rate.n for rate in rates.values()], float)
    worth = np.array([rate.mean for rate in rates.values()], float) * n
    inside = beta_between(low, high, 0.5 + worth, 0.5 + n - worth)
    below = beta_between(0.0, low, 0.5 + worth, 0.5 + n - worth)
    hard = below > 1 - inside - below
    out = {task: "too_hard" if h else "too_easy" for task, p, h in zip(rates, inside.tolist(), hard.tolist()) if p < certainty}
    return Placement(dict(zip(rates, inside.tolist())), out)


def _checked(band: Sequence[float] | None, truncated: str, order: str, knobs: RunKnobs) -> tuple[float, float]:
    problems = []
    pair = tuple(band) if band is not None else (knobs.band_low, knobs.band_high)
    if len(pair) != 2 or not 0 <= pair[0] <= pair[1] <= 1:
        default = [knobs.band_low, knobs.band_high]
        problems.append(Problem("selection.band", f"{list(pair)} is not 0 <= low <= high <= 1", f"the default is {default}"))
    for name, value, known in (("truncated", truncated, TRUNCATED), ("order", order, ORDERS)):
        if value not in known:
            problems.append(Problem(f"selection.{name}", f"{value!r} is not one of its values", did_you_mean(str(value), known)))
    if problems:
        raise ConfigError(problems)
    return float(pair[0]), float(pair[1])


def _penalized(row: Row) -> Row:
    """A copy with reward 0 of a judged row that was cut at a cap; any other row itself."""
    if not is_truncated(row) or reward_of(row.get("reward")) is None or row.get("judge_status", "ok") != "ok":
        return row
    return {**row, "reward": 0.0, "reward_before_penalty": row["reward"], "overlong": True}


def _contrast_reason(rate: Rate | None) -> str | None:
    if rate is None or rate.n < 2:
        return "single"
    return None if rate.mixed else "unanimous"


def _unsure(odds: float, knobs: RunKnobs) -> bool:
    return 1 - knobs.band_sure < odds < knobs.band_sure


def _warnings(mixed: int, unsure: int, conflicts: int) -> list[str]:
    if not mixed:
        return ["no_mixed_groups: every repeated task has one outcome; nothing here carries a gradient"]
    told = []
    if 2 * unsure > mixed:
        told.append(f"{unsure} of {mixed} mixed tasks may lie on either side of the band: more repeats would tell")
    if conflicts:
        told.append(f"{conflicts} duplicate replies have different rewards: the judge is not repeatable")
    return told


class _Duplicates:
    """Rollouts of one task that did and said the same: the first stays."""

    def __init__(self) -> None:
        self.conflicts = 0
        """Duplicates whose reward is not that of the one that stayed."""
        self._seen: dict[tuple[str, str, str], float | None] = {}

    def reason(self, row: Row) -> str | None:
        key = (task_key(row), str(row.get("behavior_signature", "")), reply_key(str(row.get("final_text", ""))))
        reward = reward_of(row.get("reward"))
        if key not in self._seen:
            self._seen[key] = reward
            return None
        self.conflicts += reward != self._seen[key]
        return "duplicate"


def _ranked(rows: Sequence[Row], rates: Mapping[str, Rate], target: int, order: str, middle: float) -> list[Row]:
    """Whole groups: one fault kind after the other, within a kind in `order`, ties by hash."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[task_key(row)].append(row)
    kinds: dict[str, list[str]] = defaultdict(list)
    for task in sorted(groups, key=sha):
        kinds[_kind(groups[task])].append(task)
    queues = []
    for _, tasks in sorted(kinds.items()):
        near = sorted(tasks, key=lambda task: (round(abs(rates[task].mean - middle), 9), sha(task)))
        queues.append(iter(near if order == "middle" else _interleaved(tasks, rates)))
    out: list[Row] = []
    while queues and len(out) < target:
        for queue in list(queues):
            task = next(queue, None)
            if task is None:
                queues.remove(queue)
            elif len(out) < target:
                out.extend(groups[task])
    return out


def _interleaved(tasks: Sequence[str], rates: Mapping[str, Rate]) -> list[str]:
    """Quarters of the pass rate in turn, the middle one first."""
    buckets: dict[int, list[str]] = defaultdict(list)
    for task in tasks:
        buckets[round(rates[task].mean * 4)].append(task)
    turns = [(place, abs(bucket - 2), bucket, task) for bucket, found in buckets.items() for place, task in enumerate(found)]
    return [task for *_, task in sorted(turns)]


def _kind(rows: Sequence[Row]) -> str:
    for row in rows:
        for fault in items_of(row, "faults"):
            if fault.get("fired"):
                return str(fault.get("mode"))
    return "none"
