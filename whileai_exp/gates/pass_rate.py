"""Is the agent good enough? Judged on the end of the interval, not on the point."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ConfigError, Problem
from ..ports import Evidence
from ..schema import GateResult, GateStatus
from ._base import gates


@gates.register("pass_rate")
@dataclass(frozen=True, slots=True)
class PassRate:
    """`min`: the lower interval end must reach it; `max`: the upper end must stay under it; `measure`: which number."""

    min: float | None = None
    max: float | None = None
    measure: str = "pass_at_1"

    def __post_init__(self) -> None:
        for name, bound in (("min", self.min), ("max", self.max)):
            if bound is not None and not 0 <= bound <= 1:
                raise ConfigError(Problem(name, f"{bound} is not a share in [0, 1]"))
        if self.min is None and self.max is None:
            raise ConfigError(Problem("", "needs min or max", "gates.pass_rate.min=0.5"))

    def check(self, evidence: Evidence) -> GateResult:
        found = evidence.measures.get(self.measure)
        if found is None or found.value is None or found.interval is None:
            why = found.note if found is not None else "it was not taken"
            return GateResult(
                "pass_rate",
                GateStatus.UNMEASURED,
                f"{self.measure} has no interval: {why}",
                {"n": found.n if found else 0},
                "more tasks, or another measure",
            )
        low, high = found.interval.low, found.interval.high
        good = (self.min is None or low >= self.min) and (self.max is None or high <= self.max)
        asked = " and ".join(
            part
            for part in (
                f"lower end >= {self.min:g}" if self.min is not None else "",
                f"upper end <= {self.max:g}" if self.max is not None else "",
            )
            if part
        )
        numbers = {"value": found.value, "low": low, "high": high, "n": found.n, "min": self.min, "max": self.max}
        reason = f"{self.measure} {found.value:.3f} [{low:.3f}, {high:.3f}], asked: {asked} (n={found.n})"
        return GateResult(
            "pass_rate",
            GateStatus.PASS if good else GateStatus.FAIL,
            reason,
            numbers,
            "" if good else "more tasks narrow the interval; a better agent moves it",
        )
