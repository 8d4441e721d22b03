"""Rows for on-policy style training: whole groups whose rollouts disagree, inside the difficulty band.

Groups with one outcome carry no gradient (DAPO, arXiv:2503.14476), so they go; tasks that are nearly always or nearly
never solved go too. Order inside what stays: fault kinds in turn, and within one kind pass rates spread out, so that a
small target is not all one kind of failure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from .._hash import sha
from ..errors import ConfigError, Problem
from ..knobs import RunKnobs
from ..schema import Selection, reward_of, task_key
from ..stats.intervals import wilson
from ._base import Row, Sieve, selections
from ._hygiene import junk_reason, label_reason, leak_reason, reply_key


@selections.register("rl")
def select_rl(
    rows: Sequence[Row],
    *,
    knobs: RunKnobs,
    band: Sequence[float] | None = None,
    target: int | None = None,
    enforce_band: bool = True,
) -> Selection:
    """Whole mixed groups in the band, best spread first, until `target` rows are reached.

    The band is decided on the rows before hygiene (what the policy really did); `report["tasks"]` shows each task's
    pass rate with its Wilson interval, since a rate from few rollouts is not a fact.
    """
    low, high = _band(band, knobs)
    wanted = target or knobs.select_target
    rates = pass_rates(rows)
    sieve = Sieve(rows)
    sieve.gate("privileged_leak", lambda row: leak_reason(row, knobs.quote_chars))
    sieve.gate("label", label_reason)
    sieve.gate("junk", junk_reason)
    seen: set[tuple[str, str, str]] = set()

    def duplicate(row: Row) -> str | None:
        key = (task_key(row), str(row.get("behavior_signature", "")), reply_key(str(row.get("final_text", ""))))
        if key in seen:
            return "duplicate"
        seen.add(key)
        return None

    mixed_before = {task for task, (n, c, _) in rates.items() if n >= 2 and 0 < c < n}
    sieve.gate(
        "unanimous",
        lambda row: (
            None if task_key(row) in mixed_before else "unanimous" if rates.get(task_key(row), (0, 0, 0))[0] >= 2 else "single"
        ),
    )
    sieve.gate("duplicate", duplicate)
    left = pass_rates(sieve.rows)
    sieve.gate("collapsed", lambda row: None if 0 < left[task_key(row)][1] < left[task_key(row)][0] else "collapsed")
    if enforce_band:
        sieve.gate("band", lambda row: _band_reason(rates[task_key(row)][2], low, high))
    chosen = _ranked(sieve.rows, rates, wanted)
    kept = {id(row) for row in chosen}
    sieve.gate("target", lambda row: None if id(row) in kept else "over_target")
    repeated = [task for task, (n, _, _) in rates.items() if n >= 2]
    report: dict[str, Any] = {
        "kind": "rl",
        "n": len(rows),
        "n_selected": len(chosen),
        "groups_selected": len({task_key(row) for row in chosen}),
        "gates": sieve.gates,
        "band": [low, high],
        "signal": {
            "n_groups": len(rates),
            "n_repeated": len(repeated),
            "n_mixed": len(mixed_before),
            "mixed_share": len(mixed_before) / len(repeated) if repeated else None,
        },
        "tasks": {task: _task_report(*rate) for task, rate in rates.items()},
        "warnings": []
        if mixed_before
        else ["no_mixed_groups: every repeated task has one outcome; nothing here carries a gradient"],
    }
    stamped = [{**row, "calibration": _calibration(task_key(row), rates)} for row in chosen]
    return Selection(stamped, sieve.drops, report)


def pass_rates(rows: Sequence[Row]) -> dict[str, tuple[int, int, float]]:
    """Task to (judged rollouts, passes, pass rate); tasks without a verdict are absent."""
    groups: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.get("judge_status", "ok") == "ok" and (reward := reward_of(row.get("reward"))) is not None:
            groups[task_key(row)].append(reward)
    return {task: (len(r), sum(x >= 1.0 for x in r), sum(r) / len(r)) for task, r in groups.items()}


def _band(band: Sequence[float] | None, knobs: RunKnobs) -> tuple[float, float]:
    low, high = tuple(band) if band is not None else (knobs.band_low, knobs.band_high)
    if not 0 <= low <= high <= 1:
        raise ConfigError(
            Problem(
                "selection.band",
                f"{[low, high]} is not 0 <= low <= high <= 1",
                f"the default is {[knobs.band_low, knobs.band_high]}",
            )
        )
    return float(low), float(high)


def _band_reason(rate: float, low: float, high: float) -> str | None:
    return "too_hard" if rate < low else "too_easy" if rate > high else None


def _ranked(rows: Sequence[Row], rates: Mapping[str, tuple[int, int, float]], target: int) -> list[Row]:
    """Whole groups: one fault kind after the other, within a kind from spread pass rates, ties by hash."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[task_key(row)].append(row)
    kinds: dict[str, list[str]] = defaultdict(list)
    for task in sorted(groups, key=lambda t: (round(rates[t][2] * 4), sha(t))):
        kinds[_kind(groups[task])].append(task)
    queues = [_interleaved(tasks, rates) for _, tasks in sorted(kinds.items())]
    out: list[Row] = []
    while any(queues) and len(out) < target:
        for queue in queues:
            if queue and len(out) < target:
                out.extend(groups[queue.pop(0)])
    return out


def _interleaved(tasks: Sequence[str], rates: Mapping[str, tuple[int, int, float]]) -> list[str]:
    buckets: dict[int, list[str]] = defaultdict(list)
    for task in tasks:
        buckets[round(rates[task][2] * 4)].append(task)
    order = sorted(buckets, key=lambda b: (abs(b - 2), b))
    out: list[str] = []
    while any(buckets.values()):
        for bucket in order:
            if buckets[bucket]:
                out.append(buckets[bucket].pop(0))
    return out


def _kind(rows: Sequence[Row]) -> str:
    for row in rows:
        for fault in row.get("faults") or ():
            if fault.get("fired"):
                return str(fault["mode"])
    return "none"


def _task_report(n: int, passes: int, rate: float) -> dict[str, Any]:
    interval = wilson(passes, n)
    return {"n": n, "pass_rate": rate, "ci95": interval.to_list() if interval else None}


def _calibration(task: str, rates: Mapping[str, tuple[int, int, float]]) -> dict[str, Any]:
    n, passes, rate = rates[task]
    return {"task_id": task, **_task_report(n, passes, rate)}
