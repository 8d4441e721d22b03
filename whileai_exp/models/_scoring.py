"""What would this model have thought of that text? Log-probabilities of a given conversation's own tokens.

Two wires can say: Chat Completions with `prompt_logprobs` (vLLM), where the server renders its own chat template, and
Completions with `echo` (vLLM, SGLang, llama.cpp), where the caller renders. An endpoint that answers without them cannot
score, and that is said at the first answer instead of being taken for a zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from .._hash import sha
from ..errors import BackendError, ConfigError, Problem
from ..plan.types import ModelRef
from ..ports import Address, Message, Reply
from ..schema.steps import dumps
from .backend import Link
from .http import Transport, address_of
from .openai_chat import sendable, wire_tool

CANNOT_SCORE = "cannot_score"
"""`kind` of the BackendError of an endpoint that gives no log-probabilities of a given text."""
_NEVER = ("openai", "responses", "anthropic", "ollama", "http", "local", "scripted")
_HOME = "http://localhost:8000/v1"
Render = Callable[[Sequence[Message]], str]


class PromptScorer:
    """Scores conversations on one model's endpoints. ConfigError for providers whose interface cannot score."""

    def __init__(
        self, ref: ModelRef, link: Link, *, tools: Iterable[Mapping[str, Any]] = (), render: Render | None = None
    ) -> None:
        """`tools` stand in the prompt as the server's template puts them. `render` turns a conversation into text for `echo`."""
        if ref.kind in _NEVER and render is None:
            what = f"{ref.kind} gives no log-probabilities of a given text"
            fix = "serve the reference with vLLM (vllm:<model>@<url>), or pass render= for a Completions endpoint with echo"
            raise ConfigError(Problem("model", what, fix))
        if not ref.model:
            raise ConfigError(Problem("model", "no model was named", "write vllm:<model>@<url>"))
        self.model = ref.model
        self._render = render
        self._tools = [wire_tool(tool) for tool in tools]
        path = "/completions" if render is not None else "/chat/completions"
        self._transport = Transport([address_of(url) + path for url in ref.base_urls or (_HOME,)], {}, link)

    async def prompt_logprobs(self, messages: Sequence[Message]) -> Sequence[float]:
        """One natural-log probability per token of the rendered conversation; the first token, which nothing precedes, has 0.

        A conversation that ends before the assistant's turn is rendered up to where the assistant would begin to write.
        """
        payload = dumps(self._body(messages))
        reply = await self._transport.post(payload, Address("reference", purpose=sha(payload, 16)), self._read)
        assert reply.token_logprobs is not None
        return reply.token_logprobs

    async def aclose(self) -> None:
        await self._transport.aclose()

    def _body(self, messages: Sequence[Message]) -> dict[str, Any]:
        if self._render is not None:
            told = {"prompt": self._render(messages), "echo": True, "logprobs": 1, "max_tokens": 1}
            return {"model": self.model, "temperature": 0, **told}
        body = {"model": self.model, "messages": sendable(messages), "temperature": 0, "max_tokens": 1, "prompt_logprobs": 0}
        body["add_generation_prompt"] = messages[-1].get("role") != "assistant"
        return {**body, "tools": self._tools} if self._tools else body

    def _read(self, body: dict[str, Any]) -> Reply:
        found = _echoed(body) if self._render is not None else _prompted(body)
        if found is None:
            what = f"{self.model} answered without {'echoed logprobs' if self._render else 'prompt_logprobs'}: it cannot score a given text"
            raise BackendError(what, kind=CANNOT_SCORE)
        return Reply(text="", token_logprobs=tuple(found), n_tokens=len(found))


def _prompted(body: Mapping[str, Any]) -> list[float] | None:
    """vLLM's list: per token None (the first) or a mapping whose first entry is the token that really stands there."""
    listed = body.get("prompt_logprobs")
    if not isinstance(listed, list) or not listed:
        return None
    out: list[float] = []
    for at, entry in enumerate(listed):
        if entry is None and at == 0:
            out.append(0.0)
            continue
        first = next(iter(entry.values()), None) if isinstance(entry, Mapping) else None
        value = first.get("logprob") if isinstance(first, Mapping) else first
        number = _number(value)
        if number is None:
            return None
        out.append(number)
    return out


def _echoed(body: Mapping[str, Any]) -> list[float] | None:
    """The token log-probabilities of the prompt; the one token that was generated after it is left out."""
    choices: Any = body.get("choices")
    told = choices[0].get("logprobs") if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else None
    listed = told.get("token_logprobs") if isinstance(told, Mapping) else None
    if not isinstance(listed, list) or len(listed) < 2:
        return None
    numbers = [_number(value) for value in listed[1:-1]]
    return None if any(n is None for n in numbers) else [0.0, *(n for n in numbers if n is not None)]


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value) else None
