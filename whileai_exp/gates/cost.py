"""Did the run stay within what it may cost?"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ConfigError, Problem
from ..ports import Evidence
from ..schema import GateResult, GateStatus
from ._base import gates


@gates.register("cost")
@dataclass(frozen=True, slots=True)
class Cost:
    """`max_money` in dollars over all roles, `max_tokens`, and `max_tokens_per_rollout`; each is asked only where it is given."""

    max_money: float | None = None
    max_tokens: int | None = None
    max_tokens_per_rollout: float | None = None

    def __post_init__(self) -> None:
        given = (self.max_money, self.max_tokens, self.max_tokens_per_rollout)
        if all(bound is None for bound in given):
            raise ConfigError(Problem("", "needs max_money, max_tokens or max_tokens_per_rollout", "gates.cost.max_money=20"))
        if any(bound is not None and bound <= 0 for bound in given):
            raise ConfigError(Problem("", "a bound is not above 0"))

    def check(self, evidence: Evidence) -> GateResult:
        usage = evidence.reports.get("usage")
        fix = "give every model a price (price: {input, output}) and use endpoints that count tokens"
        if usage is None or not evidence.rows:
            return GateResult("cost", GateStatus.UNMEASURED, "no usage was recorded", {"n": len(evidence.rows)}, fix)
        lines = usage.get("calls") or ()
        tokens = sum(int(line["input_tokens"]) + int(line["output_tokens"]) for line in lines)
        unpriced = sorted({str(line["model"]) for line in lines if line["money"] is None})
        uncounted = sum(int(line["uncounted"]) for line in lines)
        money = sum(float(line["money"] or 0.0) for line in lines)
        numbers = {"money": None if unpriced else money, "tokens": tokens, "n": len(evidence.rows)}
        if self.max_money is not None and unpriced:
            return GateResult("cost", GateStatus.UNMEASURED, f"no price is known of {', '.join(unpriced)}", numbers, fix)
        if (self.max_tokens or self.max_tokens_per_rollout) and uncounted:
            return GateResult("cost", GateStatus.UNMEASURED, f"{uncounted} answers came without a token count", numbers, fix)
        spent = (
            ("money", money, self.max_money),
            ("tokens", tokens, self.max_tokens),
            ("tokens per rollout", tokens / len(evidence.rows), self.max_tokens_per_rollout),
        )
        said = [f"{name} {value:.6g} of {bound:g}" for name, value, bound in spent if bound is not None]
        over = any(value > bound for _, value, bound in spent if bound is not None)
        return GateResult(
            "cost",
            GateStatus.FAIL if over else GateStatus.PASS,
            ", ".join(said),
            numbers,
            "ask for fewer rollouts or a cheaper model" if over else "",
        )
