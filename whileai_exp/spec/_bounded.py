"""Does a text match a pattern, in time that neither of them can blow up?

`re` backtracks: on `(a+)+$` every further letter doubles its time, and a tool's schema and an agent's argument both come
from outside. So `re` searches only where its worst case is small, by the number of repeats that can share a text between
them. Everything else that is regular is simulated state by state, which is linear. What is neither (a repeat within a
repeat beside look-arounds or back-references) has no bound, and is refused when the spec is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from ._patterns import ops, parser

_STEPS = 1_000_000
"""Steps of one match after which a text counts as too long for its pattern; well under a second."""
_STATES = 3_000
_ASSERTS = (ops.ASSERT, ops.ASSERT_NOT)
_REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)
_NESTED = 99
"""Degree of a pattern in which a repeat holds a repeat: exponential."""
_FEW = 8
"""Choices of a repeat up to which it counts as so many ways, and not as a power of the text's length."""


class Unbounded(ValueError):
    """A pattern that no bounded method can match."""


class TooLong(ValueError):
    """A text that cannot be checked against its pattern in bounded time."""


@lru_cache(maxsize=512)
def searcher(pattern: str) -> Callable[[str], bool]:
    """Whether a pattern is found in a text, as `re.search` would say.

    `re.error` for what is no pattern and Unbounded for one without a bound; the function raises TooLong.
    """
    made = re.compile(pattern)
    tree = parser.parse(pattern)
    longest = _longest(tree)
    machine = _machine(tree) if not tree.state.flags & ~(re.UNICODE) else None
    if machine is None and not longest:
        raise Unbounded("repeats within a repeat, beside what only backtracking can match")

    def found(text: str) -> bool:
        if len(text) <= longest:
            return made.search(text) is not None
        if machine is None:
            raise TooLong(f"is too long to be checked against {pattern!r:.60}")
        return machine.search(text, pattern)

    return found


def backtracks(pattern: str) -> bool:
    """Whether a plain search for the pattern can take long on a name of ordinary length."""
    return _longest(parser.parse(pattern)) < _NAME


_NAME = 100
"""Characters of a name that a pattern of names must bear."""


def _longest(tree: Any) -> int:
    """Characters of the longest text on which a backtracking search stays within its steps; 0 when none is safe."""
    items = list(tree)
    starts = (ops.AT_BEGINNING, ops.AT_BEGINNING_STRING)
    anchored = bool(items) and items[0][0] is ops.AT and items[0][1] in starts and not tree.state.flags & re.MULTILINE
    ways = [1]
    degree = _degree(items, False, ways) + (not anchored)
    return 0 if degree >= _NESTED or ways[0] > _STEPS else round((_STEPS / ways[0]) ** (1 / max(degree, 1)))


def _degree(tree: Iterable[Any], inside: bool, ways: list[int]) -> int:
    """How many repeats in a row can share a text; `ways` is multiplied by what choices of a fixed number add."""
    total = asserted = 0
    for op, given in tree:
        if op in _REPEATS:
            low, high, part = given
            options = int(high) - int(low) + 1
            inner = _degree(part, inside or high > 1, ways)
            if inner and (inside or high > 1):
                return _NESTED
            if options > _FEW or (inside and options > 1):
                total += inner + 1
            else:
                total += inner
                ways[0] *= options
        elif op is ops.BRANCH:
            ways[0] *= len(given[1])
            total += max((_degree(part, inside, ways) for part in given[1]), default=0) + inside
        elif op is ops.SUBPATTERN:
            total += _degree(given[3], inside, ways)
        elif op in _ASSERTS:
            asserted = max(asserted, _degree(given[1], inside, ways))
        elif op is ops.ATOMIC_GROUP:
            total += _degree(given, inside, ways)
        elif op is ops.GROUPREF:
            total += 1
        elif op is ops.GROUPREF_EXISTS:
            return _NESTED
    return min(_NESTED, total + asserted)


class _Unfollowed(Exception):
    pass


class _Machine:
    """States of a pattern: each consumes a character, asks about the place, or leads on to others."""

    def __init__(self) -> None:
        self.tests: list[Callable[[str], bool] | None] = []
        self.places: list[Any] = []
        self.next: list[list[int]] = []
        self.start = 0

    def state(self, test: Callable[[str], bool] | None = None, place: Any = None) -> int:
        if len(self.next) >= _STATES:
            raise _Unfollowed
        self.tests.append(test)
        self.places.append(place)
        self.next.append([])
        return len(self.next) - 1

    def search(self, text: str, pattern: str) -> bool:
        """Whether the end state is reached from a start anywhere. State 0 is the end."""
        active: set[int] = set()
        left = _STEPS
        for at in range(len(text) + 1):
            active.add(self.start)
            reached = self._reached(active, text, at)
            if 0 in reached:
                return True
            left -= len(reached) + 1
            if left < 0:
                raise TooLong(f"is too long to be checked against {pattern!r:.60}")
            if at == len(text):
                return False
            char = text[at]
            active = {
                follower
                for state in reached
                if (test := self.tests[state]) is not None and test(char)
                for follower in self.next[state]
            }
        return False

    def _reached(self, active: set[int], text: str, at: int) -> set[int]:
        stack, seen = list(active), set(active)
        while stack:
            state = stack.pop()
            if self.tests[state] is not None:
                continue
            place = self.places[state]
            if place is not None and not _stands(place, text, at):
                continue
            for follower in self.next[state]:
                if follower not in seen:
                    seen.add(follower)
                    stack.append(follower)
        return seen


def _stands(place: Any, text: str, at: int) -> bool:
    if place in (ops.AT_BEGINNING, ops.AT_BEGINNING_STRING):
        return at == 0
    if place is ops.AT_END_STRING:
        return at == len(text)
    if place is ops.AT_END:
        return at == len(text) or (at == len(text) - 1 and text[at] == "\n")
    before = at > 0 and _is_word(text[at - 1])
    after = at < len(text) and _is_word(text[at])
    return (before != after) == (place is ops.AT_BOUNDARY)


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _machine(tree: Any) -> _Machine | None:
    """The machine of a pattern; None when it is not regular, or too large."""
    machine = _Machine()
    try:
        machine.start = _laid(machine, list(tree), machine.state())
    except (_Unfollowed, RecursionError):
        return None
    return machine


def _laid(machine: _Machine, tree: list[Any], after: int) -> int:
    """The first state of a sequence that leads on to `after`."""
    for op, given in reversed(tree):
        after = _one(machine, op, given, after)
    return after


def _one(machine: _Machine, op: Any, given: Any, after: int) -> int:
    if op is ops.BRANCH:
        state = machine.state()
        machine.next[state] = [_laid(machine, list(part), after) for part in given[1]]
        return state
    if op is ops.SUBPATTERN and not given[1] and not given[2]:
        return _laid(machine, list(given[3]), after)
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
        low, high, part = given
        return _repeated(machine, low, high, part, after)
    if op is ops.AT and given in _KNOWN_PLACES:
        state = machine.state(place=given)
    else:
        state = machine.state(_test(op, given))
    machine.next[state] = [after]
    return state


_KNOWN_PLACES = frozenset(
    (ops.AT_BEGINNING, ops.AT_BEGINNING_STRING, ops.AT_END, ops.AT_END_STRING, ops.AT_BOUNDARY, ops.AT_NON_BOUNDARY)
)


def _repeated(machine: _Machine, low: int, high: int, part: Any, after: int) -> int:
    items = list(part)
    if high == ops.MAXREPEAT:
        loop = machine.state()
        machine.next[loop] = [_laid(machine, items, loop), after]
        after = loop
    else:
        for _ in range(int(high) - int(low)):
            option = machine.state()
            machine.next[option] = [_laid(machine, items, after), after]
            after = option
    for _ in range(int(low)):
        after = _laid(machine, items, after)
    return after


def _test(op: Any, given: Any) -> Callable[[str], bool]:
    """Whether one character fits: asked of `re`, which knows every class."""
    if op is ops.LITERAL:
        return chr(given).__eq__
    if op is ops.NOT_LITERAL:
        return chr(given).__ne__
    if op is ops.ANY:
        return "\n".__ne__
    if op is ops.IN:
        return _class_test(given)
    raise _Unfollowed


def _class_test(items: Any) -> Callable[[str], bool]:
    parts: list[Callable[[str], bool]] = []
    negated = False
    for op, given in items:
        if op is ops.NEGATE:
            negated = True
        elif op is ops.LITERAL:
            parts.append(chr(given).__eq__)
        elif op is ops.RANGE:
            parts.append(_between(*given))
        elif op is ops.CATEGORY and given in _CATEGORIES:
            parts.append(_CATEGORIES[given])
        else:
            raise _Unfollowed
    return lambda char: any(part(char) for part in parts) != negated


def _between(low: int, high: int) -> Callable[[str], bool]:
    return lambda char: low <= ord(char) <= high


_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    ops.CATEGORY_DIGIT: str.isdecimal,
    ops.CATEGORY_NOT_DIGIT: lambda char: not char.isdecimal(),
    ops.CATEGORY_SPACE: str.isspace,
    ops.CATEGORY_NOT_SPACE: lambda char: not char.isspace(),
    ops.CATEGORY_WORD: _is_word,
    ops.CATEGORY_NOT_WORD: lambda char: not _is_word(char),
}


def schema_validator(schema: Any, formats: tuple[str, ...] = ()) -> Any:
    """A draft 2020-12 validator of `jsonschema` whose patterns are matched in bounded time."""
    from jsonschema import FormatChecker

    return _validator_class()(schema, format_checker=FormatChecker(formats) if formats else None)


@lru_cache(maxsize=1)
def _validator_class() -> Any:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError
    from jsonschema.validators import extend

    def pattern(validator: Any, wanted: Any, instance: Any, schema: Any) -> Any:
        if not isinstance(instance, str):
            return
        try:
            found = searcher(wanted)(instance)
        except TooLong as error:
            yield ValidationError(f"{instance!r:.40} {error}")
            return
        if not found:
            yield ValidationError(f"{instance!r} does not match {wanted!r}")

    return extend(Draft202012Validator, {"pattern": pattern})
