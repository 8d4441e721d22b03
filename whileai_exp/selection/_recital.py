"""Does a reply recite its row's own answer key?

Words are compared, not characters: case and punctuation do not hide a recital. What somebody else said in the conversation
may be said again, and where a verifier gave the verdict the reference is the answer itself. `hidden_state` is not looked
for: a right agent tells what it found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._text import normalised

_KEYS = ("reference", "principle", "rubric", "tests")
_MARKS = re.compile(r"[\W_]+")


class Recital(NamedTuple):
    """What was looked for and what was found."""

    keyed: bool
    """Whether the row has a key at all."""
    short: bool
    """Whether a part of the key is too short to be looked for."""
    found: bool


_NONE = Recital(False, False, False)


def recital(row: Mapping[str, Any], spoken: str, told: Callable[[], str], quote_chars: int) -> Recital:
    """Whether `spoken` holds a stretch of the row's key, of at least `quote_chars` characters, that nobody `told` the agent."""
    held = row.get("privileged")
    if not isinstance(held, Mapping) or not held:
        return _NONE
    meta = row.get("judge_meta")
    verified = isinstance(meta, Mapping) and meta.get("kind") == "verifier"
    names = (name for name in _KEYS if not (verified and name == "reference"))
    parts = [flat(text) for text in texts_of(held.get(name) for name in names)]
    secrets = [part for part in parts if len(part) >= quote_chars]
    short = len(secrets) < len(parts)
    if not secrets:
        return Recital(True, short, False)
    said = flat(spoken)
    found = [secret for secret in secrets if secret in said]
    if not found:
        return Recital(True, short, False)
    heard = flat(told())
    return Recital(True, short, any(secret not in heard for secret in found))


def texts_of(values: Iterable[Any]) -> Iterator[str]:
    """All that stands in values, as text."""
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            yield from texts_of(value.values())
        elif isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
            yield from texts_of(value)
        elif value is not None and not isinstance(value, (bool, bytes, bytearray)):
            yield str(value)


def flat(text: str) -> str:
    """Text as words only, so that a comma more is no other text."""
    return _MARKS.sub(" ", normalised(text)).strip()
