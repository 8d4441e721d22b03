"""The candidate's box: load the candidate, say how that went, answer what is asked. Nothing here is believed by the other side."""

from __future__ import annotations

import builtins
import copy
import math
import operator
import sys
import types

from .wire import CONTENTS, STOPS, Channel, Foreign, builtin_name, decode, encode, run_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def candidate_main(channel: Channel, source: str) -> None:
    """Load the candidate, say how that went, and answer until the other side is gone."""
    module = types.ModuleType("candidate")
    sys.modules["candidate"] = module
    try:
        run_code(source, "candidate", module.__dict__)
    except BaseException as error:
        channel.send({"load": "ended" if builtin_name(error) in STOPS else builtin_name(error)})
        return
    channel.send({"load": None})
    held = Held()
    while True:
        asked = channel.receive()
        try:
            answer = answered(asked, module, held)
        except BaseException as error:
            answer = raised(error, held, asked.get("name") == "next")
        try:
            channel.send(answer)
        except Foreign:
            channel.send({"invalid": True})


class Held:
    """What the other side has a stand-in for, by number. The same object keeps its number."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.numbers: dict[int, int] = {}

    def keep(self, value: Any) -> list:
        """A reference: its number and what kind of thing it is; with its name and bases for a class of exceptions."""
        known = self.numbers.get(id(value))
        if known is None:
            known = self.numbers[id(value)] = len(self.values)
            self.values.append(value)
        if isinstance(value, type):
            if type.__subclasscheck__(Exception, value):
                return ["r", known, "error", value.__name__, [self.error_class(base) for base in value.__bases__]]
            return ["r", known, "class"]
        if type(value) is types.CoroutineType:
            return ["r", known, "coroutine"]
        for base in CONTENTS:
            if isinstance(value, base):
                return ["r", known, base.__name__]
        return ["r", known, "plain" if type(value).__eq__ is object.__eq__ else "compares"]

    def error_class(self, kind: type) -> list:
        """A class of exceptions: by name when the language or its library has it, else by reference."""
        if getattr(builtins, kind.__name__, None) is kind:
            return ["X", "builtins", kind.__name__]
        if kind.__module__ != "candidate" and getattr(sys.modules.get(kind.__module__), kind.__name__, None) is kind:
            return ["X", kind.__module__, kind.__name__]
        return self.keep(kind)

    def encode(self, value: Any) -> list:
        return encode(value, self.keep)

    def decode(self, value: Any) -> Any:
        return decode(value, lambda number, *_: self.values[number])


def raised(error: BaseException, held: Held, may_stop: bool) -> dict:
    """An exception: its nearest built-in class, its class, arguments and text as far as they can go over."""
    if may_stop and isinstance(error, StopIteration):
        return {"stop": True}
    out: dict = {"raised": builtin_name(error)}
    for name, part in (
        ("class", lambda: held.error_class(type(error))),
        ("args", lambda: held.encode(tuple(error.args))),
        ("text", lambda: held.encode(str(error))),
        ("ref", lambda: held.keep(error)[1] if vars(error) or type(error).__module__ == "candidate" else None),
    ):
        try:
            out[name] = part()
        except BaseException:
            out[name] = None
    return out


def answered(asked, module, held: Held) -> dict:
    """The answer to one request: a name of the module, a call, or an operation."""
    op = asked["op"]
    if op == "get":
        if asked["name"] not in module.__dict__:
            return {"missing": True}
        return value_of(module.__dict__[asked["name"]], held)
    arguments = [held.decode(item) for item in asked["args"]]
    if op == "do":
        return value_of(OPERATIONS[asked["name"]](*arguments), held)
    named = {name: held.decode(item) for name, item in asked["named"].items()}
    out = value_of(held.values[asked["ref"]](*arguments, **named), held)
    changed = {}
    for number, before, now in [
        *zip(map(str, range(len(arguments))), asked["args"], arguments),
        *((f"={name}", asked["named"][name], now) for name, now in named.items()),
    ]:
        if before[0] in "ldSYQM":
            after = held.encode(now)
            if after != before:
                changed[number] = after
    if changed:
        out["changed"] = changed
    return out


def value_of(value: Any, held: Held) -> dict:
    try:
        return {"value": held.encode(value)}
    except (Foreign, RecursionError, TypeError, ValueError):
        return {"invalid": True}


_LOOPS: list[Any] = []


def awaited(value: Any) -> Any:
    """The result of something to await, all on one event loop."""
    import asyncio

    async def result() -> Any:
        return await value

    if not _LOOPS:
        _LOOPS.append(asyncio.new_event_loop())
    return _LOOPS[0].run_until_complete(result())


def content(value: Any) -> Any:
    """The built-in content of an instance of a subclass."""
    if isinstance(value, dict):
        return dict(dict.items(value))
    for base in (list, tuple, set, frozenset):
        if isinstance(value, base):
            return base(base.__iter__(value))  # pyright: ignore[reportArgumentType]
    raise TypeError("no content")


def anext_of(value: Any) -> tuple:
    """(True, item) or (False, None) at the end."""
    try:
        return True, awaited(type(value).__anext__(value))
    except StopAsyncIteration:
        return False, None


_BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift"]
OPERATIONS = {
    **{name: getattr(operator, name) for name in _BINARY},
    **{f"i{name.rstrip('_')}": getattr(operator, f"i{name.rstrip('_')}") for name in _BINARY},
    **{name: getattr(operator, name) for name in ["eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "abs", "invert", "index", "getitem", "setitem", "delitem", "contains"]},
    **{kind.__name__: kind for kind in (bool, int, float, complex, bytes, type, str)},
    **{f.__name__: f for f in (len, hash, repr, format, round, iter, next, reversed, divmod, dir, awaited, content, anext_of)},
    **{f.__name__: f for f in (getattr, setattr, delattr, isinstance, issubclass, callable)},
    **{f.__name__: f for f in (math.floor, math.ceil, math.trunc, copy.copy, copy.deepcopy)},
    "aiter": lambda value: type(value).__aiter__(value),
    "enter": lambda value: type(value).__enter__(value),
    "exit": lambda value, failed: bool(type(value).__exit__(value, *(_failure(failed) if failed else (None, None, None)))),
    "aenter": lambda value: awaited(type(value).__aenter__(value)),
    "aexit": lambda value, failed: bool(
        awaited(type(value).__aexit__(value, *(_failure(failed) if failed else (None, None, None))))
    ),
}  # fmt: skip


def _failure(name: str) -> tuple:
    """The three arguments that `__exit__` gets for an exception of the tests' side."""
    kind = getattr(builtins, name, None)
    made = kind() if isinstance(kind, type) and issubclass(kind, Exception) else Exception()
    return type(made), made, None
