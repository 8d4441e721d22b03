"""Chat Completions, as OpenAI defines it and as vLLM, SGLang, llama.cpp, Ollama and gateways speak it.

Requests are built for the strictest of them: no `tools` key without tools, no empty `tool_calls`, no unparsable
arguments, no thinking-only turns, `strict` only on schemas that can be strict. What an endpoint turns out not to know
(`max_tokens`, a JSON Schema for the answer, log-probabilities) is learnt from its first refusal and not sent again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson

from ..errors import BackendError, ConfigError, Problem
from ..plan.types import ModelRef
from ..ports import ChatRequest, Message, Reply
from ..schema.steps import dumps
from .backend import Link, backends, options_of
from .http import Transport, address_of
from .reading import read_chat

_OPTIONS: Mapping[str, type | tuple[type, ...]] = {
    "merge_roles": bool,
    "price": dict,
    "extra_body": dict,
    "max_tokens_field": str,
    "stream": bool,
}
_HOMES = {"openai": "https://api.openai.com/v1", "vllm": "http://localhost:8000/v1", "ollama": "http://localhost:11434/v1"}
_ALTERNATION = re.compile(r"roles? must alternate|alternate user|system role|conversation roles|system message", re.IGNORECASE)
_UNKNOWN = re.compile(
    r"unsupported|unrecognized|not supported|unknown|extra (?:inputs|fields)|not permitted|does not support|unexpected",
    re.IGNORECASE,
)


class OpenAIChat:
    """One model behind one or several Chat Completions endpoints."""

    deterministic = False

    def __init__(self, ref: ModelRef, link: Link) -> None:
        options = options_of(ref, _OPTIONS)
        urls = ref.base_urls or ((_HOMES[ref.kind],) if ref.kind in _HOMES else ())
        problems = (
            []
            if ref.model or ref.kind == "url"
            else [Problem(f"{ref.kind}.model", "no model was named", f"write {ref.kind}:<model>")]
        )
        if not urls:
            problems.append(Problem(f"{ref.kind}.base_url", "no address was given", "add base_url"))
        if problems:
            raise ConfigError(problems)
        self.model = ref.model or "default"
        self._knobs = link.knobs
        self._merge = bool(options.get("merge_roles", False))
        self._stream = bool(options.get("stream", False))
        """Ask for the answer in pieces: for gateways that cut silent connections, and to notice a stall sooner."""
        self._extra: dict[str, Any] = dict(options.get("extra_body", {}))
        self._cap_field = str(options.get("max_tokens_field", "max_completion_tokens" if ref.kind == "openai" else "max_tokens"))
        self._dropped: set[str] = set()
        self._tools: tuple[Sequence[Mapping[str, Any]], list[dict[str, Any]]] | None = None
        bases = [address_of(url) for url in urls]
        self._models_url = bases[0] + "/models"
        self._named = ref.model is not None
        self._transport = Transport([base + "/chat/completions" for base in bases], {}, link)

    async def complete(self, request: ChatRequest) -> Reply:
        """The model's answer. BackendError when the call fails for good; the message names the option that helps, if one does."""
        while True:
            try:
                return await self._transport.post(self.payload(request), request.address, lambda body: self._read(body, request))
            except BackendError as error:
                if error.status in (400, 422, 500) and self._learn(str(error), request):
                    continue
                if error.status in (400, 422, 500) and _ALTERNATION.search(str(error)) and not self._merge:
                    raise BackendError(
                        f"the chat template of {self.model} refuses this order of roles; set merge_roles: true ({error})",
                        kind=error.kind,
                        status=error.status,
                    ) from None
                raise

    def _read(self, body: dict[str, Any], request: ChatRequest) -> Reply:
        cap = request.sampling.max_tokens
        return read_chat(body, knobs=self._knobs, max_tokens=cap, tokens=request.logprobs == "tokens")

    async def warm_up(self) -> None:
        """Wait until the endpoint serves. KeyRefused or BackendError when it does not; nothing is generated.

        A reference without a model takes the first that the endpoint lists.
        """
        status, body = await self._transport.get(self._models_url, self._knobs.cold_start_s)
        listed = [str(item.get("id")) for item in body.get("data") or () if isinstance(item, Mapping) and item.get("id")]
        if not self._named:
            if not listed:
                what = f"the endpoint lists no model (HTTP {status})"
                raise ConfigError(Problem("model", what, "name one: url with model, or vllm:<model>@<url>"))
            self.model = listed[0]

    async def aclose(self) -> None:
        await self._transport.aclose()

    def payload(self, request: ChatRequest) -> bytes:
        """The request's body as sent."""
        messages = sendable(request.messages)
        if self._merge:
            messages = merged(messages)
        sampling = request.sampling
        body: dict[str, Any] = {"model": sampling.model or self.model, "messages": messages}
        if sampling.temperature is not None and "temperature" not in self._dropped:
            body["temperature"] = sampling.temperature
        if sampling.max_tokens is not None:
            body[self._cap_field] = sampling.max_tokens
        if sampling.top_p is not None:
            body["top_p"] = sampling.top_p
        if sampling.seed is not None and "seed" not in self._dropped:
            body["seed"] = sampling.seed
        if sampling.stop:
            body["stop"] = list(sampling.stop)
        if request.tools:
            body["tools"] = self._wire_tools(request.tools)
        if request.response_format is not None and "response_format" not in self._dropped:
            schema = dict(request.response_format)
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": schema, "strict": can_be_strict(schema)},
            }
        if request.logprobs and "logprobs" not in self._dropped:
            body["logprobs"] = True
        if self._stream:
            body["stream"] = True
            if "stream_options" not in self._dropped:
                body["stream_options"] = {"include_usage": True}
        body.update(self._extra)
        return dumps(body)

    def _wire_tools(self, tools: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        if self._tools is None or self._tools[0] is not tools:
            self._tools = (tools, [wire_tool(tool) for tool in tools])
        return self._tools[1]

    def _learn(self, said: str, request: ChatRequest) -> bool:
        """Whether a refusal taught something that makes the same call worth sending again."""
        if "max_completion_tokens" in said and self._cap_field == "max_tokens" and request.sampling.max_tokens is not None:
            self._cap_field = "max_completion_tokens"
            return True
        if "max_completion_tokens" in said and self._cap_field == "max_completion_tokens" and _UNKNOWN.search(said):
            self._cap_field = "max_tokens"
            return request.sampling.max_tokens is not None
        wanted = {
            "response_format": request.response_format is not None,
            "logprobs": bool(request.logprobs),
            "seed": request.sampling.seed is not None,
            "stream_options": self._stream,
        }
        names = {
            "stream_options": ("stream_options",),
            "response_format": ("response_format", "json_schema"),
            "logprobs": ("logprobs",),
            "seed": ("'seed'", "seed:"),
        }
        for field, spellings in names.items():
            named = any(spelling in said for spelling in spellings)
            if named and wanted[field] and field not in self._dropped and _UNKNOWN.search(said):
                self._dropped.add(field)
                return True
        return False

    @property
    def unsupported(self) -> tuple[str, ...]:
        """Request fields this endpoint refused and no longer gets, for `degraded`."""
        return tuple(sorted(self._dropped))


for _kind in (*_HOMES, "url"):
    backends.register(_kind)(OpenAIChat)


def sendable(messages: Iterable[Message]) -> list[Message]:
    """Messages that every server accepts: empty parts left out, broken arguments replaced by an empty object.

    A call without its answer right after it gets one that says so; an answer without its call is left out.
    """
    out: list[Message] = []
    owed: dict[str, str] = {}
    for message in messages:
        role = message.get("role")
        if role == "tool":
            if owed and owed.pop(str(message.get("tool_call_id")), None) is not None:
                out.append(message if message.get("content") is not None else {**message, "content": ""})
            continue
        if owed:
            out.extend(_interrupted(owed))
            owed = {}
        if role != "assistant":
            out.append(message)
            continue
        calls = message.get("tool_calls")
        content = message.get("content")
        if calls:
            if len(message) > 3 or (not content and "content" in message) or not _are_clean(calls):
                calls = [_sendable_call(call) for call in calls]
                message = {"role": "assistant", "tool_calls": calls}
                if content:
                    message["content"] = content
            for call in calls:
                owed[call["id"]] = call["function"]["name"]
        elif not content:
            continue
        elif len(message) > 2:
            message = {"role": "assistant", "content": content}
        out.append(message)
    if owed:
        out.extend(_interrupted(owed))
    return out


def _interrupted(owed: Mapping[str, str]) -> list[dict[str, Any]]:
    text = '{"error":"interrupted: the call was not carried out"}'
    return [{"role": "tool", "tool_call_id": call_id, "name": name, "content": text} for call_id, name in owed.items()]


def _are_clean(calls: Sequence[Mapping[str, Any]]) -> bool:
    """Whether calls can go out as they are."""
    for call in calls:
        function = call.get("function")
        if (
            type(function) is not dict
            or "name" not in function
            or type(call.get("id")) is not str
            or call.get("type") != "function"
        ):
            return False
        arguments = function.get("arguments")
        if type(arguments) is not str or not _is_object(arguments):
            return False
    return True


def _sendable_call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call.get("function")
    function = function if isinstance(function, Mapping) else {}
    arguments = function.get("arguments")
    if isinstance(arguments, Mapping):
        text = dumps(arguments).decode()
    else:
        text = arguments if isinstance(arguments, str) and _is_object(arguments) else "{}"
    return {
        "id": str(call.get("id", "")),
        "type": "function",
        "function": {"name": str(function.get("name", "")), "arguments": text},
    }


@lru_cache(maxsize=65536)
def _is_object(text: str) -> bool:
    try:
        return isinstance(orjson.loads(text), dict)
    except ValueError:
        return False


def merged(messages: Sequence[Message]) -> list[Message]:
    """One system message at the front, consecutive messages of one speaker joined: what strict chat templates want."""
    system = "\n\n".join(str(m.get("content") or "") for m in messages if m.get("role") in ("system", "developer"))
    out: list[Message] = [{"role": "system", "content": system}] if system else []
    for message in messages:
        role = message.get("role")
        if role in ("system", "developer"):
            continue
        last = out[-1] if out else None
        plain_pair = last is not None and last.get("role") == role and role in ("user", "assistant")
        if last is not None and plain_pair and "tool_calls" not in last and "tool_calls" not in message:
            out[-1] = {**last, "content": f"{last.get('content') or ''}\n\n{message.get('content') or ''}".strip()}
        else:
            out.append(message)
    return out


def wire_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A function envelope with an object schema; `strict` only where the schema obeys the strict rules."""
    function = dict(tool.get("function") or {})
    parameters = dict(function.get("parameters") or {})
    parameters.setdefault("type", "object")
    parameters.setdefault("properties", {})
    function["parameters"] = parameters
    if not (function.get("strict") and can_be_strict(parameters)):
        function.pop("strict", None)
    return {"type": "function", "function": function}


def can_be_strict(schema: Any) -> bool:
    """Whether a JSON Schema obeys the rules of strict mode: every object closed, every property required."""
    if isinstance(schema, (list, tuple)):
        return all(can_be_strict(item) for item in schema)
    if not isinstance(schema, Mapping):
        return True
    properties = schema.get("properties")
    if isinstance(properties, Mapping) or schema.get("type") == "object":
        names = set(properties or {})
        if schema.get("additionalProperties") is not False or set(schema.get("required") or ()) != names:
            return False
    parts: list[Any] = [schema.get("items"), schema.get("anyOf")]
    for holder in (properties, schema.get("$defs"), schema.get("definitions")):
        parts.extend(holder.values() if isinstance(holder, Mapping) else ())
    return all(can_be_strict(part) for part in parts)
