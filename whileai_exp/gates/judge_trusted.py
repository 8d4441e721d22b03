"""Was the judge checked against gold labels, and did it hold?"""

from __future__ import annotations

from dataclasses import dataclass

from ..ports import Evidence
from ..schema import GateResult, GateStatus
from ._base import gates


@gates.register("judge_trusted")
@dataclass(frozen=True, slots=True)
class JudgeTrusted:
    """Passes when `judge_trust` does; a judge without gold labels is unmeasured, which refuses too."""

    def check(self, evidence: Evidence) -> GateResult:
        found = evidence.reports.get("judge_trust")
        if found is None or not found.get("measured"):
            why = "; ".join(map(str, (found or {}).get("warnings") or ())) or "no row carries gold_reward"
            fix = "label 30 to 100 rows by hand (whileai-exp label) and attach them as gold_reward"
            return GateResult("judge_trusted", GateStatus.UNMEASURED, f"the judge was not measured: {why}", {"n": 0}, fix)
        numbers = {"n": found.get("n"), "agreement": found.get("agreement"), "kappa": found.get("kappa")}
        if found.get("ok"):
            return GateResult("judge_trusted", GateStatus.PASS, "the judge clears every check against gold", numbers, "")
        why = "; ".join(map(str, found.get("warnings") or ())) or "a check failed"
        return GateResult(
            "judge_trusted", GateStatus.FAIL, why, numbers, "read the rollouts under judge_trust.review and mend the rubric"
        )
