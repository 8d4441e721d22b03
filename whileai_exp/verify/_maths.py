"""Are two expressions equal? The symbolic part, run in a worker that can be killed.

math-verify parses and compares; around it stand the cases it is known to get wrong: numbers that only round alike are
compared exactly, plain text is marked as mathematics before it is parsed, and of several boxes the last is the answer
unless the reference is a list. Only the LaTeX reader of it is used on replies that hold no plain number: no text ever
reaches an evaluator.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ._numbers import boxed, number_of
from .numeric import answer_numbers

_TAIL = 20_000
_DELIMITED = re.compile(r"\$|\\\(|\\\[|\\boxed|\\begin\{(?:equation|align)")
_WORDS = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}(?![A-Za-z])")
_FUNCTIONS = frozenset(
    {"sin", "cos", "tan", "log", "exp", "sqrt", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "binom", "max", "min", "mod"}
)
_PLAIN_SQRT = re.compile(r"(?<!\\)\bsqrt\(([^()]*)\)")
_FACTORIAL = re.compile(r"(\d{1,4})!")
_CLOCK = re.compile(r"\s*\$?\s*\d{1,2}:\d{2}\s*\$?\s*$")
_MARKS = re.compile(r"\\(?:left|right)(?=[()\[\]])|\\[,;:! ]|\s+|\$")


def compared(gold: str, candidate: str) -> dict[str, Any]:
    """`{"equal": bool, "why": …}` or `{"equal": None, "why": …}` when the reference itself cannot be read."""
    candidate = candidate[-_TAIL:]
    if _as_numbers(gold, candidate):
        return {"equal": True, "why": "as numbers"}
    if _CLOCK.match(gold):
        said = boxed(candidate)[-1] if boxed(candidate) else candidate
        return {"equal": _bare(gold) == _bare(said), "why": "as a time or ratio"}
    golds = _parsed(_marked(gold, reference=True))
    if not golds:
        same = _bare(_inner(gold)) == _bare(_inner(candidate))
        return {"equal": True if same else None, "why": "the reference cannot be read"}
    last = boxed(candidate)[-1] if boxed(candidate) else None
    for number, text in enumerate(_readings(gold, candidate)):
        found = _parsed(text)
        if found and _equal(golds, found):
            return {"equal": True, "why": f"reading {number}"}
    same = _bare(_inner(gold)) == _bare(last if last is not None else candidate)
    return {"equal": same, "why": "spelled alike" if same else "different"}


def _readings(gold: str, candidate: str) -> list[str]:
    """The candidate as it is, then its last box, then as plain text marked as mathematics."""
    out = [_marked(candidate)]
    boxes = boxed(candidate)
    if len(boxes) > 1 and not _is_list(gold):
        out = [f"$\\boxed{{{_cleaned(boxes[-1])}}}$", *out] if not _adjacent(candidate) else out
        out.append(f"$\\boxed{{{_cleaned(boxes[-1])}}}$")
    elif boxes:
        out.append(f"${_cleaned(boxes[-1])}$")
    return list(dict.fromkeys(out))


def _adjacent(text: str) -> bool:
    """Whether the boxes of a text stand as one list: nothing but small words between them."""
    return re.search(r"\}\$?\s*(?:,|;|and|or|\\quad|\\text\{\s*(?:and|or)\s*\}|\s)*\s*\$?\\boxed", text) is not None


def _is_list(gold: str) -> bool:
    inner = _inner(gold)
    return len(boxed(gold)) > 1 or bool(re.search(r",|;|\bor\b|\band\b|\\cup|\\pm", inner))


def _as_numbers(gold: str, candidate: str) -> bool:
    """Whether both sides are one number, exactly. False decides nothing: it may be no plain number."""
    wanted = number_of(_inner(gold)) if len(boxed(gold)) < 2 else None
    if wanted is None:
        return False
    boxes = boxed(candidate)
    said = number_of(boxes[-1] if boxes else candidate)
    if said is None and not _DELIMITED.search(candidate):
        said = next(iter(answer_numbers(candidate)), None)
    if said is None:
        return False
    value, percent = said
    options = {value, value * 100 if percent else value, value / 100 if wanted[1] and not percent else value}
    limit = abs(wanted[0]) * _near(gold, candidate)
    return any(abs(option - wanted[0]) <= limit for option in options)


def _near(gold: str, candidate: str) -> Any:
    from fractions import Fraction

    decimals = "." in gold + candidate
    return Fraction(1, 10**6) if decimals else Fraction(0)


def _inner(text: str) -> str:
    boxes = boxed(text)
    return boxes[-1] if boxes else text


def _bare(text: str) -> str:
    text = re.sub(r"\\(?:text|mathrm|mbox|textbf|mathbf)\{([^{}]*)\}", r"\1", text)
    return (
        _MARKS.sub("", text.replace("\\dfrac", "\\frac").replace("\\tfrac", "\\frac")).strip(".").strip("()")
        if len(text) < 40
        else _MARKS.sub("", text)
    )


def _cleaned(text: str) -> str:
    text = text.replace("\\mathrm{e}", "e").replace("°", "^\\circ").replace("−", "-").replace("\\dbinom", "\\binom")
    text = re.sub(r"\\angle\s*[A-Z]{1,4}\s*=", "", text)
    return _FACTORIAL.sub(r"(\1)!", text)


def _marked(text: str, *, reference: bool = False) -> str:
    """Text as math-verify reads it best: a bare formula gets its dollar signs."""
    text = _cleaned(text)
    if _DELIMITED.search(text):
        return text
    words = [word for word in _WORDS.findall(text.replace("\\text", "").replace("infty", "")) if word not in _FUNCTIONS]
    short = len(text) < 200 and "\n" not in text.strip()
    if not short or words or (not reference and number_of(text) is not None):
        return text
    formula = _PLAIN_SQRT.sub(r"\\sqrt{\1}", text)
    formula = re.sub(r"(?<=[\w)])\*\*\(?([\w/.+-]+)\)?", r"^{\1}", formula).replace("*", "\\cdot ")
    return f"${formula}$"


@lru_cache(maxsize=4096)
def _parsed_gold(text: str) -> tuple[Any, ...]:
    return tuple(_parse(text))


def _parsed(text: str) -> list[Any]:
    return list(_parsed_gold(text)) if len(text) < 2_000 else _parse(text)


def _parse(text: str) -> list[Any]:
    from math_verify import ExprExtractionConfig, LatexExtractionConfig, parse

    return parse(text, [LatexExtractionConfig(), ExprExtractionConfig()], parsing_timeout=None, raise_on_error=False)  # pyright: ignore[reportArgumentType]


def _equal(gold: list[Any], found: list[Any]) -> bool:
    from math_verify import verify

    same = verify(gold, found, timeout_seconds=None, raise_on_error=False)  # pyright: ignore[reportArgumentType]
    return bool(same) and not _only_rounds_alike(gold, found)


def _only_rounds_alike(gold: list[Any], found: list[Any]) -> bool:
    """Whether both sides are plain numbers that differ by more than a millionth of themselves."""
    numbers = [_number(side) for side in (gold, found)]
    if any(number is None for number in numbers):
        return False
    a, b = numbers
    if abs(a) > 1e-4 or abs(b) > 1e-4 or a == b:  # math-verify rounds to six places: larger numbers are safe
        return (a > 0) != (b > 0) and a != b and abs(a - b) > 1e-6 * max(abs(a), abs(b))
    return abs(a - b) > max(abs(a), abs(b)) / 10**6


def _number(side: list[Any]) -> Any:
    import sympy

    first = next((item for item in side if isinstance(item, sympy.Basic)), None)
    if not isinstance(first, sympy.Expr) or not first.is_number or not first.is_real:
        return None
    try:
        value = first.evalf(30)
    except (ValueError, OverflowError):
        return None
    return value if value.is_Float or value.is_Integer or value.is_Rational else None
