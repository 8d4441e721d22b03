"""pass@1, pass^k, pass@k and headroom of a set of rows.

One job each: pass@1 is the headline (an agent runs once in production), pass^k is reliability (all k repeats pass),
pass@k - pass@1 is what a grouped update has to learn from. Two rules keep them honest. Rows without a verdict are never
failures: they are left out and counted. And draws that an adaptive allocation chose are not a random sample: then every
number reads each task's first `probe` rollouts only, which were drawn regardless of outcome, and k is at most that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ConfigError, Problem
from ..knobs import MeasureKnobs
from ..schema import Interval, Measure
from ..stats.intervals import mean_interval
from ..stats.passk import over_groups
from ._show import shown
from ._table import ADAPTIVE, RowTable, TaskMeans, table_of

__all__ = ["ADAPTIVE", "PassAt", "fair_rows", "pass_at", "pass_numbers"]


class Estimate(NamedTuple):
    """A value and its interval; both None where it was not measured."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class PassAt:
    """The pass numbers of a set of rows; printing it gives the lines a person reads.

    Every number is None where the data cannot give it, and `notes` says why.
    """

    k: int
    pass_at_1: float | None
    pass_pow_k: float | None
    pass_at_k: float | None
    ci95: Interval | None
    """Interval of pass@1 at `level`, its method named."""
    pass_pow_k_ci95: Interval | None
    pass_at_k_ci95: Interval | None
    headroom: float | None
    """pass@k - pass@1, both over the tasks with k draws."""
    headroom_ci95: Interval | None
    n_tasks: int
    """Tasks with at least one judged row."""
    n_tasks_total: int
    n_rows: int
    """Judged rows."""
    n_rows_total: int
    n_tasks_at_k: int
    n_partial: int
    """Rewards strictly between 0 and 1; they count as not passed below `threshold`."""
    mean_reward: float | None
    per_task: Mapping[str, float] = field(default_factory=dict)
    """Task key to pass rate over that task's judged rollouts."""
    notes: tuple[str, ...] = ()
    k_note: str = ""
    """Why the k-way numbers are missing; empty when they are not."""

    def measures(self) -> tuple[Measure, ...]:
        """The same as measures, for records and gates."""
        told = "; ".join(self.notes)
        why = self.k_note or told or "no verdicts"
        n = self.n_tasks_at_k

        def measure(name: str, value: float | None, count: int, interval: Interval | None, reason: str) -> Measure:
            return Measure(name, value, count, interval, "share", "" if value is not None else reason)

        return (
            measure("pass_at_1", self.pass_at_1, self.n_tasks, self.ci95, told),
            measure("pass_pow_k", self.pass_pow_k, n, self.pass_pow_k_ci95, why),
            measure("pass_at_k", self.pass_at_k, n, self.pass_at_k_ci95, why),
            measure("headroom", self.headroom, n, self.headroom_ci95, why),
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON twin of the printed lines, per_task included."""
        out: dict[str, Any] = {"k": self.k, **{m.name: m.to_dict() for m in self.measures()}}
        for name in ("n_tasks", "n_tasks_total", "n_rows", "n_rows_total", "n_tasks_at_k", "n_partial", "mean_reward"):
            out[name] = getattr(self, name)
        return {**out, "per_task": dict(self.per_task), "notes": list(self.notes)}

    def __str__(self) -> str:
        judged = f"{self.n_tasks} tasks, {self.n_rows} rollouts"
        if self.n_rows < self.n_rows_total:
            judged += f" judged of {self.n_rows_total}"
        lines = [f"pass@1 {shown(self.pass_at_1, self.ci95)}  ({judged})"]
        if self.pass_at_k is not None:
            lines.append(
                f"pass^{self.k} {shown(self.pass_pow_k, self.pass_pow_k_ci95)}   pass@{self.k} {shown(self.pass_at_k, self.pass_at_k_ci95)}"
            )
            lines.append(f"headroom {shown(self.headroom, self.headroom_ci95)}")
        elif self.pass_at_1 is not None:
            lines.append("pass^k, pass@k and headroom not measured")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


def pass_at(
    rows: Iterable[Mapping[str, Any]],
    *,
    k: int | None = None,
    min_k: int | None = None,
    threshold: float = 1.0,
    level: float = 0.95,
    knobs: MeasureKnobs | None = None,
) -> PassAt:
    """The pass numbers of judged rows.

    `k`: None takes the smallest group; a task with fewer draws than a given k is left out of the k-way numbers and named
    in a note. Below `min_k` (default: the knob, 4) k-way numbers are None. A row passes when its reward is at least
    `threshold`. Intervals are at `level`; fewer than three tasks give None. ConfigError: k or min_k that is no whole
    number of at least 1, a threshold outside (0, 1], a level outside (0, 1).
    """
    problems = [*_not_counts(k=k, min_k=min_k), *_not_shares(threshold, level)]
    if problems:
        raise ConfigError(problems)
    return pass_numbers(table_of(rows), k=k, min_k=min_k, threshold=threshold, level=level, knobs=knobs or MeasureKnobs())


def _not_counts(**values: Any) -> Iterable[Problem]:
    for name, value in values.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, Integral) or value < 1):
            yield Problem(name, f"{value!r} is not a whole number of at least 1", "give a count of draws, or leave it out")


def _not_shares(threshold: Any, level: Any) -> Iterable[Problem]:
    if not (isinstance(threshold, (int, float)) and 0 < threshold <= 1):
        yield Problem("threshold", f"{threshold!r} is not in (0, 1]", "a reward passes at 1.0 unless you choose a lower bar")
    if not (isinstance(level, (int, float)) and 0 < level < 1):
        yield Problem("level", f"{level!r} is not between 0 and 1", "use 0.95 for 95% intervals")


def pass_numbers(
    table: RowTable, *, k: int | None, min_k: int | None, threshold: float, level: float, knobs: MeasureKnobs
) -> PassAt:
    """`pass_at` of rows already read."""
    notes = _row_notes(table)
    judged = table.judged
    n_judged, total, n_all = int(judged.sum()), table.n_rows + table.n_repeated, len(table.keys)
    if not n_judged:
        reason = _why_unjudged(table) if total else "no rows"
        return PassAt(
            k=k or 1,
            pass_at_1=None,
            pass_pow_k=None,
            pass_at_k=None,
            ci95=None,
            pass_pow_k_ci95=None,
            pass_at_k_ci95=None,
            headroom=None,
            headroom_ci95=None,
            n_tasks=0,
            n_tasks_total=n_all,
            n_rows=0,
            n_rows_total=total,
            n_tasks_at_k=0,
            n_partial=0,
            mean_reward=None,
            notes=(reason, *notes),
        )
    fair, adaptive = fair_rows(table)
    passed = table.metric("pass_at_1", threshold)
    everyone, sample = table.means(passed), table.means(passed, fair)
    ci = _interval(sample.means, sample.counts.sum(), level, knobs, knobs.rate_prior)
    notes += _coverage_notes(table, len(everyone.tasks), len(sample.tasks), adaptive, knobs)
    used, eligible, k_notes = _eligible(table, sample, k, knobs.min_k if min_k is None else min_k, adaptive)
    at_k = power = head = Estimate(None, None)
    if eligible.any():
        draws = sample.counts[eligible]
        rates = sample.means[eligible]
        at_t, power_t = over_groups(draws, np.rint(rates * draws).astype(np.int64), used)
        worth = float(np.maximum(1.0, draws / used).sum())
        at_k = Estimate(float(at_t.mean()), _interval(at_t, worth, level, knobs, knobs.k_way_prior))
        power = Estimate(float(power_t.mean()), _interval(power_t, worth, level, knobs, knobs.k_way_prior))
        room = _interval(at_t - rates, float(draws.sum()), level, knobs, knobs.headroom_prior, 1 - 1 / used)
        head = Estimate(float((at_t - rates).mean()), room)
    return PassAt(
        k=used,
        pass_at_1=float(sample.means.mean()) if len(sample.means) else None,
        pass_pow_k=power.value,
        pass_at_k=at_k.value,
        ci95=ci,
        pass_pow_k_ci95=power.interval,
        pass_at_k_ci95=at_k.interval,
        headroom=head.value,
        headroom_ci95=head.interval,
        n_tasks=len(everyone.tasks),
        n_tasks_total=n_all,
        n_rows=n_judged,
        n_rows_total=total,
        n_tasks_at_k=int(eligible.sum()),
        n_partial=int(((table.reward > 0) & (table.reward < 1)).sum()),
        mean_reward=float(table.reward[judged].mean()),
        per_task=dict(zip([table.keys[i] for i in everyone.tasks.tolist()], everyone.means.tolist())),
        notes=(*notes, *k_notes),
        k_note="" if eligible.any() else "; ".join(k_notes),
    )


def _interval(
    values: NDArray[np.float64], draws: float, level: float, knobs: MeasureKnobs, prior: float, largest: float = 1.0
) -> Interval | None:
    return mean_interval(
        values,
        float(draws),
        level=level,
        resamples=knobs.bootstrap_draws,
        min_tasks=knobs.min_interval_tasks,
        bootstrap_min_tasks=knobs.bootstrap_min_tasks,
        min_events=knobs.bootstrap_min_events,
        prior=prior,
        largest=largest,
    )


def _why_unjudged(table: RowTable) -> str:
    """Rows that no judge has read need one; rows whose judge failed need that said, with the first failure."""
    failed = [row for row in table.rows if row.get("judge_status") not in ("ok", None)]
    none = f"none of {table.n_rows + table.n_repeated} rows has a verdict"
    if not failed:
        return f"{none}: grade first"
    first = failed[0]
    meta = first.get("judge_meta") or {}
    told = meta.get("error") or (f"returned {meta['returned']}" if "returned" in meta else first.get("reason"))
    return f"{none}: the judge failed on {len(failed)}, first with {first['judge_status']}" + (f" ({told})" if told else "")


def _row_notes(table: RowTable) -> list[str]:
    notes = []
    if table.n_repeated:
        notes.append(f"{table.n_repeated} rows repeat a rollout_id already counted and are left out")
    if ((table.reward > 0) & (table.reward < 1)).any():
        partial = int(((table.reward > 0) & (table.reward < 1)).sum())
        notes.append(f"{partial} rewards lie between 0 and 1; a row passes only at the threshold")
    return notes


def _coverage_notes(table: RowTable, judged_tasks: int, sampled: int, adaptive: bool, knobs: MeasureKnobs) -> list[str]:
    notes = []
    if sampled < knobs.min_interval_tasks:
        notes.append(f"{sampled} tasks are fewer than {knobs.min_interval_tasks}: no interval")
    if adaptive:
        notes.append(
            "repeats were allocated adaptively: these numbers read each task's first rollouts, the ones drawn whatever came of them"
        )
    if judged_tasks < len(table.keys):
        missing = len(table.keys) - judged_tasks
        notes.append(f"{missing} of {len(table.keys)} tasks have no judged rollout and are not in these numbers")
    total, n = table.n_rows, int(table.judged.sum())
    if n < knobs.coverage_floor * total:
        notes.append(f"{total - n} of {total} rows have no verdict: these numbers describe the judged ones only")
    return notes


def fair_rows(table: RowTable) -> tuple[NDArray[np.bool_], bool]:
    """The rows that are random samples of their tasks, and whether allocation chose any others."""
    everything = np.ones(table.n_rows, bool)
    judged_t = np.bincount(table.task[table.judged], minlength=len(table.keys))
    active = judged_t > 0
    if not (table.probe[active] >= 0).any():
        return everything, False
    full = int(judged_t[active].min())
    if ((table.planned[active] > 0) & (full >= table.planned[active])).all():
        return everything, False
    probe = table.probe[table.task]
    return (probe < 0) | ((table.repeat >= 0) & (table.repeat < probe)), True


def balanced(a: RowTable, b: RowTable) -> tuple[RowTable, RowTable]:
    """Both tables with as many draws of each shared task: the first judged ones, as many as the side with fewer has."""
    sizes = [_draws(table) for table in (a, b)]
    fewest = {key: min(n, sizes[1][key]) for key, n in sizes[0].items() if key in sizes[1]}
    return _first_draws(a, fewest), _first_draws(b, fewest)


def _draws(table: RowTable) -> dict[str, int]:
    keep = fair_rows(table)[0] & table.judged
    counts = np.bincount(table.task[keep], minlength=len(table.keys))
    return {key: n for key, n in zip(table.keys, counts.tolist()) if n}


def _first_draws(table: RowTable, most: Mapping[str, int]) -> RowTable:
    """Unshared tasks whole; of a shared one its first `most` fair judged draws, in order of repeat."""
    fair = fair_rows(table)[0] & table.judged
    left = dict(most)
    kept = []
    for at in np.lexsort((np.arange(table.n_rows), table.repeat)).tolist():
        key = table.keys[table.task[at]]
        if key not in left:
            kept.append(at)
        elif fair[at] and left[key]:
            left[key] -= 1
            kept.append(at)
    return table_of([table.rows[at] for at in sorted(kept)])


def _eligible(
    table: RowTable, sample: TaskMeans, k: int | None, floor: int, adaptive: bool
) -> tuple[int, NDArray[np.bool_], list[str]]:
    """(k, which of the sampled tasks have k draws, notes)."""
    sizes = sample.counts
    nobody = np.zeros(len(sizes), bool)
    smallest = int(sizes.min()) if len(sizes) else 0
    used = (smallest or 1) if k is None else k
    if k is not None and k < floor:
        return k, nobody, [f"k={k} is below min_k={floor}: with so few draws the k-way numbers say little; min_k={k} gives them"]
    least = max(floor, k or 0)
    how = (
        f"use advanced.probe={least} or a fixed allocation (repeat_policy='fixed', allocation.kind=fixed)"
        if adaptive
        else f"use repeats={least} or more"
    )
    if used < floor:
        return used, nobody, [f"pass^k and pass@k need {floor} draws per task and the smallest group has {smallest}: {how}"]
    eligible = sizes >= used
    if not eligible.any():
        return used, nobody, [f"no task has {used} judged draws (largest group: {int(sizes.max())}): {how}"]
    left = [table.keys[i] for i in sample.tasks[~eligible].tolist()]
    if not left:
        return used, eligible, []
    named = ", ".join(left[:3]) + (", …" if len(left) > 3 else "")
    return used, eligible, [f"k={used} leaves out {len(left)} of {len(sizes)} tasks with fewer draws ({named})"]
