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
from ..spec._kept import kept_per_tool
from ..spec._kinds import kind_of
from ..spec.effects import words_of
from ..spec.values import spoken
from .voice_en import label_of

_ADDRESS = ("street", "address2", "city", "state", "zip", "country")
_MINE = frozenset({"email", "phone", "birth", "username", "password", "token", "first_name", "last_name", "zip", "address"})
_MINE_IDS = re.compile(
    r"^(?:my_)?(?:user|customer|account|client|member|employee|patient|passport|loyalty)_?(?:id|number)?$", re.IGNORECASE
)


def is_mine(name: str, kind: str) -> bool:
    """Whether an argument is something of the speaker's own: their email, their customer number."""
    return kind in _MINE or _MINE_IDS.match(name) is not None


def is_address(kind: str) -> bool:
    """Whether a kind is a part of one postal address."""
    return kind in _ADDRESS


@kept_per_tool
def kinds_of(tool: Tool) -> Mapping[str, str]:
    """The kind of every argument of a tool, as drawing sees it; `object` for nested ones."""
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
    names: Sequence[str],
    kinds: Mapping[str, str],
    said: Mapping[str, str],
    raw: Mapping[str, Any],
    stream: Stream,
    *,
    own: bool = True,
) -> str:
    """Sentences that tell the values which the request itself did not. `own`: what can be the speaker's is."""
    left = [name for name in names if not isinstance(raw.get(name), bool)]
    out: list[str] = []
    counted = [said[name] for name in left if kinds.get(name) == "thoughts"]
    if counted:
        left = [name for name in left if kinds.get(name) != "thoughts"]
        out.append(f"This is step {counted[0]} of {counted[1]}." if len(counted) > 1 else f"This is step {counted[0]}.")
    address = [name for name in left if kinds.get(name) in _ADDRESS]
    if len(address) >= 3:
        opening = stream.choice(("The new address is", "The address should be", "Use this address:", "It should go to"))
        out.append(f"{opening} {_address(address, kinds, said)}.")
        left = [name for name in left if name not in address]
    left, credentials = (
        [name for name in left if kinds.get(name) != "token"],
        [name for name in left if kinds.get(name) == "token"],
    )
    mine = [name for name in left if is_mine(name, kinds.get(name, "")) or kinds.get(name) in ("person", "full_name", "datetime")]
    if own and len(mine) > 1 and any(kinds.get(name) in ("person", "first_name") for name in mine):
        out.append(_introduced(mine, kinds, said))
        left = [name for name in left if name not in mine]
    elif own and len(mine) > 1 and len(mine) == sum(is_mine(name, kinds.get(name, "")) for name in mine):
        out.append("My " + _listed([f"{label_of(name).removeprefix('my ')} is {said[name]}" for name in mine]) + ".")
        left = [name for name in left if name not in mine]
    out.extend(_fact(name, kinds.get(name, ""), said[name], raw.get(name), own, stream) for name in left)
    out.extend(stream.choice(_CREDENTIALS).format(label=label_of(name), value=said[name]) for name in credentials)
    return " ".join(part for part in out if part)


_CREDENTIALS = (
    "My {label} is {value}.", "Use my {label} {value}.", "The {label} is {value}.", "{value} is my {label}.", "For access, use the {label} {value}.",
    "Here's my {label}: {value}.", "You can use the {label} {value}.",
)  # fmt: skip


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def _introduced(names: Sequence[str], kinds: Mapping[str, str], said: Mapping[str, str]) -> str:
    """Who is speaking, in one sentence: `I'm Nora Taylor, born 9 May 1984, user ID U4902410.`"""
    who = next((said[name] for name in names if kinds.get(name) == "person"), None)
    if who is None:
        who = " ".join(said[name] for kind in ("first_name", "last_name") for name in names if kinds.get(name) == kind)
    parts: list[str] = []
    dated = any(kinds.get(name) == "datetime" for name in names)
    for name in names:
        kind = kinds.get(name)
        if kind in ("person", "first_name", "last_name", "datetime"):
            continue
        parts.append(
            f"born {said[name]}" if kind == "birth" and not dated else f"{label_of(name).removeprefix('my ')} {said[name]}"
        )
    when = "".join(f" It is {said[name]} now." for name in names if kinds.get(name) == "datetime")
    return f"I'm {', '.join([who, *parts])}.{when}"


def capital(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def _address(names: Sequence[str], kinds: Mapping[str, str], said: Mapping[str, str]) -> str:
    by_kind = {kinds[name]: said[name] for name in names}
    parts = [by_kind[kind] for kind in ("street", "address2", "city") if kind in by_kind]
    tail = " ".join(by_kind[kind] for kind in ("state", "zip") if kind in by_kind)
    return ", ".join([*parts, *([tail] if tail else []), *([by_kind["country"]] if "country" in by_kind else [])])


_METHODS: Mapping[str, str] = {
    "credit_card": "credit card",
    "debit_card": "debit card",
    "gift_card": "gift card",
    "paypal": "PayPal account",
}


def _fact(name: str, kind: str, text: str, raw: Any, own: bool, stream: Stream) -> str:
    label = label_of(name)
    if isinstance(raw, bool):
        return ""
    if kind.endswith("reason"):
        return stream.choice(("The reason: {}.", "Reason: {}.", "My reason: {}.")).format(text.rstrip("."))
    if kind == "object":
        return f"Namely: {text.rstrip('.')}."
    method = next((said for mark, said in _METHODS.items() if "payment" in name and text.startswith(mark)), None)
    if method is not None:
        lines = (
            "Please use the payment method {}.",
            "The payment method should be my {} {}.",
            "Use my {} {} as the payment method.",
        )
        line = stream.choice(lines)
        return line.format(method, text) if line.count("{}") == 2 else line.format(text)
    if kind in ("note", "text", "observation", "title", "message"):
        return f"The {label} should be {quoted(text)}." if len(text) < 200 else f"The {label}: {text}."
    many = isinstance(raw, (list, tuple)) and len(raw) > 1
    if not many and label.endswith("s") and not label.endswith(("ss", "us", "is", "address")):
        label = label[:-1]
    if name in ("cc", "bcc") and kind == "email":
        return f"Put {text} in {label}."
    if kind == "email" and not _MINE_EMAIL.match(name):
        return f"The {label} {'are' if many else 'is'} {text}."
    if label.startswith("new "):
        return f"The {label} should be {text}."
    if own and not many and is_mine(name, kind) and (name != "user" or kind != "id"):
        return f"My {label.removeprefix('my ')} is {text}."
    return f"The {label} {'are' if many else 'is'} {text}."


_MINE_EMAIL = re.compile(r"^(?:my_?|user_?|customer_?|contact_?)?e?_?mail(?:_address)?$", re.IGNORECASE)


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
    text = str(value).rstrip(".。") or str(value)
    return (
        text.casefold() in lower or spoken(value, name, schema if isinstance(schema, Mapping) else None, lang).casefold() in lower
    )
