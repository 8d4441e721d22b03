"""Were rollouts cut? A cut rollout scores for the cap, not for the agent."""

from __future__ import annotations

from dataclasses import dataclass

from ..knobs import GateKnobs
from ..ports import Evidence
from ..schema import GateResult
from ._base import gates, share_gate


@gates.register("truncation")
@dataclass(frozen=True, slots=True)
class Truncation:
    max_share: float | None = None
    """None: the knob `gate_max_truncated_share`."""
    knobs: GateKnobs = GateKnobs()

    def check(self, evidence: Evidence) -> GateResult:
        bound = self.knobs.gate_max_truncated_share if self.max_share is None else self.max_share
        n = len(evidence.rows)
        share = sum(row.get("status") == "truncated" for row in evidence.rows) / n if n else None
        return share_gate(
            "truncation",
            share,
            n,
            most=bound,
            what="share of rollouts cut at a cap",
            fix="raise allocation.max_turns or sampling.max_tokens",
        )
