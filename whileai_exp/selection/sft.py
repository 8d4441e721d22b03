"""Rows for supervised training: passes only, few per task, behaviours taken in turn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import Any

from .._hash import sha
from .._text import did_you_mean
from ..errors import ConfigError, Problem
from ..knobs import RunKnobs
from ..schema import Selection, reward_of, task_key
from ._base import Row, Sieve, selections
from ._hygiene import is_truncated, label_reason, leak_reason, silent_reason
from .rl import pass_rates

PICKS = ("top", "random")


@selections.register("sft")
def select_sft(
    rows: Sequence[Row],
    *,
    knobs: RunKnobs,
    target: int | None = None,
    min_reward: float | None = None,
    per_task: int | None = None,
    pick: str = "top",
    seed: int = 0,
) -> Selection:
    """Passing rows, at most `per_task` of each task, round-robin over behaviour signatures until `target`.

    `pick`: which of a task's rows: the best rewarded, ties by hash, or any by `seed`. `report["completions_per_task"]` says how
    many passing rows there were to choose from: with one per task, picking is nothing but the pass filter.
    """
    if pick not in PICKS:
        raise ConfigError(Problem("selection.pick", f"{pick!r} is not one of its values", did_you_mean(str(pick), PICKS)))
    floor = knobs.sft_min_reward if min_reward is None else min_reward
    sieve = Sieve(rows)
    sieve.gate("privileged_leak", lambda row: leak_reason(row, knobs.quote_chars))
    sieve.gate("label", label_reason)
    sieve.gate("reward", lambda row: None if (reward_of(row.get("reward")) or 0.0) >= floor else "below_min_reward")
    sieve.gate("truncated", lambda row: "truncated" if is_truncated(row) else None)
    sieve.gate("junk", silent_reason)
    eligible = _by_task(sieve.rows)
    sizes = [len(group) for group in eligible.values()]
    sieve.only("per_task", "over_per_task", _picked(eligible, per_task or knobs.sft_per_task, pick, seed))
    chosen = _by_behaviour(sieve.rows, target or knobs.select_target)
    sieve.only("target", "over_target", chosen)
    middle = median(sizes) if sizes else None
    report: dict[str, Any] = {
        "kind": "sft",
        "n": len(rows),
        "n_eligible": sum(sizes),
        "n_selected": len(chosen),
        "groups_selected": len({task_key(row) for row in chosen}),
        "gates": sieve.gates,
        "unique_behaviors": len({str(row.get("behavior_signature")) for group in eligible.values() for row in group}),
        "behaviors_covered": len({str(row.get("behavior_signature")) for row in chosen}),
        "completions_per_task": {"median": middle, "max": max(sizes, default=0)},
        "selection_effective": "pass_filter" if middle is not None and middle <= 1 else pick,
        "tasks": {task: {"n": rate.n, "pass_rate": rate.mean} for task, rate in pass_rates(rows).items()},
        "warnings": _warnings(len(chosen), middle, pick, knobs),
    }
    return Selection([dict(row) for row in chosen], sieve.drops, report)


def _warnings(n: int, middle: float | None, pick: str, knobs: RunKnobs) -> list[str]:
    if not n:
        return ["no row passed: there is nothing to imitate"]
    if pick == "top" and middle is not None and middle < knobs.sft_min_completions:
        few = f"{middle:g} passing rows per task (median) are few to pick the best from"
        return [f"{few}; {knobs.sft_min_completions} or more make rejection sampling worth it"]
    return []


def _by_task(rows: Sequence[Row]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[task_key(row)].append(row)
    return groups


def _picked(groups: dict[str, list[Row]], limit: int, pick: str, seed: int) -> list[Row]:
    def rank(row: Row) -> tuple[float, str]:
        name = str(row.get("rollout_id", row.get("final_text", "")))
        tie = sha(f"{seed}:{name}" if seed else name)
        return (-(reward_of(row.get("reward")) or 0.0) if pick == "top" else 0.0, tie)

    return [row for group in groups.values() for row in sorted(group, key=rank)[:limit]]


def _by_behaviour(rows: Sequence[Row], target: int) -> list[Row]:
    """One row of each behaviour in turn, until `target`."""
    places: dict[str, int] = defaultdict(int)
    turns = []
    for at, row in enumerate(rows):
        behaviour = str(row.get("behavior_signature", ""))
        turns.append((places[behaviour], behaviour, at))
        places[behaviour] += 1
    return [rows[at] for *_, at in sorted(turns)[:target]]
