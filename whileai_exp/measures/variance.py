"""How much a number moves when the same thing is run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..knobs import MeasureKnobs
from ..stats.runs import noise_band as band_of
from ..stats.runs import run_spread
from ._show import Report, notes
from ._sources import Resolver, Source, rows_of
from ._table import RowTable, eval_run_of, table_of
from .passat import fair_rows

noise_band = band_of


@dataclass(frozen=True, slots=True)
class EvalVariance(Report):
    """Means of several runs of one thing, and how far two of them differ by chance."""

    metric: str
    run_means: Mapping[str, float]
    mean: float | None
    run_std: float | None
    """Between run means, ddof 1; None under two runs."""
    noise_band: float | None
    """Two single runs differ by more than this in 1 - level of cases by chance alone."""
    stability: str
    """stable, noisy or unstable, by the sd in points of a share; empty when not measured."""
    n_runs: int
    tasks_in_every_run: int
    level: float = 0.95
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.run_std is None:
            return "\n".join([f"{self.metric}: run-to-run spread not measured", *notes(self.notes)])
        each = ", ".join(f"{value:.3f}" for value in self.run_means.values())
        head = f"{self.metric}: {self.mean:.3f} over {self.n_runs} runs ({each}), sd {self.run_std:.4f}: {self.stability}"
        band = f"two runs differ by up to {self.noise_band:.3f} by chance"
        return "\n".join([head, band, *notes(self.notes)])


def eval_variance(
    *runs: Source,
    metric: str = "pass_at_1",
    level: float = 0.95,
    resolver: Resolver | None = None,
    knobs: MeasureKnobs | None = None,
) -> EvalVariance:
    """Run-to-run spread of a metric: several sets of rows, or one whose rows carry `lineage.eval_run`."""
    knobs = knobs or MeasureKnobs()
    if len(runs) == 1:
        tables = dict(runs_of(table_of(rows_of(runs[0], resolver))))
    else:
        tables = {str(i): table_of(rows_of(run, resolver)) for i, run in enumerate(runs)}
    means = {name: value for name, table in tables.items() if (value := run_mean(table, metric)) is not None}
    shared = set.intersection(*(set(table.keys) for table in tables.values())) if tables else set()
    told = []
    if any(set(table.keys) != shared for table in tables.values()):
        told.append(f"the runs have {len(shared)} tasks in common and others besides: part of the spread is other tasks")
    spread = run_spread(list(means.values()))
    if spread is None:
        told.append(f"{len(means)} run with a value: run the evaluation again (runs=3)")
    elif len(means) < knobs.stable_runs:
        told.append(f"{len(means)} runs estimate a spread poorly; {knobs.stable_runs} or more are better")
    return EvalVariance(
        metric=metric,
        run_means=means,
        mean=float(np.mean(list(means.values()))) if means else None,
        run_std=spread.sd if spread else None,
        noise_band=band_of(spread.sd, 1, 1, spread.df, level) if spread else None,
        stability=_stability(spread.sd, knobs) if spread else "",
        n_runs=len(means),
        tasks_in_every_run=len(shared),
        level=level,
        notes=tuple(told),
    )


def runs_of(table: RowTable) -> list[tuple[str, RowTable]]:
    """The rows of each `lineage.eval_run`, in order; one nameless run when rows do not say."""
    groups: dict[Any, list[Any]] = {}
    for row in table.rows:
        run = eval_run_of(row)
        groups.setdefault(0 if run is None else run, []).append(row)
    return [(str(run), table_of(rows)) for run, rows in sorted(groups.items(), key=lambda item: str(item[0]))]


def run_mean(table: RowTable, metric: str) -> float | None:
    """The mean over tasks of one run; None without a value."""
    found = table.means(table.metric(metric), fair_rows(table)[0]).means
    return float(found.mean()) if len(found) else None


def _stability(sd: float, knobs: MeasureKnobs) -> str:
    return "stable" if sd < knobs.stable_run_sd else "noisy" if sd < knobs.noisy_run_sd else "unstable"
