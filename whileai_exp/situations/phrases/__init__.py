"""Sentences that asks are made of, one JSON file per language. Lists are drawn from by index: append, never insert."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources


@lru_cache(maxsize=8)
def phrases(lang: str) -> Mapping[str, tuple[str, ...]]:
    """The sentence lists of a language, by key."""
    text = resources.files(__name__).joinpath(f"{lang}.json").read_text("utf-8")
    return {key: tuple(lines) for key, lines in json.loads(text).items()}
