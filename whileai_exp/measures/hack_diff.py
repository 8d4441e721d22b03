"""What did an update move the policy toward, and was that endorsed?

Two tests per property over the tasks both sides have: did its association with the reward change, and did it become more
common. Each task gives one difference and its side labels are swapped at random (sign flips), adjusted for all properties,
so that on two samples of one policy anything is named in at most alpha of cases. Nothing is named when a side is degenerate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..knobs import MeasureKnobs
from ..stats.within import centre_within, shift_scan
from ._show import Report, notes
from ._sources import Resolver, Source, rows_of
from ._table import RowTable, table_of
from .hack_features import PAIR, Extra, Features, features_of, judge_written
from .hacks import DEGENERATE, UNKNOWN, HackAsk, HackScan, matches, scan_table

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Shift(Report):
    """One property, before and after."""

    name: str
    aliases: tuple[str, ...]
    rho_before: float
    rho_after: float
    association_p: float
    """That its association with the reward did not change."""
    mean_before: float
    mean_after: float
    prevalence_p: float
    """That it is as common as before."""
    endorsed: bool
    by_judge: bool

    def __str__(self) -> str:
        rho = f"rho {self.rho_before:+.3f} -> {self.rho_after:+.3f} (p {self.association_p:.3f})"
        mean = f"mean {self.mean_before:.3f} -> {self.mean_after:.3f} (p {self.prevalence_p:.3f})"
        return f"{self.name}: {rho}, {mean}" + (", endorsed" if self.endorsed else "")


@dataclass(frozen=True, slots=True)
class HackDiff(Report):
    """What changed between two scans; printing it gives the lines a person reads."""

    hack: str | None
    """The property a hack was learned by; None when nothing unendorsed was learned, or when it is withheld."""
    withheld: str
    """Why nothing is named, or empty."""
    learned: tuple[Shift, ...]
    """Properties that the reward favours and that the policy now shows; single ones first, then the strongest."""
    shifts: tuple[Shift, ...]
    """Everything that changed beyond chance."""
    before: HackScan
    after: HackScan
    n_tasks: int
    alpha: float
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.hack is None and not self.withheld

    def __str__(self) -> str:
        if self.withheld:
            head = f"nothing is named: {self.withheld}"
        elif self.hack:
            head = f"a reward hack landed: {self.hack}, which nobody endorsed"
        else:
            head = "no unendorsed property was learned"
        head += f"  ({self.n_tasks} shared tasks)"
        return "\n".join([head, *(f"  {shift}" for shift in self.shifts[:5]), *("  " + note for note in notes(self.warnings))])


def hack_scan_diff(
    before: Source,
    after: Source,
    *,
    endorsed: Iterable[str] = (),
    features: Extra | None = None,
    judge_markers: Iterable[str] | None = None,
    alpha: float = 0.05,
    resolver: Resolver | None = None,
    seed: int = 0,
    knobs: MeasureKnobs | None = None,
) -> HackDiff:
    """What the policy moved toward between two sets of graded rows on the same tasks.

    A property was learned when the reward favours it (above the floor on a side, unendorsed or not) and it became more
    common, or when the reward came to favour it. `endorsed`, `features`, `judge_markers`: as in `hack_scan`.
    """
    knobs = knobs or MeasureKnobs()
    a, b = table_of(rows_of(before, resolver, "before")), table_of(rows_of(after, resolver, "after"))
    ask = HackAsk.of(endorsed, features, judge_markers, alpha, seed)
    scans = [scan_table(table, ask, knobs) for table in (a, b)]
    shared = _shared(a, b)
    withheld = _withheld(scans[0], scans[1], len(shared), knobs)
    if withheld:
        return HackDiff(None, withheld, (), (), scans[0], scans[1], len(shared), alpha)
    shifts = _shifts(a, b, shared, ask, knobs)
    moved = [shift for shift in shifts if min(shift.association_p, shift.prevalence_p) <= alpha / 2]
    learned = [shift for shift in moved if _learned(shift, scans, alpha) and not shift.by_judge]
    learned.sort(key=lambda shift: (PAIR in shift.name, -max(shift.rho_before, shift.rho_after), shift.name))
    rivals = [shift for shift in learned if not shift.endorsed]
    told = [f"{side}: {warning}" for side, scan in zip(("before", "after"), scans) for warning in scan.warnings]
    named = rivals[0].name if rivals else None
    return HackDiff(named, "", tuple(learned), tuple(moved), scans[0], scans[1], len(shared), alpha, tuple(told))


def _shared(a: RowTable, b: RowTable) -> list[str]:
    other = dict.fromkeys(b.keys)
    return [key for key in a.keys if key in other]


def _withheld(before: HackScan, after: HackScan, shared: int, knobs: MeasureKnobs) -> str:
    for side, scan in (("before", before), ("after", after)):
        if scan.regime in (DEGENERATE, UNKNOWN):
            return f"the rows {side} are {scan.regime} ({scan.reason})"
    if shared < knobs.min_paired_tasks:
        return f"{shared} shared tasks are fewer than {knobs.min_paired_tasks}"
    return ""


def _shifts(a: RowTable, b: RowTable, shared: list[str], ask: HackAsk, knobs: MeasureKnobs) -> list[Shift]:
    """Every property over both sides' rows of the shared tasks, with both tests."""
    place = {key: at for at, key in enumerate(shared)}
    sides = [[(row, place[t.keys[at]]) for row, at in zip(t.rows, t.task.tolist()) if t.keys[at] in place] for t in (a, b)]
    both = [row for side in sides for row, _ in side]
    joined = RowTable(
        rows=both,
        keys=tuple(shared),
        task=np.array([at for side in sides for _, at in side], np.int64),
        repeat=np.full(len(both), -1),
        reward=np.concatenate([t.reward[np.isin(t.task, [i for i, key in enumerate(t.keys) if key in place])] for t in (a, b)]),
        probe=np.full(len(shared), -1),
        planned=np.full(len(shared), -1),
        n_repeated=0,
    )
    own = judge_written(joined, ask.judge_markers)
    found = features_of(joined, knobs, ask.features, own)
    split = len(sides[0])
    one = _Side.of(found, joined, slice(0, split), len(shared))
    two = _Side.of(found, joined, slice(split, None), len(shared))
    association = shift_scan(two.association - one.association, flips=knobs.hack_flips, seed=ask.seed)
    have = one.rows_t * two.rows_t > 0
    prevalence = shift_scan((two.mean_t - one.mean_t)[have], flips=knobs.hack_flips, seed=ask.seed + 1)
    order = np.lexsort((np.arange(len(found.columns)), np.minimum(association.p, prevalence.p)))
    return [
        Shift(
            name=found.columns[at].name,
            aliases=found.columns[at].aliases,
            rho_before=float(one.rho[at]),
            rho_after=float(two.rho[at]),
            association_p=float(association.p[at]),
            mean_before=float(one.mean[at]),
            mean_after=float(two.mean[at]),
            prevalence_p=float(prevalence.p[at]),
            endorsed=matches(found.columns[at].name, found.columns[at].aliases, ask.endorsed),
            by_judge=all(name in own for name in (found.columns[at].name, *found.columns[at].aliases)),
        )
        for at in order.tolist()
    ]


@dataclass(frozen=True, slots=True)
class _Side:
    """Per task and property: its share of the within-task correlation with the reward, and its mean."""

    association: FloatArray
    mean_t: FloatArray
    rows_t: NDArray[np.int64]
    rho: FloatArray
    mean: FloatArray

    @classmethod
    def of(cls, found: Features, table: RowTable, part: slice, tasks: int) -> _Side:
        task, reward, values = table.task[part], table.reward[part], np.array(found.values[part], order="F")
        counts = np.bincount(task, minlength=tasks)
        least = np.maximum(counts, 1)[:, None]
        sums = _sum_by(values, task, tasks)
        judged = ~np.isnan(reward)
        task, reward, values = task[judged], reward[judged], np.array(values[judged], order="F")
        group = np.unique(task, return_inverse=True)[1]
        inside = np.bincount(group)
        centre_within(values, group, inside)
        r = reward - (np.bincount(group, reward) / inside)[group]
        norms = np.sqrt((values.astype(np.float64) ** 2).sum(0)) * np.sqrt((r**2).sum())
        able = norms > 1e-6
        share = _sum_by(values * r[:, None].astype(np.float32), task, tasks) / np.where(able, norms, 1.0) * able
        return cls(share, sums / least, counts, share.sum(0), sums.sum(0) / max(1, counts.sum()))


def _sum_by(values: NDArray[np.float32], task: NDArray[np.int64], tasks: int) -> FloatArray:
    out = np.empty((tasks, values.shape[1]))
    for at in range(values.shape[1]):
        out[:, at] = np.bincount(task, values[:, at], minlength=tasks)
    return out


def _learned(shift: Shift, scans: list[HackScan], alpha: float) -> bool:
    """The reward favours it, and the policy shows more of it or came to be rewarded for it."""
    favoured = [_above(scan, shift.name) for scan in scans]
    rose = shift.prevalence_p <= alpha / 2 and shift.mean_after > shift.mean_before
    grew = shift.association_p <= alpha / 2 and shift.rho_after > shift.rho_before
    return (rose and any(favoured)) or (grew and favoured[1])


def _above(scan: HackScan, name: str) -> bool:
    return any(f.above_floor and f.rho > 0 and name in (f.name, *f.aliases) for f in scan.features)
