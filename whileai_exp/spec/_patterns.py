"""Text that matches a simple regular expression, from the parse tree of the standard library.

Classes, groups, alternation and bounded repeats are followed; look-arounds and back-references are not (None).
"""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Any

from .._rng import Stream

ops: Any = importlib.import_module("re._constants")
"""The parse tree of `re` has no public name."""
parser: Any = importlib.import_module("re._parser")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WIDE = _LETTERS + _LETTERS.upper() + "0123456789"
_CLASSES = {
    ops.CATEGORY_DIGIT: "0123456789",
    ops.CATEGORY_WORD: _WIDE + "_",
    ops.CATEGORY_SPACE: " ",
    ops.CATEGORY_NOT_DIGIT: _LETTERS,
    ops.CATEGORY_NOT_SPACE: _WIDE,
    ops.CATEGORY_NOT_WORD: "-",
}


@lru_cache(maxsize=512)
def _parsed(pattern: str) -> Any:
    return parser.parse(pattern)


def shortest(pattern: str) -> int:
    """Characters of the shortest text the pattern matches. What is not a pattern raises `re.error` or OverflowError."""
    return int(_parsed(pattern).getwidth()[0])


_PIECES = 6_000
"""Parts of one text after which a pattern is given up; nested repeats multiply."""


def matching(pattern: str, stream: Stream, low: int = 0, high: int | None = None) -> str | None:
    """A text that the pattern matches, near the wanted length; None when the pattern uses what is not followed, or too much."""
    try:
        return _made(_parsed(pattern), stream, low, high, [_PIECES])
    except (NotImplementedError, RecursionError):
        return None


def _made(tree: Any, stream: Stream, low: int, high: int | None, left: list[int]) -> str:
    return "".join(_one(op, given, stream, low, high, left) for op, given in tree)


def _one(op: Any, given: Any, stream: Stream, low: int, high: int | None, left: list[int]) -> str:
    left[0] -= 1
    if left[0] < 0:
        raise NotImplementedError("too long")
    if op is ops.LITERAL:
        return chr(given)
    if op is ops.NOT_LITERAL:
        return "a" if chr(given) != "a" else "b"
    if op is ops.ANY:
        return stream.choice(_WIDE)
    if op is ops.IN:
        return stream.choice(_members(given))
    if op is ops.BRANCH:
        return _made(stream.choice(given[1]), stream, low, high, left)
    if op is ops.SUBPATTERN:
        return _made(given[3], stream, low, high, left)
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
        least, most, part = given
        most = min(int(most), max(int(least), low) + 4, high if high is not None and high >= least else 1 << 30)
        count = stream.integer(max(int(least), min(low, most)), max(int(most), int(least)))
        return "".join(_made(part, stream, 0, None, left) for _ in range(count))
    if op is ops.AT:
        return ""
    raise NotImplementedError(str(op))


def _members(items: Any) -> str:
    out: list[str] = []
    negated = False
    for op, given in items:
        if op is ops.NEGATE:
            negated = True
        elif op is ops.LITERAL:
            out.append(chr(given))
        elif op is ops.RANGE:
            out.extend(chr(code) for code in range(given[0], min(given[1], given[0] + 200) + 1))
        elif op is ops.CATEGORY:
            out.extend(_CLASSES[given])
    if negated:
        return "".join(char for char in _WIDE + " -" if char not in out) or "~"
    return "".join(out)
