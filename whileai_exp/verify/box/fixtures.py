"""What does a test function get for its arguments? Cases of `parametrize`, fixtures of the tests, and `tmp_path`."""

from __future__ import annotations

import itertools
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_OWN = ("tmp_path", "request")


class Request:
    """The part of pytest's `request` that fixtures read."""

    def __init__(self, param: Any, unsupported: Callable[[str], BaseException]) -> None:
        self.param, self._unsupported = param, unsupported

    def __getattr__(self, name: str) -> Any:
        raise self._unsupported("fixture")


class Fixtures:
    """The fixtures of a module or class, by name, and what they gave."""

    def __init__(self, unsupported: Callable[[str], BaseException]) -> None:
        self.unsupported = unsupported
        self.found: dict[str, Any] = {}
        self.kept: dict[tuple, Any] = {}
        self.at_end: list[Any] = []

    def add(self, values: dict) -> Fixtures:
        """These, and the fixtures among `values`."""
        made = Fixtures(self.unsupported)
        made.found, made.kept, made.at_end = dict(self.found), self.kept, self.at_end
        for value in values.values():
            told = getattr(value, "__dict__", {}).get("_fixture")
            if told is not None:
                made.found[told["name"]] = value
        return made

    def closure(self, names: list[str]) -> list[str]:
        """All that a test needs, with what its fixtures need and those used by all. Unsupported for an unknown name."""
        wanted = [*(n for n, f in self.found.items() if f._fixture["autouse"]), *names]
        out: list[str] = []
        while wanted:
            name = wanted.pop(0)
            if name in out:
                continue
            if name not in self.found and name not in _OWN:
                raise self.unsupported("fixture")
            out.append(name)
            if name in self.found:
                wanted += arguments_of(self.found[name])
        return out

    def choices(self, names: list[str]) -> list[dict[str, Any]]:
        """Each combination of the parameters of the fixtures a test needs."""
        listed = [n for n in names if n in self.found and self.found[n]._fixture["params"] is not None]
        options = [list(self.found[n]._fixture["params"]) for n in listed]
        chosen = [dict(zip(listed, values)) for values in itertools.product(*options)]
        return [{n: p.values[0] if hasattr(p, "skipped") else p for n, p in one.items()} for one in chosen]

    def give(self, name: str, instance: Any, chosen: dict, made: dict, close: list) -> Any:
        """The value of one fixture; what is left to do after the test goes to `close`."""
        if name in made:
            return made[name]
        if name == "tmp_path":
            import pathlib
            import tempfile

            made[name] = pathlib.Path(tempfile.mkdtemp())
            return made[name]
        if name == "request":
            return None
        function = self.found[name]
        key = (id(function), repr(chosen.get(name)))
        wide = function._fixture["scope"] != "function"
        if wide and key in self.kept:
            return self.kept[key]
        given = {}
        for needed in arguments_of(function):
            asked = needed == "request"
            given[needed] = (
                Request(chosen.get(name), self.unsupported) if asked else self.give(needed, instance, chosen, made, close)
            )
        owner = [instance] if takes_self(function) else []
        value = function(*owner, **given)
        if type(value) is types.GeneratorType:
            generator, value = value, next(value)
            (self.at_end if wide else close).append(generator)
        elif type(value) is types.CoroutineType:
            value = finished(value)
        elif type(value) is types.AsyncGeneratorType:
            raise self.unsupported("fixture")
        made[name] = value
        if wide:
            self.kept[key] = value
        return value


def finish(generators: list) -> None:
    """Let fixtures that wait at their `yield` go to their end, last first."""
    while generators:
        next(generators.pop(), None)


def takes_self(function: Any) -> bool:
    code = function.__code__
    return code.co_argcount > 0 and code.co_varnames[0] == "self"


def arguments_of(function: Any) -> list[str]:
    """Names of the arguments without a default, but for `self`."""
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    named = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    needed = positional[: len(positional) - len(function.__defaults__ or ())]
    return [n for n in (*needed, *(n for n in named if n not in (function.__kwdefaults__ or {}))) if n != "self"]


def finished(coroutine: Any) -> Any:
    """The result of a coroutine."""
    import asyncio

    return asyncio.run(coroutine)
