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
    """A value as tagged JSON; subclasses by their built-in content; anything else through `keep`, as a reference."""
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
        return ["f", float.hex(float.__add__(value, 0.0))]
    if issubclass(kind, complex):
        return ["c", float.hex(value.real), float.hex(value.imag)]
    if issubclass(kind, str):
        return ["s", str.__str__(value)]
    if issubclass(kind, (bytes, bytearray)):
        return ["y" if issubclass(kind, bytes) else "Y", bytes(value).hex()]
    for tag, base in (("l", list), ("t", tuple), ("S", set), ("F", frozenset)):
        if issubclass(kind, base):
            return [tag, [encode(item, keep, depth + 1) for item in base.__iter__(value)]]
    if issubclass(kind, dict):
        return ["d", [[encode(k, keep, depth + 1), encode(v, keep, depth + 1)] for k, v in dict.items(value)]]
    return ["r", keep(value)]


def decode(value: Any, ref, depth: int = 0) -> Any:
    """The value of tagged JSON, of exact types. ValueError for anything else."""
    if depth > _DEEPEST + 5 or type(value) is not list or not value:
        raise ValueError("not a value")
    tag, rest = value[0], value[1:]
    if tag == "n":
        return None
    if len(rest) != (2 if tag == "c" else 1):
        raise ValueError("not a value")
    body = rest[0]
    if tag == "b" and type(body) is bool:
        return body
    if tag == "r" and type(body) is int:
        return ref(body)
    if tag in "ifsyYc" and type(body) is str:
        if tag == "i":
            return int(body)
        if tag == "s":
            return body
        if tag == "c":
            return complex(float.fromhex(body), float.fromhex(rest[1]))
        return float.fromhex(body) if tag == "f" else bytes.fromhex(body) if tag == "y" else bytearray.fromhex(body)
    if tag in "ltSFd" and type(body) is list:
        if tag == "d":
            return {decode(k, ref, depth + 1): decode(v, ref, depth + 1) for k, v in body}
        items = [decode(item, ref, depth + 1) for item in body]
        return {"l": list, "t": tuple, "S": set, "F": frozenset}[tag](items)
    raise ValueError("not a value")


def run_code(tree: Any, name: str, namespace: dict) -> None:
    """Run source or a syntax tree as a module's body: the one thing a box is for."""
    code = importlib.machinery.SourceFileLoader.source_to_code(None, tree, name)  # type: ignore[arg-type]
    types.FunctionType(code, namespace)()


def builtin_name(error: BaseException) -> str:
    """The name of the nearest built-in class of an exception: never a name that a stranger chose."""
    return next((c.__name__ for c in type(error).__mro__ if getattr(builtins, c.__name__, None) is c), "Exception")
