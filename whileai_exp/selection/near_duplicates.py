"""Asks that say nearly the same: groups of them, found in linear time.

Two asks are near when the sets of their words (characters, in scripts without spaces) overlap by the Jaccard bar. MinHash
bands find candidates, every one is verified exactly against the first ask of its group, and groups do not chain: each member
is near the first. Some near pairs are missed: at the bar itself fewer than one in a thousand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._hash import sha
from ..errors import ConfigError, Problem
from ..knobs import SelectionKnobs
from ..measures._show import Report, notes
from ..measures._sources import Source, rows_of
from ..schema import task_key
from ._said import opening_of
from ._shingles import tokens_of

Row = Mapping[str, Any]
_BANDS, _WIDTH = 24, 5
"""120 hashes: a pair at 0.8 shares a band with probability 0.99993, one at 0.4 with 0.22."""
_PER_BUCKET = 16
"""First asks of groups that a member of a bucket is compared to."""
_STEP = 20_000


@dataclass(frozen=True, slots=True)
class Near(Report):
    """One group of asks that say nearly the same."""

    asks: tuple[str, ...]
    """In order of appearance; the first is the one the others are near to."""
    tasks: tuple[str, ...]
    n_rows: int

    def __str__(self) -> str:
        return f"{len(self.asks)} asks of {len(self.tasks)} tasks: {self.asks[0][:80]!r}"


@dataclass(frozen=True, slots=True)
class NearDuplicates(Report):
    """The groups, the largest first."""

    groups: tuple[Near, ...]
    n_asks: int
    """Different asks."""
    n_tasks: int
    n_near: int
    """Asks that are near an earlier one: what taking one of each group would remove."""
    share: float | None
    similarity: float
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = f"{self.n_near} of {self.n_asks} asks are near another one ({len(self.groups)} groups)"
        return "\n".join([head, *(f"  {group}" for group in self.groups[:5]), *notes(self.warnings)])


def near_duplicate_prompts(
    rows: Source, *, similarity: float | None = None, knobs: SelectionKnobs | None = None
) -> NearDuplicates:
    """Groups of asks whose words overlap by at least `similarity` (Jaccard; default: the knob).

    Rows of one task count once per ask; phrasings of one situation are different asks. ConfigError: a similarity outside (0, 1].
    """
    bar = (knobs or SelectionKnobs()).duplicate_similarity if similarity is None else similarity
    if not 0 < bar <= 1:
        raise ConfigError(Problem("similarity", f"{bar!r} is not in (0, 1]", "the default is 0.8"))
    asks: dict[str, dict[str, int]] = {}
    silent = 0
    for row in rows_of(rows):
        text = opening_of(row)
        if text is None:
            silent += 1
            continue
        tasks = asks.setdefault(text, {})
        key = task_key(row)
        tasks[key] = tasks.get(key, 0) + 1
    texts = list(asks)
    found = [members for members in _groups([sorted(set(tokens_of(text))) for text in texts], bar) if len(members) > 1]
    groups = []
    for members in found:
        tasks = [asks[texts[at]] for at in members]
        named = dict.fromkeys(key for task in tasks for key in task)
        groups.append(Near(tuple(texts[at] for at in members), tuple(named), sum(sum(task.values()) for task in tasks)))
    groups.sort(key=lambda group: (-len(group.asks), group.asks))
    near = sum(len(group.asks) - 1 for group in groups)
    return NearDuplicates(
        groups=tuple(groups),
        n_asks=len(texts),
        n_tasks=len({key for tasks in asks.values() for key in tasks}),
        n_near=near,
        share=near / len(texts) if texts else None,
        similarity=bar,
        warnings=(f"{silent} rows have no ask",) if silent else (),
    )


def _groups(sets: Sequence[Sequence[str]], bar: float) -> list[list[int]]:
    """Members of each group, its first in front. An ask joins the first group that it is near to."""
    known = [frozenset(found) for found in sets]
    leader = list(range(len(sets)))
    buckets: list[dict[int, list[int]]] = [{} for _ in range(_BANDS)]
    for at, bands in _banded(sets):
        tried: set[int] = set()
        for places, band in zip(buckets, bands):
            for other in places.get(band, ()):
                if other not in tried:
                    tried.add(other)
                    if _near(known[at], known[other], bar):
                        leader[at] = min(leader[at], other)
        if leader[at] == at:
            for places, band in zip(buckets, bands):
                firsts = places.setdefault(band, [])
                if len(firsts) < _PER_BUCKET:
                    firsts.append(at)
    out: dict[int, list[int]] = {}
    for at, first in enumerate(leader):
        out.setdefault(first, []).append(at)
    return list(out.values())


def _near(a: frozenset[str], b: frozenset[str], bar: float) -> bool:
    if not a or not b or min(len(a), len(b)) < bar * max(len(a), len(b)):
        return False
    common = len(a & b)
    return common >= bar * (len(a) + len(b) - common) - 1e-9


def _banded(sets: Sequence[Sequence[str]]) -> Iterator[tuple[int, list[int]]]:
    """The band hashes of each set, in order; sets without a token are left out."""
    numbers: dict[str, int] = {}
    odd = _seeds(1) | np.uint64(1)
    for start in range(0, len(sets), _STEP):
        part = [at for at in range(start, min(start + _STEP, len(sets))) if sets[at]]
        if not part:
            continue
        values = np.array([_number(word, numbers) for at in part for word in sets[at]], np.uint64)
        starts = np.cumsum([0, *(len(sets[at]) for at in part[:-1])])
        least = np.empty((len(part), _BANDS * _WIDTH), np.uint64)
        with np.errstate(over="ignore"):
            for column, (factor, shift) in enumerate(zip(odd, _seeds(2))):
                mixed = (values ^ shift) * factor
                least[:, column] = np.minimum.reduceat(mixed ^ (mixed >> np.uint64(29)), starts)
            weights = _seeds(3)[:_WIDTH] | np.uint64(1)
            bands = (least.reshape(len(part), _BANDS, _WIDTH) * weights).sum(2)
        yield from zip(part, bands.tolist())


def _number(word: str, known: dict[str, int]) -> int:
    if word not in known:
        known[word] = int(sha(word, 16), 16)
    return known[word]


def _seeds(which: int) -> NDArray[np.uint64]:
    return np.array([int(sha(f"minhash {which} {at}", 16), 16) for at in range(_BANDS * _WIDTH)], np.uint64)
