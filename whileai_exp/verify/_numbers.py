"""One grammar of written numbers: signs, thousands, decimals in both conventions, fractions, percent, powers of ten.

Exact: a number is a Fraction. What is ambiguous (`1,234` is a thousand, `1,23` a decimal) follows the grouping rule;
text that only begins with a number is not a number.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction

_CJK = {c: n for n, c in enumerate("零一二三四五六七八九十")}
_SPACE = "[ \u00a0\u2009\u202f]"
_NUMBER = re.compile(
    rf"""(?<![0-9A-Za-z_.,])(?P<sign>[-+]?)[$€£¥₹]?{_SPACE}?(?:
        (?P<whole>\d{{1,9}}){_SPACE}+(?P<mn>\d{{1,9}})/(?P<md>\d{{1,9}})
      | (?P<n>\d{{1,30}}){_SPACE}?/{_SPACE}?(?P<d>\d{{1,30}})
      | (?P<grouped>\d{{1,3}}(?:,\d{{3}})+|\d{{1,3}}(?:{_SPACE}\d{{3}})+)(?:\.(?P<gd>\d{{1,60}}))?
      | (?P<comma>\d{{1,40}},\d{{1,2}})(?![\d,])
      | (?P<plain>\d{{1,60}}(?:\.\d{{0,60}})?|\.\d{{1,60}})
    )(?:[eE](?P<exp>[-+]?\d{{1,3}})|{_SPACE}?(?:\\?times|[x×*·]){_SPACE}?10(?:\^|\*\*)\{{?(?P<ten>[-+]?\d{{1,3}})\}}?)?
    (?P<percent>{_SPACE}?(?:\\?%|pct\b|percent\b|per{_SPACE}cent\b))?(?!\d)""",
    re.VERBOSE,
)
_LATEX_FRACTION = re.compile(r"\\[dtc]?frac\{?(\d{1,30})\}?\{?(\d{1,30})\}?")
_MIXED = re.compile(r"(\d)\\[dtc]?frac")
_DROP = re.compile(
    r"\\(?:left|right|!|,|;|:|quad|displaystyle)|\\(?:text|mbox|mathrm|textbf|mathbf)\{([^{}]*)\}|[$*`_]|\\[()\[\]]"
)


def numbers_in(text: str, *, most: int = 2000) -> Iterator[tuple[int, Fraction, bool]]:
    """Numbers of a text in order: (where, value, whether written as percent). A percent's value is its hundredth."""
    for count, found in enumerate(_NUMBER.finditer(plain_text(text))):
        if count >= most:
            return
        value = _value(found)
        if value is not None:
            yield found.start(), value, found["percent"] is not None


def number_of(text: str) -> tuple[Fraction, bool] | None:
    """The number that the whole text is, and whether it is a percent; None when it is anything else."""
    text = plain_text(text).strip().rstrip(" .。=").lstrip(" =")
    if text in _CJK:
        return Fraction(_CJK[text]), False
    found = _NUMBER.match(text)
    if found is None or found.end() != len(text):
        return None
    value = _value(found)
    return (value, found["percent"] is not None) if value is not None else None


def plain_text(text: str) -> str:
    """Text with LaTeX numbers, typographic signs and vulgar fractions in plain spelling."""
    if "\\" in text:
        text = _MIXED.sub(r"\1 \\frac", text)
        text = text.replace("\\!", "").replace("{,}", ",")
        text = _LATEX_FRACTION.sub(r"\1/\2", text)
    text = _DROP.sub(lambda m: m.group(1) or "", text)
    if text.isascii():
        return text
    out = []
    for c in text:
        if c in "−–‐‑﹣－":
            out.append("-")
        elif unicodedata.category(c) == "No" and "/" in (spelled := unicodedata.normalize("NFKC", c).replace("⁄", "/")):
            out.append((" " if out and out[-1][-1:].isdigit() else "") + spelled)
        elif unicodedata.category(c) == "Nd" and not c.isascii():
            out.append(str(unicodedata.digit(c)))
        else:
            out.append(c)
    return "".join(out)


def _value(found: re.Match[str]) -> Fraction | None:
    if found["whole"]:
        if int(found["md"]) == 0:
            return None
        value = int(found["whole"]) + Fraction(int(found["mn"]), int(found["md"]))
    elif found["n"]:
        if int(found["d"]) == 0:
            return None
        value = Fraction(int(found["n"]), int(found["d"]))
    elif found["grouped"]:
        value = Fraction(re.sub(r"\D", "", found["grouped"]) + ("." + found["gd"] if found["gd"] else ""))
    elif found["comma"]:
        value = Fraction(found["comma"].replace(",", "."))
    else:
        plain = found["plain"]
        value = Fraction("0" + plain if plain.startswith(".") else plain.rstrip(".") or "0")
    power = found["exp"] or found["ten"]
    if power:
        value *= Fraction(10) ** int(power)
    if found["percent"]:
        value /= 100
    return -value if found["sign"] == "-" else value


def boxed(text: str) -> list[str]:
    r"""The contents of every \boxed{…} and \fbox{…}, outermost, in order; an unclosed one reaches to the end of its line."""
    out: list[str] = []
    at = 0
    while True:
        start = min((i for i in (text.find("\\boxed{", at), text.find("\\fbox{", at)) if i >= 0), default=-1)
        if start < 0:
            return out
        begin = text.index("{", start) + 1
        depth, end = 1, begin
        while end < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0) if text[end - 1] != "\\" else 0
            end += 1
        out.append(text[begin : end - 1] if depth == 0 else text[begin:].split("\n", 1)[0])
        at = end
