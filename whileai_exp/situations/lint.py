"""Does an ask read as if a person wrote it? The marks of a sentence that a generator put together wrong.

Doubled punctuation, unfilled slots, a left-over preposition, a word or sentence said twice, names out of a schema, a
run of another language. Values are exempt: they stand verbatim, whatever they hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_MARKS: tuple[tuple[str, str], ...] = (
    ("double punctuation", r"[.,;:?!]{2,}|[?!]\.|[.?!],|(?<!\w)\s[,.;?!](?!\w)|\w [,?!](?:\s|$)"),
    ("unfilled slot", r"\{[\w: ]*\}|\[\w+\|"),
    (
        "dangling word",
        r"\b(?:of|for|with|the|a|an|and|from|my|your|saying|called|at|in|to) (?:and|or)\b|\b(?:(?<!part )of|for|with|the|a|an|and|from|my|your|saying|called)[.?!](?:\s|$)|: ?[.?!](?:\s|$)|[(\"] ?[)\"]|^[,.]",
    ),
    ("clashing articles", r"\b(?:a|an|the|my) (?:a|an|the|my)\b|\bsome items? \d"),
    ("repeated word", r"\b([A-Za-z]{2,}) \1\b"),
    (
        "schema word",
        r"\b[a-z]+_[a-z_]+\b|\b(?:specified|the given|parameter|boolean|enum|identifier|None|null|undefined|kwargs|json)\b",
    ),
)
_CJK: tuple[tuple[str, str], ...] = (
    ("double punctuation", r"[。，？！、]{2,}|[。？！]\.|，。|\.\.|^[，、,。]"),
    ("unfilled slot", r"\{[\w: ]*\}|\[\w+\|"),
    ("other language", r"[A-Za-z]{3,} [A-Za-z]{2,} [A-Za-z]{2,}|[A-Z][a-z]+, [A-Z]"),
    ("schema word", r"\b[a-z]+_[a-z_]+\b|\b(?:None|null|undefined)\b"),
)
_RULES: Mapping[str, tuple[tuple[str, re.Pattern[str]], ...]] = {
    "en": tuple((name, re.compile(rule)) for name, rule in _MARKS),
    "zh": tuple((name, re.compile(rule)) for name, rule in _CJK),
    "ko": tuple((name, re.compile(rule)) for name, rule in _CJK),
}
_SLOW = (r"\b[a-z]+_[a-z_]+\b|", r"\1")
"""Parts that a look at the text settles sooner than a pattern: an underscore, a word before itself."""
_ANY: Mapping[str, re.Pattern[str]] = {
    lang: re.compile("|".join(f"(?:{rule.replace(_SLOW[0], '')})" for _, rule in rules if _SLOW[1] not in rule))
    for lang, rules in (("en", _MARKS), ("zh", _CJK), ("ko", _CJK))
}


def _suspect(text: str, lang: str) -> bool:
    words = text.replace(".", "").replace("?", "").split(" ")
    return "_" in text or any(map(str.__eq__, words, words[1:])) or _said_twice(text) or _ANY[lang].search(text) is not None


_END = re.compile(r"[.?!。？！]+\s*")


def faults_of(text: str, values: Iterable[Any], lang: str) -> tuple[str, ...]:
    """What reads wrong in an ask; empty when nothing does. `values` are exempt wherever they stand."""
    if not _suspect(text, lang):
        return ()
    bare = _without(text, values)
    return (*(name for name, rule in _RULES[lang] if rule.search(bare)), *(("repeated sentence",) if _said_twice(bare) else ()))


def _said_twice(text: str) -> bool:
    parts = [part for part in _END.split(text.casefold()) if len(part) > 12]
    return len(parts) != len(set(parts))


def _without(text: str, values: Iterable[Any]) -> str:
    """The text with each value replaced by a plain word."""
    for form in sorted({form for value in values for form in _texts(value)}, key=len, reverse=True):
        text = text.replace(form, "X1")
    return text


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [form for form in dict.fromkeys((value, value.rstrip("."), value.replace("_", " "))) if len(form) > 1]
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in _texts(item)]
    return []
