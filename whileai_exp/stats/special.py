"""Quantiles and tails of the normal, t and noncentral t distributions, on numbers; scipy is loaded when first needed.

`scipy.stats` takes seconds to import; `scipy.special` has the same functions and does not.
"""

from __future__ import annotations

from math import inf
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

_NORMAL = NormalDist()


def z_of(level: float) -> float:
    """Two-sided normal quantile: 1.959964 at 0.95."""
    return _NORMAL.inv_cdf(0.5 + level / 2)


def t_of(level: float, df: float) -> float:
    """Two-sided Student t quantile: 2.776445 at 0.95 with 4 degrees of freedom; infinite without any."""
    if df <= 0:
        return inf
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.5 + level / 2))


def t_two_sided(t: float, df: float) -> float:
    """P(|T| >= |t|)."""
    return min(1.0, 2.0 * t_upper(abs(t), df))


def t_upper(t: float, df: float) -> float:
    """P(T >= t)."""
    from scipy.special import stdtr

    return float(stdtr(df, -t))


def normal_two_sided(z: float) -> float:
    """P(|Z| >= |z|)."""
    return 2.0 * _NORMAL.cdf(-abs(z))


def t_power(noncentrality: float, df: float, level: float) -> float:
    """Power of the two-sided t test at `1 - level` when the t statistic is noncentral."""
    from scipy.special import nctdtr

    critical = t_of(level, df)
    return float(1.0 - nctdtr(df, noncentrality, critical) + nctdtr(df, noncentrality, -critical))


def poisson_low(count: float, tail: float) -> float:
    """Lower confidence bound of a Poisson mean after `count` (may be fractional) events, at one-sided `tail`."""
    if count <= 0:
        return 0.0
    from scipy.special import gammaincinv

    return float(gammaincinv(count, tail))


def beta_between(low: float, high: float, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(low <= X <= high) of Beta(a, b), elementwise."""
    from scipy.special import betainc

    return betainc(a, b, high) - betainc(a, b, low)
