"""Recorded conversations in, rows out: our own rows, OpenAI and Anthropic messages, common exports, OpenTelemetry spans.

Every trace becomes a version 1 row with at least `prompt`, `steps` and `final_text`. What cannot be read is counted with
its reason and left out; when nothing can be read, that is a ConfigError.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from .._jsonl import objects
from ..errors import ConfigError, Problem
from ..schema import reward_of
from ..schema.legacy import modernised, text_of
from .otel import is_span, rows_of_spans, spans_in

_WRAPPERS = ("rows", "traces", "data", "items", "conversations", "records", "results")
_MESSAGE_KEYS = ("messages", "conversation", "conversations", "chat", "turns", "trajectory", "history")
_REWARD_KEYS = ("reward", "score", "label", "success", "passed", "correct")
_ROLES = {
    "human": "user",
    "gpt": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "function": "tool",
    "observation": "tool",
}
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class LoadedTraces:
    """Traces as rows, and what could not be read."""

    rows: tuple[Mapping[str, Any], ...]
    skipped: tuple[str, ...] = ()
    """One reason per trace that was left out."""

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.rows)


def load_traces(source: str | Path | Iterable[Mapping[str, Any]]) -> LoadedTraces:
    """Traces from a JSONL or JSON file, or from objects. ConfigError when the file cannot be read or holds no trace."""
    items, skipped = _items(source)
    if isinstance(source, LoadedTraces):
        return source
    rows: list[Mapping[str, Any]] = []
    spans = [item for item in items if is_span(item)]
    for batch in (item for item in items if not is_span(item)):
        found = spans_in(batch)
        if found:
            spans.extend(found)
            continue
        try:
            rows.append(as_row(batch))
        except ConfigError as error:
            skipped.append(str(error))
    rows.extend(rows_of_spans(spans))
    if not rows:
        reasons = [Problem("traces", reason) for reason in skipped[:_SHOWN]]
        raise ConfigError(
            reasons or [Problem("traces", "holds no conversation", "give rows, messages, or OpenTelemetry GenAI spans")]
        )
    return LoadedTraces(tuple(rows), tuple(skipped))


def _items(source: Any) -> tuple[list[Mapping[str, Any]], list[str]]:
    if isinstance(source, LoadedTraces):
        return [], []
    if not isinstance(source, (str, Path)):
        items = [source] if isinstance(source, Mapping) else list(source)
        bad = [
            f"item {index} is {type(item).__name__}, not an object"
            for index, item in enumerate(items)
            if not isinstance(item, Mapping)
        ]
        return [item for item in items if isinstance(item, Mapping)], bad
    path = Path(source).expanduser()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(Problem("traces", f"{str(path)!r} cannot be read: {error.strerror or error}")) from error
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        found, faults = objects(data.splitlines())
        return [*found], [f"line {number} {fault}" for number, fault in faults]
    if isinstance(value, Mapping):
        inner = next((value[key] for key in _WRAPPERS if _holds_traces(value.get(key))), None)
        value = inner if inner is not None else [value]
    return [item for item in value if isinstance(item, Mapping)], []


def _holds_traces(value: Any) -> bool:
    """A list of conversations, not one conversation's messages."""
    first = value[0] if isinstance(value, list) and value else None
    return isinstance(first, Mapping) and not {"role", "from", "speaker"} & first.keys()


def as_row(trace: Mapping[str, Any]) -> dict[str, Any]:
    """One trace as a version 1 row. ConfigError when it has none of the known shapes."""
    raw = dict(trace)
    if "steps" not in raw:
        key = next((key for key in _MESSAGE_KEYS if isinstance(raw.get(key), (list, tuple)) and raw[key]), None)
        messages = [_message(item) for item in raw[key] if isinstance(item, Mapping)] if key is not None else None
        if messages is None and isinstance(raw.get("request"), Mapping) and isinstance(raw["request"].get("messages"), list):
            messages = [*raw["request"]["messages"], *_answers(raw.get("response"))]
        if messages:
            raw["messages"] = messages
            raw.setdefault("prompt", next((text_of(m.get("content")) for m in messages if m.get("role") == "user"), ""))
    row = raw if str(raw.get("schema_version")) == "1" and "steps" in raw else modernised(raw)
    if "reward" not in row or reward_of(row.get("reward")) is None:
        value = next((reward_of(raw[name]) for name in _REWARD_KEYS if reward_of(raw.get(name)) is not None), None)
        row.pop("reward", None)
        if value is not None:
            row["reward"] = value
    return row


def _answers(response: Any) -> list[Mapping[str, Any]]:
    choices = response.get("choices") if isinstance(response, Mapping) else None
    if isinstance(choices, Sequence) and choices and isinstance(choices[0], Mapping):
        message = choices[0].get("message")
        return [message] if isinstance(message, Mapping) else []
    if isinstance(response, Mapping) and "content" in response:
        return [{"role": "assistant", "content": response["content"]}]
    return []


def _message(item: Mapping[str, Any]) -> dict[str, Any]:
    """A message whatever it calls its role and its text (`from`/`value`, `speaker`/`text`)."""
    role = str(item.get("role", item.get("from", item.get("speaker", item.get("type", "")))))
    content = item.get("content", item.get("value", item.get("text")))
    return {**item, "role": _ROLES.get(role.lower(), role.lower()), "content": content}
