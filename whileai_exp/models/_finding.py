"""What values stand in a text, and which of them could be a given argument's? By type, kind, format and shape.

The agent of the offline runs has no model to read with; this is its eye. It sees what people write plainly:
identifiers, quotes, dates, numbers, names it knows, listed values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from ..spec._kinds import date_format_of, examples_in, kind_of
from ..spec._pools import AIRPORTS, CURRENCIES, MONTHS, POOLS
from ..spec._spoken import said_as
from ..spec.effects import words_of

Json = Any


class Found(NamedTuple):
    start: int
    end: int
    value: Json


_ID = re.compile(r"(?<![\w@./-])(?:#\s?)?(?=[\w-]*\d)[A-Za-z0-9][\w-]*[A-Za-z0-9](?![\w@])|(?<![\w.])\d{4,}(?![\w.]*\d)")
_NUMBER = re.compile(r"(?<![\w#.,:/-])-?\d+(?:,\d{3})*(?:\.\d+)?(?![\w/:-]|\.\d)")
_QUOTED = re.compile(r"[\"“«「『]([^\"”»」』]{1,600})[\"”»」』]|(?<!\w)'([^'\n]{2,300})'(?!\w)|`([^`]+)`")
_EXPRESSION = re.compile(r"[-(]*\d[\d.,]*(?:\s*[-+*/×÷^%]\s*\(*-?\d[\d.,]*\)*)+")
_ISO = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ]+(?:at )?(\d{1,2}):(\d\d))?")
_DMY = re.compile(rf"(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})(?:,? (?:at )?(\d{{1,2}}):(\d\d))?", re.IGNORECASE)
_MDY = re.compile(rf"({'|'.join(MONTHS)}) (\d{{1,2}}), (\d{{4}})(?:,? (?:at )?(\d{{1,2}}):(\d\d))?", re.IGNORECASE)
_CJK_DATE = re.compile(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일](?:\s*(\d{1,2}):(\d\d))?")
_US = re.compile(r"(?<!\d)(\d\d)/(\d\d)/(\d{4})(?!\d)")
_CLOCK = re.compile(r"(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")
_PATTERNS: dict[str, re.Pattern[str]] = {
    "email": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "url": re.compile(r"https?://[^\s\"'<>，。）)]+|\bwww\.[^\s\"']+"),
    "path": re.compile(r"(?<![\w:/])(?:~|\.{1,2})?/[\w.@-]+(?:/[\w.@-]+)*|\b[\w-]+(?:/[\w.-]+)+|\b[\w-]+\.(?:txt|md|py|json|csv|pdf|png|jpe?g|docx?|xlsx?|yaml|yml|log|html|ts|js)\b"),
    "phone": re.compile(r"\+?\d[\d() -]{6,}\d"),
    "zip": re.compile(r"(?<![\d-])\d{5}(?:-\d{4})?(?![\d-])|(?<!\d)\d{6}(?!\d)"),
    "username": re.compile(r"\b[a-z]+(?:[_.][a-z0-9]+)+\b|\b[a-z]+_?[a-z]*\d+\b"),
    "airport": re.compile(rf"\b(?:{'|'.join(AIRPORTS)})\b"),
    "currency": re.compile(rf"\b(?:{'|'.join(CURRENCIES)})\b"),
    "timezone": re.compile(r"\b[A-Z][A-Za-z]+/[A-Z][A-Za-z_]+\b|\bUTC\b"),
    "seat": re.compile(r"\b\d{1,2}[A-K]\b"),
    "hash": re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b"),
    "revision": re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b|\bHEAD(?:~\d+)?\b"),
    "branch": re.compile(r"\b(?:feature|fix|bugfix|hotfix|release|chore|docs)[/-][\w.-]+\b|\b(?:main|master|develop|staging)\b"),
    "token": re.compile(r"\b(?:tok|xox[a-z]|sk|ghp)[_-][\w-]+\b"),
    "password": re.compile(r"(?<![A-Za-z0-9_])(?=[A-Za-z0-9!@#$%^&*_-]*\d)(?=[A-Za-z0-9!@#$%^&*_-]*[A-Za-z])[A-Za-z0-9_][A-Za-z0-9!@#$%^&*_-]{5,}"),
    "address2": re.compile(r"\b(?:Apt|Apartment|Suite|Unit|Floor|#)\s?\w+\b"),
    "street": re.compile(r"\b\d{1,5} (?:[A-Z]\w*\s?)+"),
    "percent": re.compile(r"\d+(?:\.\d+)?\s?%"),
    "permission": re.compile(r"\b(?:camera|microphone|location|storage|contacts|sms|phone|notifications?)\b", re.IGNORECASE),
    "expression": _EXPRESSION,
    "json": re.compile(r"\{[^{}]*\}"),
    "address": re.compile(r"\b\d{1,5} (?:[A-Z][\w'.]* ?)+(?:, (?:Apt|Suite|Unit|#)[\w ]+)?(?:, [A-Z][\w ]+)?(?:,? [A-Z]{2} \d{5})?(?:, (?:USA|Canada))?"),
    "card": re.compile(r"\b(?:\d[ -]?){13,19}\b"),
}  # fmt: skip
_PATTERNS["folder"] = _PATTERNS["repo"] = _PATTERNS["path"]
_DATES = frozenset(["date", "datetime", "birth", "month", "date_range"])
_NEEDS = {"email": "@", "percent": "%", "json": "{", "timezone": "/"}
"""A mark without which a kind's pattern cannot match: cheaper to look for."""
_LOOSE = frozenset(["username", "branch", "token", "hash", "revision", "street", "address2", "permission", "seat", "timezone"])
"""Kinds whose pattern may miss values that other readings find."""
_FREE = frozenset(
    [
        "message",
        "note",
        "title",
        "summary",
        "reason",
        "query",
        "topic",
        "question",
        "text",
        "thing",
        "thought",
        "command",
        "observation",
        "commit",
        "subject",
    ]
)


class Slot:
    """One argument and how to find it."""

    __slots__ = ("fmt", "kind", "labels", "many", "name", "parts", "required", "schema", "shape", "type")

    def __init__(self, name: str, schema: Mapping[str, Any], required: bool, owner: str) -> None:
        self.name, self.required = name, required
        description = str(schema.get("description") or "")
        kind = _type_of(schema)
        self.many = kind == "array"
        own = schema.get("items") if self.many else schema
        self.schema: Mapping[str, Any] = own if isinstance(own, Mapping) else {}
        self.type = _type_of(self.schema)
        self.kind = kind_of(name, description or str(self.schema.get("description") or ""), owner)
        self.fmt = date_format_of(description + " " + str(self.schema.get("description") or ""))
        self.labels = _labels(name, description)
        self.shape = _shape(schema, description)
        properties = self.schema.get("properties") if self.type == "object" else None
        needed = set(self.schema.get("required") or ())
        self.parts = (
            [Slot(n, s, n in needed, name) for n, s in properties.items() if isinstance(s, Mapping)]
            if isinstance(properties, Mapping)
            else []
        )

    def find(self, text: str, lang: str) -> list[Found]:
        """Every value in the text that could be this argument's, in reading order."""
        schema = self.schema
        if "const" in schema:
            return [Found(0, 0, schema["const"])]
        if "enum" in schema:
            return _enumerated(schema["enum"], text)
        if self.type == "boolean":
            return []
        if self.type in ("number", "integer"):
            return _numbers(text, self.type)
        if self.shape is not None:
            hits = [Found(m.start(), m.end(), m[0]) for m in self.shape.finditer(text)]
            if hits:
                return hits
        if self.kind in _DATES or schema.get("format") in ("date", "date-time") or (self.fmt and "%Y" in self.fmt):
            return _dates(text, self)
        if self.kind == "time" or self.fmt == "%H:%M":
            clock = [Found(m.start(), m.end(), f"{int(m[1]):02d}:{m[2]}") for m in _CLOCK.finditer(text)]
            return clock or _dates(text, self)
        return _texts(text, self.kind, lang)


def _type_of(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((item for item in kind if item != "null"), "string")
    if kind is None:
        for key in ("anyOf", "oneOf"):
            for option in schema.get(key) or ():
                if isinstance(option, Mapping) and option.get("type") not in (None, "null"):
                    return _type_of(option)
        return "object" if "properties" in schema else "string"
    return str(kind)


def _labels(name: str, description: str) -> tuple[str, ...]:
    words = words_of(name)
    out = [" ".join(words)]
    out += [" ".join([*words[:-1], words[-1].removesuffix("s")])] if words and words[-1].endswith("s") else []
    if len(words) > 1 and words[-1] in ("id", "number", "name", "code", "ids", "names", "path", "type"):
        out += [" ".join(words[:-1]), " ".join(words[:-1]) + "s"]
    if not description.isascii():
        head = re.split(r"[。.，,（(；;：:\s]", description.strip())[0]
        out += [head[-size:] for size in (6, 4, 3, 2) if len(head) >= size]
    return tuple(label for label in out if len(label) > 1)


@lru_cache(maxsize=4096)
def _shape_of(example: str) -> re.Pattern[str]:
    """`#W0000000` is a hash, a W and seven digits."""
    body = re.sub(r"\d+", lambda found: rf"\d{{{max(1, len(found[0]) - 1)},{len(found[0]) + 2}}}", re.escape(example))
    return re.compile(rf"(?<![\w#]){body}(?!\w)", re.IGNORECASE)


def _shape(schema: Mapping[str, Any], description: str) -> re.Pattern[str] | None:
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        try:
            return re.compile(rf"(?<!\w)(?:{pattern.removeprefix('^').removesuffix('$')})(?!\w)")
        except re.error:
            return None
    samples = [
        item
        for item in examples_in(description)
        if any(char.isdigit() for char in item) and len(item) <= 40 and " " not in item and "/" not in item
    ]
    shapes = [
        _shape_of(item).pattern
        for item in samples
        if not _ISO.match(item) and not _CLOCK.match(item) and "@" not in item and not item[0].isdigit() or item.isdigit()
    ]
    named = [r"(?<!\w)[a-z]+_[a-z]+_\d+(?!\w)" for item in samples if re.fullmatch(r"[a-z]+_[a-z]+_\d+", item)]
    cards = [rf"(?<!\w){m[1]}_\d+(?!\w)" for item in samples if (m := re.fullmatch(r"([a-z]+_[a-z]+)_\d+", item))]
    parts = [*named, *cards, *shapes]
    return re.compile("|".join(f"(?:{part})" for part in parts)) if parts else None


def _enumerated(values: Sequence[Json], text: str) -> list[Found]:
    low = text.casefold()
    out: list[Found] = []
    for value in values:
        for said in {str(value), str(value).replace("_", " "), str(value).replace("-", " ")}:
            want = said.casefold().strip()
            if not want:
                continue
            for found in re.finditer(rf"(?<!\w){re.escape(want)}(?!\w)" if want.isascii() else re.escape(want), low):
                out.append(Found(found.start(), found.end(), value))
        for lang in ("ko", "zh"):
            said = said_as(str(value), lang)
            at = text.find(said) if said != str(value) else -1
            if at >= 0:
                out.append(Found(at, at + len(said), value))
    return longest(out)


def longest(found: list[Found]) -> list[Found]:
    """Without those inside a longer one; reading order."""
    kept: list[Found] = []
    for item in sorted(found, key=lambda f: (f.start - f.end, f.start)):
        if all(item.end <= other.start or item.start >= other.end for other in kept):
            kept.append(item)
    return sorted(kept)


@lru_cache(maxsize=2048)
def _numbers(text: str, kind: str) -> list[Found]:
    """Numbers that are no part of a date, a time or an identifier."""
    taken = [(m.start(), m.end()) for rule in (_ISO, _DMY, _MDY, _CJK_DATE, _CLOCK, _US) for m in rule.finditer(text)]
    out: list[Found] = []
    for found in _NUMBER.finditer(text):
        if any(found.start() < end and found.end() > start for start, end in taken):
            continue
        number = float(found[0].replace(",", ""))
        if number.is_integer():
            out.append(Found(found.start(), found.end(), int(number)))
        elif kind == "number":
            out.append(Found(found.start(), found.end(), number))
    if not out:
        out = [Found(m.start(), m.end(), int(m[1])) for m in re.finditer(r"(?<![\d.])(\d{1,9})(?=[^\d.\s,]|$)", text)]
    return out


def _dates(text: str, slot: Slot) -> list[Found]:
    out: list[Found] = []
    for rule, order in ((_ISO, "ymd"), (_DMY, "dmy"), (_MDY, "mdy"), (_CJK_DATE, "ymd"), (_US, "mdy")):
        for found in rule.finditer(text):
            parts = {"y": "", "m": "", "d": ""}
            for letter, value in zip(order, found.groups()[:3]):
                parts[letter] = value
            month = parts["m"]
            number = (
                int(month)
                if month.isdigit()
                else next(i for i, name in enumerate(MONTHS, 1) if name.casefold() == month.casefold())
            )
            clock = found.groups()[3:5] if rule is not _US and len(found.groups()) >= 5 else (None, None)
            try:
                moment = datetime(int(parts["y"]), number, int(parts["d"]), int(clock[0] or 0), int(clock[1] or 0))
            except ValueError:
                continue
            out.append(Found(found.start(), found.end(), _dated(moment, slot, clock[0] is not None)))
    return longest(out)


def _dated(moment: datetime, slot: Slot, has_clock: bool) -> str:
    if slot.schema.get("format") == "date":
        return moment.strftime("%Y-%m-%d")
    if slot.schema.get("format") == "date-time":
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    if slot.fmt and "%Y" in slot.fmt:
        return moment.strftime(slot.fmt)
    if slot.kind == "month":
        return moment.strftime("%Y-%m")
    return moment.strftime("%Y-%m-%d %H:%M" if has_clock else "%Y-%m-%d")


@lru_cache(maxsize=256)
def _spelled(kind: str, lang: str) -> dict[str, str]:
    """Known names of a kind by their folded form. What is sold may be food, and the other way round."""
    kinds = ("product", "food") if kind in ("product", "food") else (kind,)
    return {name.casefold(): name for own in kinds for table in ("en", lang) for name in POOLS.get(table, {}).get(own, ())}


@lru_cache(maxsize=256)
def _known(kind: str, lang: str) -> re.Pattern[str] | None:
    """The names of a kind that anybody would recognise."""
    words = sorted(_spelled(kind, lang).values(), key=len, reverse=True)
    if not words:
        return None
    return re.compile(
        "|".join(rf"(?<!\w){re.escape(word)}(?!\w)" if word.isascii() else re.escape(word) for word in words), re.IGNORECASE
    )


_PAIR = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")


@lru_cache(maxsize=8)
def _family(lang: str) -> tuple[frozenset[str], re.Pattern[str] | None]:
    """Given names in Latin script, and a pattern of full names where family names stand first."""
    pool = POOLS.get(lang, POOLS["en"])
    if lang not in ("zh", "ko"):
        return frozenset(POOLS["en"]["first"]), None
    first, last = "|".join(map(re.escape, pool["first"])), "|".join(map(re.escape, pool["last"]))
    return frozenset(POOLS["en"]["first"]), re.compile(rf"(?:{last})(?:{first})")


@lru_cache(maxsize=4096)
def _people(text: str, lang: str) -> list[Found]:
    """Full names: known ones where there are any, else two capitalised words."""
    given, native = _family(lang)
    if native is not None:
        found = [Found(m.start(), m.end(), m[0]) for m in native.finditer(text)]
        if found:
            return found
    pairs = [Found(m.start(), m.end(), m[0]) for m in _PAIR.finditer(text)]
    return [item for item in pairs if item.value.split(" ")[0] in given] or pairs


@lru_cache(maxsize=4096)
def _texts(text: str, kind: str, lang: str) -> list[Found]:
    """Values of one kind in a text; shared by all arguments of that kind, so never changed in place."""
    pattern = _PATTERNS.get(kind)
    need = _NEEDS.get(kind)
    if need is not None and need not in text and kind not in _LOOSE:
        return []
    if pattern is not None:
        hits = [
            Found(m.start(), m.end(), m[0].strip() if kind == "password" else m[0].strip(" .,;")) for m in pattern.finditer(text)
        ]
        if hits or kind not in _LOOSE:
            return hits
    if kind == "person":
        return _people(text, lang)
    if kind in ("first_name", "last_name"):
        out: list[Found] = []
        for found in _people(text, lang):
            head, _, tail = found.value.partition(" ")
            if kind == "first_name" and tail:
                out.append(Found(found.start, found.start + len(head), head))
            elif tail:
                out.append(Found(found.end - len(tail), found.end, tail))
        return out
    known = _known(kind, lang) if kind not in ("id", "thing") else None
    if known is not None:
        exact = _spelled(kind, lang)
        hits = [Found(m.start(), m.end(), exact.get(m[0].casefold(), m[0])) for m in known.finditer(text)]
        if hits:
            return longest(hits)
    quotes = [Found(m.start(), m.end(), next(part for part in m.groups() if part is not None)) for m in _QUOTED.finditer(text)]
    if kind in _FREE:
        return quotes
    ids = [Found(m.start(), m.end(), m[0].replace("# ", "#")) for m in _ID.finditer(text)]
    if kind == "id":
        return ids or quotes
    return quotes or (ids if kind not in ("city", "country", "product", "company") else [])
