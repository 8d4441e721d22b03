"""What a judge says, without the answer key.

A judge may read the key; what it writes goes to disk. In its reasons and notes the reference is replaced wherever it
stands as whole words, and every other string of the key unless the row shows it anyway. This stops a judge that quotes
the key, not one that encodes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..schema import Judgment
from ..verify._base import HIDDEN, redacted

SHORTEST = 3
"""Characters below which a string of the key that is not the reference is no secret: `no` is in every text."""
_UNSEEN = frozenset({"privileged", "reason", "judge_meta"})


def without_key(verdict: Judgment, row: Mapping[str, Any]) -> Judgment:
    """The same verdict with every quoted string of the row's key replaced by `[answer key]`."""
    held = row.get("privileged")
    if not held or not (verdict.reason or verdict.failure_class or verdict.markers or verdict.meta):
        return verdict
    reference = held.get("reference") if isinstance(held, Mapping) else None
    secrets = quoted(verdict, row, held)

    def hide(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, HIDDEN)
        return text if reference is None else redacted(text, reference)

    failure = verdict.failure_class and hide(verdict.failure_class)
    markers = {hide(name): value for name, value in verdict.markers.items()}
    return replace(
        verdict, reason=hide(verdict.reason), failure_class=failure, markers=markers, meta=_mapped(dict(verdict.meta), hide)
    )


def quoted(verdict: Judgment, row: Mapping[str, Any], held: Any) -> list[str]:
    """The spellings of key strings that the verdict uses and the row does not show, longest first."""
    said = "\n".join(_texts([verdict.reason, verdict.failure_class, list(verdict.markers), dict(verdict.meta)], names=True))
    used = {text: _spellings(text) for text in set(_texts(held)) if len(text) >= SHORTEST}
    used = {text: [s for s in spellings if s in said] for text, spellings in used.items()}
    if not any(used.values()):
        return []
    shown = json.dumps({key: value for key, value in row.items() if key not in _UNSEEN}, ensure_ascii=False, default=str)
    found = {s for text, spellings in used.items() if json.dumps(text, ensure_ascii=False)[1:-1] not in shown for s in spellings}
    return sorted(found, key=lambda spelling: (-len(spelling), spelling))


def _spellings(text: str) -> set[str]:
    """The string itself, and as `repr` and JSON write it."""
    return {text, repr(text)[1:-1], json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}


def _texts(value: Any, names: bool = False) -> Iterator[str]:
    """Every scalar as text; with `names` those of mappings too."""
    if isinstance(value, Mapping):
        if names:
            yield from map(str, value)
        for item in value.values():
            yield from _texts(item, names)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item, names)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """JSON with every string changed, names too."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(str(key)): _mapped(item, change) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mapped(item, change) for item in value]
    return value
