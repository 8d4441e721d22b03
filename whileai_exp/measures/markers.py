"""Markers and group contrast: one number per marker over tasks, and how many tasks carry a gradient.

1.0 is the good outcome of every marker. A value that is missing, text or NaN is missing, never zero. A marker that shows one
value everywhere has an interval that says so and a warning: a guard on it cannot fail.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..knobs import MeasureKnobs
from ..schema import Interval, Measure
from ..stats.intervals import bootstrap_mean, mean_interval, t_interval
from ._show import Report, notes, shown
from ._sources import Resolver, Source, rows_of
from ._table import RowTable, table_of
from .passat import PassAt, fair_rows, pass_numbers


@dataclass(frozen=True, slots=True)
class MetricSummary(Report):
    """One metric: its mean over tasks and what stands behind it."""

    metric: str
    mean: float | None
    """Mean over tasks of the task's mean; None without a value."""
    ci95: Interval | None
    n_tasks: int
    n_rows: int
    n_missing: int
    """Rows without a number."""
    n_rows_at_1: int
    n_rows_at_0: int
    degenerate: bool
    """One value on every row."""
    warnings: tuple[str, ...] = ()

    def measure(self) -> Measure:
        note = "" if self.mean is not None else f"no row has a value for {self.metric}"
        return Measure(self.metric, self.mean, self.n_tasks, self.ci95, "share", note)

    def __str__(self) -> str:
        head = (
            f"{self.metric}: {shown(self.mean, self.ci95)}  ({self.n_tasks} tasks, {self.n_rows} rows, {self.n_missing} missing)"
        )
        return "\n".join([head, *notes(self.warnings)])


@dataclass(frozen=True, slots=True)
class MarkerSummary(Report):
    """Every marker's summary, by name."""

    markers: Mapping[str, MetricSummary]
    n_rows: int

    def __getitem__(self, name: str) -> Any:
        return self.markers[name]

    def __contains__(self, name: object) -> bool:
        return name in self.markers

    def __str__(self) -> str:
        return "\n".join(map(str, self.markers.values())) or f"{self.n_rows} rows carry no marker"


@dataclass(frozen=True, slots=True)
class GroupSignal(Report):
    """How many tasks carry contrast, which is what a grouped update learns from."""

    n_groups: int
    """Tasks with a verdict."""
    n_single: int
    n_mixed: int
    n_all_zero: int
    n_all_one: int
    n_in_band: int
    """Tasks whose pass rate lies in the band; of tasks with two or more draws."""
    mixed_rate: float | None
    """Mixed over tasks with two or more draws."""
    mixed_ci95: Interval | None
    band: tuple[float, float]
    passes: PassAt
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        out = {name: getattr(self, name) for name in ("n_groups", "n_single", "n_mixed", "n_all_zero", "n_all_one", "n_in_band")}
        interval = self.mixed_ci95.to_list() if self.mixed_ci95 else None
        shares = {"mixed_rate": self.mixed_rate, "mixed_ci95": interval, "band": list(self.band)}
        return {**out, **shares, "pass_at": self.passes.to_dict(), "warnings": list(self.warnings)}

    def __str__(self) -> str:
        counts = (
            f"{self.n_mixed} mixed, {self.n_all_zero} never pass, {self.n_all_one} always pass, {self.n_single} with one draw"
        )
        head = f"signal: {shown(self.mixed_rate, self.mixed_ci95)} of tasks mixed  ({self.n_groups} tasks: {counts})"
        return "\n".join(
            [head, f"{self.n_in_band} tasks pass {self.band[0]:g} to {self.band[1]:g} of the time", *notes(self.warnings)]
        )


def metric_summary(
    rows: Source,
    metric: str = "pass_at_1",
    *,
    level: float = 0.95,
    resolver: Resolver | None = None,
    knobs: MeasureKnobs | None = None,
) -> MetricSummary:
    """The mean over tasks of `pass_at_1`, `reward` or `marker:<name>` with its interval."""
    return summarised(table_of(rows_of(rows, resolver)), metric, level, knobs or MeasureKnobs())


def marker_summary(
    rows: Source, *, level: float = 0.95, resolver: Resolver | None = None, knobs: MeasureKnobs | None = None
) -> MarkerSummary:
    """Every marker on the rows, summarised, in order of name."""
    table, knobs = table_of(rows_of(rows, resolver)), knobs or MeasureKnobs()
    names = table.marker_names()
    return MarkerSummary({name: summarised(table, f"marker:{name}", level, knobs) for name in names}, table.n_rows)


def summarised(table: RowTable, metric: str, level: float, knobs: MeasureKnobs) -> MetricSummary:
    """`metric_summary` of rows already read."""
    values = table.metric(metric)
    fair, _ = fair_rows(table)
    there = ~np.isnan(values)
    found = table.means(values, fair)
    seen = values[there]
    degenerate = bool(len(seen)) and bool((seen == seen[0]).all())
    told = []
    if degenerate and len(seen) > 1:
        told.append(f"every row shows {seen[0]:g}: a guard on {metric} cannot fail")
    if there.sum() < knobs.coverage_floor * table.n_rows:
        told.append(f"{int((~there).sum())} of {table.n_rows} rows have no value for {metric}")
    return MetricSummary(
        metric=metric,
        mean=float(found.means.mean()) if len(found.means) else None,
        ci95=interval_of(found.means, float(found.counts.sum()), level, knobs),
        n_tasks=len(found.tasks),
        n_rows=int(there.sum()),
        n_missing=int((~there).sum()),
        n_rows_at_1=int((seen == 1).sum()),
        n_rows_at_0=int((seen == 0).sum()),
        degenerate=degenerate,
        warnings=tuple(told),
    )


def interval_of(values_t: NDArray[np.float64], draws: float, level: float, knobs: MeasureKnobs) -> Interval | None:
    """The interval of a mean over tasks: of shares by the rule of the pass numbers, of anything else Student's or bootstrap."""
    if len(values_t) < knobs.min_interval_tasks:
        return None
    if values_t.min() >= 0 and values_t.max() <= 1:
        return mean_interval(
            values_t,
            draws,
            level=level,
            resamples=knobs.bootstrap_draws,
            min_tasks=knobs.min_interval_tasks,
            bootstrap_min_tasks=knobs.bootstrap_min_tasks,
            min_events=knobs.bootstrap_min_events,
            prior=knobs.rate_prior,
        )
    if len(values_t) < knobs.bootstrap_min_tasks:
        return t_interval(values_t, level)
    return bootstrap_mean(values_t, level, knobs.bootstrap_draws, 0)


def group_signal(
    rows: Source,
    *,
    band: tuple[float, float] = (0.2, 0.8),
    level: float = 0.95,
    resolver: Resolver | None = None,
    knobs: MeasureKnobs | None = None,
) -> GroupSignal:
    """How many tasks are mixed: some draws pass and some do not. `band`: pass rates counted as in reach, ends included."""
    knobs = knobs or MeasureKnobs()
    table = table_of(rows_of(rows, resolver))
    found = table.means(table.metric("pass_at_1"))
    multi = found.counts >= 2
    rates = found.means[multi]
    mixed = (rates > 0) & (rates < 1)
    adaptive = fair_rows(table)[1]
    told = ["repeats went where groups split: the mixed share describes these rows, not the task set"] if adaptive else []
    if multi.any() and not mixed.any():
        told.append("no task is mixed: a grouped update has nothing to learn from; change difficulty or use more repeats")
    return GroupSignal(
        n_groups=len(found.tasks),
        n_single=int((~multi).sum()),
        n_mixed=int(mixed.sum()),
        n_all_zero=int((rates == 0).sum()),
        n_all_one=int((rates == 1).sum()),
        n_in_band=int(((rates >= band[0]) & (rates <= band[1])).sum()),
        mixed_rate=float(mixed.mean()) if len(mixed) else None,
        mixed_ci95=interval_of(mixed.astype(float), float(len(mixed)), level, knobs),
        band=band,
        passes=pass_numbers(table, k=None, min_k=None, threshold=1.0, level=level, knobs=knobs),
        warnings=tuple(told),
    )
