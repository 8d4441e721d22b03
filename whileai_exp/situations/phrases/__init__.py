"""Sentences that asks are made of, one JSON file per language. Lists are drawn from by index: append, never insert.

A sentence may hold choices, `[yesterday|last night]`; `said` draws one of each, so that a short list has many wordings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

from ..._rng import Stream


@lru_cache(maxsize=8)
def phrases(lang: str) -> Mapping[str, tuple[str, ...]]:
    """The sentence lists of a language, by key."""
    text = resources.files(__name__).joinpath(f"{lang}.json").read_text("utf-8")
    return {key: tuple(lines) for key, lines in json.loads(text).items()}


@lru_cache(maxsize=4096)
def _parts(line: str) -> tuple[tuple[str, ...], ...]:
    """The line as runs of alternatives; fixed text is a run of one."""
    out: list[tuple[str, ...]] = []
    while "[" in line:
        head, _, rest = line.partition("[")
        inside, _, line = rest.partition("]")
        out.extend(((head,), tuple(inside.split("|"))))
    return (*out, (line,))


def said(line: str, stream: Stream) -> str:
    """The line with one of each of its choices."""
    if "[" not in line:
        return line
    return "".join(run[0] if len(run) == 1 else stream.choice(run) for run in _parts(line))


def line_of(bank: Mapping[str, tuple[str, ...]], key: str, stream: Stream) -> str:
    """One line under a key, its choices drawn."""
    return said(stream.choice(bank[key]), stream)
