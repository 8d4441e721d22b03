"""Are the rows judged? A broken judge must stop a run, not shrink it."""

from __future__ import annotations

from dataclasses import dataclass

from ..knobs import GateKnobs
from ..ports import Evidence
from ..schema import GateResult
from ._base import gates, share_gate


@gates.register("graded")
@dataclass(frozen=True, slots=True)
class Graded:
    min_share: float | None = None
    """None: the knob `gate_min_graded_share`."""
    knobs: GateKnobs = GateKnobs()

    def check(self, evidence: Evidence) -> GateResult:
        bound = self.knobs.gate_min_graded_share if self.min_share is None else self.min_share
        usable = [row for row in evidence.rows if row.get("status", "ok") in ("ok", "truncated", "empty_reply")]
        judged = sum(row.get("judge_status") == "ok" for row in usable)
        share = judged / len(usable) if usable else None
        return share_gate(
            "graded",
            share,
            len(usable),
            least=bound,
            what="share of usable rows with a verdict",
            fix="look at judge_status and judge_meta.error of the unjudged rows, then grade again",
        )
