"""OpenAI's Responses API, used without any state on the server: the whole conversation goes out with every call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import BackendError, ConfigError, Problem
from ..plan.types import ModelRef
from ..ports import ChatRequest, Reply
from ..schema.legacy import text_of
from ..schema.steps import dumps
from .backend import Link, backends, options_of
from .http import Transport, address_of
from .openai_chat import can_be_strict, sendable, wire_tool
from .reading import finish_of, tool_call, usage_of

_OPTIONS: Mapping[str, type | tuple[type, ...]] = {"price": dict, "extra_body": dict}
_HOME = "https://api.openai.com/v1"


@backends.register("responses")
class OpenAIResponses:
    """One model behind the Responses API."""

    deterministic = False

    def __init__(self, ref: ModelRef, link: Link) -> None:
        options = options_of(ref, _OPTIONS)
        if not ref.model:
            raise ConfigError(Problem("responses.model", "no model was named", "write responses:<model>"))
        self.model = ref.model
        self._knobs = link.knobs
        self._extra: dict[str, Any] = dict(options.get("extra_body", {}))
        self._transport = Transport([address_of(url) + "/responses" for url in ref.base_urls or (_HOME,)], {}, link)

    async def complete(self, request: ChatRequest) -> Reply:
        """The model's answer. BackendError when the call fails for good."""
        return await self._transport.post(self.payload(request), request.address, self._read)

    async def aclose(self) -> None:
        await self._transport.aclose()

    def payload(self, request: ChatRequest) -> bytes:
        """The request's body as sent; nothing is stored at the provider. The API takes no sampling seed and no stop texts."""
        sampling = request.sampling
        body: dict[str, Any] = {
            "model": sampling.model or self.model,
            "input": items_of(sendable(request.messages)),
            "store": False,
        }
        for name, value in (
            ("temperature", sampling.temperature),
            ("top_p", sampling.top_p),
            ("max_output_tokens", sampling.max_tokens),
        ):
            if value is not None:
                body[name] = value
        if request.tools:
            body["tools"] = [{"type": "function", "strict": False, **wire_tool(tool)["function"]} for tool in request.tools]
        if request.response_format is not None:
            schema = dict(request.response_format)
            body["text"] = {"format": {"type": "json_schema", "name": "reply", "schema": schema, "strict": can_be_strict(schema)}}
        body.update(self._extra)
        return dumps(body)

    def _read(self, body: dict[str, Any]) -> Reply:
        items = body.get("output")
        if not isinstance(items, list):
            raise BackendError("the answer holds no output", kind="bad_response", status=200, retryable=True)
        items = [item for item in items if isinstance(item, Mapping)]
        calls = tuple(
            tool_call(str(item.get("call_id") or ""), item.get("name"), item.get("arguments"), self._knobs.json_depth_cap)
            for item in items
            if item.get("type") == "function_call"
        )
        if len(calls) > self._knobs.calls_per_turn_cap:
            raise BackendError(f"{len(calls)} tool calls in one turn, more than calls_per_turn_cap", kind="bad_response")
        parts = [
            part
            for item in items
            if item.get("type") == "message"
            for part in item.get("content") or ()
            if isinstance(part, Mapping)
        ]
        text = text_of(parts) or "".join(str(part.get("refusal") or "") for part in parts)
        thought = "\n".join(
            text_of([{"text": part.get("text")} for part in item.get("summary") or () if isinstance(part, Mapping)])
            for item in items
            if item.get("type") == "reasoning"
        )
        details = body.get("incomplete_details")
        cut = details.get("reason") if isinstance(details, Mapping) else None
        finish = finish_of(cut) or ("tool_calls" if calls else finish_of(body.get("status")))
        return Reply(
            text=text,
            calls=calls,
            finish_reason=finish,
            usage=usage_of(body.get("usage")),
            reasoning=thought or None,
            model=str(body.get("model") or ""),
        )


def items_of(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Chat messages as input items."""
    items: list[dict[str, Any]] = []
    for message in messages:
        role = message.get("role")
        text = text_of(message.get("content"))
        if role == "tool":
            items.append({"type": "function_call_output", "call_id": str(message.get("tool_call_id", "")), "output": text})
            continue
        if text:
            items.append({"role": role, "content": text})
        for call in message.get("tool_calls") or ():
            function = call["function"]
            items.append(
                {"type": "function_call", "call_id": call["id"], "name": function["name"], "arguments": function["arguments"]}
            )
    return items
