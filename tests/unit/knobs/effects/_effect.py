"""One knob's effect: its two values and what is seen under each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from whileai_exp.knobs import RunKnobs

Observe = Callable[[RunKnobs], Any]


@dataclass(frozen=True)
class Effect:
    """`values` of the knob, `observe` a function of the knobs, and what it gives for each: exact values or their order."""

    values: tuple[Any, Any]
    observe: Observe
    seen: tuple[Any, Any] | str = "differ"
    """The two observations, or `less`, `more` (the second is less or more than the first) or `differ`."""

    def check(self, name: str) -> None:
        first, second = (self.observe(RunKnobs(**{name: value})) for value in self.values)
        if isinstance(self.seen, tuple):
            assert (first, second) == self.seen, (first, second)
        elif self.seen == "less":
            assert second < first, (first, second)
        elif self.seen == "more":
            assert second > first, (first, second)
        else:
            assert first != second, first
