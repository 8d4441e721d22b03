"""What crosses between two boxes: length-prefixed JSON, rebuilt from exact built-in types.

Standard library only; runs inside the boxes, without the package.
"""

from __future__ import annotations

import builtins
import importlib.machinery
import json
import os
import struct
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST = 8 << 20
_DEEPEST = 150
STOPS = ("SystemExit", "KeyboardInterrupt", "GeneratorExit")
CONTENTS = (list, dict, set, frozenset, tuple)
"""Containers whose subclasses with methods of their own are held by reference."""


class Ended(BaseException):
    """The verdict is known; no test may catch it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Foreign(Exception):
    """A value that cannot go over."""


class Channel:
    """Length-prefixed JSON over one descriptor."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def send(self, message: Any) -> None:
        data = json.dumps(message).encode("ascii")
        if len(data) > _MOST:
            raise Foreign("too large")
        data = struct.pack("<I", len(data)) + data
        while data:
            data = data[os.write(self.fd, data) :]

    def receive(self) -> Any:
        size = struct.unpack("<I", self._read(4))[0]
        if size > _MOST:
            raise ValueError("too large")
        return json.loads(self._read(size))

    def _read(self, size: int) -> bytes:
        parts = []
        while size:
            part = os.read(self.fd, min(size, 1 << 20))
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def encode(value: Any, keep, depth: int = 0) -> list:
    """A value as tagged JSON: numbers and text of any subclass by their built-in content, containers and the plain
    values of the standard library as what they are. Anything else is what `keep` makes of it."""
    if depth > _DEEPEST:
        raise Foreign("nested too deeply")
    if value is None:
        return ["n"]
    if value is True or value is False:
        return ["b", value]
    kind = type(value)
    if issubclass(kind, int):
        return ["i", str(int.__add__(value, 0))]
    if issubclass(kind, float):
        return ["f", float.hex(value)]
    if issubclass(kind, complex):
        return ["c", *(float.hex(part.__get__(value)) for part in (complex.real, complex.imag))]  # type: ignore[attr-defined]
    if issubclass(kind, str):
        return ["s", str.__str__(value)]
    if issubclass(kind, (bytes, bytearray)):
        return ["y" if issubclass(kind, bytes) else "Y", bytes(value).hex()]
    for tag, base in _SEQUENCES:
        if kind is base or (issubclass(kind, base) and not has_methods(kind, base)):
            items = [encode(item, keep, depth + 1) for item in base.__iter__(value)]
            fields = kind.__dict__.get("_fields") if kind is not base and base is tuple else None
            if type(fields) is tuple and len(fields) == len(items) and all(type(f) is str for f in fields):
                return ["N", kind.__name__, list(fields), items]
            return [tag, items]
    if kind is dict:
        return ["d", _pairs(dict.items(value), keep, depth)]
    library = _LIBRARY.get((kind.__module__, kind.__name__))
    if library is not None:
        told = library(value, lambda item: encode(item, keep, depth + 1))
        if told is not None:
            return told
    if issubclass(kind, dict) and not has_methods(kind, dict):
        return ["d", _pairs(dict.items(value), keep, depth)]
    return keep(value)


_SEQUENCES = (("l", list), ("t", tuple), ("S", set), ("F", frozenset))
_FACTORIES = {kind.__name__: kind for kind in (int, float, str, list, dict, set, tuple, bool)}


def has_methods(kind: type, base: type) -> bool:
    """Whether a subclass brings attributes of its own, so that its built-in content is not all of it."""
    if getattr(kind, "_fields", None) is not None:
        return False
    between = kind.__mro__[: kind.__mro__.index(base)]
    return any(not name.startswith("__") for part in between if part.__module__ == "candidate" for name in vars(part))


def _pairs(items: Any, keep, depth: int) -> list:
    return [[encode(k, keep, depth + 1), encode(v, keep, depth + 1)] for k, v in items]


def _numbers(value: Any, names: str) -> list[int]:
    return [getattr(value, name) for name in names.split()]


def _moment(value: Any, names: str) -> list | None:
    offset = value.utcoffset() if value.tzinfo is not None else None
    if value.tzinfo is not None and type(value.tzinfo).__name__ != "timezone":
        return None
    aware = None if offset is None else [offset.days, offset.seconds, offset.microseconds]
    return ["T", type(value).__name__, [*_numbers(value, names), value.fold], aware]


_TIME = "hour minute second microsecond"
_LIBRARY = {
    ("fractions", "Fraction"): lambda v, go: ["q", str(v.numerator), str(v.denominator)],
    ("decimal", "Decimal"): lambda v, go: ["D", str(v)],
    ("datetime", "date"): lambda v, go: ["T", "date", _numbers(v, "year month day"), None],
    ("datetime", "timedelta"): lambda v, go: ["T", "timedelta", _numbers(v, "days seconds microseconds"), None],
    ("datetime", "time"): lambda v, go: _moment(v, _TIME),
    ("datetime", "datetime"): lambda v, go: _moment(v, "year month day " + _TIME),
    ("collections", "deque"): lambda v, go: ["Q", [go(item) for item in v], v.maxlen],
    ("collections", "OrderedDict"): lambda v, go: ["M", "OrderedDict", [[go(k), go(w)] for k, w in v.items()], None],
    ("collections", "Counter"): lambda v, go: ["M", "Counter", [[go(k), go(w)] for k, w in v.items()], None],
    ("collections", "defaultdict"): lambda v, go: [
        "M",
        "defaultdict",
        [[go(k), go(w)] for k, w in v.items()],
        v.default_factory.__name__ if v.default_factory in _FACTORIES.values() else None,
    ],
    ("builtins", "range"): lambda v, go: ["R", [str(v.start), str(v.stop), str(v.step)]],
    ("builtins", "slice"): lambda v, go: ["L", [go(v.start), go(v.stop), go(v.step)]],
    ("builtins", "dict_keys"): lambda v, go: ["k", [go(item) for item in v]],
    ("builtins", "dict_values"): lambda v, go: ["v", [go(item) for item in v]],
    ("builtins", "dict_items"): lambda v, go: ["I", [[go(k), go(w)] for k, w in v]],
}


class Named(tuple):
    """A tuple with names for its places, as the other side's own kind of tuple has."""

    _fields: tuple = ()
    _kind = "Named"

    def __getattr__(self, name: str) -> Any:
        if name in self._fields:
            return self[self._fields.index(name)]
        raise AttributeError(name)

    def __repr__(self) -> str:
        return f"{self._kind}({', '.join(f'{n}={v!r}' for n, v in zip(self._fields, self))})"

    def _asdict(self) -> dict:
        return dict(zip(self._fields, self))


def decode(value: Any, ref, depth: int = 0) -> Any:
    """The value of tagged JSON, of exact types. ValueError for anything else. `ref` makes what `keep` made."""
    if depth > _DEEPEST + 5 or type(value) is not list or not value:
        raise ValueError("not a value")
    tag, rest = value[0], value[1:]
    if tag == "n":
        return None
    if tag == "r" and rest and type(rest[0]) is int:
        return ref(*rest)
    if type(tag) is not str or len(rest) != _PARTS.get(tag, 1):
        raise ValueError("not a value")
    body = rest[0]
    if tag == "b" and type(body) is bool:
        return body
    if tag in "ifsyYcqD" and all(type(part) is str for part in rest):
        return _scalar(tag, rest)
    if tag in "ltSFdkvIQLR" and type(body) is list:
        if tag == "R":
            return range(*(int(part) for part in body))
        if tag in "dI":
            pairs = {decode(k, ref, depth + 1): decode(v, ref, depth + 1) for k, v in body}
            return pairs if tag == "d" else pairs.items()
        items = [decode(item, ref, depth + 1) for item in body]
        if tag == "L":
            return slice(*items)
        if tag in "kv":
            return dict.fromkeys(items).keys() if tag == "k" else dict(enumerate(items)).values()
        return _deque(items, rest[1]) if tag == "Q" else {"l": list, "t": tuple, "S": set, "F": frozenset}[tag](items)
    if tag == "T" and type(rest[1]) is list:
        return _time(*rest)
    if tag == "M" and type(rest[1]) is list:
        pairs = [(decode(k, ref, depth + 1), decode(v, ref, depth + 1)) for k, v in rest[1]]
        return _mapping(body, pairs, rest[2])
    if tag == "N" and all(type(name) is str and name.isidentifier() for name in (body, *rest[1])):
        made = Named([decode(item, ref, depth + 1) for item in rest[2]])
        if len(rest[1]) == len(made):
            made._fields, made._kind = tuple(rest[1]), body
            return made
    raise ValueError("not a value")


_PARTS = {"c": 2, "q": 2, "T": 3, "Q": 2, "M": 3, "N": 3}


def _scalar(tag: str, parts: list[str]) -> Any:
    body = parts[0]
    if tag == "i":
        return int(body)
    if tag == "s":
        return body
    if tag == "c":
        return complex(float.fromhex(body), float.fromhex(parts[1]))
    if tag == "q":
        from fractions import Fraction

        if int(parts[1]) == 0:
            raise ValueError("not a value")
        return Fraction(int(body), int(parts[1]))
    if tag == "D":
        from decimal import Decimal

        return Decimal(body)
    return float.fromhex(body) if tag == "f" else bytes.fromhex(body) if tag == "y" else bytearray.fromhex(body)


def _deque(items: list, most: Any) -> Any:
    from collections import deque

    return deque(items, most if type(most) is int else None)


def _mapping(name: str, pairs: list, factory: Any) -> Any:
    import collections

    if name == "defaultdict":
        return collections.defaultdict(_FACTORIES.get(factory), pairs)
    if name == "Counter":
        return collections.Counter(dict(pairs))
    if name == "OrderedDict":
        return collections.OrderedDict(pairs)
    raise ValueError("not a value")


def _time(name: str, numbers: list, aware: Any) -> Any:
    import datetime

    if name in ("date", "timedelta"):
        return getattr(datetime, name)(*numbers)
    if name not in ("time", "datetime"):
        raise ValueError("not a value")
    zone = None if aware is None else datetime.timezone(datetime.timedelta(*aware))
    return getattr(datetime, name)(*numbers[:-1], tzinfo=zone, fold=numbers[-1])


def run_code(tree: Any, name: str, namespace: dict) -> None:
    """Run source or a syntax tree as a module's body: the one thing a box is for."""
    code = importlib.machinery.SourceFileLoader.source_to_code(None, tree, name)  # type: ignore[arg-type]
    types.FunctionType(code, namespace)()


def builtin_name(error: BaseException) -> str:
    """The name of the nearest built-in class of an exception: never a name that a stranger chose."""
    return next((c.__name__ for c in type(error).__mro__ if getattr(builtins, c.__name__, None) is c), "Exception")
