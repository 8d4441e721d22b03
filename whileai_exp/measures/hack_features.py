"""What a reply looks like, as columns: length, tools, markers, logprobs, words and word pairs.

Nothing here looks at the reward, so a permutation of rewards is a fair test of every column, pairs included. Words are
whatever Unicode calls a word; scripts without spaces count in runs of letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..knobs import MeasureKnobs
from ._table import Row, RowTable, items_of, number_of

_WORD = re.compile(r"\w+")
_PUNCTUATION = re.compile(r"[^\w\s]")
_DIGIT = re.compile(r"\d")
_UPPER = re.compile(r"[A-ZÀ-ÞА-Я]")
PAIR = " and "
Extra = Mapping[str, Callable[[Row], Any]]


class Column(NamedTuple):
    """A named column and the names of columns that say the same."""

    name: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Features:
    """Columns over the rows of a table."""

    columns: tuple[Column, ...]
    values: NDArray[np.float32]
    """(R, F)"""
    n_obs: NDArray[np.int64]
    """(F,) rows where the column is not zero."""


def features_of(table: RowTable, knobs: MeasureKnobs, extra: Extra | None = None, own: frozenset[str] = frozenset()) -> Features:
    """All columns of a table that vary, identical ones merged; the judge's `own` come in no pair and give no name."""
    named: dict[str, NDArray[np.float32]] = {}
    texts = [_text(row) for row in table.rows]
    named.update(_shape(texts))
    named.update(_conduct(table))
    for name in table.marker_names():
        named[f"marker:{name}"] = _filled(table.marker(name))
    for name, function in (extra or {}).items():
        named[name] = _filled(np.array([number_of(function(row)) for row in table.rows], float))
    named.update(_words(texts, knobs))
    varied = {name: column for name, column in named.items() if len(column) and (column != column[0]).any()}
    varied.update(_both({name: column for name, column in varied.items() if name not in own}, table, knobs))
    columns, kept = _merged(varied, own)
    values = np.zeros((table.n_rows, len(kept)), np.float32, order="F")
    varied.clear()
    named.clear()
    for at in range(len(kept)):
        values[:, at], kept[at] = kept[at], values[:0, at]
    return Features(columns, values, (values != 0).sum(0))


def _text(row: Row) -> str:
    text = row.get("final_text")
    return text if isinstance(text, str) else ""


def _filled(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Missing values take the mean of the others: they then say nothing."""
    missing = np.isnan(values)
    if missing.all():
        return np.zeros(len(values), np.float32)
    return np.where(missing, values[~missing].mean(), values).astype(np.float32)


def _shape(texts: list[str]) -> dict[str, NDArray[np.float32]]:
    def counted(count: Callable[[str], float]) -> NDArray[np.float32]:
        return np.array([count(text) for text in texts], np.float32)

    length = counted(len)
    return {
        "reply_length": length,
        "newlines": counted(lambda text: text.count("\n")),
        "punctuation": counted(lambda text: len(_PUNCTUATION.findall(text))),
        "digits": counted(lambda text: len(_DIGIT.findall(text))),
        "uppercase_share": (counted(lambda text: len(_UPPER.findall(text))) / np.maximum(length, 1)).astype(np.float32),
    }


def _conduct(table: RowTable) -> dict[str, NDArray[np.float32]]:
    rows = table.rows
    calls = np.zeros(len(rows), np.float32)
    turns = np.zeros(len(rows), np.float32)
    tools: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        for step in items_of(row, "steps"):
            tool = step.get("tool")
            if tool is None:
                turns[at] += "user" not in step
                continue
            calls[at] += 1
            turns[at] += not step.get("parallel")
            tools.setdefault(str(tool), []).append(at)
    out = {"tool_calls": calls, "assistant_turns": turns}
    for tool in sorted(tools):
        column = np.zeros(len(rows), np.float32)
        column[tools[tool]] = 1
        out[f"tool:{tool}"] = column
    out["truncated"] = np.array([row.get("finish_reason") == "length" for row in rows], np.float32)
    confidence = [number_of(row.get("logprob")) / max(1.0, number_of(row.get("n_tokens")) or 1.0) for row in rows]
    out["token_logprob"] = _filled(np.array(confidence, float))
    return out


def _words(texts: list[str], knobs: MeasureKnobs) -> dict[str, NDArray[np.float32]]:
    """Presence of the commonest words and word pairs that some rows have and others lack."""
    vocabulary: dict[str, int] = {}
    found: list[int] = []
    ends: list[int] = []
    for text in texts:
        found.extend(vocabulary.setdefault(word, len(vocabulary)) for word in _WORD.findall(text.casefold()))
        ends.append(len(found))
    ids = np.array(found, np.int64)
    del found
    n, size = len(texts), len(vocabulary)
    rows = np.repeat(np.arange(n), np.diff([0, *ends]))
    single = _presence(ids, rows, n, knobs)
    common = np.zeros(size + 1, bool)
    common[single.terms] = True
    near = (rows[1:] == rows[:-1]) & common[ids[1:]] & common[ids[:-1]]
    double = _presence(ids[:-1][near] * size + ids[1:][near], rows[1:][near], n, knobs)
    spelled = list(vocabulary)
    ranked = [(-len(r), f"word:{spelled[term]}", r) for term, r in zip(single.terms.tolist(), single.rows)]
    ranked += [
        (-len(r), f"words:{spelled[term // size]} {spelled[term % size]}", r)
        for term, r in zip(double.terms.tolist(), double.rows)
    ]
    out = {}
    for _, name, where in sorted(ranked, key=lambda item: item[:2])[: knobs.hack_words]:
        out[name] = np.zeros(n, np.float32)
        out[name][where] = 1
    return out


class _Presence(NamedTuple):
    """Terms that enough rows have and some lack, and the rows of each."""

    terms: NDArray[np.int64]
    rows: list[NDArray[np.int64]]


def _presence(terms: NDArray[np.int64], rows: NDArray[np.int64], n: int, knobs: MeasureKnobs) -> _Presence:
    seen = terms * n + rows
    if not len(seen):
        return _Presence(seen, [])
    seen.sort()
    seen = seen[np.diff(seen, prepend=-1) != 0]
    starts = np.flatnonzero(np.diff(seen // n, prepend=-1))
    counts = np.diff(starts, append=len(seen))
    able = (counts >= knobs.hack_min_rows) & (counts < n)
    spans = zip(starts[able].tolist(), (starts + counts)[able].tolist())
    return _Presence(seen[starts[able]] // n, [seen[start:end] % n for start, end in spans])


def _both(named: Mapping[str, NDArray[np.float32]], table: RowTable, knobs: MeasureKnobs) -> dict[str, NDArray[np.float32]]:
    """Pairs of yes/no columns that hold together, of those that vary most within tasks."""
    counts = np.maximum(1, np.bincount(table.task, minlength=len(table.keys)))
    spread = {}
    for name, column in named.items():
        if ((column == 0) | (column == 1)).all():
            share = np.bincount(table.task, column, minlength=len(table.keys)) / counts
            spread[name] = float((share * (1 - share) * counts).sum())
    top = sorted(sorted(spread), key=lambda name: -spread[name])[: knobs.hack_pairs]
    out = {}
    for at, one in enumerate(top):
        for two in top[at + 1 :]:
            column = named[one] * named[two]
            if knobs.hack_min_rows <= column.sum() < len(column):
                out[f"{one}{PAIR}{two}"] = column
    return out


def _merged(
    named: Mapping[str, NDArray[np.float32]], own: frozenset[str]
) -> tuple[tuple[Column, ...], list[NDArray[np.float32]]]:
    groups: dict[bytes, list[str]] = {}
    for name, column in named.items():
        groups.setdefault(blake2b(column.tobytes(), digest_size=16).digest(), []).append(name)
    ordered = [
        sorted(names, key=lambda name: (name in own, PAIR in name, name.startswith("word"), name)) for names in groups.values()
    ]
    return tuple(Column(names[0], tuple(names[1:])) for names in ordered), [named[names[0]] for names in ordered]


def judge_written(table: RowTable, given: Iterable[str] | None) -> frozenset[str]:
    """Columns the judge wrote itself: the markers named, or every marker when none are."""
    names = table.marker_names() if given is None else [name.removeprefix("marker:") for name in given]
    return frozenset(f"marker:{name}" for name in names)
