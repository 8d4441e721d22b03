"""Is a change beyond what training again with another seed would give?

Tasks say how sure a trained model's number is; only several trained models say how sure the training is. The half width adds
both: the tasks' own, and Student's over the spread between training seeds, pooled over the arms by degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from ..errors import ConfigError, Problem
from ..schema import Interval
from ..stats.special import t_of
from ._show import Report, shown, signed
from ._sources import Resolver, Source, rows_of
from ._table import number_of, table_of
from .variance import run_mean

ARMS = ("before", "after")
Seeds = Mapping[str, Sequence[float | Source]]


@dataclass(frozen=True, slots=True)
class TrainingSpread(Report):
    """The target over several trainings of each arm. An arm that was not named is one fixed model and has no spread."""

    values: Mapping[str, tuple[float, ...]]
    """The target of each trained model, by arm."""
    sd: Mapping[str, float | None]
    """Between seeds, ddof 1; None under two."""
    df: int
    delta: float | None
    """Mean over after's seeds minus mean over before's (or the fixed model's)."""
    ci95: Interval | None
    """Tasks and seeds together; None when an arm has one seed only."""

    @property
    def resolved(self) -> bool:
        return self.ci95 is not None

    def __str__(self) -> str:
        each = "; ".join(f"{arm}: {len(v)} seeds, sd {shown(self.sd[arm], digits=4)}" for arm, v in self.values.items())
        if not self.resolved:
            return f"training seeds: {each}: not resolved, each trained arm needs two or more"
        return f"training seeds: {each}: change {signed(self.delta, self.ci95)}"


def training_spread(
    seeds: Seeds,
    metric: str,
    means: Mapping[str, float | None],
    half_width: float | None,
    level: float,
    resolver: Resolver | None,
) -> TrainingSpread:
    """The spread of `metric` over trained models; `means` stand for arms not named, `half_width` is that of the tasks."""
    values = {arm: _values(arm, seeds[arm], metric, resolver) for arm in ARMS if arm in seeds}
    sd = {arm: float(np.std(v, ddof=1)) if len(v) >= 2 else None for arm, v in values.items()}
    centre = {arm: float(np.mean(values[arm])) if values.get(arm) else means[arm] for arm in ARMS}
    before, after = centre["before"], centre["after"]
    delta = None if before is None or after is None else after - before
    df = sum(len(v) - 1 for v in values.values())
    made = None
    if delta is not None and half_width is not None and all(spread is not None for spread in sd.values()):
        variance = sum((sd[arm] or 0.0) ** 2 / len(v) for arm, v in values.items())
        half = sqrt(half_width**2 + t_of(level, df) ** 2 * variance)
        made = Interval(delta - half, delta + half, level, f"tasks and {df + len(values)} training seeds")
    return TrainingSpread(values, sd, df, delta, made)


def check_seeds(seeds: Seeds | None) -> list[Problem]:
    """What is wrong with `train_runs` as given."""
    if seeds is None:
        return []
    fix = "give {'after': [0.61, 0.64, 0.58]}, one number or one set of rows per trained model"
    if not isinstance(seeds, Mapping) or not seeds:
        return [Problem("train_runs", f"{seeds!r} is no mapping of arms", fix)]
    problems = [Problem("train_runs", f"{arm!r} is no arm", "before and after are") for arm in seeds if arm not in ARMS]
    problems += [
        Problem("train_runs", f"{arm} is no list", fix)
        for arm, listed in seeds.items()
        if isinstance(listed, (str, Mapping)) or not isinstance(listed, Sequence) or not listed
    ]
    return problems


def _values(arm: str, listed: Sequence[Any], metric: str, resolver: Resolver | None) -> tuple[float, ...]:
    found: list[float] = []
    for at, item in enumerate(listed):
        if isinstance(item, (int, float)) or hasattr(item, "dtype"):
            value = number_of(item)
        else:
            mean = run_mean(table_of(rows_of(item, resolver, f"train_runs.{arm}[{at}]")), metric)
            value = float("nan") if mean is None else mean
        if value != value:
            raise ConfigError(Problem(f"train_runs.{arm}[{at}]", f"has no value of {metric}", "grade its rows first"))
        found.append(value)
    return tuple(found)
