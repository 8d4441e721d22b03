"""Does any row recite its own answer key?"""

from __future__ import annotations

from dataclasses import dataclass

from ..ports import Evidence
from ..schema import GateResult, GateStatus
from ._base import gates


@gates.register("no_leak")
@dataclass(frozen=True, slots=True)
class NoLeak:
    def check(self, evidence: Evidence) -> GateResult:
        found = evidence.reports.get("leaks")
        if found is None:
            return GateResult(
                "no_leak",
                GateStatus.UNMEASURED,
                "rows carried no privileged data to compare with",
                {},
                "judge rows in the run that made them",
            )
        n, leaked = int(found.get("n_checked", 0)), int(found.get("n_leaked", 0))
        if not n:
            return GateResult(
                "no_leak",
                GateStatus.UNMEASURED,
                "rows carried no privileged data to compare with",
                {"n": 0},
                "judge rows in the run that made them",
            )
        status = GateStatus.PASS if not leaked else GateStatus.FAIL
        return GateResult(
            "no_leak",
            status,
            f"{leaked} of {n} rows recite their answer key",
            {"value": leaked, "n": n},
            "drop these rows and find how the agent saw the key" if leaked else "",
        )
