"""One rollout per task, then all repeats where that one met trouble: a fault, a failure, or a reward below the threshold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import allocators
from ._groups import Groups, GroupState, Record


@allocators.register("adaptive")
class Adaptive(Groups):
    """Repeats where something happened; one rollout where nothing did."""

    name = "adaptive"

    def start(self) -> int:
        return 1

    def report(self) -> Mapping[str, Any]:
        """`probe`: rollouts that a task gets whatever becomes of them."""
        return {**super().report(), "probe": 1}

    def more(self, group: GroupState, record: Record | None) -> int | None:
        first = group.told[0]
        troubled = (
            first.faulted or first.status != "ok" or (first.reward is not None and first.reward < self.knobs.pass_threshold)
        )
        return self.repeats if troubled else len(group.told)
