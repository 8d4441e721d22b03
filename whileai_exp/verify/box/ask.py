"""The tests' box: stand-ins for what the tests use of the candidate. A call goes over; a plain value comes back."""

from __future__ import annotations

import builtins

from .wire import STOPS, Channel, Ended, Foreign, decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Asker:
    """The candidate, as the tests' side reaches it."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.raised: str | None = None
        """The built-in class of the last exception that the candidate raised."""

    def ask(self, message: dict) -> Any:
        try:
            self.channel.send(message)
        except Foreign:
            raise Ended("unsupported") from None
        except OSError:
            raise Ended("candidate_ended") from None
        try:
            told = self.channel.receive()
            if type(told) is not dict:
                raise ValueError("not an answer")
            if "value" in told:
                value = decode(told["value"], self.ref)
                return value, told.get("changed")
        except (EOFError, OSError):
            raise Ended("candidate_ended") from None
        except (ValueError, TypeError, RecursionError, KeyError, MemoryError):
            raise Ended("invalid_result") from None
        if "raised" in told:
            name = told["raised"]
            kind = getattr(builtins, name, None) if type(name) is str and name.isidentifier() else None
            if name in STOPS:
                raise Ended("candidate_ended")
            if not (isinstance(kind, type) and issubclass(kind, Exception)):
                kind = Exception
            self.raised = kind.__name__
            raise made_error(kind)
        if "stop" in told:
            raise StopIteration
        raise Ended("missing_name" if "missing" in told else "invalid_result")

    def ref(self, number: int) -> Stand:
        return Stand(self, number)


def made_error(kind: type) -> BaseException:
    try:
        return kind()
    except TypeError:
        return UnicodeDecodeError("utf-8", b"", 0, 1, "") if kind is UnicodeDecodeError else ValueError()


class Stand:
    """Something of the candidate's that is no plain value. Equal to nothing but itself."""

    __slots__ = ("_asker", "_number")
    __hash__ = object.__hash__

    def __init__(self, asker: Asker, number: int) -> None:
        object.__setattr__(self, "_asker", asker)
        object.__setattr__(self, "_number", number)

    def __call__(self, *args: Any, **named: Any) -> Any:
        message = {
            "op": "call",
            "ref": self._number,
            "args": [to_wire(a) for a in args],
            "named": {k: to_wire(v) for k, v in named.items()},
        }
        value, changed = self._asker.ask(message)
        if type(changed) is dict:
            for number, after in changed.items():
                index = int(number) if str(number).isdigit() else len(args)
                if index < len(args):
                    self._put(args[index], after)
        return value

    def _put(self, mine: Any, after: Any) -> None:
        try:
            new = decode(after, self._asker.ref)
        except (ValueError, TypeError, RecursionError):
            raise Ended("invalid_result") from None
        if type(mine) is type(new) is list or type(mine) is type(new) is bytearray:
            mine[:] = new
        elif type(mine) is type(new) and type(new) in (dict, set):
            mine.clear()
            mine.update(new)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._asker.ask({"op": "attr", "ref": self._number, "name": name})[0]

    def __len__(self) -> int:
        value = self._asker.ask({"op": "len", "ref": self._number})[0]
        return value if type(value) is int else 0

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, key: Any) -> Any:
        return self._asker.ask({"op": "item", "ref": self._number, "key": to_wire(key)})[0]

    def __iter__(self):
        inner = self._asker.ask({"op": "iter", "ref": self._number})[0]
        while type(inner) is Stand:
            try:
                value = self._asker.ask({"op": "next", "ref": inner._number})[0]
            except StopIteration:
                return
            yield value

    def __next__(self) -> Any:
        return self._asker.ask({"op": "next", "ref": self._number})[0]


def to_wire(value: Any) -> list:
    def keep(item: Any) -> int:
        if type(item) is Stand:
            return item._number
        raise Ended("unsupported")

    try:
        return encode(value, keep)
    except Foreign:
        raise Ended("unsupported") from None
