"""Turning a plan into working parts: models, worlds, people, the judge and the gates, all checked before anything is spent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from .._aio import CallPool
from .._clock import Clock, SystemClock
from ..errors import ConfigError, JudgeError, Problem
from ..gates._base import build_gates
from ..journal import Journal, journaled
from ..judges import AsJudge, as_judge
from ..judges._base import judges
from ..models import connect
from ..plan import ModelRef, Plan
from ..ports import Agent, ChatModel
from ..registry import load_target
from ..rollouts import CallableAgent, ModelAgent
from ..rollouts.user import make_person_factory
from ..selection._base import selections
from ..world.callables import binder
from ..world.env import make_world_factory


@dataclass(frozen=True, slots=True)
class Given:
    """Objects that a library caller hands in and no file can hold. None means: from the plan."""

    agent: Any = None
    writer: ChatModel | None = None
    user: ChatModel | None = None
    judge: Any = None
    execute: Callable[..., Any] | None = None
    tasks: Any = None
    traces: Any = None
    on_progress: Callable[[Mapping[str, Any]], Any] | None = None
    clock: Clock | None = None


@dataclass(slots=True)
class Ports:
    """The working parts of one run. `writer` None is the template writer."""

    agent: Agent
    writer: ChatModel | None
    judge: AsJudge | None
    clock: Clock
    pool: CallPool
    journal: Journal | None


def preflight(plan: Plan, given: Given | None = None) -> None:
    """Check everything that building the parts would check, and spend nothing. ConfigError with all problems."""
    given = given or Given()
    problems: list[Problem] = []

    def attempt(what: Callable[[], Any], where: str) -> None:
        try:
            what()
        except ConfigError as error:
            problems.extend(
                Problem(
                    p.where or where, p.what, p.fix, p.origin or plan.origins.get(p.where or where, plan.origins.get(where, ""))
                )
                for p in error.problems
            )
        except JudgeError as error:
            problems.append(Problem(where, str(error), "", plan.origins.get(where, "")))

    if plan.judge is not None and given.judge is None:
        attempt(lambda: judges.create(plan.judge or {}), "judge")
    attempt(lambda: build_gates(plan.gates, plan.knobs), "gates")
    attempt(lambda: selections.factory(str(plan.selection.get("kind"))), "selection")
    attempt(
        lambda: make_world_factory(plan.spec, options=plan.world_options, knobs=plan.knobs, seed=plan.seed, execute=None),
        "world.options",
    )
    for where, target in (("world.execute", plan.world_execute), ("agent.target", plan.agent.target)):
        if target is not None:
            attempt(lambda target=target: load_target(target), where)
    if given.agent is None:
        for where, ref in (("agent", plan.agent), ("writer", plan.writer.model), ("user", plan.person.model)):
            if ref is not None and ref.kind != "target":
                attempt(lambda ref=ref: connect(ref, timeout_s=plan.timeout_s, knobs=plan.knobs, seed=plan.seed), where)
    if problems:
        raise ConfigError(list(dict.fromkeys(problems)))


async def open_ports(plan: Plan, given: Given, journal: Journal | None, stack: AsyncExitStack) -> Ports:
    """The parts, opened; `stack` closes them."""
    clock = given.clock or SystemClock()
    pool = stack.enter_context(CallPool(max(plan.concurrency, plan.knobs.judge_concurrency)))
    opened: dict[Any, ChatModel] = {}

    def model_of(ref: ModelRef) -> ChatModel:
        key = repr(ref)
        if key not in opened:
            raw = connect(ref, timeout_s=plan.timeout_s, knobs=plan.knobs, clock=clock, seed=plan.seed)
            stack.push_async_callback(raw.aclose)
            opened[key] = journaled(raw, journal)
        return opened[key]

    user = given.user or (model_of(plan.person.model) if plan.person.model is not None else None)
    execute = given.execute or (load_target(plan.world_execute) if plan.world_execute else None)
    agent = _agent(plan, given, model_of, user, execute, pool)
    writer = given.writer or (model_of(plan.writer.model) if plan.writer.model is not None else None)
    judge = None
    if given.judge is not None or plan.judge is not None:
        judge = as_judge(
            given.judge if given.judge is not None else plan.judge,
            pool=pool,
            deadline_s=plan.knobs.judge_timeout_s,
            reason_chars=plan.knobs.judge_reason_chars,
        )
    return Ports(agent, writer, judge, clock, pool, journal)


def _agent(
    plan: Plan,
    given: Given,
    model_of: Callable[[ModelRef], ChatModel],
    user: ChatModel | None,
    execute: Callable[..., Any] | None,
    pool: CallPool,
) -> Agent:
    handed = given.agent
    if handed is None and plan.agent.kind == "target":
        handed = load_target(str(plan.agent.target))
    world = make_world_factory(plan.spec, options=plan.world_options, knobs=plan.knobs, seed=plan.seed, execute=execute)
    if handed is not None and not isinstance(handed, ChatModel):
        return CallableAgent(
            handed,
            name=name_of(handed),
            sampling=plan.sampling if plan.sampling_given else None,
            timeout_s=plan.timeout_s,
            pool=pool,
            spec=plan.spec,
            bind=binder(world),
        )
    model = handed if handed is not None else model_of(plan.agent)
    person = make_person_factory(plan.spec, plan.person, model=user, knobs=plan.knobs, seed=plan.seed)
    return ModelAgent(
        model,
        plan.spec,
        scaffold=plan.scaffold,
        world=world,
        person=person,
        sampling=plan.sampling,
        logprobs=plan.logprobs,
        max_turns=plan.person.max_turns,
        knobs=plan.knobs,
    )


def name_of(handed: Any) -> str:
    """What a callable agent is called on its rows."""
    return str(getattr(handed, "name", None) or getattr(handed, "__name__", None) or type(handed).__name__)
