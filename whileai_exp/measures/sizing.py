"""How many tasks a held-out set needs, and what a set of a given size can show."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from ..errors import ConfigError, Problem
from ..knobs import MeasureKnobs
from ..stats.power import effect_for, model_sd, tasks_for
from ..stats.special import t_of
from ._show import Report, notes
from ._sources import Source, rows_of
from ._table import table_of
from .passat import fair_rows


@dataclass(frozen=True, slots=True)
class HoldoutSize(Report):
    """Tasks needed to show a change."""

    effect: float
    n_tasks: int
    sd: float
    sd_source: str
    """measured, given or model."""
    half_width: float
    """Half the interval of the change to expect at that size."""
    power: float
    level: float
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = f"{self.n_tasks} tasks show a change of {self.effect:g} with power {self.power:g} (sd {self.sd:.3f}, {self.sd_source})"
        return "\n".join([head, f"the change would carry +-{self.half_width:.3f}", *notes(self.notes)])


def holdout_size(
    effect: float,
    *,
    base: float | None = None,
    k: int = 4,
    task_std: float | None = None,
    before: Source | None = None,
    after: Source | None = None,
    level: float = 0.95,
    power: float | None = None,
    knobs: MeasureKnobs | None = None,
) -> HoldoutSize:
    """Tasks at which the paired t test finds `effect` with `power` (default: the knob).

    The sd of a task's difference is measured from `before` and `after` rows, else `task_std`, else the sampling noise of k
    draws at pass rate `base`, which is the least it can be. ConfigError: an effect of 0 or beyond 1, k below 1, base outside
    [0, 1].
    """
    knobs = knobs or MeasureKnobs()
    power, start = knobs.power if power is None else power, knobs.base_pass_rate if base is None else base
    _check(effect, k, start, power)
    sd, source, told = _spread(effect, start, k, task_std, before, after)
    exact = tasks_for(effect, sd, level=level, power=power) or 2.0
    n = max(2, ceil(exact - 1e-9))
    if start >= knobs.ceiling_pass_rate:
        told.append(f"a base of {start:g} leaves little room: harder tasks show a change with fewer of them")
    return HoldoutSize(effect, n, sd, source, t_of(level, n - 1) * sd / n**0.5, power, level, tuple(told))


def _check(effect: float, k: int, base: float, power: float) -> None:
    problems = []
    if not 0 < abs(effect) <= 1:
        problems.append(Problem("effect", f"{effect} is not a change of a share", "give one between 0 and 1, such as 0.05"))
    if k < 1:
        problems.append(Problem("k", f"{k} is below its floor 1"))
    if not 0 <= base <= 1:
        problems.append(Problem("base", f"{base} is not a pass rate", "give one between 0 and 1"))
    if not 0 < power < 1:
        problems.append(Problem("power", f"{power} is not between 0 and 1"))
    if problems:
        raise ConfigError(problems)


def _spread(
    effect: float, base: float, k: int, given: float | None, before: Source | None, after: Source | None
) -> tuple[float, str, list[str]]:
    if before is not None and after is not None:
        sides = []
        for source, name in ((before, "before"), (after, "after")):
            table = table_of(rows_of(source, None, name))
            found = table.means(table.metric("pass_at_1"), fair_rows(table)[0])
            sides.append({table.keys[i]: mean for i, mean in zip(found.tasks.tolist(), found.means.tolist())})
        differences = np.array([sides[1][key] - value for key, value in sides[0].items() if key in sides[1]])
        if len(differences) >= 2 and differences.std(ddof=1) > 0:
            return float(differences.std(ddof=1)), "measured", []
        return model_sd(base, k, effect), "model", [f"{len(differences)} shared tasks show no spread: sampling noise is assumed"]
    if given is not None:
        return given, "given", []
    return (
        model_sd(base, k, effect),
        "model",
        ["the model has sampling noise only; tasks that move by different amounts need more"],
    )


def detectable_effect(
    n_tasks: int,
    *,
    base: float | None = None,
    k: int = 4,
    task_std: float | None = None,
    level: float = 0.95,
    power: float | None = None,
    knobs: MeasureKnobs | None = None,
) -> float | None:
    """The smallest change that `n_tasks` paired tasks show with `power`. None under two tasks."""
    knobs = knobs or MeasureKnobs()
    sd = model_sd(knobs.base_pass_rate if base is None else base, k) if task_std is None else task_std
    return effect_for(n_tasks, sd, level=level, power=knobs.power if power is None else power)
