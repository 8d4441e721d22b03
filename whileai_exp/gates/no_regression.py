"""Is this run at least as good as an earlier one on the tasks they share?"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ConfigError, Problem
from ..measures.compare import compare_runs
from ..ports import Evidence
from ..schema import GateResult, GateStatus
from ._base import gates


@gates.register("no_regression")
@dataclass(frozen=True, slots=True)
class NoRegression:
    """`baseline`: a run directory, a file of rows, or an MLflow run id. `margin`: the drop that does not matter.

    Fails when the interval of the change lies below -margin, and with `strict` whenever it reaches below it.
    """

    baseline: str = ""
    measure: str = "pass_at_1"
    margin: float = 0.0
    strict: bool = False

    def __post_init__(self) -> None:
        problems = []
        if not self.baseline:
            problems.append(Problem("baseline", "names no run", "gates.no_regression.baseline=outputs/…"))
        if not 0 <= self.margin < 1:
            problems.append(Problem("margin", f"{self.margin} is not in [0, 1)"))
        if problems:
            raise ConfigError(problems)

    def check(self, evidence: Evidence) -> GateResult:
        fix = "run both on one task set (writer.tasks=BASELINE/rows.jsonl)"
        try:
            found = compare_runs(self.baseline, evidence.rows, metric=self.measure, resolver=evidence.resolver)
        except ConfigError as error:
            return GateResult(
                "no_regression", GateStatus.UNMEASURED, f"the baseline cannot be read: {error}", {}, "name a run that is there"
            )
        if found.delta is None or found.ci95 is None:
            return GateResult(
                "no_regression",
                GateStatus.UNMEASURED,
                f"{self.measure} cannot be compared: {'; '.join(found.notes) or 'no interval'}",
                {"n": found.n_used},
                fix,
            )
        low, high = found.ci95.low, found.ci95.high
        numbers = {"value": found.delta, "low": low, "high": high, "n": found.n_used, "margin": self.margin}
        bad = low < -self.margin if self.strict else high < -self.margin
        asked = f"{'lower' if self.strict else 'upper'} end >= {-self.margin:g}"
        reason = f"{self.measure} changed by {found.delta:+.3f} [{low:+.3f}, {high:+.3f}] against the baseline, asked: {asked} (n={found.n_used})"
        return GateResult(
            "no_regression",
            GateStatus.FAIL if bad else GateStatus.PASS,
            reason,
            numbers,
            "see `whileai-exp compare`" if bad else "",
        )
