"""What a judge says, without the answer key.

A judge may read the key; what it writes goes to disk. Every string of the key that the row does not show anyway is
replaced in its reasons and notes. This stops a judge that quotes the key, not one that encodes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..schema import Judgment

HIDDEN = "[answer key]"
SHORTEST = 3
"""Characters below which a string of the key is no secret: `A`, `no` and `4` are in every text."""
_UNSEEN = frozenset({"privileged", "reason", "judge_meta"})


def without_key(verdict: Judgment, row: Mapping[str, Any]) -> Judgment:
    """The same verdict with every quoted string of the row's key replaced by `[answer key]`."""
    held = row.get("privileged")
    if not held or not (verdict.reason or verdict.meta):
        return verdict
    secrets = quoted(verdict, row, held)
    if not secrets:
        return verdict
    failure = verdict.failure_class and _replaced(verdict.failure_class, secrets)
    meta = {key: _replaced(value, secrets) for key, value in verdict.meta.items()}
    return replace(verdict, reason=_replaced(verdict.reason, secrets), failure_class=failure, meta=meta)


def quoted(verdict: Judgment, row: Mapping[str, Any], held: Any) -> list[str]:
    """The spellings of key strings that the verdict uses and the row does not show, longest first."""
    said = "\n".join(_texts([verdict.reason, verdict.failure_class, dict(verdict.meta)]))
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


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _replaced(value: Any, secrets: list[str]) -> Any:
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, HIDDEN)
        return value
    if isinstance(value, Mapping):
        return {key: _replaced(item, secrets) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replaced(item, secrets) for item in value]
    return value
