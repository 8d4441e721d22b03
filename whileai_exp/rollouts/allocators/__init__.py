"""Which task gets another rollout. One file per policy; every one is asked for jobs and told what became of them."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import ConfigError, Problem
from ...knobs import RolloutKnobs
from ...ports import Allocator
from ...registry import Registry

allocators: Registry[Allocator] = Registry("repeat policy", "whileai_exp.rollouts.allocators")


def make_allocator(
    kind: str,
    *,
    task_ids: Sequence[str],
    repeats: int,
    knobs: RolloutKnobs,
    budget: int | None = None,
    rewards: bool = False,
    until: str = "compute",
) -> Allocator:
    """The policy `kind` over the groups `task_ids` (in task order), at most `repeats` rollouts each and `budget` in all.

    `rewards`: whether outcomes will carry rewards; without, rollouts are told apart by their behaviour signatures.
    `until="saturation"` opens no further groups once a cohort showed next to no behaviour that is new.
    ConfigError for an unknown policy, two groups of one id, and a budget below one whole group.
    """
    if len(set(task_ids)) != len(task_ids):
        raise ConfigError(Problem("tasks", "two tasks have the same id", "give every task an id of its own"))
    if budget is not None and task_ids and budget < repeats:
        fix = f"raise it, or lower counts.repeats to {budget}"
        raise ConfigError(Problem("budget.rollouts", f"{budget} is below one group of {repeats} repeats", fix))
    return allocators.factory(kind)(
        task_ids, repeats, knobs=knobs, budget=budget, rewarded=rewards, saturate=until == "saturation"
    )


__all__ = ["allocators", "make_allocator"]
