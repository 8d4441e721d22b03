"""What a model answered, read tolerantly: the shapes that servers really send, turned into one `Reply`.

Bodies come parsed from JSON, so every object in them is a `dict`. Nothing a model or a server sends raises here except an answer that holds no message at all. Tool arguments that are
not a JSON object are kept as text with the reason; they are never executed and never sent back. A turn that was cut at
the token cap says so even where the server reports `tool_calls`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import fsum
from typing import Any

import orjson

from .._text import without_reasoning
from ..errors import BackendError
from ..knobs import ModelKnobs
from ..ports import Reply, ToolCall
from ..schema import Usage
from ..schema.legacy import text_of

FINISH = {
    "function_call": "tool_calls",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_context_window_exceeded": "length",
    "eos": "stop",
    "eos_token": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "completed": "stop",
    "refusal": "content_filter",
    "safety": "content_filter",
}
"""Providers' words for why a turn ended, in ours."""
_CLOSING = re.compile(r"</think(?:ing)?>\s*", re.IGNORECASE)


def read_chat(body: Mapping[str, Any], *, knobs: ModelKnobs, max_tokens: int | None = None, tokens: bool = False) -> Reply:
    """The reply in a chat-completions body. BackendError(kind="bad_response", retryable) when there is no message in it."""
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message", choice.get("delta")) if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise BackendError("the answer holds no message", kind="bad_response", status=200, retryable=True)
    usage = usage_of(body.get("usage"))
    calls = calls_of(message, knobs)
    text, reasoning, unclosed, meta = spoken(message)
    finish = finish_of(choice.get("finish_reason"))
    cut = unclosed or (
        max_tokens is not None
        and any(c.error for c in calls)
        and usage.output_tokens is not None
        and usage.output_tokens >= max_tokens
    )
    logprob, n_tokens, token_logprobs = logprobs_of(choice.get("logprobs"))
    return Reply(
        text=text,
        calls=calls,
        finish_reason="length" if cut else finish,
        usage=usage,
        reasoning=reasoning,
        logprob=logprob,
        n_tokens=n_tokens,
        token_logprobs=token_logprobs if tokens else None,
        model=str(body.get("model") or ""),
        meta=meta,
    )


def finish_of(value: Any) -> str | None:
    """One of stop, tool_calls, length, content_filter; another word as it is; None when the server did not say."""
    if not isinstance(value, str) or not value:
        return None
    return FINISH.get(value.lower(), value)


def usage_of(value: Any) -> Usage:
    """Token counts; anything that is not a count is None."""
    if not isinstance(value, dict):
        return Usage()
    details = value.get("prompt_tokens_details", value.get("input_tokens_details"))
    cached = details.get("cached_tokens") if isinstance(details, dict) else value.get("cache_read_input_tokens")
    return Usage(
        _count(value.get("prompt_tokens", value.get("input_tokens"))),
        _count(value.get("completion_tokens", value.get("output_tokens"))),
        _count(cached),
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else None


def spoken(message: Mapping[str, Any]) -> tuple[str, str | None, bool, dict[str, Any]]:
    """The visible text, the reasoning beside it, whether a think block was left open, and opaque reasoning as meta."""
    text = text_of(message.get("content")) or (message.get("refusal") if isinstance(message.get("refusal"), str) else "") or ""
    given = message.get("reasoning_content", message.get("reasoning"))
    reasoning = given if isinstance(given, str) and given else None
    meta: dict[str, Any] = {} if given is None or isinstance(given, str) else {"reasoning": given}
    if "<" not in text or "think" not in text.lower():
        return text, reasoning, False, meta
    closing = _CLOSING.search(text)
    if closing and "<think" not in text[: closing.start()].lower():
        reasoning = reasoning or text[: closing.start()].strip() or None
        text = text[closing.end() :]
    shown, unclosed = without_reasoning(text)
    if reasoning is None and shown != text:
        reasoning = text[: len(text) - len(shown)] if text.endswith(shown) else text
    return shown, reasoning, unclosed, meta


def calls_of(message: Mapping[str, Any], knobs: ModelKnobs) -> tuple[ToolCall, ...]:
    """The tool calls in order, the malformed ones with their reason. BackendError past `calls_per_turn_cap`."""
    raw = message.get("tool_calls")
    listed: list[Any] = list(raw) if isinstance(raw, list) else [raw] if isinstance(raw, dict) else []
    legacy = message.get("function_call")
    if not listed and isinstance(legacy, dict):
        listed = [{"function": legacy}]
    if len(listed) > knobs.calls_per_turn_cap:
        raise BackendError(
            f"{len(listed)} tool calls in one turn, more than calls_per_turn_cap={knobs.calls_per_turn_cap}", kind="bad_response"
        )
    return tuple(_call(call, knobs.json_depth_cap) for call in listed)


def _call(call: Any, depth_cap: int) -> ToolCall:
    if not isinstance(call, dict):
        return ToolCall("", "", {}, raw=str(call)[:2000], error="the tool call is not an object")
    function = call.get("function")
    function = function if isinstance(function, dict) else call
    call_id = call.get("id")
    return tool_call(call_id if isinstance(call_id, str) else "", function.get("name"), function.get("arguments"), depth_cap)


def tool_call(call_id: str, name: Any, arguments: Any, depth_cap: int) -> ToolCall:
    """One call from its parts; null, empty and missing arguments are an empty object."""
    parsed, raw, error = parse_arguments(arguments, depth_cap)
    if not isinstance(name, str) or not name:
        return ToolCall(call_id, "", parsed, raw=raw, error="the tool call names no tool")
    return ToolCall(call_id, name, parsed, raw=raw, error=error)


def parse_arguments(arguments: Any, depth_cap: int) -> tuple[dict[str, Any], str | None, str | None]:
    """Tool arguments as an object; or the text as sent, and what is wrong with it."""
    if arguments is None or (isinstance(arguments, str) and not arguments.strip()):
        return {}, None, None
    raw: str | None = None
    value = arguments
    if isinstance(arguments, str):
        raw = arguments
        try:
            value = orjson.loads(arguments)
        except (ValueError, RecursionError) as error:
            return {}, raw, f"the arguments are not valid JSON: {str(error)[:120]}"
    if value is None:
        return {}, None, None
    if not isinstance(value, dict):
        kind = {list: "an array", str: "a string", bool: "a boolean"}.get(type(value), "a number")
        raw = raw if raw is not None else orjson.dumps(value).decode()
        return {}, raw, f"the arguments must be a JSON object, not {kind}"
    text = raw if raw is not None else ""
    if (raw is None or text.count("[") + text.count("{") > depth_cap) and too_deep(value, depth_cap):
        return {}, text[:2000], f"the arguments are nested deeper than {depth_cap} levels"
    return value, None, None


def too_deep(value: Any, cap: int) -> bool:
    """Whether containers are nested deeper than `cap`, without recursion."""
    level = [value]
    for _depth in range(cap + 1):
        level = [
            item
            for holder in level
            if isinstance(holder, (dict, list))
            for item in (holder.values() if isinstance(holder, dict) else holder)
        ]
        if not level:
            return False
    return any(isinstance(item, (dict, list)) for item in level)


def logprobs_of(value: Any) -> tuple[float | None, int | None, tuple[float, ...] | None]:
    """Sum, count and list of the generated tokens' log-probabilities; three Nones when the server sent none."""
    content = value.get("content") if isinstance(value, dict) else None
    given: list[Any] = []
    if isinstance(content, list):
        given = [item.get("logprob") for item in content if isinstance(item, dict)]
    elif isinstance(value, dict) and isinstance(value.get("token_logprobs"), list):
        given = value["token_logprobs"]
    numbers = tuple(float(n) for n in given if isinstance(n, (int, float)) and not isinstance(n, bool))
    if not numbers or len(numbers) < len(given):
        return None, None, None
    return fsum(numbers), len(numbers), numbers
