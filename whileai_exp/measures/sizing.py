"""How many tasks a held-out set needs, and what a set of a given size can show."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from ..errors import ConfigError, Problem
from ..knobs import MeasureKnobs
from ..stats.power import effect_for, model_sd, power_of, tasks_for
from ..stats.special import t_of
from ._show import Report, notes, shown
from ._sources import Resolver, Source, rows_of
from ._table import FloatArray, IntArray, table_of
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


USABLE, UNDERPOWERED, SATURATED, FLOORED, EMPTY = "usable", "underpowered", "saturated", "floored", "empty"


@dataclass(frozen=True, slots=True)
class EvalPower(Report):
    """Whether a set of tasks, run as these rows were, can show a change."""

    verdict: str
    """usable, underpowered, saturated (nearly everything passes), floored (nearly nothing does) or empty."""
    effect: float
    base: float | None
    """Mean pass rate over tasks."""
    k: float
    """Judged draws per task, mean."""
    n_tasks: int
    sd: float | None
    """Of a task's difference between two such runs, from the draws of each task."""
    achieved_power: float | None
    """Chance that the paired t test over these tasks finds `effect`."""
    detectable_effect: float | None
    tasks_needed: int | None
    """At the same draws per task."""
    power: float
    level: float
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.verdict == USABLE

    def __str__(self) -> str:
        head = f"{self.verdict}: {self.n_tasks} tasks with {self.k:.1f} draws each, pass rate {shown(self.base)}"
        chance = f"a change of {self.effect:g} is found with power {shown(self.achieved_power, digits=2)} (wanted {self.power:g})"
        need = (
            f"{chance}; they show changes from {shown(self.detectable_effect)}, {self.effect:g} needs {self.tasks_needed} tasks"
        )
        return "\n".join([head, *([need] if self.n_tasks else []), *notes(self.notes)])


def eval_power(
    rows: Source,
    effect: float | None = None,
    *,
    level: float = 0.95,
    power: float | None = None,
    resolver: Resolver | None = None,
    knobs: MeasureKnobs | None = None,
) -> EvalPower:
    """Whether the task set of these rows can show `effect` (default: the knob `effect_to_prove`) when it is run again.

    The noise is what the draws of each task show, for two runs of as many draws; tasks that a change moves by different
    amounts add to it. ConfigError: an effect of 0 or beyond 1, a power outside (0, 1).
    """
    knobs = knobs or MeasureKnobs()
    effect, power = knobs.effect_to_prove if effect is None else effect, knobs.power if power is None else power
    _check(effect, 1, 0.5, power)
    table = table_of(rows_of(rows, resolver))
    found = table.means(table.metric("pass_at_1"), fair_rows(table)[0])
    n = len(found.tasks)
    if not n:
        return EvalPower(
            EMPTY, effect, None, 0.0, 0, None, None, None, None, power, level, ("no row has a verdict: grade first",)
        )
    base, k = float(found.means.mean()), float(found.counts.mean())
    sd, told = _between_runs(found.means, found.counts, knobs)
    chance = power_of(effect, sd, n, level)
    needed = tasks_for(effect, sd, level=level, power=power)
    verdict = USABLE if chance >= power else UNDERPOWERED
    if base >= knobs.ceiling_pass_rate:
        verdict, told = SATURATED, [*told, f"a pass rate of {base:.2f} leaves little room: use harder tasks"]
    elif base <= 1 - knobs.ceiling_pass_rate:
        verdict, told = FLOORED, [*told, f"a pass rate of {base:.2f} leaves little to see: use easier tasks"]
    reach = effect_for(n, sd, level=level, power=power)
    least = None if needed is None else max(2, ceil(needed - 1e-9))
    return EvalPower(verdict, effect, base, k, n, sd, chance, reach, least, power, level, tuple(told))


def _between_runs(rates: FloatArray, counts: IntArray, knobs: MeasureKnobs) -> tuple[float, list[str]]:
    """Sd of a task's difference between two runs with these draws, and what to know about it."""
    many = counts >= 2
    if many.any():
        p, n = rates[many], counts[many]
        variance = float((p * (1 - p) * n / (n - 1) * 2 / n).mean())
        if variance > 0:
            return variance**0.5, []
        return model_sd(knobs.base_pass_rate, float(counts.mean())), [
            "no task shows both outcomes: noise of the knob base_pass_rate"
        ]
    return model_sd(float(rates.mean()) if 0 < rates.mean() < 1 else knobs.base_pass_rate, 1), [
        "one draw per task: the noise is taken from the overall rate and is an upper bound of the sampling noise"
    ]
