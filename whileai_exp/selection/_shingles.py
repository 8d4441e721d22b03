"""Texts as runs of hashed tokens, and which of many texts share runs with which: any script, in linear time.

Tokens are Unicode words, and single characters in scripts that write no spaces; a second stream is the letters and digits
alone, which survives other spacing, spelling and word endings. Runs of n tokens are 64-bit rolling hashes. An index keeps, of
each run, the first few texts that hold it, so that a phrase shared by thousands of templated texts costs as much as a rare
one; candidates come from a text's rarest runs and are verified by what share of either text the common runs cover.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

U64 = NDArray[np.uint64]
IntArray = NDArray[np.int64]
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_BASE = 0x9E3779B97F4A7C15
_WRAP = (1 << 64) - 1
_TABLE_BITS = 22


def folded(text: str) -> str:
    """Compatibility forms and case made one."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def tokens_of(text: str) -> list[str]:
    """The words of a text; single characters in scripts without spaces."""
    return _TOKEN.findall(folded(text))


@dataclass(frozen=True, slots=True)
class Stream:
    """Runs of n tokens of a list of texts, in order."""

    n: int
    lengths: IntArray
    """(T,) tokens of each text."""
    hashes: U64
    """(G,)"""
    owner: IntArray
    """(G,) text of each run."""
    place: IntArray
    """(G,) first token of each run, counted over all texts."""
    starts: IntArray
    """(T + 1,) where each text's runs begin."""


def stream_of(values: U64, lengths: IntArray, n: int) -> Stream:
    """Runs of n of already hashed tokens; texts with fewer have none."""
    owner = np.repeat(np.arange(len(lengths)), lengths)
    if len(values) < n:
        place = np.zeros(0, np.int64)
        hashes = np.zeros(0, np.uint64)
    else:
        place = np.flatnonzero(owner[: len(owner) - n + 1] == owner[n - 1 :])
        hashes = _rolled(_mixed(values), n)[place]
    owner = owner[place]
    starts = np.searchsorted(owner, np.arange(len(lengths) + 1))
    return Stream(n, lengths, hashes, owner, place, starts)


class Vocabulary:
    """Numbers for words, shared by the texts that are to be compared."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    def words(self, tokens: Sequence[Sequence[str]], n: int) -> Stream:
        ids, known = [], self._ids
        for found in tokens:
            ids.extend(known.setdefault(word, len(known)) for word in found)
        return stream_of(np.array(ids, np.uint64), np.array([len(found) for found in tokens], np.int64), n)


def characters(tokens: Sequence[Sequence[str]], n: int) -> Stream:
    """Runs of n letters and digits."""
    joined = ["".join(found) for found in tokens]
    data = np.frombuffer("".join(joined).encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    return stream_of(data, np.array([len(text) for text in joined], np.int64), n)


def _mixed(values: U64) -> U64:
    """splitmix64: neighbouring numbers far apart."""
    with np.errstate(over="ignore"):
        x = values + np.uint64(_BASE)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def _rolled(values: U64, n: int) -> U64:
    """Polynomial hash of every run of n, by doubling."""
    block, width = values, 1
    out: U64 | None = None
    size = 0
    with np.errstate(over="ignore"):
        while n:
            if n & 1:
                out = block if out is None else _joined(out, size, block, width)
                size += width
            n >>= 1
            if n:
                block = _joined(block, width, block, width)
                width *= 2
    assert out is not None
    return out


def _joined(left: U64, size: int, right: U64, width: int) -> U64:
    """Hash of `size` tokens followed by `width` tokens."""
    many = max(0, min(len(left), len(right) - size))
    return left[:many] * np.uint64(pow(_BASE, width, 1 << 64)) + right[size : size + many]


class Pairs(NamedTuple):
    """Candidate pairs of a text asked about and a text of the index."""

    text: IntArray
    known: IntArray


class Index:
    """Which texts hold which runs."""

    def __init__(self, known: Stream, *, postings: int, rarest: int, candidates: int) -> None:
        """`postings`: texts kept per run. `rarest`: runs of a text looked up. `candidates`: texts verified per text."""
        self.known = known
        self._rarest, self._candidates = rarest, candidates
        order = np.lexsort((known.owner, known.hashes))
        hashes, owner = known.hashes[order], known.owner[order]
        fresh = np.ones(len(hashes), bool)
        fresh[1:] = (hashes[1:] != hashes[:-1]) | (owner[1:] != owner[:-1])
        hashes, owner = hashes[fresh], owner[fresh]
        self._hashes, first, self._df = np.unique(hashes, return_index=True, return_counts=True)
        self._first, self._owner = first, owner
        self._kept = np.minimum(self._df, postings)
        self._table = np.zeros(1 << _TABLE_BITS, bool)
        self._table[self._hashes >> np.uint64(64 - _TABLE_BITS)] = True

    def candidates(self, asked: Stream) -> Iterator[Pairs]:
        """Rounds of pairs, each text at most once in a round, the likeliest first."""
        maybe = (
            np.flatnonzero(self._table[asked.hashes >> np.uint64(64 - _TABLE_BITS)]) if len(self._hashes) else np.zeros(0, int)
        )
        if not len(maybe):
            return
        hashes = asked.hashes[maybe]
        at = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        found = self._hashes[at] == hashes
        at, text = at[found], asked.owner[maybe[found]]
        if not len(at):
            return
        order = np.lexsort((at, self._df[at], text))
        at, text = at[order], text[order]
        fresh = np.ones(len(at), bool)
        fresh[1:] = (at[1:] != at[:-1]) | (text[1:] != text[:-1])
        at, text = at[fresh], text[fresh]
        few = _rank_within(text) < self._rarest
        at, text = at[few], text[few]
        counts = self._kept[at]
        known = self._owner[np.repeat(self._first[at], counts) + _counted(counts)]
        keys, votes = np.unique(np.repeat(text, counts) * len(self.known.lengths) + known, return_counts=True)
        text, known = np.divmod(keys, len(self.known.lengths))
        order = np.lexsort((known, -votes, text))
        text, known = text[order], known[order]
        rank = _rank_within(text)
        for turn in range(self._candidates):
            here = rank == turn
            if not here.any():
                return
            yield Pairs(text[here], known[here])

    def covered(self, asked: Stream, pairs: Pairs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Per pair: the share of the text's tokens, and of the known text's, that lie in runs they have in common."""
        a, pair_a = _runs(asked, pairs.text)
        b, pair_b = _runs(self.known, pairs.known)
        key_a, key_b = _within(pair_a, asked.hashes[a]), _within(pair_b, self.known.hashes[b])
        hit_a, hit_b = _among(key_a, key_b), _among(key_b, key_a)
        n = len(pairs.text)
        one = _covered(asked.place[a][hit_a], pair_a[hit_a], n, asked.n) / np.maximum(1, asked.lengths[pairs.text])
        two = _covered(self.known.place[b][hit_b], pair_b[hit_b], n, self.known.n) / np.maximum(
            1, self.known.lengths[pairs.known]
        )
        return one, two


def _runs(stream: Stream, texts: IntArray) -> tuple[IntArray, IntArray]:
    """(index of every run of the texts, which of the texts it is of)."""
    counts = stream.starts[texts + 1] - stream.starts[texts]
    return np.repeat(stream.starts[texts], counts) + _counted(counts), np.repeat(np.arange(len(texts)), counts)


def _within(pair: IntArray, hashes: U64) -> U64:
    """Hashes that can only be equal within a pair; the pair stands in front, so that looking them up stays near in memory."""
    return (pair.astype(np.uint64) << np.uint64(40)) | (hashes & np.uint64((1 << 40) - 1))


def _among(values: U64, known: U64) -> NDArray[np.bool_]:
    """np.isin by sorting; its hash table takes ten times as long on keys like these."""
    if not len(known):
        return np.zeros(len(values), bool)
    ordered = np.sort(known)
    at = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    return ordered[at] == values


def _covered(place: IntArray, pair: IntArray, pairs: int, n: int) -> NDArray[np.float64]:
    """Tokens in the union of runs of n, per pair; places are sorted within a pair."""
    if not len(place):
        return np.zeros(pairs)
    step = np.full(len(place), n, np.int64)
    same = pair[1:] == pair[:-1]
    step[:-1][same] = np.minimum(n, place[1:][same] - place[:-1][same])
    return np.bincount(pair, step, minlength=pairs).astype(np.float64)


def _counted(counts: IntArray) -> IntArray:
    """0, 1, … within each of consecutive groups of these sizes."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)


def _rank_within(groups: IntArray) -> IntArray:
    """Position of each element within its run of equal values."""
    if not len(groups):
        return np.zeros(0, np.int64)
    starts = np.flatnonzero(np.diff(groups, prepend=groups[0] - 1))
    return np.arange(len(groups)) - np.repeat(starts, np.diff(starts, append=len(groups)))
