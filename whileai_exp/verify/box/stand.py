"""The tests' box: stand-ins for what the candidate keeps. What one does is asked of the candidate; what it equals is not
simply believed: two of the candidate's own things are compared by the candidate, a plain value never equals a stand-in.
"""

from __future__ import annotations

import keyword
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_CONTENT = {"list": list, "dict": dict, "set": set, "frozenset": frozenset, "tuple": tuple}
_OPEN_NAMES = frozenset(
    ["__name__", "__qualname__", "__doc__", "__dict__", "__annotations__", "__members__", "__wrapped__", "__slots__"]
)


class Stand:
    """Something of the candidate's that is no plain value."""

    __slots__ = ("_asker", "_number", "_kind", "_of_plain")

    def __init__(self, asker: Any, number: int, kind: str) -> None:
        for name, value in (("_asker", asker), ("_number", number), ("_kind", kind), ("_of_plain", False)):
            object.__setattr__(self, name, value)

    @property
    def __class__(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _CONTENT.get(self._kind, Stand)

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._asker.call(self._number, args, named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__") and name not in _OPEN_NAMES:
            raise AttributeError(name)
        return self._asker.do("getattr", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._asker.do("setattr", self, name, value)

    def __delattr__(self, name: str) -> None:
        self._asker.do("delattr", self, name)

    def __eq__(self, other: Any) -> Any:
        if is_stand(other):
            return self._asker.do("eq", self, other)
        if self._kind in _CONTENT and isinstance(other, tuple(_CONTENT.values())):
            return self._asker.do("content", self) == other
        if self._kind != "compares":
            return False
        if self._asker.sendable(other) is None:
            return NotImplemented
        if not no(self._asker, "eq", self, decoy(other)) or no(self._asker, "eq", self, other, raises=True):
            return False
        raise self._asker.end("unsupported")

    def __ne__(self, other: Any) -> Any:
        if is_stand(other):
            return self._asker.do("ne", self, other)
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __hash__(self) -> int:
        return whole(self._asker.do("hash", self))

    def __len__(self) -> int:
        return whole(self._asker.do("len", self))

    def __bool__(self) -> bool:
        if self._of_plain:
            raise self._asker.end("unsupported")
        return self._kind == "class" or self._asker.do("bool", self) is True

    def __repr__(self) -> str:
        return text(self._asker.do("repr", self))

    def __str__(self) -> str:
        return text(self._asker.do("str", self))

    def __format__(self, given: str) -> str:
        return text(self._asker.do("format", self, given))

    def __iter__(self):
        inner = self._asker.do("iter", self)
        while is_stand(inner):
            try:
                value = self._asker.do("next", inner)
            except StopIteration:
                return
            yield value

    def __next__(self) -> Any:
        return self._asker.do("next", self)

    def __contains__(self, item: Any) -> bool:
        """What the candidate says, unless it says yes to anything."""
        if is_stand(item):
            return self._asker.do("contains", self, item) is True
        if not no(self._asker, "contains", self, decoy(item)):
            return False
        return self._asker.do("contains", self, item) is True

    def __getitem__(self, key: Any) -> Any:
        return self._asker.do("getitem", self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._asker.do("setitem", self, key, value)

    def __delitem__(self, key: Any) -> None:
        self._asker.do("delitem", self, key)

    def __instancecheck__(self, instance: Any) -> bool:
        return is_stand(instance) and self._asker.do("isinstance", instance, self) is True

    def __subclasscheck__(self, kind: Any) -> bool:
        return is_stand(kind) and self._asker.do("issubclass", kind, self) is True

    def __enter__(self) -> Any:
        return self._asker.do("enter", self)

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> bool:
        return self._asker.do("exit", self, kind.__name__ if kind else "") is True

    async def __aenter__(self) -> Any:
        return self._asker.do("aenter", self)

    async def __aexit__(self, kind: Any, value: Any, traceback: Any) -> bool:
        return self._asker.do("aexit", self, kind.__name__ if kind else "") is True

    def __await__(self):
        return self._asker.do("awaited", self)
        yield

    def __aiter__(self) -> Any:
        return self._asker.do("aiter", self)

    async def __anext__(self) -> Any:
        told = self._asker.do("anext_of", self)
        if type(told) is tuple and len(told) == 2 and told[0] is True:
            return told[1]
        raise StopAsyncIteration

    def __copy__(self) -> Any:
        return self._asker.do("copy", self)

    def __deepcopy__(self, memo: Any) -> Any:
        return self._asker.do("deepcopy", self)

    def __dir__(self) -> list:
        return list(self._asker.do("dir", self))

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise self._asker.end("unsupported")


class StandCoroutine(Stand):
    """A coroutine of the candidate's: runs on the candidate's side when it is awaited."""

    __slots__ = ()

    def send(self, value: Any) -> Any:
        raise StopIteration(self._asker.do("awaited", self))

    def __next__(self) -> Any:
        return self.send(None)

    def throw(self, *error: Any) -> Any:
        raise error[0]

    def close(self) -> None:
        return None

    def __await__(self):
        return self._asker.do("awaited", self)
        yield


def number_of(value: Any) -> int | None:
    """The number of the candidate's thing that this stands for. None when it is the tests' own."""
    kind = type(value)
    if issubclass(kind, (Stand, ErrorClass)):
        return value._number
    return value.__dict__.get("_own_number") if type(kind) is ErrorClass else None


def is_stand(value: Any) -> bool:
    """Whether this is the candidate's own."""
    return number_of(value) is not None


def whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("an integer is required")
    return value


def text(value: Any) -> str:
    if type(value) is not str:
        raise TypeError("a string is required")
    return value


def no(asker: Any, name: str, *args: Any, raises: bool = False) -> bool:
    """Whether the candidate's answer is false. An exception is a no, unless it `raises`."""
    try:
        value = asker.do(name, *args)
    except Exception:
        if raises:
            raise
        return True
    return value is False or value is None or (type(value) in (int, float) and value == 0)


def decoy(value: Any) -> Any:
    """Another value of about the kind of this one, that no candidate can know."""
    number = int.from_bytes(os.urandom(6), "big") + 10_000_000
    if type(value) in (int, float):
        return type(value)(number)
    if type(value) in (list, tuple, set, frozenset):
        return type(value)([number])
    return {number: number} if type(value) is dict else f"{number:x}"


def binary(name: str, swapped: bool) -> Callable[[Stand, Any], Any]:
    """An operator. With a plain operand a plain result is no evidence: it is refused, as a TypeError when the candidate
    answers the same to another operand, else as unsupported."""

    def operate(self: Stand, other: Any) -> Any:
        asker = self._asker
        if is_stand(other):
            return asker.do(name, self, other)
        if asker.sendable(other) is None:
            return NotImplemented
        value = asker.do(name, *((other, self) if swapped else (self, other)))
        if is_stand(value):
            object.__setattr__(value, "_of_plain", True)
            return value
        different = decoy(other)
        try:
            again = asker.do(name, *((different, self) if swapped else (self, different)))
        except Exception:
            again = NotImplemented
        if type(again) is type(value) and again == value:
            raise TypeError("unsupported operand")
        raise asker.end("unsupported")

    return operate


def ordering(name: str) -> Callable[[Stand, Any], Any]:
    """A comparison of order: the candidate's word among its own, never against a plain value."""

    def compare(self: Stand, other: Any) -> Any:
        asker = self._asker
        if is_stand(other):
            return asker.do(name, self, other)
        if asker.sendable(other) is None:
            return NotImplemented
        far = decoy(other)
        low, high = (-far, far) if type(far) in (int, float) else (type(far)(), far)
        if asker.do(name, self, low) == asker.do(name, self, high):
            raise TypeError("not comparable")
        raise asker.end("unsupported")

    return compare


def unary(name: str) -> Callable[..., Any]:
    """A conversion or sign. After an operator with a plain operand a plain result is no evidence."""

    def convert(self: Stand, *args: Any) -> Any:
        value = self._asker.do(name, self, *args)
        if self._of_plain and not is_stand(value):
            raise self._asker.end("unsupported")
        return value

    return convert


for _name in ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift"]:
    _told = f"{_name}_" if _name in ("and", "or") else _name
    setattr(Stand, f"__{_name}__", binary(_told, False))
    setattr(Stand, f"__r{_name}__", binary(_told, True))
    setattr(Stand, f"__i{_name}__", binary(f"i{_name}", False))
for _name in ("divmod",):
    setattr(Stand, f"__{_name}__", binary(_name, False))
for _name in ["lt", "le", "gt", "ge"]:
    setattr(Stand, f"__{_name}__", ordering(_name))
for _name in [
    "neg",
    "pos",
    "abs",
    "invert",
    "int",
    "float",
    "complex",
    "index",
    "round",
    "floor",
    "ceil",
    "trunc",
    "reversed",
    "bytes",
]:
    setattr(Stand, f"__{_name}__", unary(_name))


class ErrorClass(type):
    """The class of the candidate's classes of exceptions: real classes here, so that `except` knows them."""

    def __call__(cls, *args: Any, **named: Any) -> Any:
        return cls._asker.call(cls._number, args, named)  # type: ignore[attr-defined]

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return cls._asker.do("getattr", cls, name)  # type: ignore[attr-defined]

    def __instancecheck__(cls, instance: Any) -> bool:
        if type(type(instance)) is ErrorClass or not is_stand(instance):
            return type.__instancecheck__(cls, instance)
        return cls._asker.do("isinstance", instance, cls) is True  # type: ignore[attr-defined]


def error_kind(asker: Any, number: int, name: str, bases: list[type]) -> type:
    """A class of exceptions for one of the candidate's."""

    def read(self: Any, wanted: str) -> Any:
        own = self.__dict__.get("_own_number")
        if wanted.startswith("_") or own is None:
            raise AttributeError(wanted)
        return asker.do("getattr", asker.ref(own), wanted)

    body = {"_asker": asker, "_number": number, "__str__": lambda self: self.__dict__.get("_text", ""), "__getattr__": read}
    body["__module__"] = "candidate"
    fits = name.isidentifier() and not keyword.iskeyword(name)
    for chosen in (tuple(bases), tuple(bases[:1]), (Exception,)):
        try:
            return ErrorClass(name if fits else "Error", chosen or (Exception,), body)
        except TypeError:
            continue
    return Exception
