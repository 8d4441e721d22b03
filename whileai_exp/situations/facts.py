"""The values of an ask in words: which go inside the request, which follow it, and which an ask has told.

English only; other languages have their own voice module. `attach` puts values behind the request where English has a
preposition for them (`from Boston to Denver`, `on 12 March 2026`, `saying "…"`); `fact_sentences` says the rest plainly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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


_KINDS: dict[int, tuple[Tool, dict[str, str]]] = {}
_KINDS_KEPT = 4096


def kinds_of(tool: Tool) -> Mapping[str, str]:
    """The kind of every argument of a tool, as drawing sees it; `object` for nested ones. Kept per tool object."""
    held = _KINDS.get(id(tool))
    if held is not None and held[0] is tool:
        return held[1]
    owner = " ".join(words_of(tool.name)) + " " + tool.description[:120]
    out: dict[str, str] = {}
    properties: Mapping[str, Any] = tool.parameters.get("properties") or {}
    for name in (*properties, *(tool.parameters.get("required") or ())):
        schema = properties.get(name)
        schema = schema if isinstance(schema, Mapping) else {}
        items = schema.get("items")
        nested = schema.get("type") == "object" or (
            isinstance(items, Mapping) and (items.get("type") == "object" or "properties" in items)
        )
        out[name] = "object" if nested else kind_of(name, str(schema.get("description") or ""), owner)
    if len(_KINDS) >= _KINDS_KEPT:
        _KINDS.clear()
    _KINDS[id(tool)] = (tool, out)
    return out


def quoted(text: str) -> str:
    return f'"{text}"' if '"' not in text else f"'{text}'"


def attach(names: Sequence[str], kinds: Mapping[str, str], said: Mapping[str, str], goal: str) -> tuple[str, list[str]]:
    """Words to put behind the request, and the names they tell."""
    parts: list[str] = []
    told: list[str] = []
    in_address = sum(kinds.get(name) in _ADDRESS for name in names) >= 3
    where = any(mark in goal for mark in ("/", "http"))
    for name in names:
        kind = kinds.get(name, "")
        if in_address and kind in _ADDRESS or kind in _PLACE_LIKE and where and name != "destination":
            continue
        text = _attached(name, kind, said[name].rstrip("."), goal)
        if text:
            parts.append(text)
            told.append(name)
            where = where or kind in _PLACE_LIKE
    return " ".join(parts), told


_PLACE_LIKE = frozenset({"path", "folder", "repo", "url"})
_FROM = re.compile(r"^(?:origin|from|departure|source|start|check_in)")
_TO = re.compile(r"^(?:destination|to|arrival|target|end|return|check_out|until)")


def _attached(name: str, kind: str, text: str, goal: str) -> str | None:
    words = "_".join(words_of(name))
    start, end = bool(_FROM.match(words)), bool(_TO.match(words))
    if kind in ("city", "airport", "timezone"):
        return f"{'from' if start else 'to' if end else 'for' if kind == 'timezone' else 'in'} {text}"
    if kind in ("date", "datetime", "time"):
        if not re.search(r"\d", text):
            return None
        dated = re.search(r"\d{4}|[A-Za-z]{3}", text) is not None
        return f"{'until' if end else 'from' if start and 'reservation' not in goal else 'on' if dated else 'at'} {text}"
    if kind == "merchant":
        return f"from {text}"
    if kind == "entity":
        return f": {text}"
    if kind == "branch":
        return f"called {text}" if "create" in goal else f"to {text}" if "switch" in goal else f"against {text}"
    if kind in ("hotel", "restaurant", "company", "car_rental", "app", "food"):
        return (
            f"for {text}"
            if not re.search(r"\bfor (?:a|the) [\w ]+$", goal)
            else f"from {text}"
            if kind == "car_rental"
            else f": {text}"
        )
    if kind == "person":
        return (
            f"from {text}"
            if words.startswith(("sender", "from", "author"))
            else f"to {text}"
            if words.startswith(_RECEIVERS)
            else None
        )
    if kind == "email":
        return f"to {text}" if words.startswith(_RECEIVERS) else None
    if kind in ("topic", "query", "ingredient"):
        preposition = (
            ""
            if goal.endswith((" for", " about"))
            else "about "
            if kind == "topic"
            else "with "
            if kind == "ingredient"
            else "for "
        )
        return preposition + (quoted(text) if " " in text else text)
    if kind == "title":
        return f"called {quoted(text)}" if re.search(r"\b(?:create|add|make|set|new)\b", goal) else f"for {quoted(text)}"
    return {
        "commit": f"with the message {quoted(text)}",
        "message": f"saying {quoted(text)}",
        "pattern": f"for {quoted(text)}" if words == "pattern" else "",
        "question": f": {text}",
        "expression": text,
        "tool_name": text,
        "path": f"at {text}" if words != "destination" else f"to {text}",
        "folder": f"at {text}",
        "url": f"at {text}",
        "repo": f"in {text}",
        "seat_request": f": {text}",
        "baggage_query": f"for {text}",
        "summary": f"about this: {text}",
        "trip_message": f": {text}",
    }.get(kind)


_RECEIVERS = ("receiver", "recipient", "to_", "to", "contact", "participant")


def fact_sentences(
    names: Sequence[str], kinds: Mapping[str, str], said: Mapping[str, str], raw: Mapping[str, Any], stream: Stream
) -> str:
    """Sentences that tell the values which the request itself did not."""
    left = [name for name in names if not isinstance(raw.get(name), bool)]
    out: list[str] = []
    counted = [said[name] for name in left if kinds.get(name) == "thoughts"]
    if len(counted) >= 2:
        out.append(f"This is step {counted[0]} of {counted[1]}.")
        left = [name for name in left if kinds.get(name) != "thoughts"]
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
    if (
        len(left) > 1
        and stream.chance(0.4)
        and not any(kinds.get(name) in ("object", "text", "note", "reason", "delay_reason", "pause_reason") for name in left)
    ):
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
    if kind.endswith("reason"):
        return f"The reason: {text}."
    if kind == "object":
        return f"Namely: {text.rstrip('.')}."
    if kind == "thoughts":
        return ""
    if kind in ("note", "text", "observation", "title", "message"):
        return f"The {label} should be {quoted(text)}." if len(text) < 200 else f"The {label}: {text}."
    many = isinstance(raw, (list, tuple)) and len(raw) > 1
    if not many and label.endswith("s") and not label.endswith(("ss", "us", "is", "address")):
        label = label[:-1]
    if label.startswith("new "):
        return f"The {label} should be {text}."
    if kind in _MINE or _MINE_IDS.match(name):
        return f"My {label.removeprefix('my ')} is {text}."
    return f"The {label} {'are' if many else 'is'} {text}."


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
