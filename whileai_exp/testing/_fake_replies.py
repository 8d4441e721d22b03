"""What the fake server says: tool calls, words, verdicts and schema-shaped JSON, each a pure function of the request."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import orjson

_WORD = re.compile(r"[a-z]{3,}")
_ID = re.compile(r"\b(?:[A-Z]{1,4}-?\d{2,}|[A-Za-z]+\d{2,}|\d{3,})\b")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def digest(*parts: Any) -> int:
    """A 64-bit number from JSON values."""
    return int.from_bytes(sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).digest()[:8], "big")


def message_for(body: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """The assistant message for a chat-completions body, and its finish reason."""
    messages = [m for m in body.get("messages", ()) if isinstance(m, Mapping)]
    said = _last_text(messages, "user")
    schema = _schema_of(body)
    if schema is not None:
        return {"role": "assistant", "content": orjson.dumps(instance_of(schema, digest(messages))).decode()}, "stop"
    system = " ".join(str(m.get("content") or "") for m in messages if m.get("role") == "system").lower()
    if not body.get("tools") and ("judge" in system or "grade" in system or "rubric" in system):
        verdict = {"reward": float(digest(said) % 10 < 7), "reason": "decided by the hash of what was shown"}
        return {"role": "assistant", "content": orjson.dumps(verdict).decode()}, "stop"
    results = _results_since_user(messages)
    tools = [t["function"] for t in body.get("tools") or () if isinstance(t, Mapping) and isinstance(t.get("function"), Mapping)]
    if tools and not results:
        tool = best_tool(tools, said)
        arguments = arguments_for(tool.get("parameters") or {}, said)
        call_id = f"call_{digest(messages) % 10**10:010d}"
        function = {"name": tool["name"], "arguments": orjson.dumps(arguments).decode()}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": call_id, "type": "function", "function": function}],
        }, "tool_calls"
    if results:
        return {"role": "assistant", "content": f"Done. I looked at: {results[-1][:200]}"}, "stop"
    return {"role": "assistant", "content": f"I understand: {said[:120]}. Anything else?"}, "stop"


def events_of(completion: Mapping[str, Any], *, with_usage: bool) -> list[bytes]:
    """A completion as the events of a stream, with what real servers mix in: a comment, a chunk without choices,
    arguments in pieces, usage in a chunk of its own."""
    head = {name: completion[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    choice = completion["choices"][0]
    message, logprobs = choice["message"], choice.get("logprobs")

    def chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    chunks: list[dict[str, Any]] = [{**head, "choices": None}, chunk({"role": "assistant", "content": ""})]
    text = message.get("content") or ""
    chunks += [chunk({"content": text[start : start + 7]}) for start in range(0, len(text), 7)]
    for index, call in enumerate(message.get("tool_calls") or ()):
        opening = {"name": call["function"]["name"], "arguments": ""}
        chunks.append(chunk({"tool_calls": [{"index": index, "id": call["id"], "type": "function", "function": opening}]}))
        arguments = call["function"]["arguments"]
        for start in range(0, len(arguments), 5):
            piece = {"index": index, "function": {"arguments": arguments[start : start + 5]}}
            chunks.append(chunk({"tool_calls": [piece]}))
    if logprobs is not None:
        chunks[-1]["choices"][0]["logprobs"] = logprobs
    chunks.append(chunk({}, choice["finish_reason"]))
    if with_usage and "usage" in completion:
        chunks.append({**head, "choices": [], "usage": completion["usage"]})
    events = [b"data: " + orjson.dumps(item) + b"\n\n" for item in chunks]
    return [b": keep-alive\n\n", *events, b"data: [DONE]\n\n"]


def best_tool(tools: Sequence[Mapping[str, Any]], said: str) -> Mapping[str, Any]:
    """The tool whose name and description share most words with what was said; the first of equals."""
    words = set(_WORD.findall(said.lower()))

    def shared(tool: Mapping[str, Any]) -> int:
        name = set(_WORD.findall(str(tool.get("name", "")).replace("_", " ").lower()))
        described = set(_WORD.findall(str(tool.get("description", "")).lower()))
        return 3 * len(words & name) + len(words & described)

    return max(tools, key=shared)


def arguments_for(schema: Mapping[str, Any], said: str) -> dict[str, Any]:
    """Required arguments, from ids and numbers in what was said, else from the schema."""
    properties = schema.get("properties") or {}
    ids, numbers = _ID.findall(said), _NUMBER.findall(said)
    out: dict[str, Any] = {}
    for name in schema.get("required") or ():
        kind = properties.get(name) or {}
        if kind.get("type") == "string" and not kind.get("enum") and ids:
            out[name] = ids.pop(0) if len(ids) > 1 else ids[0]
        elif kind.get("type") in ("number", "integer") and numbers:
            out[name] = float(numbers[-1]) if kind["type"] == "number" else int(float(numbers[-1]))
        else:
            out[name] = instance_of(kind, digest(name, said))
    return out


def instance_of(schema: Any, seed: int) -> Any:
    """A value that follows a JSON Schema of the common kind."""
    if not isinstance(schema, Mapping):
        return None
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][seed % len(schema["enum"])]
    for union in ("anyOf", "oneOf"):
        if schema.get(union):
            return instance_of(schema[union][0], seed)
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object" or "properties" in schema:
        return {name: instance_of(part, digest(seed, name)) for name, part in (schema.get("properties") or {}).items()}
    if kind == "array":
        count = max(int(schema.get("minItems", 0)), min(2, int(schema.get("maxItems", 2))))
        return [instance_of(schema.get("items"), digest(seed, index)) for index in range(count)]
    if kind in ("number", "integer"):
        low, high = schema.get("minimum", 0), schema.get("maximum", 1)
        value = low + (high - low) * (seed % 11) / 10
        return round(value) if kind == "integer" else float(value)
    if kind == "boolean":
        return bool(seed % 2)
    if kind == "null":
        return None
    return f"text {seed % 1000}"


def _schema_of(body: Mapping[str, Any]) -> Any:
    wanted = body.get("response_format")
    if not isinstance(wanted, Mapping):
        return None
    holder = wanted.get("json_schema")
    return (
        holder.get("schema") if isinstance(holder, Mapping) else {"type": "object", "properties": {"reward": {"type": "number"}}}
    )


def _last_text(messages: Sequence[Mapping[str, Any]], role: str) -> str:
    return next((str(m.get("content") or "") for m in reversed(messages) if m.get("role") == role), "")


def _results_since_user(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    results: list[str] = []
    for message in reversed(messages):
        if message.get("role") == "user":
            break
        if message.get("role") == "tool":
            results.append(str(message.get("content") or ""))
    return results[::-1]
