"""Do repeats disagree anywhere? Without disagreement grouped training has nothing to learn from."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ..knobs import GateKnobs
from ..ports import Evidence
from ..schema import GateResult, GateStatus, reward_of, task_key
from ._base import gates, share_gate


@gates.register("mixed_groups")
@dataclass(frozen=True, slots=True)
class MixedGroups:
    min_share: float | None = None
    """None: the knob `gate_min_mixed_share`."""
    knobs: GateKnobs = GateKnobs()

    def check(self, evidence: Evidence) -> GateResult:
        bound = self.knobs.gate_min_mixed_share if self.min_share is None else self.min_share
        groups: dict[str, set[bool]] = defaultdict(set)
        sizes: dict[str, int] = defaultdict(int)
        for row in evidence.rows:
            reward = reward_of(row.get("reward")) if row.get("judge_status", "ok") == "ok" else None
            if reward is not None:
                groups[task_key(row)].add(reward >= 1.0)
                sizes[task_key(row)] += 1
        repeated = [task for task, n in sizes.items() if n >= 2]
        mixed = sum(len(groups[task]) == 2 for task in repeated)
        fix = "aim at harder or easier situations, raise repeats, or sample at a higher temperature"
        if repeated and not mixed:
            return GateResult(
                "mixed_groups",
                GateStatus.FAIL,
                f"none of {len(repeated)} repeated tasks has two outcomes",
                {"value": 0.0, "bound": bound, "n": len(repeated)},
                fix,
            )
        share = mixed / len(repeated) if repeated else None
        return share_gate(
            "mixed_groups",
            share,
            len(repeated),
            least=bound,
            what="share of repeated tasks whose rollouts disagree",
            fix=fix if repeated else "set repeats to 2 or more",
        )
