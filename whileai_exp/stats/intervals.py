"""Confidence intervals for a mean over tasks (clusters of rollouts), and for plain proportions.

Which method is used follows from simulated coverage of nominal 95% intervals (docs/coverage.md). The percentile bootstrap
over tasks covers 0.52 to 0.93 below some fifty tasks, collapses to a point on unanimous data, and misses most of the time
when the value is near 0 or 1. Wilson's interval with the cluster-effective sample size covers there, after two
corrections: with few tasks their sample variance is often small by luck, so a fraction of a task's worth of the largest
variance possible is mixed in (`prior`); and with at most one effective event the lattice needs the exact Poisson bound
(Brown, Cai & DasGupta 2001). So: bootstrap with enough tasks and enough events, Wilson otherwise. The interval names it.
"""

from __future__ import annotations

from math import ceil, floor, sqrt

import numpy as np
from numpy.typing import NDArray

from .._rng import Rng
from ..schema import Interval
from .special import poisson_low, t_of, z_of

FloatArray = NDArray[np.float64]
MANY_TASKS = 2000
"""From here on resampling continuous values costs seconds and says what Student's interval says."""


def wilson(successes: float, n: float, level: float = 0.95) -> Interval | None:
    """Wilson's score interval for a proportion; `n` may be fractional (an effective sample size). None when n <= 0."""
    if n <= 0:
        return None
    z2 = z_of(level) ** 2
    p = successes / n
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = sqrt(z2) * sqrt(max(0.0, p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    low, high = (0.0 if p <= 0 else max(0.0, centre - half)), (1.0 if p >= 1 else min(1.0, centre + half))
    return Interval(low, high, level, "wilson")


def effective_n(values_t: FloatArray, draws: float, prior: float = 0.0) -> float:
    """Independent draws that would be as informative as these task means: p(1-p) / var(mean), at most `draws`.

    `values_t`: (T,) task means in [0, 1]. `prior` mixes that many tasks' worth of the variance p(1-p) into theirs. On
    unanimous data the variance says nothing and the number of tasks is used.
    """
    tasks = len(values_t)
    p = float(values_t.mean())
    spread = float(values_t.var(ddof=1)) if tasks > 1 else 0.0
    if spread <= 0.0:
        return float(tasks)
    largest = p * (1 - p)
    variance = ((tasks - 1) * spread + prior * largest) / (tasks - 1 + prior) / tasks
    return max(1.0, min(draws, largest / variance))


def wilson_clustered(values_t: FloatArray, draws: float, level: float = 0.95, prior: float = 0.0) -> Interval | None:
    """Wilson's interval on a mean of task means with the cluster-effective n. None without tasks."""
    if len(values_t) == 0:
        return None
    n = effective_n(values_t, draws, prior)
    p = min(1.0, max(0.0, float(values_t.mean())))
    made = wilson(p * n, n, level)
    if made is None:
        return None
    low, high = made.low, made.high
    if 0 < p * n <= 1:
        low = min(low, poisson_low(p * n, 1 - level) / n)
    if 0 < (1 - p) * n <= 1:
        high = max(high, 1 - poisson_low((1 - p) * n, 1 - level) / n)
    return Interval(low, high, level, f"wilson, effective n={n:.1f}")


def bootstrap_mean(values_t: FloatArray, level: float, resamples: int, seed: int) -> Interval:
    """Percentile bootstrap over tasks of a mean.

    Task values that come from k draws take few distinct values, and resampling tasks is then a multinomial over those:
    one (resamples x distinct) draw, whatever the number of tasks.
    """
    distinct, counts = np.unique(values_t, return_counts=True)
    generator = np.random.Generator(np.random.PCG64(seed))
    tasks = len(values_t)
    if len(distinct) * 4 <= tasks or tasks < 50:
        means = generator.multinomial(tasks, counts / tasks, size=resamples) @ distinct / tasks
    else:
        means = _resampled(values_t, resamples, generator)
    means = np.sort(means)
    tail = (1 - level) / 2
    low, high = means[floor(tail * resamples)], means[min(resamples - 1, ceil((1 - tail) * resamples) - 1)]
    return Interval(float(low), float(high), level, f"bootstrap over {tasks} tasks, {resamples} draws")


def _resampled(values_t: FloatArray, resamples: int, generator: np.random.Generator) -> FloatArray:
    step = max(1, 2_000_000 // len(values_t))
    out = np.empty(resamples)
    for start in range(0, resamples, step):
        size = (min(step, resamples - start), len(values_t))
        out[start : start + size[0]] = values_t[generator.integers(0, len(values_t), size)].mean(1)
    return out


def mean_interval(
    values_t: FloatArray,
    draws: float,
    *,
    level: float,
    resamples: int,
    min_tasks: int,
    bootstrap_min_tasks: int,
    min_events: float = 0.0,
    prior: float,
    largest: float = 1.0,
    seed: int = 0,
) -> Interval | None:
    """The interval of a mean over tasks of values in [0, `largest`], by the rule of this module; None under `min_tasks`.

    `draws`: the most independent draws the values can be worth. The bootstrap needs `bootstrap_min_tasks` tasks and
    `min_events` effective events of either outcome.
    """
    tasks = len(values_t)
    if tasks < max(1, min_tasks) or largest <= 0:
        return None
    shares_t = values_t / largest if largest != 1.0 else values_t
    p = float(shares_t.mean())
    events = min(p, 1 - p) * min(float(tasks), effective_n(shares_t, draws, prior))
    if tasks > MANY_TASKS and len(np.unique(shares_t)) * 4 > tasks:
        made = t_interval(shares_t, level)
    elif tasks < bootstrap_min_tasks or float(shares_t.var()) == 0.0 or events < min_events:
        made = wilson_clustered(shares_t, draws, level, prior)
    else:
        made = bootstrap_mean(shares_t, level, resamples, Rng(seed).seed_of("bootstrap"))
    if made is None or largest == 1.0:
        return made
    return Interval(made.low * largest, made.high * largest, level, made.method)


def t_interval(values_t: FloatArray, level: float = 0.95) -> Interval | None:
    """Student's interval of a mean over tasks of values without bounds. None under two tasks or without spread."""
    tasks = len(values_t)
    if tasks < 2:
        return None
    error = float(values_t.std(ddof=1)) / sqrt(tasks)
    if error == 0.0:
        return None
    mean, half = float(values_t.mean()), t_of(level, tasks - 1) * error
    return Interval(mean - half, mean + half, level, f"t over {tasks} tasks")
