"""Did the machinery hold? Errors, timeouts and failed simulated people are not the agent's failures."""

from __future__ import annotations

from dataclasses import dataclass

from ..knobs import GateKnobs
from ..ports import Evidence
from ..schema import GateResult
from ._base import gates, share_gate


@gates.register("errors")
@dataclass(frozen=True, slots=True)
class Errors:
    max_share: float | None = None
    """None: the knob `gate_max_error_share`."""
    knobs: GateKnobs = GateKnobs()

    def check(self, evidence: Evidence) -> GateResult:
        bound = self.knobs.gate_max_error_share if self.max_share is None else self.max_share
        n = len(evidence.rows)
        lost = sum(row.get("status") in ("agent_error", "timeout", "user_error", "cancelled") for row in evidence.rows)
        return share_gate(
            "errors",
            lost / n if n else None,
            n,
            most=bound,
            what="share of rollouts lost to errors",
            fix="see `error` on the rows; resume when the cause is gone",
        )
