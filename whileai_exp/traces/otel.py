"""OpenTelemetry GenAI spans, in the shapes that exporters write, put together into one conversation per trace.

Read: `gen_ai.input.messages` / `gen_ai.output.messages` (JSON, with parts), the older numbered attributes
(`gen_ai.prompt.0.content`), message events, and tool spans (`gen_ai.tool.name` with arguments and result).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from ..schema.legacy import modernised

_NUMBERED = re.compile(r"gen_ai\.(prompt|completion)\.(\d+)\.(role|content)$")
_EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool|choice)(?:\.message)?$")


def is_span(item: Mapping[str, Any]) -> bool:
    return ("spanId" in item or "span_id" in item or isinstance(item.get("context"), Mapping)) and "attributes" in item


def spans_in(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The spans of an OTLP JSON export; empty when it is something else."""
    out: list[Mapping[str, Any]] = []
    for resource in item.get("resourceSpans", item.get("resource_spans")) or ():
        for scope in resource.get("scopeSpans", resource.get("scope_spans")) or ():
            out.extend(span for span in scope.get("spans") or () if isinstance(span, Mapping))
    return out


def attributes_of(raw: Any) -> dict[str, Any]:
    """Attributes as a flat mapping, from OTLP's key/value list or from a plain object."""
    if isinstance(raw, Mapping):
        return {str(key): value for key, value in raw.items()}
    out: dict[str, Any] = {}
    for pair in raw if isinstance(raw, list) else ():
        if isinstance(pair, Mapping) and "key" in pair:
            value = pair.get("value")
            out[str(pair["key"])] = _plain(value) if isinstance(value, Mapping) else value
    return out


def _plain(value: Mapping[str, Any]) -> Any:
    for key in ("stringValue", "boolValue", "doubleValue"):
        if key in value:
            return value[key]
    if "intValue" in value:
        return int(value["intValue"])
    if "arrayValue" in value:
        return [_plain(item) for item in value["arrayValue"].get("values", ()) if isinstance(item, Mapping)]
    if "kvlistValue" in value:
        return attributes_of(value["kvlistValue"].get("values"))
    return None


def rows_of_spans(spans: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row per trace id, spans in start order."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for span in spans:
        context = span.get("context") if isinstance(span.get("context"), Mapping) else {}
        assert isinstance(context, Mapping)
        trace = str(span.get("traceId", span.get("trace_id", context.get("trace_id", ""))))
        groups.setdefault(trace, []).append(span)
    rows: list[dict[str, Any]] = []
    for trace_id, members in groups.items():
        members.sort(key=lambda span: _start(span))
        messages = _conversation(members)
        if any(message.get("role") == "user" for message in messages):
            row = modernised({"messages": messages})
            row["trace_id"] = trace_id
            rows.append(row)
    return rows


def _start(span: Mapping[str, Any]) -> tuple[int, str]:
    value = span.get("startTimeUnixNano", span.get("start_time_unix_nano", span.get("start_time", 0)))
    text = str(value)
    return (int(text), "") if text.isdigit() else (0, text)


def _conversation(spans: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The longest history that a model span was given, its own answer behind it, tool results where spans report them."""
    best: list[dict[str, Any]] = []
    results: list[tuple[str, str, Any, Any]] = []
    for span in spans:
        attributes = attributes_of(span.get("attributes"))
        if "gen_ai.tool.name" in attributes:
            results.append(
                (
                    str(attributes.get("gen_ai.tool.call.id", "")),
                    str(attributes["gen_ai.tool.name"]),
                    attributes.get("gen_ai.tool.call.arguments", attributes.get("input.value")),
                    attributes.get("gen_ai.tool.call.result", attributes.get("output.value")),
                )
            )
            continue
        found = _messages(attributes) or _events(span)
        if len(found) >= len(best):
            best = found
    answered = {str(message.get("tool_call_id")) for message in best if message.get("role") == "tool"}
    called = {call["id"] for message in best for call in message.get("tool_calls") or ()}
    for call_id, name, arguments, result in results:
        if call_id in answered:
            continue
        if call_id not in called:
            call = {"id": call_id, "function": {"name": name, "arguments": arguments if arguments is not None else "{}"}}
            place = next((i for i in reversed(range(len(best))) if best[i].get("role") == "assistant"), len(best))
            best[place:place] = [{"role": "assistant", "content": "", "tool_calls": [call]}, _tool_message(call_id, name, result)]
        else:
            place = next(i for i, m in enumerate(best) if any(call["id"] == call_id for call in m.get("tool_calls") or ()))
            best.insert(place + 1, _tool_message(call_id, name, result))
    return best


def _tool_message(call_id: str, name: str, result: Any) -> dict[str, Any]:
    return {
        "role": "tool",
        "tool_call_id": call_id,
        "name": name,
        "content": result if isinstance(result, str) else orjson.dumps(result).decode(),
    }


def _messages(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for key in ("gen_ai.input.messages", "gen_ai.output.messages"):
        value = attributes.get(key)
        if isinstance(value, str):
            try:
                value = orjson.loads(value)
            except orjson.JSONDecodeError:
                continue
        for item in value if isinstance(value, list) else ():
            if isinstance(item, Mapping):
                out.extend(_from_parts(item))
    if out:
        return out
    numbered: dict[tuple[int, int], dict[str, Any]] = {}
    for key, value in attributes.items():
        found = _NUMBERED.match(key)
        if found:
            numbered.setdefault((0 if found[1] == "prompt" else 1, int(found[2])), {})[found[3]] = value
    return [
        {"role": part.get("role", "assistant" if side else "user"), "content": part.get("content", "")}
        for (side, _), part in sorted(numbered.items())
    ]


def _from_parts(item: Mapping[str, Any]) -> list[dict[str, Any]]:
    parts = item.get("parts")
    if not isinstance(parts, list):
        return [dict(item)]
    text = "".join(str(p.get("content", "")) for p in parts if isinstance(p, Mapping) and p.get("type") == "text")
    calls = [
        {"id": str(p.get("id", "")), "function": {"name": str(p.get("name", "")), "arguments": p.get("arguments", {})}}
        for p in parts
        if isinstance(p, Mapping) and p.get("type") == "tool_call"
    ]
    answers = [p for p in parts if isinstance(p, Mapping) and p.get("type") == "tool_call_response"]
    out: list[dict[str, Any]] = []
    if text or calls or not answers:
        out.append({"role": str(item.get("role", "user")), "content": text, **({"tool_calls": calls} if calls else {})})
    out.extend(_tool_message(str(p.get("id", "")), str(p.get("name", "")), p.get("response", p.get("result"))) for p in answers)
    return out


def _events(span: Mapping[str, Any]) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for event in span.get("events") or ():
        if not isinstance(event, Mapping):
            continue
        found = _EVENT.match(str(event.get("name", "")))
        if not found:
            continue
        values = attributes_of(event.get("attributes"))
        content = values.get("content", values.get("gen_ai.event.content", ""))
        out.append({"role": "assistant" if found[1] == "choice" else found[1], "content": content})
    return out
