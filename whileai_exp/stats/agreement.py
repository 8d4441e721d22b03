"""How far two binary labellings agree, and what a rate is once the judge's errors are taken out of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from .._rng import Rng
from ..schema import Interval
from .intervals import wilson, wilson_clustered, z_of


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

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa (1960). None when chance agreement is certain: with one class on both sides there is no kappa."""
        if not self.n:
            return None
        expected = ((self.tp + self.fp) * (self.tp + self.fn) + (self.fn + self.tn) * (self.fp + self.tn)) / self.n**2
        return None if expected == 1.0 else ((self.tp + self.tn) / self.n - expected) / (1 - expected)

    @property
    def sensitivity(self) -> float | None:
        """Share of true passes that the prediction passes; None without one."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else None

    @property
    def specificity(self) -> float | None:
        """Share of true failures that the prediction fails; None without one."""
        return self.tn / (self.tn + self.fp) if self.tn + self.fp else None

    @property
    def balanced_accuracy(self) -> float | None:
        """Mean of sensitivity and specificity: 0.5 for any constant."""
        if self.sensitivity is None or self.specificity is None:
            return None
        return (self.sensitivity + self.specificity) / 2

    @property
    def mcc(self) -> float | None:
        """Matthews' correlation; None when a margin is empty."""
        product = (self.tp + self.fp) * (self.tp + self.fn) * (self.tn + self.fp) * (self.tn + self.fn)
        return (self.tp * self.tn - self.fp * self.fn) / sqrt(product) if product else None

    @property
    def ac1(self) -> float | None:
        """Gwet's AC1 (2008), which a skewed share of passes does not pull down as it does kappa."""
        if not self.n:
            return None
        share = ((self.tp + self.fp) + (self.tp + self.fn)) / (2 * self.n)
        expected = 2 * share * (1 - share)
        return ((self.tp + self.tn) / self.n - expected) / (1 - expected)

    @property
    def pass_when_gold_fail(self) -> float | None:
        """Share of true failures that the prediction passes; None without a true failure."""
        return self.fp / (self.fp + self.tn) if self.fp + self.tn else None

    @property
    def fail_when_gold_pass(self) -> float | None:
        return self.fn / (self.fn + self.tp) if self.fn + self.tp else None


def clustered_share(right: Sequence[int], total: Sequence[int], level: float = 0.95) -> Interval | None:
    """Interval of a share over clusters of draws: Wilson's with the cluster-effective sample size.

    The share is over draws; clusters count by their size. None without draws.
    """
    kept = [(r, n) for r, n in zip(right, total) if n]
    n = sum(n for _, n in kept)
    if not n:
        return None
    share = sum(r for r, _ in kept) / n
    clusters = len(kept)
    residuals = np.array([r - share * n_t for r, n_t in kept], float)
    variance = float((residuals**2).sum()) * clusters / max(1, clusters - 1) / n**2
    if variance <= 0.0 or not 0 < share < 1:
        means = np.array([r / n_t for r, n_t in kept])
        return wilson_clustered(means, n, level)
    effective = max(1.0, min(float(n), share * (1 - share) / variance))
    made = wilson(share * effective, effective, level)
    return Interval(made.low, made.high, level, f"wilson, effective n={effective:.1f}") if made else None


def kappa_interval(counts: NDArray[np.int64], *, level: float = 0.95, resamples: int = 2000, seed: int = 0) -> Interval | None:
    """Percentile bootstrap over clusters of Cohen's kappa. `counts`: (T, 4) tp, fp, fn, tn per task. None under 3 tasks,
    or when fewer than half of the resamples have a kappa."""
    if len(counts) < 3:
        return None
    generator = np.random.Generator(np.random.PCG64(Rng(seed).seed_of("kappa")))
    weights = generator.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), size=resamples)
    tp, fp, fn, tn = (weights @ counts).T.astype(float)
    n = tp + fp + fn + tn
    expected = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / n**2
    defined = expected < 1.0
    if defined.sum() < resamples / 2:
        return None
    kappas = np.sort((((tp + tn) / n)[defined] - expected[defined]) / (1 - expected[defined]))
    tail = (1 - level) / 2
    low, high = np.quantile(kappas, [tail, 1 - tail])
    return Interval(float(low), float(high), level, f"bootstrap over {len(counts)} tasks, {resamples} draws")


def corrected_rate(observed: float, n: float, confusion: Confusion, level: float = 0.95) -> tuple[float, Interval] | None:
    """The true pass rate behind a judged one: Rogan & Gladen (1978), with the interval of Lang & Reiczigel (2014).

    `observed` is the judged rate over `n` (effective) rows; `confusion` is the judge against gold. Both errors of the
    judge widen the interval. None when the judge tells passes from failures no better than chance, or a class is missing.
    """
    if not n or not (confusion.tp + confusion.fn) or not (confusion.tn + confusion.fp):
        return None
    z2 = z_of(level) ** 2
    passes, failures = confusion.tp + confusion.fn, confusion.tn + confusion.fp
    sensitivity, specificity = (confusion.tp + 1) / (passes + 2), (confusion.tn + 1) / (failures + 2)
    plain = (confusion.sensitivity or 0.0) + (confusion.specificity or 0.0) - 1
    power = sensitivity + specificity - 1
    if power <= 0.05 or plain <= 0.05:
        return None
    rate = (n * observed + z2 / 2) / (n + z2)
    centre = (rate + specificity - 1) / power
    inside = min(1.0, max(0.0, centre))
    spread_pass, spread_fail = sensitivity * (1 - sensitivity) / (passes + 2), specificity * (1 - specificity) / (failures + 2)
    shift = 2 * z2 * (inside * spread_pass - (1 - inside) * spread_fail)
    half = sqrt(z2) * sqrt(rate * (1 - rate) / (n + z2) + inside**2 * spread_pass + (1 - inside) ** 2 * spread_fail) / power
    point = (observed + (confusion.specificity or 0.0) - 1) / plain
    low, high = max(0.0, min(1.0, centre + shift - half)), max(0.0, min(1.0, centre + shift + half))
    return min(1.0, max(0.0, point)), Interval(low, high, level, "Rogan-Gladen, Lang-Reiczigel interval")
