"""How does a result come across? What a tool's answer means, and the words and values the offline agent speaks of it in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ..spec.effects import words_of
from ._lexicon import ToolCard, language_in, tokens_of
from ._phrases import Phrases

Json = Any


def outcome_of(result: Json) -> str:
    """How a call went, from what it answered: ok, missing, done, denied, ambiguous, invalid, error or fault."""
    if isinstance(result, str):
        return "fault" if result[:1] in "{[" else "ok"
    if isinstance(result, list):
        return "fault" if result and all(item is None for item in result) else "ok"
    if not isinstance(result, dict):
        return "ok"
    code = str(result.get("error") or "")
    if code:
        return _CODES.get(code, "fault" if code in _FAULTS else "error")
    if str(result.get("status", "")).lower() == "error":
        return "error"
    if result.get("stale") is True or result.get("incomplete") is True:
        return "fault"
    if result.get("count") == 0:
        return "ok"
    values = [value for value in result.values() if not isinstance(value, (int, float))]
    return "fault" if values and all(value in (None, [], "NaN", "?") for value in values) else "ok"


_CODES = {
    "not_found": "missing", "already_done": "done", "permission_denied": "denied", "ambiguous": "ambiguous", "invalid_arguments": "invalid",
    "unknown_tool": "error", "cannot_compute": "error", "not_enough": "error",
}  # fmt: skip
_FAULTS = frozenset({"timeout", "rate_limited", "stale_version", "incomplete"})


def candidates_of(result: Json) -> list[Json]:
    if not isinstance(result, dict):
        return []
    found = result.get("candidates") or result.get("matches") or []
    return list(found) if isinstance(found, list) else []


def id_of(candidate: Json, handle: str) -> Json:
    if not isinstance(candidate, dict):
        return candidate
    word = "_".join(words_of(handle))
    return candidate.get(handle, candidate.get(word, next(iter(candidate.values()), None)))


def message_of(result: Json) -> str:
    if isinstance(result, dict):
        text = result.get("message") or result.get("warning") or result.get("error")
        if text:
            return str(text).rstrip(".")
    return "the answer came back garbled"


def facts_of(result: Json, phrases: Phrases, most: int) -> str:
    """The scalar values of a result, named."""
    out: list[str] = []
    _collect(result, "", out, most)
    return phrases.joint.join(out)


def _collect(value: Json, name: str, out: list[str], most: int) -> None:
    if len(out) >= most:
        return
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in ("success", "count"):
                _collect(item, key.replace("_", " "), out, most)
    elif isinstance(value, list):
        if value and not isinstance(value[0], (dict, list)):
            out.append(f"{name}: {' / '.join(map(str, value[:5]))}")
        else:
            for item in value[:3]:
                _collect(item, name, out, most)
    elif value is not None and value != "":
        text = str(value)
        out.append(f"{name}: {text[:160]}" if name else text[:400])


def thing_of(arguments: Mapping[str, Json]) -> str:
    """What a call is about, in the person's own words: its identifiers, else its first values."""
    ids = [value for name, value in arguments.items() if _is_id(name) and isinstance(value, (str, int))]
    values = ids or [
        value for value in arguments.values() if isinstance(value, (str, int, float)) and not isinstance(value, bool)
    ]
    values = values or [
        item for value in arguments.values() if isinstance(value, list) for item in value if isinstance(item, (str, int))
    ]
    return ", ".join(str(value)[:80] for value in values[:2])


@lru_cache(maxsize=4096)
def _is_id(name: str) -> bool:
    return words_of(name)[-1:] in (["id"], ["number"], ["reference"], ["code"], ["path"], ["email"], ["username"], ["name"])


@lru_cache(maxsize=4096)
def topic_of(ask: str) -> str:
    """A few of the ask's own content words."""
    if language_in(ask) != "en":
        return re.sub(r"[，。！？、\s,.!?]+", " ", ask).strip()[:24]
    words = [word for word in re.findall(r"[A-Za-z][\w'-]+", ask) if tokens_of(word)]
    longest = sorted(set(words), key=lambda word: (-len(word), word))[:6]
    return " ".join(dict.fromkeys(word for word in words if word in longest)) or ask[:60]


@lru_cache(maxsize=2048)
def _said_goal(name: str, description: str, language: str) -> str:
    if language != "en" and not description.isascii():
        return re.split(r"[。.；;\n]", description)[0][:40]
    return " ".join(word for word in words_of(name) if word not in ("tool", "api"))


def goal_of(card: ToolCard | None, language: str) -> str:
    return _said_goal(card.name, card.description, language) if card is not None else ""


def label_of(card: ToolCard | None, name: str, language: str) -> str:
    """An argument as a person calls it; its description in Chinese and Korean."""
    schema = card.params.get(name, {}) if card is not None else {}
    description = str(schema.get("description") or "") if isinstance(schema, Mapping) else ""
    if language != "en" and description and not description.isascii():
        return re.split(r"[。.，,（(；;：:\n]", description)[0][:24]
    return " ".join(words_of(name)) or name


def blanks_for(card: ToolCard) -> dict[str, Json]:
    """Arguments an agent that does not care would make up."""
    out: dict[str, Json] = {}
    for name in card.required:
        schema = card.params.get(name, {})
        kind = schema.get("type", "string") if isinstance(schema, Mapping) else "string"
        values = schema.get("enum") if isinstance(schema, Mapping) else None
        out[name] = (
            values[0]
            if values
            else {"integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}.get(str(kind), "12345")
        )
    return out


def spoiled(card: ToolCard, arguments: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments with one of them wrong: the identifier where there is one."""
    out = dict(arguments)
    order = [name for name in card.effect.id_params if name in out] + [name for name in out if name not in card.effect.id_params]
    for name in order:
        value = out[name]
        if isinstance(value, str) and re.search(r"\d", value):
            out[name] = re.sub(r"\d", lambda found: str((int(found[0]) + 3) % 10), value)
            return out
        if isinstance(value, int) and not isinstance(value, bool):
            out[name] = value + 1
            return out
    for name in order:
        schema = card.params.get(name, {})
        values = schema.get("enum") if isinstance(schema, Mapping) else None
        if values and len(values) > 1:
            out[name] = next(item for item in values if item != out[name])
            return out
        if isinstance(out[name], str) and out[name] and not values:
            out[name] = out[name].split(" ")[0][::-1]
            return out
    return out
