"""Confidence intervals for a mean over tasks (clusters of rollouts), and for plain proportions.

Which method is used follows from simulated coverage of nominal 95% intervals: the percentile bootstrap over tasks
covers 0.52 to 0.93 below some fifty tasks and collapses to a point on unanimous data, where Wilson's interval with the
cluster-effective sample size covers 0.92 to 0.98. So: Wilson below `bootstrap_min_tasks` tasks or on degenerate data,
bootstrap above. The method is named on every interval.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from .._rng import Rng
from ..schema import Interval

FloatArray = NDArray[np.float64]


def z_of(level: float) -> float:
    """Two-sided normal quantile: 1.959964 at 0.95."""
    return NormalDist().inv_cdf(0.5 + level / 2)


def wilson(successes: float, n: float, level: float = 0.95) -> Interval | None:
    """Wilson's score interval for a proportion; `n` may be fractional (an effective sample size). None when n <= 0."""
    if n <= 0:
        return None
    z2 = z_of(level) ** 2
    p = successes / n
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = sqrt(z2) * sqrt(max(0.0, p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    return Interval(max(0.0, centre - half), min(1.0, centre + half), level, "wilson")


def effective_n(values_t: FloatArray, draws: float) -> float:
    """Independent draws that would be as informative as these task means: p(1-p) / var(mean), at most `draws`.

    `values_t`: (T,) task means in [0, 1]. On unanimous data the variance says nothing and the number of tasks is used.
    """
    tasks = len(values_t)
    p = float(values_t.mean())
    variance = float(values_t.var(ddof=1)) / tasks if tasks > 1 else 0.0
    if variance <= 0.0:
        return float(tasks)
    return max(1.0, min(draws, p * (1 - p) / variance))


def wilson_clustered(values_t: FloatArray, draws: float, level: float = 0.95) -> Interval | None:
    """Wilson's interval on a mean of task means with the cluster-effective n. None without tasks."""
    if len(values_t) == 0:
        return None
    n = effective_n(values_t, draws)
    made = wilson(float(values_t.mean()) * n, n, level)
    return Interval(made.low, made.high, level, f"wilson, effective n={n:.1f}") if made else None


def bootstrap_mean(values_t: FloatArray, level: float, resamples: int, seed: int) -> Interval:
    """Percentile bootstrap over tasks of a mean.

    Task values that come from k draws take few distinct values, and resampling tasks is then a multinomial over those:
    one (resamples x distinct) draw, whatever the number of tasks.
    """
    distinct, counts = np.unique(values_t, return_counts=True)
    generator = np.random.Generator(np.random.PCG64(seed))
    drawn = generator.multinomial(len(values_t), counts / len(values_t), size=resamples)
    means = np.sort(drawn @ distinct / len(values_t))
    tail = (1 - level) / 2
    low, high = means[int(np.floor(tail * resamples))], means[min(resamples - 1, int(np.ceil((1 - tail) * resamples)) - 1)]
    return Interval(float(low), float(high), level, f"bootstrap over {len(values_t)} tasks, {resamples} draws")


def mean_interval(
    values_t: FloatArray, draws: float, *, level: float, resamples: int, min_tasks: int, bootstrap_min_tasks: int, seed: int = 0
) -> Interval | None:
    """The interval of a mean over tasks by the rule of this module; None under `min_tasks` tasks."""
    if len(values_t) < min_tasks:
        return None
    if len(values_t) < bootstrap_min_tasks or float(values_t.var()) == 0.0:
        return wilson_clustered(values_t, draws, level)
    return bootstrap_mean(values_t, level, resamples, Rng(seed).seed_of("bootstrap"))
