"""Is B better than A on one metric?

Paired by task where the two share enough tasks: each shared task gives one difference of means, and the verdict is read
off Student's interval of those differences. The sign-flip p is printed beside it; when the two disagree the evidence is
called weak instead of one of them being hidden. With too few shared tasks the sides are compared as if independent.
1.0 is the good outcome of every metric.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ConfigError, Problem
from ..knobs import MeasureKnobs
from ..schema import Interval
from ..stats.paired import PairedTest, equivalence_p, paired_test, welch
from ..stats.power import effect_for, model_sd
from ._show import Report, notes, shown, signed
from ._sources import Resolver, Source, rows_of
from ._table import RowTable, TaskMeans, table_of
from .passat import fair_rows

B_BETTER, A_BETTER = "b_better", "a_better"
NO_DIFFERENCE, EQUIVALENT, INSUFFICIENT = "no_difference_detected", "equivalent", "insufficient_data"


@dataclass(frozen=True, slots=True)
class Comparison(Report):
    """B against A on one metric."""

    metric: str
    verdict: str
    """b_better, a_better, equivalent, no_difference_detected or insufficient_data."""
    delta: float | None
    """Mean of B minus mean of A over the tasks used."""
    ci95: Interval | None
    """At `level`; its method is named on it."""
    p_value: float | None
    """Of the test the interval belongs to."""
    sign_flip_p: float | None
    """Of the same differences under symmetry alone; None when unpaired."""
    sign_flip: str
    evidence: str
    """`strong` when both p values support the verdict, `weak` when they disagree, empty without a verdict."""
    paired: bool
    n_paired: int
    n_only_a: int
    n_only_b: int
    n_used: int
    mean_a: float | None
    mean_b: float | None
    sd: float | None
    """Of the task differences; None when unpaired."""
    detectable_effect: float | None
    """The smallest true change that as many tasks of this spread show, at the knob `power`;
    where the differences show no spread, of the spread that sampling alone gives. None when unpaired."""
    level: float = 0.95
    equivalence_margin: float | None = None
    equivalence_p: float | None = None
    """Of the two one-sided tests that the change is smaller than the margin."""
    notes: tuple[str, ...] = ()

    @property
    def direction(self) -> int:
        """1 when B is better, -1 when A is, else 0."""
        return 1 if self.verdict == B_BETTER else -1 if self.verdict == A_BETTER else 0

    def __str__(self) -> str:
        how = f"{self.n_paired} paired tasks" if self.paired else f"{self.n_used} tasks, unpaired"
        lines = [f"{self.metric}: {self.verdict}{' (weak evidence)' if self.evidence == 'weak' else ''}"]
        lines.append(f"  {shown(self.mean_a)} -> {shown(self.mean_b)}  change {signed(self.delta, self.ci95)}  ({how})")
        tests = [f"p {self.p_value:.4f}"] if self.p_value is not None else []
        tests += [f"sign-flip p {self.sign_flip_p:.4f} ({self.sign_flip})"] if self.sign_flip_p is not None else []
        if self.equivalence_p is not None:
            tests.append(f"no change larger than {self.equivalence_margin:g}: p {self.equivalence_p:.4f}")
        if self.detectable_effect is not None:
            tests.append(f"shows changes from {self.detectable_effect:.3f}")
        return "\n".join([*lines, *(["  " + "  ".join(tests)] if tests else []), *("  " + note for note in notes(self.notes))])


def compare_runs(
    a: Source,
    b: Source,
    *,
    metric: str = "pass_at_1",
    level: float = 0.95,
    equivalence: float | None = None,
    threshold: float = 1.0,
    resolver: Resolver | None = None,
    seed: int = 0,
    knobs: MeasureKnobs | None = None,
) -> Comparison:
    """B against A on `pass_at_1`, `reward` or a marker, paired by task.

    `a`, `b`: rows, a JSON-lines file, a run directory, or `mlflow:<run id>` with a `resolver`. `equivalence`: a margin; when
    the change is shown to be smaller the verdict is `equivalent`. ConfigError: a margin that is not above zero.
    """
    if equivalence is not None and not equivalence > 0:
        raise ConfigError(Problem("equivalence", f"{equivalence} is not above 0", "give the largest change that does not matter"))
    tables = table_of(rows_of(a, resolver, "a")), table_of(rows_of(b, resolver, "b"))
    ask = Ask(metric, level, equivalence, threshold, seed)
    return compare_tables(*tables, ask, knobs or MeasureKnobs())


class Ask(NamedTuple):
    """What is asked of two tables."""

    metric: str
    level: float = 0.95
    equivalence: float | None = None
    threshold: float = 1.0
    seed: int = 0


class Scale(NamedTuple):
    """What the values of a metric can be, and how many draws a task has."""

    bound: float
    repeats: float


def compare_tables(a: RowTable, b: RowTable, ask: Ask, knobs: MeasureKnobs, only: frozenset[str] | None = None) -> Comparison:
    """`compare_runs` of rows already read; `only` restricts it to some tasks."""
    values_a, values_b = a.metric(ask.metric, ask.threshold), b.metric(ask.metric, ask.threshold)
    side_a, side_b = _side(a, values_a, only), _side(b, values_b, only)
    keys_a = [a.keys[i] for i in side_a.tasks.tolist()]
    where_b = {b.keys[i]: at for at, i in enumerate(side_b.tasks.tolist())}
    pairs = [(at, where_b[key]) for at, key in enumerate(keys_a) if key in where_b]
    n_pairs = len(pairs)
    counts = (n_pairs, len(keys_a) - n_pairs, len(where_b) - n_pairs)
    if n_pairs >= knobs.min_paired_tasks:
        index = np.array(pairs)
        means_a, means_b = side_a.means[index[:, 0]], side_b.means[index[:, 1]]
        repeats = float(np.minimum(side_a.counts[index[:, 0]], side_b.counts[index[:, 1]]).mean())
        return _paired(ask, means_a, means_b, counts, Scale(_bound(values_a, values_b), repeats), knobs)
    return _unpaired(ask, side_a.means, side_b.means, counts, knobs)


def _side(table: RowTable, values: NDArray[np.float64], only: frozenset[str] | None) -> TaskMeans:
    fair, _ = fair_rows(table)
    if only is not None:
        fair = fair & np.array([key in only for key in table.keys], bool)[table.task] if len(table.keys) else fair
    return table.means(values, fair)


def _bound(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """The largest difference a task can show: 1 for shares, else the range seen."""
    low = min(float(np.nanmin(a, initial=0.0)), float(np.nanmin(b, initial=0.0)))
    high = max(float(np.nanmax(a, initial=1.0)), float(np.nanmax(b, initial=1.0)))
    return high - low


def _paired(
    ask: Ask, a: NDArray[np.float64], b: NDArray[np.float64], counts: tuple[int, int, int], scale: Scale, knobs: MeasureKnobs
) -> Comparison:
    found = paired_test(
        b - a,
        level=ask.level,
        flips=knobs.sign_flips,
        exact_tasks=knobs.sign_flip_exact_tasks,
        bound=scale.bound,
        seed=ask.seed,
    )
    same_p = _equivalence(found, ask)
    verdict = B_BETTER if found.direction > 0 else A_BETTER if found.direction < 0 else NO_DIFFERENCE
    told = []
    if verdict == NO_DIFFERENCE and same_p is not None and same_p <= 1 - ask.level:
        verdict = EQUIVALENT
    if not found.agree and found.sign_flip_p is not None:
        side = "the interval excludes zero" if found.direction else "the interval covers zero"
        told.append(f"{side} and the sign-flip p is {found.sign_flip_p:.4f}: weak evidence, more tasks would settle it")
    assumed = model_sd(knobs.base_pass_rate, scale.repeats)
    evidence = "" if verdict == NO_DIFFERENCE and found.agree else "strong" if found.agree else "weak"
    return Comparison(
        metric=ask.metric,
        verdict=verdict,
        delta=found.mean,
        ci95=found.interval,
        p_value=found.p,
        sign_flip_p=found.sign_flip_p,
        sign_flip=found.sign_flip,
        evidence=evidence,
        paired=True,
        n_paired=counts[0],
        n_only_a=counts[1],
        n_only_b=counts[2],
        n_used=counts[0],
        mean_a=float(a.mean()),
        mean_b=float(b.mean()),
        sd=found.sd,
        detectable_effect=effect_for(counts[0], found.sd or assumed, level=ask.level, power=knobs.power),
        level=ask.level,
        equivalence_margin=ask.equivalence,
        equivalence_p=same_p,
        notes=tuple(told),
    )


def _equivalence(found: PairedTest, ask: Ask) -> float | None:
    if ask.equivalence is None or found.sd is None or found.interval is None:
        return None
    if found.sd > 0:
        return equivalence_p(found.mean, found.sd, found.n, ask.equivalence)
    reach = max(abs(found.interval.low), abs(found.interval.high))
    return 1 - ask.level if reach < ask.equivalence else 1.0


def _unpaired(
    ask: Ask, a: NDArray[np.float64], b: NDArray[np.float64], counts: tuple[int, int, int], knobs: MeasureKnobs
) -> Comparison:
    """Two sets of task means taken as independent: each side needs three tasks and some spread."""
    told = [f"{counts[0]} shared tasks are fewer than {knobs.min_paired_tasks}: compared as independent sets of tasks"]
    enough = min(len(a), len(b)) >= knobs.min_interval_tasks
    delta, interval, p = welch(a, b, ask.level) if enough else (None, None, None)
    if not enough:
        told = [f"{len(a)} and {len(b)} tasks with a value, {counts[0]} of them shared: too few to compare"]
    elif interval is None:
        told.append("every task of a side shows the same value: no interval can be given")
    verdict = INSUFFICIENT if interval is None else NO_DIFFERENCE
    if interval is not None and (interval.low > 0 or interval.high < 0):
        verdict = B_BETTER if interval.low > 0 else A_BETTER
    return Comparison(
        metric=ask.metric,
        verdict=verdict,
        delta=delta,
        ci95=interval,
        p_value=p,
        sign_flip_p=None,
        sign_flip="",
        evidence="strong" if verdict in (A_BETTER, B_BETTER) else "",
        paired=False,
        n_paired=counts[0],
        n_only_a=counts[1],
        n_only_b=counts[2],
        n_used=len(a) + len(b),
        mean_a=_mean(a),
        mean_b=_mean(b),
        sd=None,
        detectable_effect=None,
        level=ask.level,
        equivalence_margin=ask.equivalence,
        notes=tuple(told),
    )


def _mean(values: NDArray[np.float64]) -> float | None:
    return float(values.mean()) if len(values) else None


def p_of(comparison: Comparison) -> float:
    """The p value, 1.0 where none was to be had."""
    return 1.0 if comparison.p_value is None else comparison.p_value
