"""Rows for supervised training: passes only, few per task, behaviours taken in turn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from .._hash import sha
from ..knobs import RunKnobs
from ..schema import Selection, reward_of, task_key
from ._base import Row, Sieve, selections
from ._hygiene import junk_reason, label_reason, leak_reason
from .rl import pass_rates


@selections.register("sft")
def select_sft(
    rows: Sequence[Row],
    *,
    knobs: RunKnobs,
    target: int | None = None,
    min_reward: float | None = None,
    per_task: int | None = None,
) -> Selection:
    """Passing rows, at most `per_task` of each task, round-robin over behaviour signatures until `target`."""
    floor = knobs.sft_min_reward if min_reward is None else min_reward
    limit = per_task or knobs.sft_per_task
    sieve = Sieve(rows)
    sieve.gate("privileged_leak", lambda row: leak_reason(row, knobs.quote_chars))
    sieve.gate("label", label_reason)
    sieve.gate("reward", lambda row: None if (reward_of(row.get("reward")) or 0.0) >= floor else "below_min_reward")
    sieve.gate("junk", junk_reason)
    best = _best_per_task(sieve.rows, limit)
    sieve.gate("per_task", lambda row: None if id(row) in best else "over_per_task")
    chosen = _by_behaviour(sieve.rows, target or knobs.select_target)
    kept = {id(row) for row in chosen}
    sieve.gate("target", lambda row: None if id(row) in kept else "over_target")
    report: dict[str, Any] = {
        "kind": "sft",
        "n": len(rows),
        "n_selected": len(chosen),
        "groups_selected": len({task_key(row) for row in chosen}),
        "gates": sieve.gates,
        "behaviors_covered": len({row.get("behavior_signature") for row in chosen}),
        "tasks": {task: {"n": n, "pass_rate": rate} for task, (n, _, rate) in pass_rates(rows).items()},
        "warnings": [] if chosen else ["no row passed: there is nothing to imitate"],
    }
    return Selection([dict(row) for row in chosen], sieve.drops, report)


def _best_per_task(rows: Sequence[Row], limit: int) -> set[int]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[task_key(row)].append(row)
    out: set[int] = set()
    for group in groups.values():
        ranked = sorted(
            group,
            key=lambda row: (-(reward_of(row.get("reward")) or 0.0), sha(str(row.get("rollout_id", row.get("final_text", ""))))),
        )
        out.update(id(row) for row in ranked[:limit])
    return out


def _by_behaviour(rows: Sequence[Row], target: int) -> list[Row]:
    queues: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        queues[str(row.get("behavior_signature", ""))].append(row)
    out: list[Row] = []
    order = sorted(queues)
    while len(out) < target and any(queues.values()):
        for name in order:
            if queues[name] and len(out) < target:
                out.append(queues[name].pop(0))
    return out
