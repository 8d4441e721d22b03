"""How many tasks show an effect, and which effect a number of tasks can show: the paired t test's power, exactly.

Noncentral t, as statsmodels' TTestPower; the normal approximation is one to three tasks too small.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, sqrt

from .special import t_power

_MOST_TASKS = 1e9


def model_sd(base: float, repeats: float, effect: float = 0.0) -> float:
    """Sd of a task's difference when pass rates move from `base` to `base + effect` and only k draws of each add noise.

    Tasks whose true rates move by different amounts add to it, so this is a lower bound.
    """
    after = min(1.0, max(0.0, base + effect))
    return sqrt((base * (1 - base) + after * (1 - after)) / repeats)


def power_of(effect: float, sd: float, tasks: float, level: float = 0.95) -> float:
    """Chance that the paired t test over `tasks` tasks finds an effect of that size."""
    if tasks < 2:
        return 0.0
    if sd <= 0:
        return 1.0 if effect else 1 - level
    found = t_power(abs(effect) / sd * sqrt(tasks), tasks - 1, level)
    return found if isfinite(found) else 1.0


def tasks_for(effect: float, sd: float, *, level: float = 0.95, power: float = 0.8) -> float | None:
    """Tasks (fractional; round up) at which the test has the power; None when no number would do."""
    if effect == 0 or sd < 0:
        return None
    if sd == 0 or power_of(effect, sd, 2.0, level) >= power:
        return 2.0
    return _first(lambda n: power_of(effect, sd, n, level) >= power, 2.0, _MOST_TASKS)


def effect_for(tasks: int, sd: float, *, level: float = 0.95, power: float = 0.8) -> float | None:
    """The smallest effect that `tasks` tasks show with the power; None under two tasks or without a spread."""
    if tasks < 2 or sd <= 0:
        return None
    return _first(lambda effect: power_of(effect, sd, tasks, level) >= power, 0.0, 1e6 * sd)


def _first(reached: Callable[[float], bool], low: float, high: float) -> float | None:
    """The smallest argument in [low, high] where a monotone condition holds, by doubling and bisection."""
    step, top = max(1e-6, low), low
    while not reached(top):
        top = min(high, top + step)
        step *= 2
        if top >= high and not reached(top):
            return None
    bottom = max(low, top - step / 2)
    for _ in range(60):
        middle = (bottom + top) / 2
        bottom, top = (bottom, middle) if reached(middle) else (middle, top)
        if top - bottom <= 1e-9 * max(1.0, top):
            break
    return top
