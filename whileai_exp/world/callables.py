"""The mock world for agents that are functions: `w(tool, arguments)` answers from the rollout that is being played.

The rollout's world is found through a context variable, so one `w` made at import time serves every rollout, in any
thread or task, with that rollout's faults and state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any

from .._aio import run_sync
from ..knobs import RunKnobs
from ..ports import World, WorldFactory
from ..schema import Situation, Spec, Task, UserBrief, WorldSeed
from .env import make_world_factory

_CURRENT: ContextVar[World | None] = ContextVar("whileai_world", default=None)


def binder(factory: WorldFactory) -> Callable[[Task, int], AbstractContextManager[World]]:
    """What makes a rollout's world the current one while an agent function plays it."""

    @contextmanager
    def bind(task: Task, repeat: int) -> Iterator[World]:
        world = factory(task, repeat)
        token = _CURRENT.set(world)
        try:
            yield world
        finally:
            _CURRENT.reset(token)

    return bind


class CallableWorld:
    """Tools as a function. Outside a run it answers from a world of its own, seeded by `seed`."""

    def __init__(self, spec: Spec, options: Mapping[str, Any] | None, seed: int) -> None:
        task = Task("standalone", "", Situation("standalone", {}), UserBrief(""), WorldSeed(seed))
        self._own = make_world_factory(spec, options=options, knobs=RunKnobs(), seed=seed)(task, 0)

    def __call__(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """The tool's result; a bad call or a planned failure comes back as a result that says so."""
        call = self._world().call(tool, dict(arguments or {}))
        try:
            call.send(None)
        except StopIteration as done:
            return done.value.result
        call.close()
        return run_sync(self.ask(tool, arguments))

    async def ask(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """The same for async agents."""
        return (await self._world().call(tool, dict(arguments or {}))).result

    def _world(self) -> World:
        return _CURRENT.get() or self._own


def callable_world(spec: Spec, *, options: Mapping[str, Any] | None = None, seed: int = 0) -> CallableWorld:
    """Tools of `spec` as a function of (tool, arguments)."""
    return CallableWorld(spec, options, seed)
