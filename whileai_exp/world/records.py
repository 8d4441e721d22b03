"""What does a thing in the world look like? Records of a kind, drawn once from (seed, kind, identifier), and tool results made of them.

Records are a pure function of the world's seed, so that two tools, two repeats and two processes see the same thing.
They are shared and never changed in place: a write makes a copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from .._rng import Rng, Stream
from ..spec.effects import EffectKind, words_of
from ..spec.values import draw_value
from .facts import JOINTS, NOISE, KindFacts, ToolFacts, singular, snake

Json = Any
Record = dict[str, Json]
_STATUSES = ("active", "confirmed", "pending", "completed")
_MAX_FIELDS = 14
_NUMBERS = ("price", "cost", "balance", "amount", "usage", "rating", "total", "count", "fee")
_TEXTS = frozenset(["title", "name", "content", "message", "summary", "subject", "text", "description", "body", "answer"])
FREE_TEXT = frozenset(
    ["query", "keyword", "keywords", "pattern", "question", "message", "term", "text", "search", "q", "prompt", "topic"]
)
_WRAPS = frozenset(["data", "result", "results", "items", "record", "records", "entries", "matches"])


def draw_record(kind: KindFacts, key: str, value: Json, seed: int, lang: str, now: str) -> Record:
    """The record of one thing as it stands before anything happened. `value` is the identifier in its own type."""
    stream = Rng(seed).at("entity", kind.name, key)
    record: Record = {}
    if key:
        record[kind.id_field] = value
    for name, facts in list(kind.fields.items())[:_MAX_FIELDS]:
        if name in record:
            continue
        if name.endswith("_enabled") or name == "enabled":
            record[name] = stream.chance(0.5)
        elif name == kind.level and "minimum" not in facts.schema and "maximum" not in facts.schema:
            record[name] = stream.integer(20, 200)
        else:
            record[name] = draw_value(name, facts.schema, stream, description=facts.description, lang=lang)
    if kind.stateful or len(record) < 2:
        record.setdefault("status", stream.choice(_STATUSES) if key else "active")
    if len(record) < 3:
        _plain_fields(kind, record, stream, lang, now)
    return record


def _plain_fields(kind: KindFacts, record: Record, stream: Stream, lang: str, now: str) -> None:
    """A few believable fields for a kind that no schema describes."""
    if any(word in kind.name for word in ("time", "clock", "date")):
        record["current_time"] = now
        return
    for name, schema in _USUAL.get(kind.name, _UPDATED if kind.id_field in record else {}).items():
        record.setdefault(name, draw_value(name, schema, stream, lang=lang))


def aspect_of(facts: ToolFacts) -> str | None:
    """`get_hotels_prices` asks for one side of a hotel: the field `price`. None when the whole record is meant."""
    if facts.tool.returns or facts.op is not EffectKind.READ or facts.handle is None:
        return None
    return _aspect(facts.tool.name, facts.verb, facts.kind.name)


_TEXT: dict[str, Json] = {"type": "string"}
_DATE: dict[str, Json] = {"type": "string", "format": "date"}
_MONEY: dict[str, Json] = {"type": "number", "minimum": 5, "maximum": 900}
_UPDATED: dict[str, dict[str, Json]] = {"updated_on": _DATE}
_PERSON = {"full_name": _TEXT, "email": _TEXT, "phone_number": _TEXT}
_USUAL: dict[str, dict[str, dict[str, Json]]] = {
    "user": _PERSON, "customer": _PERSON, "member": _PERSON, "employee": _PERSON, "patient": _PERSON, "passenger": _PERSON, "contact": _PERSON,
    "order": {"order_date": _DATE, "total": _MONEY},
    "product": {"product_name": _TEXT, "price": _MONEY, "in_stock": {"type": "boolean"}},
    "item": {"product_name": _TEXT, "price": _MONEY, "in_stock": {"type": "boolean"}},
    "flight": {"departure_time": _TEXT, "arrival_time": _TEXT, "price": _MONEY},
    "hotel": {"rating": {"type": "integer", "minimum": 1, "maximum": 5}, "price": _MONEY},
    "restaurant": {"cuisine": _TEXT, "rating": {"type": "integer", "minimum": 1, "maximum": 5}},
    "weather": {"temperature_c": {"type": "integer", "minimum": -8, "maximum": 34}, "condition": {"enum": ["clear", "cloudy", "light rain", "windy"]}},
    "bill": {"amount": _MONEY, "due_date": _DATE}, "invoice": {"amount": _MONEY, "due_date": _DATE},
    "transaction": {"amount": _MONEY, "date": _DATE}, "payment": {"amount": _MONEY, "date": _DATE},
    "account": {"balance": _MONEY}, "event": {"title": _TEXT, "start_time": _TEXT}, "message": {"message": _TEXT, "date": _DATE},
    "file": {"size_bytes": {"type": "integer", "minimum": 120, "maximum": 90000}, "modified_on": _DATE},
    "news": {"title": _TEXT, "published_on": _DATE}, "article": {"title": _TEXT, "published_on": _DATE},
    "recipe": {"recipe_name": _TEXT, "minutes": {"type": "integer", "minimum": 10, "maximum": 90}},
    "baggage": {"checked_bags": {"type": "integer", "minimum": 0, "maximum": 3}}, "trip": {"start_date": _DATE, "destination": _TEXT},
}  # fmt: skip


@lru_cache(maxsize=4096)
def _aspect(name: str, verb: str, kind: str) -> str | None:
    words: list[str] = []
    seen = False
    for word in words_of(name):
        if word in JOINTS and seen:
            break
        if word != verb and word not in NOISE and word not in JOINTS:
            seen = True
            if singular(word) != kind:
                words.append(singular(word))
    return "_".join(words) if words and len(words) <= 3 and "".join(words).isascii() else None


def aspect_schema(name: str) -> dict[str, Json]:
    return {"type": "number"} if any(word in name for word in _NUMBERS) else {"type": "string"}


def show_one(facts: ToolFacts, record: Record) -> Json:
    """A tool's answer about one record, in the shape the tool declares or in the plain one."""
    returns = facts.tool.returns
    if not returns:
        aspect = aspect_of(facts)
        if aspect is not None and aspect in record:
            shown = {facts.kind.id_field: record.get(facts.kind.id_field), aspect: record[aspect]}
            if "progress" in record:
                shown["progress"] = record["progress"]
            return shown
        return record
    return _shaped(returns, facts, [record], single=True)


def show_many(facts: ToolFacts, records: list[Record]) -> Json:
    """A tool's answer about several records (or none)."""
    returns = facts.tool.returns
    if not returns:
        return {_plural(facts.kind.name): records, "count": len(records)}
    return _shaped(returns, facts, records, single=False)


def show_write(facts: ToolFacts, record: Record, message: str) -> Json:
    """What a tool says after it changed something."""
    if not facts.tool.returns:
        return {"success": True, **record}
    return _shaped(facts.tool.returns, facts, [record], single=True, message=message)


def _plural(word: str) -> str:
    if not word.isascii():
        return word
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


def _shaped(returns: Mapping[str, Any], facts: ToolFacts, records: list[Record], *, single: bool, message: str = "") -> Json:
    """Records in a declared shape: a record, a list, text, or an object that wraps one of these."""
    kind = returns.get("type")
    if kind == "array":
        items = returns.get("items", {})
        return [_picked(items, record) for record in records]
    if kind in ("string", "number", "integer", "boolean"):
        return _scalar(str(kind), facts, records, message)
    properties = returns.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        return records[0] if single and records else {_plural(facts.kind.name): records, "count": len(records)}
    out: Record = {}
    for name, schema in properties.items():
        out[name] = _property(name, schema, facts, records, message)
    return out


def _property(name: str, schema: Any, facts: ToolFacts, records: list[Record], message: str) -> Json:
    word = snake(name)
    record = records[0] if records else {}
    own = schema if isinstance(schema, Mapping) else {}
    about = word in _WRAPS or word in (facts.kind.name, _plural(facts.kind.name))
    if own.get("type") == "array" and about and isinstance(own.get("items"), Mapping) and own["items"].get("type") == "object":
        return [_picked(own["items"], item) for item in records]
    if own.get("type") == "object" and about:
        return _picked(own, record)
    if own.get("type") == "boolean" and word in ("success", "ok", "found", "succeeded"):
        return bool(records)
    if own.get("type") == "integer" and word in ("count", "total", "total_count", "num_results"):
        return len(records)
    if own.get("type") == "string" and word == "message" and message:
        return message
    return record.get(word)


def _picked(schema: Any, record: Record) -> Record:
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not properties:
        return record
    return {name: record.get(snake(name)) for name in properties}


def _scalar(kind: str, facts: ToolFacts, records: list[Record], message: str) -> Json:
    if kind == "boolean":
        return bool(records)
    record = records[0] if records else {}
    if kind == "string":
        if message:
            return message
        return "; ".join(f"{name}: {value}" for name, value in record.items()) or "nothing found"
    number = next(
        (value for value in record.values() if isinstance(value, (int, float)) and not isinstance(value, bool)), len(records)
    )
    return int(number) if kind == "integer" else number


def agrees(record: Record, wanted: Mapping[str, Json]) -> bool:
    """Whether a record contradicts none of a query's values. Free text must occur somewhere in the record."""
    for name, value in wanted.items():
        if name in FREE_TEXT:
            words = str(value).casefold().split()
            text = " ".join(str(item) for item in record.values()).casefold()
            if words and not any(word in text for word in words):
                return False
        elif name in record and not same(record[name], value):
            return False
    return True


def same(left: Json, right: Json) -> bool:
    """Equal as JSON values, with text compared without case and numbers by value."""
    if isinstance(left, str) and isinstance(right, str):
        return left.casefold() == right.casefold()
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right))
    return left == right and isinstance(left, bool) == isinstance(right, bool)


def with_text(record: Record, text: str) -> Record:
    """The record with `text` in its first free-text field, so that a search for it finds it."""
    for name, value in record.items():
        if name in _TEXTS and isinstance(value, str):
            return (
                record
                if text.casefold() in value.casefold()
                else {**record, name: text if name in ("name", "title") else f"{value} ({text})"}
            )
    return {**record, "title": text}
