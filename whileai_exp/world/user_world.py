"""How does a user's own world stand in for the mock one? `execute(tool, arguments)`, with planned faults applied first."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._hash import plain
from .._rng import Rng
from .._text import did_you_mean
from ..errors import WorldError
from ..knobs import WorldKnobs
from ..ports import WorldEvent
from ..schema import Fault, Task, ToolStep
from .facts import SpecFacts
from .faults import SLOW, FaultCall, fault_modes

Json = Any
UserExecute = Callable[..., Json | Awaitable[Json]]


@dataclass(frozen=True, slots=True)
class WorldContext:
    """What a user's world is told about the rollout it serves."""

    task_id: str
    repeat: int
    seed: int
    """Different for every rollout, the same on every replay."""
    prompt: str
    state: str
    store: dict[str, Json]
    """Empty at the start of each rollout and private to it: keep the rollout's state here."""


class UserWorld:
    """A user's `execute` as a `ports.World`. Its state cannot be hashed; its exceptions are results with status `error`."""

    def __init__(self, task: Task, repeat: int, facts: SpecFacts, knobs: WorldKnobs, seed: int, execute: UserExecute) -> None:
        self._task, self._facts, self._knobs, self._execute = task, facts, knobs, execute
        self._context = WorldContext(
            task.task_id, repeat, Rng(seed).seed_of("execute", task.task_id, repeat) >> 11, task.prompt, task.world.state, {}
        )
        self._takes_context = _takes_three(execute)
        self._counts: dict[str, int] = {}
        self._ledger: list[WorldEvent] = []

    @property
    def ledger(self) -> Sequence[WorldEvent]:
        return self._ledger

    def state_hash(self) -> str | None:
        return None

    async def call(self, tool: str, arguments: Mapping[str, Json], call_id: str = "") -> ToolStep:
        given = dict(arguments)
        index = self._counts.get(tool, 0)
        facts = self._facts.tools.get(tool)
        if facts is None:
            refusal = {"error": "unknown_tool", "message": f"there is no tool {tool!r}; {did_you_mean(tool, self._facts.tools)}"}
            return self._step(tool, given, call_id, index, refusal, "error", None)
        problems = facts.validator.problems(given)
        if problems:
            refusal = {"error": "invalid_arguments", "message": "; ".join(problems)}
            return self._step(tool, given, call_id, index, refusal, "error", None)
        self._counts[tool] = index + 1
        fault = self._fault(tool, index)
        if fault is None:
            result, status = await self._run(tool, given)
            return self._step(tool, given, call_id, index, result, status, None)
        if fault.mode not in fault_modes:
            raise WorldError(
                f"fault mode {fault.mode!r} is planned and not registered; {did_you_mean(fault.mode, fault_modes.names())}"
            )
        stream = Rng(self._task.world.seed).at("fault", tool, fault.mode, index)
        spoiled = fault_modes.factory(fault.mode)(FaultCall(tool, given, facts.writes, stream, self._knobs, dict))
        if fault.mode != SLOW:
            return self._step(tool, given, call_id, index, spoiled, "fault", fault.mode)
        result, status = await self._run(tool, given)
        return self._step(tool, given, call_id, index, {**result, **spoiled}, status, fault.mode)

    async def _run(self, tool: str, given: dict[str, Json]) -> tuple[Json, str]:
        try:
            value = self._execute(tool, dict(given), self._context) if self._takes_context else self._execute(tool, dict(given))
            if inspect.isawaitable(value):
                value = await value
            value = plain(value)
        except Exception as error:  # a user's world may raise anything: the agent sees an error, the run goes on
            return {"status": "error", "message": f"{type(error).__name__}: {error}"[: self._knobs.world_result_chars]}, "error"
        if not isinstance(value, dict):
            value = {"status": "ok", "result": value}
        failed = str(value.get("status", "")).lower() in ("error", "failed", "not_found") or bool(value.get("error"))
        return value, "error" if failed else "ok"

    def _fault(self, tool: str, index: int) -> Fault | None:
        return next((f for f in self._task.world.faults if f.tool in ("*", tool) and index in f.calls), None)

    def _step(
        self, tool: str, given: dict[str, Json], call_id: str, index: int, result: Json, status: str, fault: str | None
    ) -> ToolStep:
        self._ledger.append(WorldEvent(index, tool, given, status, fault))
        return ToolStep(tool, given, result, status, call_id)


def _takes_three(execute: UserExecute) -> bool:
    """Whether the function has a third positional parameter for the context."""
    try:
        parameters = inspect.signature(execute).parameters.values()
    except (TypeError, ValueError):
        return False
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len(places) >= 3 or any(p.kind is p.VAR_POSITIONAL for p in parameters)
