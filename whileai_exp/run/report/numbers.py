"""How numbers look, in one place: a value with its interval and n, or the reason why there is none."""

from __future__ import annotations

from ...schema import Measure


def shown(measure: Measure) -> str:
    """`0.612 [0.571, 0.652]`, or `not measured`."""
    if measure.value is None:
        return "not measured"
    text = f"{measure.value:.3f}"
    if measure.interval is not None:
        text += f" [{measure.interval.low:.3f}, {measure.interval.high:.3f}]"
    return text


def seconds(value: float) -> str:
    """`0.42 s`, `12 s`, `3 min 05 s`."""
    if value < 10:
        return f"{value:.2f} s"
    if value < 120:
        return f"{value:.0f} s"
    return f"{int(value // 60)} min {int(value % 60):02d} s"


HEADLINE = ("pass_at_1", "pass_pow_k", "pass_at_k", "headroom")


def label(measure: Measure, k: int | None) -> str:
    """The name a person reads: `pass^8` for `pass_pow_k` at k = 8."""
    names = {"pass_at_1": "pass@1", "pass_pow_k": f"pass^{k or 'k'}", "pass_at_k": f"pass@{k or 'k'}"}
    return names.get(measure.name, measure.name)
