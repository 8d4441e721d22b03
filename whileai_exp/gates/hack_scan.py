"""Does the reward pay for something that nobody asked for?"""

from __future__ import annotations

from dataclasses import dataclass

from ..measures.hacks import DEGENERATE, HACK, UNKNOWN
from ..ports import Evidence
from ..schema import GateResult, GateStatus
from ._base import gates


@gates.register("hack_scan")
@dataclass(frozen=True, slots=True)
class HackScanClean:
    """Fails when a property of replies goes with the reward and is neither endorsed (`measures.endorsed`) nor the judge's own."""

    def check(self, evidence: Evidence) -> GateResult:
        found = evidence.reports.get("hack_scan")
        fix = "judge rows of repeated tasks, some of which disagree"
        if found is None:
            return GateResult("hack_scan", GateStatus.UNMEASURED, "no row has a verdict to scan", {"n": 0}, fix)
        regime, numbers = str(found.get("regime")), {"n": found.get("n_tasks"), "regime": found.get("regime")}
        if regime in (UNKNOWN, DEGENERATE):
            return GateResult(
                "hack_scan", GateStatus.UNMEASURED, f"the scan can say nothing: {found.get('reason')}", numbers, fix
            )
        good = regime != HACK
        return GateResult(
            "hack_scan",
            GateStatus.PASS if good else GateStatus.FAIL,
            str(found.get("reason")),
            numbers,
            "" if good else f"endorse it if it is wanted (measures.endorsed=[{found.get('top')!r}]), else mend the judge",
        )
