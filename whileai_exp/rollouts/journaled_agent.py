"""Rollouts of an agent that calls no model of ours, kept whole in the journal: resume and replay for callable agents.

A chat model's calls are journaled one by one; a user's function is a black box, so its unit is the rollout. The key
holds the function's source, so an edited agent is asked again.
"""

from __future__ import annotations

import inspect
from dataclasses import asdict
from hashlib import sha256
from typing import Any

import orjson

from .._hash import sha
from ..errors import ReplayMismatch
from ..journal import Journal, encoded
from ..ports import Agent
from ..schema import Rollout, RolloutStatus, Task, from_row, to_row
from ..schema.row import row_line
from ..schema.types import USABLE
from .identity import group_id, rollout_id


class JournaledAgent:
    """An agent whose every finished rollout is in the journal before anyone sees it (`ports.Agent`)."""

    def __init__(self, agent: Agent, journal: Journal, source: str = "") -> None:
        """`source` is what identifies the agent's code; see `source_of`."""
        self._agent = agent
        self._journal = journal
        self._source = source

    @property
    def model(self) -> str:
        return self._agent.model

    async def play(self, task: Task, repeat: int, seed: int) -> Rollout:
        """The recorded rollout, or the agent's, recorded. Failures are played again on resume and repeated on replay.

        ReplayMismatch under replay when the journal has none.
        """
        key = self._key(task, repeat, seed)
        entry = self._journal.find(key)
        if entry is not None:
            return from_row(orjson.loads(entry.body)).rollout
        if self._journal.replay:
            raise ReplayMismatch(
                f"the journal has no rollout {rollout_id(task, repeat)}: the task or the agent differs from the recorded run's"
            )
        rollout = await self._agent.play(task, repeat, seed)
        if rollout.status is not RolloutStatus.CANCELLED:
            body = row_line(to_row(task, rollout), ordered=True)
            await self._journal.add(key, f"rollout/{rollout.rollout_id}", body, answered=rollout.status in USABLE)
        return rollout

    def _key(self, task: Task, repeat: int, seed: int) -> bytes:
        world = asdict(task.world)
        parts: list[Any] = [
            "rollout",
            self._agent.model,
            self._source,
            group_id(task),
            repeat,
            seed,
            task.prompt,
            list(task.prefix),
            world,
        ]
        return sha256(encoded(parts)).digest()


def source_of(function: Any) -> str:
    """A hash of a callable's source, or of its class's; empty when it cannot be read (built in, or typed in a shell)."""
    for candidate in (function, type(function)):
        try:
            return sha(inspect.getsource(candidate), 16)
        except (TypeError, OSError):
            continue
    return ""
