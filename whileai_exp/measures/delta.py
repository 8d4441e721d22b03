"""Did the change land, and what did it break?

One report over two sets of rows: the target, the guards that must not regress, the proxy that was trained on, everything
else that moved, slice by slice, and whether the two sides can be compared at all. `ok` is True only when nothing speaks
against the change: a target, guard or proxy that was named and not measured is a failure, never a pass. 1.0 is the good
outcome of every metric, whatever it is called. Named metrics are judged at their own p; all others at Holm's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import ConfigError, Problem
from ..knobs import MeasureKnobs
from ..stats.multiple import holm
from ..stats.power import model_sd, tasks_for
from ._show import Report, notes, shown, signed
from ._sources import Resolver, Source, rows_of
from ._table import RowTable, table_of
from .comparability import Comparability, RunFacts, comparability, facts_of
from .compare import INSUFFICIENT, Ask, Comparison, compare_tables, p_of
from .delta_rules import Floor, Moved, Role, floor_of, headline, moved, over_optimized, repeats_of
from .delta_slices import Slice, slices_of
from .delta_training import Seeds, TrainingSpread, check_seeds, training_spread
from .passat import balanced

By = str | Callable[[Mapping[str, Any]], Any] | None


@dataclass(frozen=True, slots=True)
class MetricDelta(Report):
    """One metric's change and what is made of it."""

    name: str
    role: Role
    moved: Moved
    comparison: Comparison
    p_adjusted: float | None
    """Holm's over the metrics nobody named; the plain p for target, guards and proxy."""
    noise_band: float | None
    """Changes up to it happen between runs of the same thing; None without repeated runs."""
    n_values: int
    """Different values seen on the two sides; a guard with one cannot fail."""

    def __str__(self) -> str:
        c = self.comparison
        weak = ", weak evidence" if c.evidence == "weak" else ""
        floor = "" if self.noise_band is None else f", run noise {self.noise_band:.3f}"
        p = "" if self.p_adjusted is None else f"  p {self.p_adjusted:.4f}"
        change = f"{shown(c.mean_a)} -> {shown(c.mean_b)}  {signed(c.delta, c.ci95)}"
        return f"{self.name} ({self.role}): {self.moved}{weak}  {change}{p}  (n={c.n_used}{floor})"


@dataclass(frozen=True, slots=True)
class DeltaReport(Report):
    """What changed from before to after; printing it gives the lines a person reads."""

    ok: bool
    headline: str
    target: str
    target_moved: Moved
    metrics: Mapping[str, MetricDelta]
    regressions: tuple[str, ...]
    """Guards that got worse."""
    unmeasured: tuple[str, ...]
    """Named metrics without a number on both sides."""
    improved: tuple[str, ...]
    slipped: tuple[str, ...]
    """Metrics nobody guarded that got worse."""
    proxy: str | None
    over_optimized: bool
    """The proxy rose and the target did not follow."""
    comparability: Comparability
    before: RunFacts
    after: RunFacts
    slices: tuple[Slice, ...]
    detectable_effect: float | None
    """The smallest change of the target that these tasks show."""
    tasks_needed: int | None
    """For the knob `effect_to_prove`."""
    effect_to_prove: float
    level: float
    warnings: tuple[str, ...]
    training: TrainingSpread | None = None
    """The target over training seeds, when `train_runs` was given."""
    balanced: int | None = None
    """Rows left out so that both sides have as many draws of each shared task; None when that was not asked."""

    def __str__(self) -> str:
        lines = [f"{self.headline}  (target {self.target}: {self.target_moved})"]
        lines += [f"  {item}" for item in self.metrics.values()]
        lines += [f"  {self.training}"] if self.training is not None else []
        if self.detectable_effect is not None:
            lines.append(
                f"  these tasks show changes from {self.detectable_effect:.3f}; a change of {self.effect_to_prove:g} needs {self.tasks_needed} tasks"
            )
        lines += [f"  slice {item}" for item in self.slices]
        lines += [f"  not comparable: {cause}" for cause in self.comparability.causes]
        return "\n".join([*lines, *("  " + note for note in notes(self.warnings))])


def delta_report(
    before: Source,
    after: Source,
    *,
    target: str = "pass_at_1",
    must_not_regress: Sequence[str] = (),
    proxy: str | None = None,
    markers: Sequence[str] | None = None,
    by: By = None,
    run_std: float | Mapping[str, float] | None = None,
    run_std_runs: int | None = None,
    train_runs: Seeds | None = None,
    balance_rollouts: bool = False,
    equivalence: float | None = None,
    level: float = 0.95,
    resolver: Resolver | None = None,
    seed: int = 0,
    knobs: MeasureKnobs | None = None,
) -> DeltaReport:
    """Compare two sets of rows metric by metric, paired by task.

    `before`, `after`: rows, a JSON-lines file, a run directory, or `mlflow:<run id>` with a `resolver`. `target`, `proxy` and
    `must_not_regress`: `pass_at_1`, `reward` or markers. `markers`: which others to look at (None: all that both sides have).
    `by`: slices by a row key, a situation axis, or a function of the row. `run_std`: the sd between runs, from `run_std_runs`
    runs, when it is known; else it is measured where both sides carry repeated runs. `train_runs`: the target of several
    trained models of an arm, `{"after": [0.61, 0.64]}` as numbers or as rows, one per training seed; the target must then
    clear the spread between them, and with one seed it is unresolved. `balance_rollouts`: compare the first draws of each
    shared task, as many as both sides have. `equivalence`: the largest change that does not matter. ConfigError: a name given
    twice, or a margin or sd that is not above zero.
    """
    knobs = knobs or MeasureKnobs()
    named = _named(target, must_not_regress, proxy)
    _check(must_not_regress, equivalence, run_std, train_runs)
    a, b = table_of(rows_of(before, resolver, "before")), table_of(rows_of(after, resolver, "after"))
    facts = facts_of(a), facts_of(b)
    able = comparability(a, b, *facts, knobs)
    n_rows = a.n_rows + b.n_rows
    if balance_rollouts:
        a, b = balanced(a, b)
    names = _metrics(a, b, named, markers)
    found = {name: compare_tables(a, b, Ask(name, level, equivalence, seed=seed), knobs) for name in names}
    runs = repeats_of(a), repeats_of(b)
    floors = {name: floor_of(runs, name, run_std, run_std_runs, level) for name in names}
    metrics = _judged(a, b, found, floors, named, level)
    training = None
    if train_runs is not None:
        training, metrics = _over_seeds(train_runs, metrics, canonical(target), level, resolver)
    cuts = slices_of(a, b, target, by, level, knobs) if by is not None else ()
    made = _conclude(target, proxy, metrics, able, facts, cuts, _told(metrics, floors, facts, able, knobs), level, knobs)
    return replace(made, training=training, balanced=n_rows - a.n_rows - b.n_rows if balance_rollouts else None)


def _over_seeds(
    seeds: Seeds, metrics: dict[str, MetricDelta], target: str, level: float, resolver: Resolver | None
) -> tuple[TrainingSpread, dict[str, MetricDelta]]:
    """The spread over training seeds, and the metrics with the target judged by it as well."""
    goal = metrics[target]
    c = goal.comparison
    half = None if c.ci95 is None else (c.ci95.high - c.ci95.low) / 2
    found = training_spread(seeds, target, {"before": c.mean_a, "after": c.mean_b}, half, level, resolver)
    word = goal.moved
    if word is not Moved.NOT_MEASURED:
        if found.ci95 is None:
            word = Moved.UNRESOLVED
        elif found.ci95.low <= 0 <= found.ci95.high:
            word = Moved.EQUIVALENT if word is Moved.EQUIVALENT else Moved.NO_CHANGE
        elif found.ci95.high < 0:
            word = Moved.WRONG_WAY
        elif word is Moved.WRONG_WAY:
            word = Moved.NO_CHANGE
    return found, {**metrics, target: replace(goal, moved=word)}


def _named(target: str, guards: Sequence[str], proxy: str | None) -> dict[str, Role]:
    named = {canonical(name): Role.GUARD for name in guards}
    if proxy is not None:
        named[canonical(proxy)] = Role.PROXY
    named[canonical(target)] = Role.TARGET
    return named


def canonical(name: str) -> str:
    """`pass_at_1`, `reward` or `marker:<name>`."""
    return name if name in ("pass_at_1", "reward") or name.startswith("marker:") else f"marker:{name}"


def _check(
    guards: Sequence[str], equivalence: float | None, run_std: float | Mapping[str, float] | None, seeds: Seeds | None
) -> None:
    problems = check_seeds(seeds)
    if isinstance(guards, str):
        problems.append(Problem("must_not_regress", f"{guards!r} is one name; a list is wanted", f"write [{guards!r}]"))
    if equivalence is not None and not equivalence > 0:
        problems.append(Problem("equivalence", f"{equivalence} is not above 0", "give the largest change that does not matter"))
    for value in run_std.values() if isinstance(run_std, Mapping) else (run_std,):
        if value is not None and not value >= 0:
            problems.append(Problem("run_std", f"{value} is not a standard deviation", "give a number of at least 0"))
    if problems:
        raise ConfigError(problems)


def _metrics(a: RowTable, b: RowTable, named: Mapping[str, Role], markers: Sequence[str] | None) -> list[str]:
    names = dict.fromkeys(sorted(named, key=lambda name: (named[name].rank, name)))
    names["pass_at_1"] = None
    both = set(a.marker_names()) & set(b.marker_names()) if markers is None else set(markers)
    names.update(dict.fromkeys(canonical(name) for name in sorted(both)))
    return list(names)


def _judged(
    a: RowTable,
    b: RowTable,
    found: Mapping[str, Comparison],
    floors: Mapping[str, Floor],
    named: Mapping[str, Role],
    level: float,
) -> dict[str, MetricDelta]:
    others = [name for name in found if name not in named and found[name].verdict != INSUFFICIENT]
    adjusted = dict(zip(others, holm([p_of(found[name]) for name in others])))
    out = {}
    for name, comparison in found.items():
        p = adjusted.get(name, comparison.p_value)
        quiet = name in adjusted and p is not None and p > 1 - level
        out[name] = MetricDelta(
            name=name,
            role=named.get(name, Role.OTHER),
            moved=moved(
                replace(comparison, verdict="no_difference_detected") if quiet and comparison.direction else comparison,
                floors[name],
            ),
            comparison=comparison,
            p_adjusted=p,
            noise_band=floors[name].band,
            n_values=_n_values(a, b, name),
        )
    return out


def _n_values(a: RowTable, b: RowTable, name: str) -> int:
    values = np.unique(np.concatenate([a.metric(name), b.metric(name)]))
    return int((~np.isnan(values)).sum())


def _told(
    metrics: Mapping[str, MetricDelta],
    floors: Mapping[str, Floor],
    facts: tuple[RunFacts, RunFacts],
    able: Comparability,
    knobs: MeasureKnobs,
) -> list[str]:
    told = list(able.warnings)
    for name, item in metrics.items():
        c = item.comparison
        if item.role is Role.GUARD and item.n_values == 1:
            told.append(f"guard {name} shows one value on every row of both sides: it cannot fail")
        if item.role is Role.TARGET and c.mean_a is not None and c.mean_a >= knobs.ceiling_pass_rate:
            told.append(f"{name} starts at {c.mean_a:.2f}: little room to improve; use harder tasks")
        if item.role is Role.TARGET and item.moved is Moved.UNREPLICATED:
            told.append("one evaluation run per side: run-to-run noise is not measured (runs=3)")
        if c.evidence == "weak":
            told.append(f"{name}: {c.notes[0]}" if c.notes else f"{name}: weak evidence")
    if any(floor.given and floor.df is None for floor in floors.values()):
        told.append("run_std was given without run_std_runs: its band takes it as known for sure")
    return told


def _conclude(
    target: str,
    proxy: str | None,
    metrics: Mapping[str, MetricDelta],
    able: Comparability,
    facts: tuple[RunFacts, RunFacts],
    cuts: tuple[Slice, ...],
    told: list[str],
    level: float,
    knobs: MeasureKnobs,
) -> DeltaReport:
    goal = metrics[canonical(target)]
    trained = metrics[canonical(proxy)] if proxy is not None and canonical(proxy) != canonical(target) else None
    if proxy is not None and trained is None:
        told.append("proxy and target are the same metric: over-optimisation cannot be seen")
    worse = [name for name, item in metrics.items() if item.moved is Moved.WRONG_WAY]
    regressions = tuple(name for name in worse if metrics[name].role is Role.GUARD)
    missing = tuple(name for name, item in metrics.items() if item.role is not Role.OTHER and item.moved is Moved.NOT_MEASURED)
    too_far = trained is not None and over_optimized(trained.moved, trained.comparison, goal.moved, goal.comparison)
    slipped = tuple(name for name in worse if metrics[name].role is Role.OTHER)
    if slipped:
        told.append(f"got worse and was not guarded: {', '.join(slipped)}")
    failed = bool(regressions or missing or too_far or goal.moved in (Moved.WRONG_WAY, Moved.UNRESOLVED))
    sd = goal.comparison.sd or model_sd(goal.comparison.mean_a or knobs.base_pass_rate, max(1.0, min(f.k for f in facts)))
    needed = tasks_for(knobs.effect_to_prove, sd, level=level, power=knobs.power)
    return DeltaReport(
        ok=not failed and able.ok,
        headline=headline(goal.moved, able.ok, regressions, missing, too_far, canonical(target)),
        target=canonical(target),
        target_moved=goal.moved,
        metrics=metrics,
        regressions=regressions,
        unmeasured=missing,
        improved=tuple(name for name, item in metrics.items() if item.moved in (Moved.MOVED, Moved.UNREPLICATED)),
        slipped=slipped,
        proxy=canonical(proxy) if proxy is not None else None,
        over_optimized=too_far,
        comparability=able,
        before=facts[0],
        after=facts[1],
        slices=cuts,
        detectable_effect=goal.comparison.detectable_effect,
        tasks_needed=None if needed is None else max(2, -int(-needed // 1)),
        effect_to_prove=knobs.effect_to_prove,
        level=level,
        warnings=tuple(dict.fromkeys(told)),
    )
