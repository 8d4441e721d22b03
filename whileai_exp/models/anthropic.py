"""Anthropic's Messages API: the same conversations in its dialect.

System messages become the `system` field, tool results become user blocks that directly follow their calls, empty text
blocks are never sent. A schema for the answer is a tool that the model must call. The API counts cached input apart;
`input_tokens` here is all input, as everywhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from ..errors import BackendError, ConfigError, Problem
from ..plan.types import ModelRef
from ..ports import ChatRequest, Reply, ToolCall
from ..schema import Usage
from ..schema.legacy import text_of
from ..schema.steps import dumps
from .backend import Link, backends, options_of
from .http import Transport, address_of
from .openai_chat import sendable
from .reading import finish_of, tool_call, usage_of

_OPTIONS: Mapping[str, type | tuple[type, ...]] = {"version": str, "price": dict, "extra_body": dict}
_HOME = "https://api.anthropic.com/v1"
_ANSWER = "answer"
"""Name of the tool that carries a schema-shaped answer."""


@backends.register("anthropic")
class AnthropicMessages:
    """One model behind the Messages API."""

    deterministic = False

    def __init__(self, ref: ModelRef, link: Link) -> None:
        options = options_of(ref, _OPTIONS)
        if not ref.model:
            raise ConfigError(Problem("anthropic.model", "no model was named", "write anthropic:<model>"))
        self.model = ref.model
        self._knobs = link.knobs
        self._extra: dict[str, Any] = dict(options.get("extra_body", {}))
        headers = {"anthropic-version": str(options.get("version", "2023-06-01"))}
        self._transport = Transport(
            [address_of(url) + "/messages" for url in ref.base_urls or (_HOME,)], headers, link, bearer=False
        )

    async def complete(self, request: ChatRequest) -> Reply:
        """The model's answer. BackendError when the call fails for good."""
        return await self._transport.post(self.payload(request), request.address, lambda body: self._read(body, request))

    async def aclose(self) -> None:
        await self._transport.aclose()

    def payload(self, request: ChatRequest) -> bytes:
        """The request's body as sent. The API demands an output cap; without one asked for it is `anthropic_max_tokens`."""
        messages = sendable(request.messages)
        sampling = request.sampling
        body: dict[str, Any] = {
            "model": sampling.model or self.model,
            "max_tokens": sampling.max_tokens or self._knobs.anthropic_max_tokens,
            "messages": turns_of(messages),
        }
        system = "\n\n".join(text_of(m.get("content")) for m in messages if m.get("role") in ("system", "developer"))
        if system:
            body["system"] = system
        if sampling.temperature is not None:
            body["temperature"] = sampling.temperature
        if sampling.top_p is not None:
            body["top_p"] = sampling.top_p
        if sampling.stop:
            body["stop_sequences"] = list(sampling.stop)
        tools = [_tool(tool) for tool in request.tools]
        if request.response_format is not None:
            tools.append({"name": _ANSWER, "description": "Give the answer.", "input_schema": dict(request.response_format)})
            body["tool_choice"] = {"type": "tool", "name": _ANSWER}
        if tools:
            body["tools"] = tools
        body.update(self._extra)
        return dumps(body)

    def _read(self, body: dict[str, Any], request: ChatRequest) -> Reply:
        blocks = body.get("content")
        if not isinstance(blocks, list):
            raise BackendError("the answer holds no content", kind="bad_response", status=200, retryable=True)
        blocks = [block for block in blocks if isinstance(block, Mapping)]
        calls = [
            tool_call(str(b.get("id") or ""), b.get("name"), b.get("input"), self._knobs.json_depth_cap)
            for b in blocks
            if b.get("type") == "tool_use"
        ]
        if len(calls) > self._knobs.calls_per_turn_cap:
            raise BackendError(f"{len(calls)} tool calls in one turn, more than calls_per_turn_cap", kind="bad_response")
        text = text_of(blocks)
        finish = finish_of(body.get("stop_reason"))
        if request.response_format is not None:
            text, calls, finish = _answer(text, calls, finish)
        thought = "".join(str(b.get("thinking") or "") for b in blocks if b.get("type") == "thinking")
        return Reply(
            text=text,
            calls=tuple(calls),
            finish_reason=finish,
            usage=_usage(body.get("usage")),
            reasoning=thought or None,
            model=str(body.get("model") or ""),
        )


def _answer(text: str, calls: Sequence[ToolCall], finish: str | None) -> tuple[str, list[ToolCall], str | None]:
    """A schema-shaped answer out of the tool that carried it."""
    given = next((call for call in calls if call.name == _ANSWER and call.error is None), None)
    if given is None:
        return text, list(calls), finish
    return dumps(given.arguments).decode(), [], "stop" if finish == "tool_calls" else finish


def _usage(value: Any) -> Usage:
    counted = usage_of(value)
    if not isinstance(value, Mapping) or counted.input_tokens is None:
        return counted
    written = usage_of({"input_tokens": value.get("cache_creation_input_tokens")}).input_tokens or 0
    return Usage(counted.input_tokens + written + (counted.cached_tokens or 0), counted.output_tokens, counted.cached_tokens)


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    function = tool.get("function") or {}
    schema = dict(function.get("parameters") or {})
    schema.setdefault("type", "object")
    return {"name": function.get("name", ""), "description": function.get("description", ""), "input_schema": schema}


def turns_of(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Messages as alternating turns of blocks, the first of them the user's, none of them empty."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        role = message.get("role")
        if role in ("system", "developer"):
            continue
        speaker = "assistant" if role == "assistant" else "user"
        blocks = _blocks(message)
        if not blocks:
            continue
        if turns and turns[-1]["role"] == speaker:
            turns[-1]["content"].extend(blocks)
        else:
            turns.append({"role": speaker, "content": blocks})
    if turns and turns[0]["role"] == "assistant":
        turns.insert(0, {"role": "user", "content": [{"type": "text", "text": "(the assistant opens the conversation)"}]})
    return turns


def _blocks(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    text = text_of(message.get("content"))
    if message.get("role") == "tool":
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": str(message.get("tool_call_id", ""))}
        return [{**block, "content": text} if text else block]
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text.strip() else []
    for call in message.get("tool_calls") or ():
        function = call["function"]
        blocks.append(
            {"type": "tool_use", "id": call["id"], "name": function["name"], "input": orjson.loads(function["arguments"])}
        )
    return blocks
