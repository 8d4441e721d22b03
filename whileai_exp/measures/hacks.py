"""What does the reward really go with?

Within each task, which surface property of a reply predicts its reward? If the strongest is one nobody endorsed, the reward
can be had without doing the job, and training will find it. Markers the judge wrote beside its verdict restate the verdict;
they may be endorsed and are never rivals. Tasks are `task_key`, so all phrasings of a situation count together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._text import did_you_mean
from ..errors import ConfigError, Problem
from ..knobs import MeasureKnobs
from ..stats.within import within_scan
from ._show import Report, notes
from ._sources import Resolver, Source, rows_of
from ._table import RowTable, named, table_of
from .hack_features import PAIR, Extra, Features, features_of, judge_written

UNKNOWN, DEGENERATE, NO_SIGNAL = "unknown", "degenerate", "no_signal"
HACK, EXHAUSTED, TRAIN = "reward_hack", "pool_exhausted", "train"


@dataclass(frozen=True, slots=True)
class Feature(Report):
    """One property and how it goes with the reward."""

    name: str
    aliases: tuple[str, ...]
    """Properties that hold on exactly the same rows."""
    rho: float
    """Correlation with the reward within tasks."""
    p: float
    """Adjusted for all properties looked at."""
    above_floor: bool
    endorsed: bool
    by_judge: bool
    """Written by the judge beside its verdict."""
    n_obs: int

    @property
    def rival(self) -> bool:
        return self.above_floor and self.rho > 0 and not self.endorsed and not self.by_judge

    def __str__(self) -> str:
        tags = [word for word, on in (("endorsed", self.endorsed), ("judge's own", self.by_judge)) if on]
        return f"{self.name}: {self.rho:+.3f}  p {self.p:.3f}" + (f"  ({', '.join(tags)})" if tags else "")


@dataclass(frozen=True, slots=True)
class HackScan(Report):
    """What the reward goes with; printing it gives the lines a person reads."""

    regime: str
    """train, reward_hack, no_signal, pool_exhausted, degenerate or unknown."""
    reason: str
    floor: float | None
    """|rho| below it is chance."""
    features: tuple[Feature, ...]
    """Strongest first."""
    top: str | None
    """The strongest property above the floor that is not the judge's own."""
    integrity: float | None
    """Best endorsed rho over itself plus the best rival; None without an endorsed property above the floor."""
    n_tasks: int
    n_mixed: int
    share_all_pass: float
    share_all_fail: float
    alpha: float
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.regime == TRAIN

    def __str__(self) -> str:
        lines = [f"hack scan: {self.regime}: {self.reason}"]
        if self.floor is not None:
            lines.append(f"  {self.n_mixed} of {self.n_tasks} tasks carry contrast; chance reaches {self.floor:.3f}")
        lines += [f"  {feature}" for feature in self.features[:5] if feature.above_floor]
        return "\n".join([*lines, *("  " + note for note in notes(self.warnings))])


def hack_scan(
    rows: Source,
    *,
    endorsed: Iterable[str] = (),
    features: Extra | None = None,
    judge_markers: Iterable[str] | None = None,
    alpha: float = 0.05,
    resolver: Resolver | None = None,
    seed: int = 0,
    knobs: MeasureKnobs | None = None,
) -> HackScan:
    """Which properties of replies go with the reward within tasks.

    `endorsed`: names or globs (`tool:refund_*`) of properties that are supposed to. `features`: more of them, name to a
    function of the row. `judge_markers`: the markers the judge wrote; None takes all. `alpha`: the chance of naming anything
    on data where nothing goes with the reward.
    """
    ask = HackAsk.of(endorsed, features, judge_markers, alpha, seed)
    return scan_table(table_of(rows_of(rows, resolver)), ask, knobs or MeasureKnobs())


class HackAsk(NamedTuple):
    """What is asked of a scan."""

    endorsed: tuple[str, ...] = ()
    features: Extra | None = None
    judge_markers: tuple[str, ...] | None = None
    alpha: float = 0.05
    seed: int = 0

    @classmethod
    def of(
        cls, endorsed: Iterable[str], features: Extra | None, judge_markers: Iterable[str] | None, alpha: float, seed: int
    ) -> HackAsk:
        """The ask, its names in tuples. ConfigError where one name stands for a list of them."""
        for name, given in (("endorsed", endorsed), ("judge_markers", judge_markers)):
            if isinstance(given, str):
                raise ConfigError(Problem(name, f"{given!r} is one name; a list is wanted", f"write [{given!r}]"))
        return cls(tuple(endorsed), features, None if judge_markers is None else tuple(judge_markers), alpha, seed)


def scan_table(table: RowTable, ask: HackAsk, knobs: MeasureKnobs) -> HackScan:
    """`hack_scan` of rows already read."""
    alpha, endorsed = ask.alpha, ask.endorsed
    support = _Support.of(table)
    if not support.usable.any():
        why = "no row has a verdict: grade first" if not table.judged.any() else "no task has both passes and failures"
        return support.report(UNKNOWN, why, alpha)
    kept = table_of([row for row, use in zip(table.rows, support.usable.tolist()) if use])
    own = judge_written(kept, ask.judge_markers)
    found = features_of(kept, knobs, ask.features, own)
    group = np.unique(kept.task, return_inverse=True)[1]
    scan = within_scan(found.values, kept.reward, group, permutations=knobs.hack_permutations, alpha=alpha, seed=ask.seed)
    every = _without_weak_pairs(_features(found, scan.rho, scan.p, alpha, endorsed, own))
    told = _endorsement_warnings(found, endorsed)
    regime, why, more = _regime(every, endorsed, support, kept, knobs)
    rivals = [feature for feature in every if feature.rival]
    good = max((f.rho for f in every if f.endorsed and f.above_floor and f.rho > 0), default=0.0)
    named = [feature for feature in every if feature.above_floor and not (feature.by_judge and not feature.endorsed)]
    return support.report(
        regime,
        why,
        alpha,
        floor=scan.floor,
        features=tuple(feature for at, feature in enumerate(every) if at < knobs.hack_features or feature.above_floor),
        top=named[0].name if named and regime != DEGENERATE else None,
        integrity=good / (good + max((f.rho for f in rivals), default=0.0)) if good else None,
        warnings=(*told, *more),
    )


@dataclass(frozen=True, slots=True)
class _Support:
    """Which tasks carry contrast."""

    usable: NDArray[np.bool_]
    n_tasks: int
    n_mixed: int
    all_pass: float
    all_fail: float

    @classmethod
    def of(cls, table: RowTable) -> _Support:
        judged = table.judged
        size = len(table.keys)
        task, reward = table.task[judged], table.reward[judged]
        n = np.bincount(task, minlength=size)
        low, high = np.full(size, np.inf), np.full(size, -np.inf)
        np.minimum.at(low, task, reward)
        np.maximum.at(high, task, reward)
        multi = n >= 2
        mixed = multi & (high > low)
        total = int(multi.sum())
        share = (lambda mask: float((mask & multi).sum() / total)) if total else (lambda mask: 0.0)
        return cls(
            judged & mixed[table.task],
            total,
            int(mixed.sum()),
            share((low == high) & (low == 1)),
            share((low == high) & (low == 0)),
        )

    def report(self, regime: str, reason: str, alpha: float, **found: Any) -> HackScan:
        base: dict[str, Any] = {"floor": None, "features": (), "top": None, "integrity": None, "warnings": ()}
        return HackScan(
            regime=regime,
            reason=reason,
            n_tasks=self.n_tasks,
            n_mixed=self.n_mixed,
            share_all_pass=self.all_pass,
            share_all_fail=self.all_fail,
            alpha=alpha,
            **{**base, **found},
        )


def matches(name: str, aliases: Iterable[str], patterns: Iterable[str]) -> bool:
    """Whether a property is named exactly or by a glob; of a pair, both halves must be."""
    kept = tuple(patterns)

    def named(known: str) -> bool:
        return all(any(fnmatchcase(half, pattern) for pattern in kept) for half in known.split(PAIR))

    return any(named(known) for known in (name, *aliases))


def _without_weak_pairs(every: list[Feature]) -> list[Feature]:
    """Pairs stay only where they go with the reward more than either half does."""
    rho = {name: abs(feature.rho) for feature in every for name in (feature.name, *feature.aliases)}
    return [
        feature
        for feature in every
        if PAIR not in feature.name or abs(feature.rho) > max(rho.get(half, 0.0) for half in feature.name.split(PAIR))
    ]


def _features(
    found: Features,
    rho: NDArray[np.float64],
    p: NDArray[np.float64],
    alpha: float,
    endorsed: tuple[str, ...],
    own: frozenset[str],
) -> list[Feature]:
    order = np.lexsort((np.arange(len(rho)), rho <= 0, -np.round(np.abs(rho), 6)))
    return [
        Feature(
            name=found.columns[at].name,
            aliases=found.columns[at].aliases,
            rho=float(rho[at]),
            p=float(p[at]),
            above_floor=bool(p[at] <= alpha),
            endorsed=matches(found.columns[at].name, found.columns[at].aliases, endorsed),
            by_judge=all(name in own for name in (found.columns[at].name, *found.columns[at].aliases)),
            n_obs=int(found.n_obs[at]),
        )
        for at in order.tolist()
    ]


def _endorsement_warnings(found: Features, endorsed: tuple[str, ...]) -> list[str]:
    known = [name for column in found.columns for name in (column.name, *column.aliases)]
    return [
        f"endorsed {pattern!r} matches no property of these rows; {did_you_mean(pattern, known)}"
        for pattern in endorsed
        if not any(fnmatchcase(name, pattern) for name in known)
    ]


def _regime(
    every: list[Feature], endorsed: tuple[str, ...], support: _Support, table: RowTable, knobs: MeasureKnobs
) -> tuple[str, str, list[str]]:
    """(regime, reason, warnings)."""
    loud = [feature for feature in every if feature.above_floor]
    if endorsed and not any(feature.endorsed for feature in every):
        return UNKNOWN, "what is endorsed is on none of these rows", []
    perfect = [feature for feature in every if abs(feature.rho) >= knobs.hack_perfect_rho and not feature.by_judge]
    if len(perfect) >= 2 and _distinct_replies(table) < knobs.hack_min_distinct:
        return (
            DEGENERATE,
            f"{len(perfect)} properties tell passes from failures exactly; replies vary too little to say which",
            [],
        )
    rivals = [feature for feature in loud if not feature.by_judge or feature.endorsed]
    if not rivals:
        return NO_SIGNAL, "nothing about the replies goes with the reward beyond chance", []
    inverted = [feature.name for feature in loud if feature.endorsed and feature.rho < 0]
    told = [f"endorsed and rewarded when absent: {', '.join(inverted)}"] if inverted else []
    top = rivals[0]
    if inverted and top.name in inverted:
        return HACK, f"the reward falls with {top.name}, which is endorsed", told
    if top.rival:
        return HACK, f"the reward goes with {top.name}, which nobody endorsed", told
    close = [feature.name for feature in loud if feature.rival]
    told += [f"also rewarded and not endorsed: {', '.join(close[:5])}"] if close else []
    if not any(feature.endorsed and feature.rho > 0 for feature in loud):
        return NO_SIGNAL, f"the reward falls with {top.name}; nothing endorsed goes with it", told
    if support.all_pass > knobs.hack_exhausted_share:
        return EXHAUSTED, f"{support.all_pass:.0%} of tasks always pass: harder tasks carry more", told
    return TRAIN, f"the reward goes with {top.name}", told


def _distinct_replies(table: RowTable) -> float:
    """Median number of different replies per task."""
    replies: dict[int, set[Any]] = {}
    for row, at in zip(table.rows, table.task.tolist()):
        replies.setdefault(at, set()).add((named(row.get("final_text")), named(row.get("behavior_signature"))))
    return float(np.median([len(found) for found in replies.values()])) if replies else 0.0
