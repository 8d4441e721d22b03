"""Is the number right? One grammar for both sides, and one rule for which number of a reply is the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

from ..errors import ConfigError, Problem
from ._base import Row, Unjudged, Verifier, listed
from ._numbers import boxed, number_of, numbers_in, plain_text

_SAYS = re.compile(
    r"(?:\b(?:final\s+)?(?:answer|result|solution|total)\b\s*(?:is|are|was|equals|[:=：]|is\s*[:：])|答案\s*(?:是|为|[:：])|####)",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Numeric(Verifier):
    """Whether the reply's number is the reference's, within `tol` absolutely or `rel` of the reference.

    The number is read from the last \\boxed{}, else after the last "answer is" or "answer:" of the same sentence, else it
    is the last one of the text. `position="any"`: any number of the reply may be it. A percent equals its number with
    the sign and its hundredth: 50% is 0.5, and "50" in answer to "50%" counts too.
    """

    tol: float = 1e-6
    rel: float = 0.0
    position: str = "final"

    def __post_init__(self) -> None:
        super().__post_init__()
        problems = []
        if self.tol < 0 or self.rel < 0:
            problems.append(Problem("tol", f"{self.tol!r} and rel {self.rel!r} must not be negative"))
        if self.position not in ("final", "any"):
            problems.append(Problem("position", f"{self.position!r} is not final or any"))
        if problems:
            raise ConfigError(problems)

    def check(self, candidate: str, reference: Any, row: Row) -> Any:
        golds = [_gold(item) for item in listed(reference)]
        said = list(numbers_in(candidate)) if self.position == "any" else []
        found = [(value, percent) for _, value, percent in said] or answer_numbers(candidate)
        if not found:
            return 0.0, "the reply holds no number"
        right = any(self._same(value, gold) for value in found for gold in golds)
        return float(right), "right" if right else f"read {float(found[-1][0]):g}"

    def _same(self, found: tuple[Fraction, bool], gold: tuple[Fraction, bool]) -> bool:
        value, percent = found
        wanted, wanted_percent = gold
        options = [value] if percent == wanted_percent else [value, value / 100 if wanted_percent else value * 100]
        limit = max(Fraction(self.tol), Fraction(self.rel) * abs(wanted))
        return any(abs(option - wanted) <= limit for option in options)


def answer_numbers(text: str) -> list[tuple[Fraction, bool]]:
    """The number a reply ends on, as (value, percent): at most one."""
    boxes = boxed(text)
    if boxes:
        inside = number_of(boxes[-1])
        found = [inside] if inside else [(v, p) for _, v, p in numbers_in(boxes[-1])]
        if found:
            return found[-1:]
    whole = number_of(text)
    if whole:
        return [whole]
    flat = plain_text(text)
    for says in reversed(list(_SAYS.finditer(flat))):
        rest = re.split(r"\n|[.;!?](?:\s|$)", flat[says.end() :].lstrip(), maxsplit=1)[0]
        after = [(v, p) for _, v, p in numbers_in(rest)]
        if after:
            return after[-1:] if "=" in rest else after[:1]
    last = [(v, p) for _, v, p in numbers_in(flat)]
    if last:
        return last[-1:]
    digit = re.search(r"[零一二三四五六七八九十](?=\W*$)", flat)
    spelled = number_of(digit.group()) if digit else None
    return [spelled] if spelled else []


def _gold(value: Any) -> tuple[Fraction, bool]:
    if isinstance(value, bool) or value is None:
        raise Unjudged("the reference is no number", "error")
    if isinstance(value, (int, float)):
        if isinstance(value, float) and not isfinite(value):
            raise Unjudged("the reference is no number", "error")
        return Fraction(str(value)) if isinstance(value, float) else Fraction(value), False
    text = str(value)
    found = number_of(boxed(text)[-1] if boxed(text) else text)
    if found is None:
        inside = answer_numbers(text)
        if len(inside) != 1:
            raise Unjudged("the reference is no number", "error")
        found = inside[0]
    return found
