"""One rollout whose model turns come from outside: a trainer's loop says what the policy answered and hears what follows.

The rollout itself is `rollouts.ModelAgent`, the same that recorded the rows: it runs beside the trainer's loop and its model is
whoever calls `take`. Nothing about turns, tools, people or ends is decided twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...errors import BackendError
from ...ports import Agent, ChatModel, ChatRequest, Reply
from ...schema import Rollout, Task

Message = Mapping[str, Any]


class _Outside:
    """A chat model that waits for somebody to say what it says."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.asked: asyncio.Queue[list[Message]] = asyncio.Queue()
        self.said: asyncio.Queue[Reply | BackendError] = asyncio.Queue()

    async def complete(self, request: ChatRequest) -> Reply:
        self.asked.put_nowait(list(request.messages))
        said = await self.said.get()
        if isinstance(said, BackendError):
            raise said
        return said

    async def aclose(self) -> None:
        """Nothing is open."""


class Episode:
    """A rollout of `task`, turn by turn. `rollout` is None until it is over."""

    def __init__(self, agent: Callable[[ChatModel], Agent], task: Task, repeat: int, seed: int, *, model: str = "policy") -> None:
        self._outside = _Outside(model)
        self._agent, self._task, self._repeat, self._seed = agent, task, repeat, seed
        self._playing: asyncio.Task[Rollout] | None = None
        self._seen = 0
        self._messages: list[Message] = []
        self.rollout: Rollout | None = None

    async def open(self) -> list[Message]:
        """The messages that the policy is asked with first."""
        play = self._agent(self._outside).play(self._task, self._repeat, self._seed)
        self._playing = asyncio.create_task(play)
        return await self._next()

    async def take(self, reply: Reply) -> list[Message]:
        """What follows the policy's turn, its own message left out: tool results, the person's words, or nothing. `rollout` says whether it is over."""
        self._outside.said.put_nowait(reply)
        self._seen += 1
        return _with_ids(await self._next(), [call.id for call in reply.calls])

    async def stop(self, kind: str, why: str) -> None:
        """End a rollout that gets no further turn; `kind` is a BackendError's: context_length, timeout, error."""
        if self._playing is None or self.rollout is not None:
            return
        self._outside.said.put_nowait(BackendError(why, kind=kind))
        self.rollout = await self._playing

    async def _next(self) -> list[Message]:
        assert self._playing is not None
        asked = asyncio.ensure_future(self._outside.asked.get())
        done, _ = await asyncio.wait({asked, self._playing}, return_when=asyncio.FIRST_COMPLETED)
        if asked in done:
            messages = asked.result()
            new = messages[self._seen :]
            self._seen = len(messages)
            return new
        asked.cancel()
        self.rollout = self._playing.result()
        return []


def _with_ids(messages: Sequence[Message], ids: Sequence[str]) -> list[Message]:
    """Tool results under the ids that the policy's calls had: the engine gives calls names of its own."""
    left = iter(ids)
    return [
        {**message, "tool_call_id": next(left, message.get("tool_call_id"))} if message.get("role") == "tool" else message
        for message in messages
    ]
