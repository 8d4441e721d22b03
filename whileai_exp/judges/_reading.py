"""What a judging model answered, read tolerantly and never guessed.

The whole text is tried as JSON first, then fenced blocks, then balanced objects; the last object that holds a verdict
decides. After that the line `GRADE: C`, then a bare number. An answer cut at the token cap, an object that says two
things, and a think block that never closes give no verdict.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any, NamedTuple

from .._text import without_reasoning

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*\n(.*?)^[ \t]*(?:```|~~~)", re.DOTALL | re.MULTILINE)
_GRADE = re.compile(r"\bgrade\s*:\s*\W{0,3}([A-Za-z]+)\b(?!\s*\()", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_MOST_STARTS = 200
"""Opening braces tried before a text is called no JSON."""


class Verdict(NamedTuple):
    """A model's verdict: `score` is None when there is none, and `problem` says why."""

    score: float | None
    body: Mapping[str, Any]
    problem: str = ""


class _Twice(ValueError):
    pass


def read_verdict(
    text: str, *, finish_reason: str | None = "stop", max_tokens: int | None = None, keys: Iterable[str] = ("reward", "score")
) -> Verdict:
    """The verdict in a model's answer; a missing one carries the reason, fit to be shown."""
    if finish_reason == "length":
        cap = f" (max_tokens={max_tokens})" if max_tokens else ""
        return Verdict(None, {}, f"the verdict was cut at max_tokens{cap}: raise judge_max_tokens")
    spoken, unclosed = without_reasoning(_visible(text))
    if unclosed and not spoken:
        return Verdict(None, {}, "the judge never finished thinking")
    wanted = tuple(keys)
    found = _objects(spoken, wanted)
    if found:
        body = found[-1]
        if isinstance(body, _Twice):
            return Verdict(None, {}, f"the verdict names {body} twice")
        scores = {name: score_of(body[name]) for name in wanted if name in body}
        values = set(scores.values())
        if len(values) > 1:
            return Verdict(None, body, "the verdict disagrees with itself: " + ", ".join(f"{k}={body[k]!r}" for k in scores))
        score = next(iter(values))
        declined = score is None and any(body[name] is None for name in scores)
        return Verdict(score, body, "" if score is not None else "declined" if declined else "the score is no number")
    bare = score_of(spoken)
    if bare is not None:
        return Verdict(bare, {})
    return Verdict(None, {}, "the answer holds no verdict" if spoken.strip() else "the answer is empty")


def last_object(text: str) -> Mapping[str, Any] | None:
    """The last JSON object in a model's answer, whatever its keys; None without one."""
    spoken, _ = without_reasoning(_visible(text))
    found = [item for item in _objects(spoken, ()) if isinstance(item, Mapping)]
    return found[-1] if found else None


def _objects(text: str, keys: tuple[str, ...]) -> list[Any]:
    """Objects that hold one of `keys` (any, when none are asked for), from the first place that has some."""
    whole = _loaded(text.strip())
    if _holds(whole, keys):
        return [whole]
    fenced = [_loaded(block.strip()) for block in _FENCE.findall(text)]
    fenced = [item for item in fenced if _holds(item, keys)]
    return fenced or [item for item in _balanced(text) if _holds(item, keys)]


def _holds(item: Any, keys: tuple[str, ...]) -> bool:
    return isinstance(item, _Twice) or (isinstance(item, dict) and (not keys or any(key in item for key in keys)))


def _loaded(text: str) -> Any:
    if not text.startswith("{"):
        return None
    try:
        return json.loads(text, object_pairs_hook=_once, strict=False)
    except _Twice as error:
        return error
    except (ValueError, RecursionError):
        return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        if twice in ("reward", "score", "verdict"):
            raise _Twice(repr(twice))
    return out


def _balanced(text: str) -> list[Any]:
    decoder = json.JSONDecoder(object_pairs_hook=_once, strict=False)
    out: list[Any] = []
    at = text.find("{")
    for _ in range(_MOST_STARTS):
        if at < 0:
            break
        try:
            item, end = decoder.raw_decode(text, at)
            out.append(item)
        except _Twice as error:
            out.append(error)
            end = at + 1
        except (ValueError, RecursionError):
            end = at + 1
        at = text.find("{", end)
    return out


def _visible(text: str) -> str:
    """Text without zero-width and other format characters, which hide or break words."""
    if text.isascii():
        return text
    return "".join(c for c in text if unicodedata.category(c) != "Cf")


def score_of(value: Any) -> float | None:
    """A score as models write it: a number, a bool (true is 1, as in Python), or a number as text. None for the rest."""
    if isinstance(value, (bool, int, float)):
        return float(value) if isfinite(value) else None
    if isinstance(value, str) and len(value) < 40:
        try:
            number = float(value.strip())
        except ValueError:
            return None
        return number if isfinite(number) else None
    return None


def allowed_score(value: Any, allowed: Iterable[float]) -> float | None:
    """The allowed score that a model's value stands for, or None."""
    number = score_of(value)
    return next((float(option) for option in allowed if number == option), None) if number is not None else None


def read_grade(text: str, grades: Iterable[str] = ("C", "P", "I")) -> str | None:
    """The letter of the last well-formed `GRADE: X` line; None without one.

    A letter followed by a parenthesis (`GRADE: I (ignore)`) is not a verdict, and neither is a word that is no grade.
    """
    known = {grade.casefold(): grade for grade in grades}
    spoken, _ = without_reasoning(_visible(text))
    found = [known[letter.casefold()] for letter in _GRADE.findall(spoken) if letter.casefold() in known]
    return found[-1] if found else None


def read_label(text: str, labels: Iterable[str]) -> str | None:
    """The one label that the text names as whole words; None for several or none."""
    spoken, _ = without_reasoning(_visible(text))
    words = [word.casefold() for word in _WORD.findall(spoken)]
    found = [label for label in labels if _runs(words, [word.casefold() for word in _WORD.findall(label)])]
    longest = [
        label for label in found if not any(label != other and label.casefold() in other.casefold().split() for other in found)
    ]
    return longest[0] if len(longest) == 1 else None


def _runs(words: list[str], wanted: list[str]) -> bool:
    return bool(wanted) and any(words[i : i + len(wanted)] == wanted for i in range(len(words) - len(wanted) + 1))
