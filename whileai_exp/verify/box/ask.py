"""The tests' box: the way to the candidate. A request goes over; a plain value, a stand-in or an exception comes back."""

from __future__ import annotations

import builtins
import sys
import threading

from .stand import ErrorClass, Stand, StandCoroutine, error_kind, number_of
from .wire import STOPS, Channel, Ended, Foreign, decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CHECKED_LIBRARY = frozenset(
    [
        "_csv",
        "_queue",
        "binascii",
        "configparser",
        "csv",
        "dataclasses",
        "decimal",
        "email.errors",
        "graphlib",
        "ipaddress",
        "json.decoder",
        "queue",
        "re",
        "shutil",
        "statistics",
        "string",
        "struct",
        "tokenize",
        "uuid",
        "xml.etree.ElementTree",
        "zipfile",
        "zlib",
    ]
)
"""Modules whose exceptions may be named by the candidate. None of them means anything to a runner of tests."""


class CandidateExit(SystemExit):
    """The candidate's SystemExit, for tests that expect one. At the end of a test it is a failure, whatever its code."""


class Asker:
    """The candidate, as the tests' side reaches it."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.raised: str | None = None
        """The built-in class of the last exception that the candidate raised."""
        self.ended: str | None = None
        """A verdict that is known already, for when a test catches what says so."""
        self.calls = 0
        self.expects_exit = False
        self._lock = threading.RLock()
        self._known: dict[int, Any] = {}

    def end(self, reason: str) -> Ended:
        """The exception that ends the run with this reason."""
        self.ended = self.ended or reason
        return Ended(reason)

    def ask(self, message: dict) -> tuple[Any, Any]:
        """The answer's value, and what else changed. Raises what the candidate raised."""
        with self._lock:
            told = self._exchange(message)
            try:
                if "value" in told:
                    return decode(told["value"], self.ref), told.get("changed")
                if "raised" in told:
                    error = self._error(told)
                elif "stop" in told and (message["op"], message["name"]) == ("do", "next"):
                    error = StopIteration()
                else:
                    error = self.end("missing_name" if "missing" in told else "invalid_result")
            except (ValueError, TypeError, RecursionError, KeyError, MemoryError, ArithmeticError, IndexError):
                error = self.end("invalid_result")
        raise error

    def _exchange(self, message: dict) -> dict:
        try:
            self.channel.send(message)
        except Foreign:
            raise self.end("unsupported") from None
        except OSError:
            raise self.end("candidate_ended") from None
        try:
            told = self.channel.receive()
        except (EOFError, OSError):
            raise self.end("candidate_ended") from None
        except (ValueError, TypeError, RecursionError, MemoryError):
            raise self.end("invalid_result") from None
        if type(told) is not dict:
            raise self.end("invalid_result")
        return told

    def _error(self, told: dict) -> BaseException:
        """The exception that the candidate raised, made anew. One that would end a loop of the tests is a RuntimeError."""
        name = told["raised"]
        if name in STOPS and not (self.expects_exit and name == "SystemExit"):
            return self.end("candidate_ended")
        arguments = decode(told.get("args"), self.ref)
        arguments = arguments if type(arguments) is tuple else ()
        if name in STOPS:
            self.raised = name
            return CandidateExit(*arguments)
        kind = getattr(builtins, name, None) if type(name) is str and name.isidentifier() else None
        if not (isinstance(kind, type) and issubclass(kind, Exception)):
            kind = Exception
        self.raised = kind.__name__
        if issubclass(kind, (StopIteration, StopAsyncIteration)):
            return RuntimeError(f"{kind.__name__} was raised by a call")
        exact = self._error_class(told.get("class")) or kind
        text = decode(told.get("text"), self.ref)
        return made_error(exact if issubclass(exact, kind) else kind, arguments, text, told.get("ref"))

    def _error_class(self, told: Any) -> type | None:
        if type(told) is not list or len(told) < 3:
            return None
        if told[0] == "X":
            module, name = str(told[1]), str(told[2])
            allowed = module == "builtins" or module in _CHECKED_LIBRARY
            kind = getattr(sys.modules.get(module), name, None) if allowed else None
        else:
            kind = self.ref(*told[1:])
        if isinstance(kind, type) and issubclass(kind, Exception):
            return kind if not issubclass(kind, (StopIteration, StopAsyncIteration)) else Exception
        return None

    def ref(self, number: int, kind: str = "plain", *rest: Any) -> Any:
        """The stand-in with this number: always the same one."""
        known = self._known.get(number)
        if known is None:
            if kind == "error" and len(rest) == 2 and type(rest[1]) is list:
                bases = [made for base in rest[1] if (made := self._error_class(base))]
                known = error_kind(self, number, str(rest[0]), bases)
            else:
                known = (StandCoroutine if kind == "coroutine" else Stand)(self, number, str(kind))
            self._known[number] = known
        return known

    def get(self, name: str) -> Any:
        """What the candidate calls by this name. Ended("missing_name") when nothing."""
        return self.ask({"op": "get", "name": name})[0]

    def do(self, name: str, *args: Any) -> Any:
        """The result of an operation that the candidate's side carries out."""
        return self.ask({"op": "do", "name": name, "args": [self.to_wire(a) for a in args]})[0]

    def call(self, number: int, args: tuple, named: dict) -> Any:
        """The result of a call. Arguments that the candidate changed in place are changed here."""
        self.calls += 1
        message = {
            "op": "call",
            "ref": number,
            "args": [self.to_wire(a) for a in args],
            "named": {k: self.to_wire(v) for k, v in named.items()},
        }
        value, changed = self.ask(message)
        if type(changed) is dict:
            mine = {**{str(n): a for n, a in enumerate(args)}, **{f"={k}": v for k, v in named.items()}}
            for key, after in changed.items():
                if key in mine:
                    self._put(mine[key], after)
        return value

    def _put(self, mine: Any, after: Any) -> None:
        try:
            new = decode(after, self.ref)
        except (ValueError, TypeError, RecursionError, ArithmeticError, KeyError, IndexError):
            raise self.end("invalid_result") from None
        if type(mine) is not type(new):
            return
        if type(mine) in (list, bytearray):
            mine[:] = new
        elif hasattr(mine, "clear"):
            mine.clear()
            (mine.extend if hasattr(mine, "extend") else mine.update)(new)

    def sendable(self, value: Any) -> list | None:
        """The value as tagged JSON; None when it cannot go over."""

        def keep(item: Any) -> list:
            number = number_of(item)
            if number is None:
                raise Foreign("not of the candidate")
            return ["r", number]

        try:
            return encode(value, keep)
        except (Foreign, RecursionError):
            return None

    def to_wire(self, value: Any) -> list:
        """The value as tagged JSON. Ended("unsupported") when it cannot go over."""
        sent = self.sendable(value)
        if sent is None:
            raise self.end("unsupported")
        return sent


def made_error(kind: Any, arguments: tuple, text: Any, number: Any) -> BaseException:
    """An exception of this class with these arguments and, for a class of the candidate's, this text."""
    own = type(kind) is ErrorClass
    error: Any
    try:
        error = kind.__new__(kind, *arguments) if own else kind(*arguments)
    except (TypeError, ValueError):
        try:
            error = BaseException.__new__(kind)  # pyright: ignore[reportArgumentType]
        except TypeError:
            error = UnicodeDecodeError("utf-8", b"", 0, 1, "") if kind is UnicodeDecodeError else ValueError()
    error.args = arguments
    if own:
        error._text = text if type(text) is str else ""
        error._own_number = number if type(number) is int else None
    return error
