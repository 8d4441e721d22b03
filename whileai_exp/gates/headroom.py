"""Is there anything to learn: does the best of k beat the single try?"""

from __future__ import annotations

from dataclasses import dataclass

from ..ports import Evidence
from ..schema import GateResult, GateStatus
from ._base import gates


@gates.register("headroom")
@dataclass(frozen=True, slots=True)
class Headroom:
    min: float = 0.0
    """The lower interval end must be above this."""

    def check(self, evidence: Evidence) -> GateResult:
        found = evidence.measures.get("headroom")
        fix = "give every task k repeats with repeat_policy='fixed' (allocation.kind=fixed)"
        if found is None or found.value is None or found.interval is None:
            return GateResult(
                "headroom",
                GateStatus.UNMEASURED,
                found.note if found else "headroom was not taken",
                {"n": found.n if found else 0},
                fix,
            )
        good = found.interval.low > self.min
        reason = f"headroom {found.value:.3f} [{found.interval.low:.3f}, {found.interval.high:.3f}], asked: lower end > {self.min:g} (n={found.n})"
        return GateResult(
            "headroom",
            GateStatus.PASS if good else GateStatus.FAIL,
            reason,
            {"value": found.value, "low": found.interval.low, "n": found.n, "min": self.min},
            "" if good else "aim at tasks the agent sometimes solves",
        )
