"""How far two binary labellings agree."""

from __future__ import annotations

from dataclasses import dataclass

from ..schema import Interval
from .intervals import wilson


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts with the first labelling as the prediction and the second as the truth."""

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def n(self) -> int:
        return self.tp + self.fp + self.fn + self.tn

    @property
    def agreement(self) -> float | None:
        return (self.tp + self.tn) / self.n if self.n else None

    def agreement_interval(self, level: float = 0.95) -> Interval | None:
        return wilson(self.tp + self.tn, self.n, level)

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa (1960). None when chance agreement is certain: with one class on both sides there is no kappa."""
        if not self.n:
            return None
        expected = ((self.tp + self.fp) * (self.tp + self.fn) + (self.fn + self.tn) * (self.fp + self.tn)) / self.n**2
        return None if expected == 1.0 else ((self.tp + self.tn) / self.n - expected) / (1 - expected)

    @property
    def pass_when_gold_fail(self) -> float | None:
        """Share of true failures that the prediction passes; None without a true failure."""
        return self.fp / (self.fp + self.tn) if self.fp + self.tn else None

    @property
    def fail_when_gold_pass(self) -> float | None:
        return self.fn / (self.fn + self.tp) if self.fn + self.tp else None
