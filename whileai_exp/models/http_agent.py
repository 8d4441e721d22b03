"""An agent behind a URL of its own, spoken to turn by turn, so that world, person and faults are the engine's.

POSTs `{messages, tools, conversation, sampling}` and reads the turn from the answer: text under `text`, `content`,
`reply`, `final_text` or `message`, calls under `tool_calls` (OpenAI's shape or `{name, arguments}`), tokens under
`usage`; a chat-completions body is read too. An agent that calls its own tools tells them in `steps`, each
`{tool, arguments, result}`; they stand on the rollout as it told them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._hash import plain
from ..errors import BackendError, ConfigError, Problem
from ..plan.types import ModelRef
from ..ports import ChatRequest, Reply
from ..schema.legacy import text_of
from ..schema.steps import dumps
from .backend import Link, backends, options_of
from .http import Transport, address_of
from .openai_chat import sendable
from .reading import calls_of, finish_of, read_chat, usage_of

_TEXT_KEYS = ("text", "content", "reply", "final_text", "message")


@backends.register("http")
class HttpAgent:
    """Somebody's agent service as a chat model."""

    deterministic = False

    def __init__(self, ref: ModelRef, link: Link) -> None:
        options_of(ref, {"price": dict})
        urls = ref.base_urls or ((ref.model,) if ref.model and "://" in ref.model else ())
        if not urls:
            raise ConfigError(Problem("http.base_url", "no address was given", "add base_url"))
        for url in urls:
            address_of(url)
        self.model = ref.model if ref.model and "://" not in ref.model else "http-agent"
        self._knobs = link.knobs
        self._transport = Transport(urls, {}, link)

    async def complete(self, request: ChatRequest) -> Reply:
        """The agent's next turn. BackendError when the service fails for good."""
        address = request.address
        body: dict[str, Any] = {
            "messages": sendable(request.messages),
            "tools": list(request.tools),
            "conversation": f"{address.task_id}/{address.repeat}",
            "sampling": request.sampling.wire(),
        }
        return await self._transport.post(dumps(body), address, self._read)

    async def aclose(self) -> None:
        await self._transport.aclose()

    def _read(self, body: dict[str, Any]) -> Reply:
        if "choices" in body:
            return read_chat(body, knobs=self._knobs)
        text = next((body[key] for key in _TEXT_KEYS if isinstance(body.get(key), (str, list))), None)
        calls = calls_of(body, self._knobs)
        if text is None and not calls:
            said = f"the answer has none of {', '.join(_TEXT_KEYS)}, tool_calls among its keys {sorted(map(str, body))[:12]}"
            raise BackendError(said, kind="bad_response", status=200)
        steps = [step for step in body.get("steps") or () if isinstance(step, Mapping) and step.get("tool")]
        return Reply(
            text=text_of(text),
            calls=calls,
            finish_reason=finish_of(body.get("finish_reason")) or ("tool_calls" if calls else "stop"),
            usage=usage_of(body.get("usage")),
            model=str(body.get("model") or ""),
            meta={"steps": [plain(dict(step)) for step in steps]} if steps else {},
        )
