"""How much a number moves between runs of the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from .special import t_of, z_of


@dataclass(frozen=True, slots=True)
class RunSpread:
    """Standard deviation between runs, pooled over sides by degrees of freedom."""

    sd: float
    df: int


def run_spread(*sides: Sequence[float]) -> RunSpread | None:
    """Pooled sd of run means; each side is the runs of one thing. None without two runs on some side."""
    parts = [(len(side) - 1, float(np.var(side, ddof=1))) for side in sides if len(side) >= 2]
    df = sum(part[0] for part in parts)
    return RunSpread(sqrt(sum(n * variance for n, variance in parts) / df), df) if df else None


def noise_band(sd: float, n_a: int = 1, n_b: int = 1, df: int | None = None, level: float = 0.95) -> float:
    """The difference of two means of n_a and n_b runs that chance alone exceeds with probability 1 - level.

    `sd`: between runs. `df`: None when sd is known for sure, else its degrees of freedom (0 gives infinity).
    """
    if n_a < 1 or n_b < 1:
        return inf
    quantile = z_of(level) if df is None else t_of(level, df)
    return quantile * sd * sqrt(1 / n_a + 1 / n_b) if sd else 0.0
