"""The part of pytest that hidden tests use, where no package can be installed. What is missing is unsupported, never ignored."""

from __future__ import annotations

import builtins
import re
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .reading import Checks


class Skipped(Exception):
    """A test that its author left out."""


class Param:
    """One case of `parametrize` with marks or a name."""

    def __init__(self, *values: Any, marks: Any = (), id: Any = None) -> None:
        self.values = values
        self.skipped = any(getattr(m, "skips", False) for m in (marks if isinstance(marks, (list, tuple)) else [marks]))


class Mark:
    """`pytest.mark.NAME`, with or without arguments."""

    def __init__(self, name: str, *, skips: bool = False) -> None:
        self.name, self.skips = name, skips

    def __call__(self, *args: Any, **named: Any) -> Any:
        if self.name == "parametrize":
            return lambda target: with_cases(target, *args, **named)
        bare = len(args) == 1 and not named and (isinstance(args[0], (type, types.FunctionType)))
        condition = args[0] if args and self.name in ("skipif", "xfail") and not bare else True
        skips = self.name in ("skip", "skipif", "xfail") and bool(condition)
        return marked(args[0], self.name, skips) if bare else Mark(self.name, skips=skips).decorate

    def decorate(self, target: Any) -> Any:
        return marked(target, self.name, self.skips)


def marked(target: Any, name: str, skips: bool) -> Any:
    if name == "usefixtures":
        target._unsupported = "fixture"
    if skips or name == "skip":
        target._skipped = True
    return target


def with_cases(target: Any, names: Any, values: Any, indirect: Any = False, **_: Any) -> Any:
    """Mark a function or class to be run once for each case, times the cases it has already."""
    listed = [n.strip() for n in names.split(",") if n.strip()] if isinstance(names, str) else list(names)
    cases = []
    for value in values:
        given = value if isinstance(value, Param) else Param(*(value if len(listed) > 1 else (value,)))
        if len(given.values) != len(listed):
            raise ValueError("parametrize: a case has not as many values as there are names")
        if not given.skipped:
            cases.append(dict(zip(listed, given.values)))
    if indirect:
        target._unsupported = "indirect"
    target._cases = [{**a, **b} for a in target.__dict__.get("_cases", [{}]) for b in cases]
    return target


class Marks:
    """`pytest.mark`."""

    def __getattr__(self, name: str) -> Mark:
        return Mark(name, skips=name == "skip")


class Caught:
    """What `pytest.raises` caught."""

    type: Any = None
    value: Any = None
    tb = None

    def match(self, pattern: Any) -> bool:
        assert re.search(pattern, str(self.value)), "the message does not match"
        return True


def raises_of(checks: Checks) -> type:
    class raises:
        def __new__(cls, kind: Any, *call: Any, match: Any = None, **named: Any) -> Any:
            made = object.__new__(cls)
            made.__init__(kind, match=match)
            if not call:
                return made
            with made as caught:
                call[0](*call[1:], **named)
            return caught

        def __init__(self, kind: Any, *_: Any, match: Any = None, **__: Any) -> None:
            self.kind, self.pattern, self.caught = kind, match, Caught()

        def __enter__(self) -> Caught:
            self.before = checks.failed
            return self.caught

        def __exit__(self, kind: Any, value: Any, traceback: Any) -> bool:
            checks.run += 1
            assert kind is not None, "nothing was raised"
            self.caught.type, self.caught.value = kind, value
            if not issubclass(kind, self.kind):
                return False
            checks.failed = self.before
            if self.pattern is not None:
                self.caught.match(self.pattern)
            return True

    return raises


class approx:
    """A number, or numbers in a list, tuple or dict, within a tolerance."""

    def __init__(self, wanted: Any, rel: Any = None, abs: Any = None, nan_ok: bool = False) -> None:
        self.wanted, self.rel, self.abs, self.nan_ok = wanted, rel, abs, nan_ok

    def _same(self, wanted: Any, other: Any) -> bool:
        return approx(wanted, self.rel, self.abs, self.nan_ok) == other

    def __eq__(self, other: Any) -> bool:
        wanted = self.wanted
        if isinstance(wanted, dict):
            return (
                isinstance(other, dict) and other.keys() == wanted.keys() and all(self._same(wanted[k], other[k]) for k in wanted)
            )
        if isinstance(wanted, (list, tuple)):
            same = isinstance(other, type(wanted)) and len(other) == len(wanted)
            return same and all(self._same(w, o) for w, o in zip(wanted, other))
        if not hasattr(type(other), "__abs__") or not hasattr(wanted, "__abs__"):
            return type(other) is type(wanted) and other == wanted
        if type(other) not in _NUMBERS and type(other).__name__ not in ("Decimal", "Fraction"):
            return False
        if other == wanted:
            return True
        if wanted != wanted or other != other:
            return self.nan_ok and wanted != wanted and other != other
        least = self.abs if self.abs is not None else 1e-12
        share = self.rel if self.rel is not None else (1e-6 if self.abs is None else 0)
        if builtins.abs(wanted) == float("inf") or builtins.abs(other) == float("inf"):
            return False
        return builtins.abs(other - wanted) <= max(least, share * builtins.abs(wanted))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"approx({self.wanted!r})"


_NUMBERS = (int, float, bool, complex)


def fixture(
    target: Any = None, *, name: Any = None, params: Any = None, autouse: bool = False, scope: str = "function", **_: Any
) -> Any:
    """Mark a function as a fixture."""

    def keep(function: Any) -> Any:
        function._fixture = {"name": name or function.__name__, "params": params, "autouse": autouse, "scope": scope}
        return function

    return keep(target) if target is not None else keep


def pytest_stand_in(checks: Checks, unsupported: Callable[[str], BaseException]) -> types.ModuleType:
    """The part of pytest that hidden tests use. Any other name of it ends the run as unsupported."""

    class Module(types.ModuleType):
        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            raise unsupported("pytest")

    def fail(reason: str = "", pytrace: bool = True, msg: str = "") -> None:
        checks.run += 1
        checks.failed += 1
        raise AssertionError(reason or msg)

    def skip(*_: Any, **__: Any) -> None:
        raise Skipped

    made: Any = Module("pytest")
    made.raises, made.approx, made.mark, made.fail, made.skip = raises_of(checks), approx, Marks(), fail, skip
    made.param, made.fixture, made.main = Param, fixture, lambda *a, **k: 0
    return made
