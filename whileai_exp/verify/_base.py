"""What every verifier shares: where the candidate and the reference come from, and a verdict that never quotes the key.

To add one, subclass `Verifier` and implement `check`, or put `@verifier` on a function of (candidate, reference, row).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, ClassVar

from .._hash import sha
from .._text import without_reasoning
from ..schema.legacy import text_of

Row = Mapping[str, Any]
MISSING: Any = object()
"""Stands for a reference that is nowhere; None and "" are references."""
_NAMES = ("reference", "answer", "target", "solution", "label", "expected")
HIDDEN = "[answer key]"
"""What stands where the key was quoted."""
_PLACES = ("info", "metadata", "privileged")


class Unjudged(Exception):
    """The candidate can be neither right nor wrong here: the row gets the status and the reason, and no reward."""

    def __init__(self, reason: str, status: str = "abstained") -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


@dataclass(frozen=True, kw_only=True)
class Verifier:
    """A judge that is a program. Call it with a row."""

    field: str | None = None
    """Where the reference is, dotted; None: `privileged.reference`, else reference, answer, target, … on the row."""
    name: str | None = None
    """None: the class's name."""

    kind: ClassVar[str] = "verifier"
    needs_reference: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.name is None:
            object.__setattr__(self, "name", type(self).__name__)

    @property
    def version(self) -> str:
        """Changes with the verifier's settings and its rules."""
        settings = {f.name: repr(getattr(self, f.name)) for f in fields(self)}
        return f"{type(self).__name__}:{sha([self.rules, settings], 12)}"

    rules: ClassVar[int] = 1
    """Raised when a rule changes, so that verdicts of two versions are told apart."""

    def check(self, candidate: str, reference: Any, row: Row) -> Any:
        """A bool, a number in [0, 1], (score, reason), a dict under the judge contract, or None for no verdict."""
        raise NotImplementedError

    def __call__(self, row: Row) -> dict[str, Any]:
        reference, private = reference_of(row, self.field)
        if reference is MISSING and self.needs_reference:
            where = self.field or "privileged.reference, reference, answer or target"
            return {"reward": None, "reason": f"the row has no reference ({where})"}
        try:
            found = self.check(candidate_of(row), None if reference is MISSING else reference, row)
        except Unjudged as why:
            return {"reward": None, "judge_status": why.status, "reason": why.reason}
        except TimeoutError as error:
            return {"reward": None, "judge_status": "timeout", "reason": str(error) or "the check ran out of time"}
        except Exception as error:  # the row is unjudged and says why
            return {
                "reward": None,
                "judge_status": "error",
                "error": f"{type(error).__name__}: {error}"[:300] if not private else type(error).__name__,
            }
        verdict = _verdict(found)
        if private and verdict.get("reason"):
            verdict["reason"] = redacted(str(verdict["reason"]), reference)
        return verdict


def _verdict(found: Any) -> dict[str, Any]:
    if isinstance(found, Mapping):
        return dict(found)
    if isinstance(found, tuple) and len(found) == 2:
        return {"reward": found[0], "reason": found[1]}
    return {"reward": found}


def candidate_of(row: Row) -> str:
    """What the agent finally said, without reasoning: `final_text`, else the text of its last message."""
    said = row.get("final_text")
    if said is None:
        turns = [m for m in row.get("messages") or () if isinstance(m, Mapping) and m.get("role") == "assistant"]
        said = turns[-1].get("content") if turns else ""
    return without_reasoning(said if isinstance(said, str) else text_of(said) or "")[0]


def reference_of(row: Row, field: str | None) -> tuple[Any, bool]:
    """The reference and whether it is privileged; MISSING when there is none."""
    privileged = row.get("privileged")
    if field is not None:
        return _dug(row, field), field.split(".", 1)[0] == "privileged"
    if isinstance(privileged, Mapping) and privileged.get("reference") is not None:
        return privileged["reference"], True
    for place in (None, *_PLACES):
        holder = row if place is None else row.get(place)
        if isinstance(holder, Mapping):
            for name in _NAMES:
                if holder.get(name) is not None:
                    return holder[name], place == "privileged"
    return MISSING, False


def _dug(value: Any, path: str) -> Any:
    for part in path.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return MISSING
    return value


def redacted(text: str, reference: Any) -> str:
    """`text` without any spelling of the reference, as whole words."""
    for pattern in _patterns(tuple(sorted(_spellings(reference), key=lambda s: (-len(s), s)))):
        text = pattern.sub(HIDDEN, text)
    return text


@lru_cache(maxsize=512)
def _patterns(spellings: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"(?<!\w){re.escape(spelling)}(?!\w)", re.IGNORECASE) for spelling in spellings)


def _spellings(value: Any) -> set[str]:
    if isinstance(value, Mapping):
        return {s for item in value.values() for s in _spellings(item)}
    if isinstance(value, (list, tuple)):
        return {s for item in value for s in _spellings(item)}
    text = str(value).strip()
    out = {text, repr(value), *(line.strip() for line in text.splitlines())}
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        out |= {f"{value:g}", str(float(value))}
    return {spelling for spelling in out if spelling}


def listed(reference: Any) -> list[Any]:
    """A reference as a list of acceptable ones."""
    return list(reference) if isinstance(reference, (list, tuple)) else [reference]


@dataclass(frozen=True, kw_only=True)
class _Function(Verifier):
    function: Callable[[str, Any, Row], Any]

    @property
    def version(self) -> str:
        import inspect

        try:
            return f"{self.name}:{sha(inspect.getsource(self.function), 12)}"
        except (OSError, TypeError):
            return f"{self.name}:unread"

    def check(self, candidate: str, reference: Any, row: Row) -> Any:
        return self.function(candidate, reference, row)


def verifier(function: Callable[[str, Any, Row], Any]) -> Verifier:
    """Decorator: a function of (candidate, reference, row) as a verifier."""
    return _Function(function=function, name=getattr(function, "__name__", "verifier"))


def as_verifier(given: Any, *, name: str | None = None, field: str | None = None) -> Callable[[Row], Any]:
    """A verifier from one, or from a judge callable of a row, for composing."""
    if isinstance(given, Verifier):
        return given
    if not callable(given):
        raise TypeError(f"{type(given).__name__} cannot be called")
    return given


def names_of(parts: Iterable[Any]) -> list[str]:
    """A name for each part of a composition, made unique by numbering."""
    out: list[str] = []
    for part in parts:
        base = str(getattr(part, "name", None) or getattr(part, "__name__", None) or type(part).__name__)
        base = "lambda" if base == "<lambda>" else base
        taken = sum(1 for name in out if name == base or name.startswith(f"{base}#"))
        out.append(base if not taken else f"{base}#{taken + 1}")
    return out
