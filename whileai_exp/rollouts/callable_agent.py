"""A user's own function as the agent: one ask in, one trajectory out, and whatever it does wrong is a status.

It is called with the prompt and returns `{steps, final_text}` (with `finish_reason`, `opener`, `ended_by` and fields of
its own, if it likes) or just its answer as text. Synchronous functions run in threads, which inherit the context that
`bind` set up, so that a world made for this rollout can be found from inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from .._aio import CallPool, described
from .._hash import plain
from ..errors import DiskError, KeyRefused
from ..ports import World
from ..schema import AgentStep, PolicyIdentity, Rollout, RolloutStatus, Sampling, Spec, Step, Task, ToolStep, Usage, UserStep
from ..schema.privileged import without_privileged
from .conversation import fired_of
from .identity import rollout_id

Bind = Callable[[Task, int], AbstractContextManager[World | None]]
"""Makes a rollout's world visible to the function; the ledger of the world it gives is read when the function is done."""
_OWN = frozenset({"steps", "final_text", "finish_reason", "ended_by", "usage", "logprob", "n_tokens"})
_RESERVED = frozenset({"privileged", "reward", "status", "task_id", "scenario_id", "rollout_id", "prompt", "messages"})


class _NotATrajectory(Exception):
    """The function returned something that the contract does not know."""


class CallableAgent:
    """A function as the agent under test (`ports.Agent`)."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        spec: Spec | None = None,
        sampling: Sampling | None = None,
        timeout_s: float | None,
        pool: CallPool,
        bind: Bind | None = None,
    ) -> None:
        """`spec` gives the policy its prompt's identity; `name` is the function's own unless given. `timeout_s` binds the whole rollout. `sampling` is what the caller says about how it samples, recorded as given."""
        self._function = function
        self._name = name or getattr(function, "__name__", type(function).__name__)
        self._sampling = sampling
        self._timeout_s = timeout_s
        self._pool = pool
        self._policy = PolicyIdentity.of(self._name, spec.system_prompt if spec is not None else "")
        self._bind = bind

    @property
    def model(self) -> str:
        return self._name

    async def play(self, task: Task, repeat: int, seed: int) -> Rollout:
        """The whole rollout; only a refused key or a full disk raises."""
        with self._bind(task, repeat) if self._bind is not None else nullcontext() as world:
            before = world.state_hash() if world is not None else None
            try:
                value = await self._pool.call_apart(self._function, task.prompt, timeout=self._timeout_s)
                said = trajectory(value)
            except (KeyRefused, DiskError):
                raise
            except TimeoutError:
                said = _Said(
                    status=RolloutStatus.TIMEOUT,
                    finish_reason="error",
                    error=f"the agent did not finish within {self._timeout_s:g} s",
                )
            except Exception as error:  # the agent's failures are data, an exit or a cancellation of its own included
                said = _Said(status=RolloutStatus.AGENT_ERROR, finish_reason="error", error=described(error))
            return self._rollout(task, repeat, seed, said, world, before)

    def _rollout(self, task: Task, repeat: int, seed: int, said: _Said, world: World | None, before: str | None) -> Rollout:
        ledger = world.ledger if world is not None else ()
        return Rollout(
            rollout_id=rollout_id(task, repeat),
            task_id=task.task_id,
            repeat=repeat,
            steps=said.steps,
            final_text=said.final_text,
            status=said.status,
            policy=self._policy,
            sampling=self._sampling,
            usage=said.usage,
            seed=seed,
            finish_reason=said.finish_reason,
            ended_by=said.ended_by,
            error=said.error,
            fired=fired_of(ledger),
            world_before=before,
            world_after=world.state_hash() if world is not None else None,
            changes=tuple(change for event in ledger for change in event.changes),
            extra=said.extra,
        )


@dataclass(frozen=True, slots=True)
class _Said:
    """A trajectory, read; or what came instead of one."""

    steps: tuple[Step, ...] = ()
    final_text: str = ""
    status: RolloutStatus = RolloutStatus.OK
    finish_reason: str = "stop"
    ended_by: str | None = None
    error: str | None = None
    usage: Usage = Usage()
    extra: Mapping[str, Any] = field(default_factory=dict)


def trajectory(value: Any) -> _Said:
    """What a callable returned, as steps and final text. Raises _NotATrajectory, naming what came instead."""
    if isinstance(value, str):
        return _spoken((AgentStep(value),) if value else (), value)
    if not isinstance(value, Mapping):
        raise _NotATrajectory(f"the agent returned {type(value).__name__}; expected text or {{steps, final_text}}")
    if "final_text" not in value and "steps" not in value:
        raise _NotATrajectory(f"the agent returned keys {sorted(map(str, value))[:12]}; expected steps and final_text")
    steps = value.get("steps") or ()
    if not isinstance(steps, (list, tuple)):
        raise _NotATrajectory(f"steps is {type(steps).__name__}; expected a list")
    read = tuple(_steps(steps))
    final = value.get("final_text")
    if final is None:
        final = next((s.text for s in reversed(read) if isinstance(s, AgentStep)), "")
    if not isinstance(final, str):
        raise _NotATrajectory(f"final_text is {type(final).__name__}; expected text")
    if final and not any(isinstance(s, AgentStep) and s.text == final for s in read):
        read = (*read, AgentStep(final))
    ended_by = value.get("ended_by")
    said = _spoken(read, final, str(value.get("finish_reason") or ""))
    extra = {str(k): without_privileged(plain(v)) for k, v in value.items() if k not in _OWN and k not in _RESERVED}
    return replace(said, ended_by=str(ended_by) if ended_by else None, usage=_usage(value.get("usage")), extra=extra)


def _spoken(steps: tuple[Step, ...], final: str, finish: str = "") -> _Said:
    """How it ended, from what it said and from the finish reason it gave, if any."""
    if finish == "length":
        return _Said(steps, final, RolloutStatus.TRUNCATED, finish)
    if final.strip():
        return _Said(steps, final, finish_reason=finish or "stop")
    ended_on_call = bool(steps) and isinstance(steps[-1], ToolStep)
    return _Said(steps, final, RolloutStatus.EMPTY_REPLY, finish or ("tool" if ended_on_call else "stop"))


def _steps(wire: Iterable[Any]) -> Iterable[Step]:
    """Steps of the seeds' shape, every tool call after an agent step of its own turn."""
    for index, step in enumerate(wire):
        if not isinstance(step, Mapping):
            raise _NotATrajectory(f"steps[{index}] is {type(step).__name__}; expected an object")
        name = step.get("tool")
        if name is not None:
            if not step.get("parallel"):
                yield AgentStep(str(step.get("text") or ""))
            arguments = step.get("arguments")
            whole = isinstance(arguments, Mapping)
            yield ToolStep(
                tool=str(name),
                arguments=plain(dict(arguments)) if whole else {},
                result=without_privileged(plain(step.get("result"))),
                status=str(step.get("status") or "ok"),
                call_id=str(step.get("call_id") or ""),
                raw_arguments=None if whole or arguments is None else str(arguments),
            )
        elif "user" in step:
            yield UserStep(str(step["user"]))
        elif "text" in step:
            yield AgentStep(str(step["text"] or ""), step.get("logprob"), step.get("n_tokens"))
        else:
            raise _NotATrajectory(f"steps[{index}] has none of tool, user, text")


def _usage(value: Any) -> Usage:
    if not isinstance(value, Mapping):
        return Usage()
    counts = [value.get(name) for name in ("input_tokens", "output_tokens", "cached_tokens")]
    return Usage(*(n if isinstance(n, int) and not isinstance(n, bool) and n >= 0 else None for n in counts))
