"""The values of an ask in words: which go inside the request, which follow it, and which an ask has told.

English only; other languages have their own voice module. `attach` puts values behind the request where English has a
preposition for them (`from Boston to Denver`, `on 12 March 2026`, `saying "…"`); `fact_sentences` says the rest plainly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from .._rng import Stream
from ..schema import Tool
from ..spec._kinds import kind_of
from ..spec.effects import words_of
from ..spec.values import spoken
from .voice_en import label_of

_ADDRESS = ("street", "address2", "city", "state", "zip", "country")
_MINE = frozenset({"email", "phone", "birth", "username", "password", "token", "first_name", "last_name", "zip", "address"})
_MINE_IDS = re.compile(
    r"^(?:my_)?(?:user|customer|account|client|member|employee|patient|passport|loyalty)_?(?:id|number)?$", re.IGNORECASE
)


@lru_cache(maxsize=8192)
def kind_in(tool_name: str, tool_text: str, name: str, text: str) -> str:
    """The kind of an argument of a tool, as drawing sees it."""
    return kind_of(name, text, " ".join(words_of(tool_name)) + " " + tool_text[:120])


def kinds_of(tool: Tool, names: Sequence[str]) -> dict[str, str]:
    properties: Mapping[str, Any] = tool.parameters.get("properties") or {}
    out: dict[str, str] = {}
    for name in names:
        schema = properties.get(name)
        schema = schema if isinstance(schema, Mapping) else {}
        kind = kind_in(tool.name, tool.description, name, str(schema.get("description") or ""))
        items = schema.get("items")
        if schema.get("type") == "object" or (
            isinstance(items, Mapping) and (items.get("type") == "object" or "properties" in items)
        ):
            kind = "object"
        out[name] = kind
    return out


def quoted(text: str) -> str:
    return f'"{text}"' if '"' not in text else f"'{text}'"


def attach(names: Sequence[str], kinds: Mapping[str, str], said: Mapping[str, str], goal: str) -> tuple[str, list[str]]:
    """Words to put behind the request, and the names they tell."""
    parts: list[str] = []
    told: list[str] = []
    places = [name for name in names if kinds.get(name) in ("city", "airport")]
    ends = [name for name in names if kinds.get(name) in ("date", "datetime", "time")]
    for name in names:
        text = _attached(name, kinds.get(name, ""), said[name], goal, pair=len(places) > 1 if name in places else len(ends) > 1)
        if text:
            parts.append(text)
            told.append(name)
    return " ".join(parts), told


_FROM = re.compile(r"^(?:origin|from|departure|source|start)")
_TO = re.compile(r"^(?:destination|to|arrival|target|end|return)")


def _attached(name: str, kind: str, text: str, goal: str, *, pair: bool) -> str | None:
    words = "_".join(words_of(name))
    start, end = bool(_FROM.match(words)), bool(_TO.match(words))
    if kind in ("city", "airport", "timezone") and (start or end):
        return f"{'from' if start else 'to'} {text}"
    if kind == "city":
        return f"in {text}"
    if kind == "timezone":
        return f"for {text}"
    if kind in ("date", "datetime"):
        if pair and (start or end or words.startswith(("check_in", "check_out", "until"))):
            return f"{'from' if start or words.startswith('check_in') else 'until'} {text}"
        clock = " at " in text
        return f"{'at' if kind == 'datetime' and not clock else 'on'} {text}" if " " in text else None
    if kind == "time":
        return f"at {text}"
    if kind in ("message", "commit"):
        return f"with the message {quoted(text)}" if kind == "commit" else f"saying {quoted(text)}"
    if kind in ("query", "topic", "ingredient", "pattern"):
        return (
            f"{'about' if kind == 'topic' else 'for'} {quoted(text) if ' ' in text or kind == 'pattern' else text}"
            if not goal.endswith(" for")
            else quoted(text)
        )
    if kind == "title":
        return (
            f"called {quoted(text)}"
            if any(word in goal for word in ("create", "add", "make", "set", "event"))
            else f"for {quoted(text)}"
        )
    if kind == "question":
        return f": {text}"
    if kind in ("expression", "path", "folder", "url"):
        return f"{text}"
    if kind == "repo":
        return f"in {text}"
    if kind in ("hotel", "restaurant", "company", "car_rental", "merchant", "app", "entity", "food"):
        return f"for {text}" if kind != "merchant" else f"from {text}"
    if kind == "person" and words.startswith(("sender", "from", "author")):
        return f"from {text}"
    if kind == "person" and words.startswith(("receiver", "recipient", "to_", "contact")):
        return f"to {text}"
    if kind == "email" and words.startswith(("recipient", "to", "receiver")):
        return f"to {text}"
    if kind == "summary":
        return f"about this: {text}"
    return None


def fact_sentences(
    names: Sequence[str], kinds: Mapping[str, str], said: Mapping[str, str], raw: Mapping[str, Any], stream: Stream
) -> str:
    """Sentences that tell the values which the request itself did not."""
    left = list(names)
    out: list[str] = []
    address = [name for name in left if kinds.get(name) in _ADDRESS]
    if len(address) >= 3:
        out.append(
            f"{stream.choice(('The new address is', 'The address should be', 'Use this address:'))} {_address(address, kinds, said)}."
        )
        left = [name for name in left if name not in address]
    first = next((name for name in left if kinds.get(name) == "first_name"), None)
    last = next((name for name in left if kinds.get(name) == "last_name"), None)
    if first and last:
        out.append(f"{stream.choice(('My name is', 'The name is'))} {said[first]} {said[last]}.")
        left = [name for name in left if name not in (first, last)]
    if not left:
        return " ".join(out)
    if len(left) > 1 and stream.chance(0.4):
        out.append(_capital(", ".join(f"{label_of(name)}: {said[name]}" for name in left)) + ".")
    else:
        out.extend(_fact(name, kinds.get(name, ""), said[name], raw.get(name)) for name in left)
    return " ".join(part for part in out if part)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _address(names: Sequence[str], kinds: Mapping[str, str], said: Mapping[str, str]) -> str:
    by_kind = {kinds[name]: said[name] for name in names}
    parts = [by_kind[kind] for kind in ("street", "address2", "city") if kind in by_kind]
    tail = " ".join(by_kind[kind] for kind in ("state", "zip") if kind in by_kind)
    return ", ".join([*parts, *([tail] if tail else []), *([by_kind["country"]] if "country" in by_kind else [])])


def _fact(name: str, kind: str, text: str, raw: Any) -> str:
    label = label_of(name)
    if isinstance(raw, bool):
        return ""
    if kind == "reason":
        return f"The reason: {text}."
    if kind in ("note", "text", "observation"):
        return f"The {label} should be {quoted(text)}." if len(text) < 200 else f"The {label}: {text}."
    many = isinstance(raw, (list, tuple)) and len(raw) > 1
    if label.startswith("new "):
        return f"The {label} should be {text}."
    if kind in _MINE or _MINE_IDS.match(name):
        return f"My {label.removeprefix('my ')} is {text}."
    return f"The {label} {'are' if many else 'is'} {text}."


_WORDY = re.compile(r"\w+")


def told_in(prompt: str, arguments: Mapping[str, Any], properties: Mapping[str, Any], lang: str) -> tuple[str, ...]:
    """Names of the arguments whose values a text tells, verbatim or as they are spoken. Flags count as told: nobody asks."""
    lower = prompt.casefold()
    return tuple(name for name, value in arguments.items() if _told(lower, name, value, properties.get(name), lang))


def _told(lower: str, name: str, value: Any, schema: Any, lang: str) -> bool:
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, (list, tuple)):
        items = schema.get("items") if isinstance(schema, Mapping) else None
        return all(_told(lower, name, item, items, lang) for item in value)
    if isinstance(value, Mapping):
        properties = schema.get("properties", {}) if isinstance(schema, Mapping) else {}
        return all(_told(lower, key, item, properties.get(key), lang) for key, item in value.items())
    if isinstance(value, (int, float)):
        text = spoken(value)
        return re.search(rf"(?<![\w.]){re.escape(text)}(?![\w]|\.\d)", lower) is not None if lang == "en" else text in lower
    text = str(value)
    return (
        text.casefold() in lower or spoken(value, name, schema if isinstance(schema, Mapping) else None, lang).casefold() in lower
    )
