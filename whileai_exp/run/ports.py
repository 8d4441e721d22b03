"""Turning a plan into working parts: models, worlds, people, the judge and the gates, all checked before anything is spent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any

from .._aio import CallPool
from .._clock import Clock, SystemClock
from .._text import did_you_mean
from ..errors import ConfigError, JudgeError, Problem, ReplayMismatch
from ..export.exporters import build_exporters
from ..gates._base import build_gates
from ..journal import Journal, journaled
from ..judges import AsJudge, as_judge
from ..judges._base import Bench, judges, wanted_models
from ..models import connect, warm_up
from ..models.backend import backends, named_models
from ..models.meter import Meter, metered
from ..plan import ModelRef, Plan
from ..ports import Agent, ChatModel, ChatRequest, Reply
from ..registry import Registry, load_target
from ..rollouts import CallableAgent, ModelAgent
from ..rollouts.journaled_agent import JournaledAgent, source_of
from ..rollouts.user import make_person_factory
from ..selection._base import selections
from ..world.callables import binder
from ..world.env import make_world_factory
from .gold import read_labels


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
    resolver: Callable[[str], Any] | None = None
    """From a tracked run's id to its rows, for gates with a baseline."""
    person: bool = True
    """Whether anybody answers the agent; False: its first words end the rollout."""
    drain: bool = False
    """Whether the first interrupt drains the run instead of ending it; for programs, not for libraries."""


@dataclass(slots=True)
class Ports:
    """The working parts of one run. `writer` None is the template writer."""

    agent: Agent
    writer: ChatModel | None
    judge: AsJudge | None
    clock: Clock
    pool: CallPool
    meter: Meter
    """What the run's model calls came to, by role and model."""


def preflight(plan: Plan, given: Given | None = None, *, replay: bool = False) -> None:
    """Check everything that building the parts would check, and spend nothing. ConfigError with all problems.

    Under `replay` no model is going to be called, so no key is asked for.
    """
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
        attempt(lambda: check_judge(plan, replay), "judge")
    attempt(lambda: known_objective(plan.objective), "objective")
    if plan.gold is not None:
        attempt(lambda: read_labels(plan.gold or ""), "measures.gold")
    attempt(lambda: build_gates(plan.gates, plan.knobs), "gates")
    attempt(lambda: build_exporters(plan.export), "export")
    attempt(lambda: selections.factory(str(plan.selection.get("kind"))), "selection")
    attempt(
        lambda: make_world_factory(plan.spec, options=plan.world_options, knobs=plan.knobs, seed=plan.seed, execute=None),
        "world.options",
    )
    for where, target in (
        ("world.execute", plan.world_execute),
        ("agent.target", None if given.agent is not None else plan.agent.target),
    ):
        if target is not None:
            attempt(lambda target=target: callable_target(target), where)
    if given.agent is None and not replay:
        for where, ref in (("agent", plan.agent), ("writer", plan.writer.model), ("user", plan.person.model)):
            if ref is None or ref.kind == "target":
                continue
            if ref.kind not in backends:
                origin = plan.origins.get(f"{where}.kind", "")
                problems.append(replace(_unknown(where, ref.kind, backends, _ROLES[where]), origin=origin))
            else:
                attempt(lambda ref=ref: connect(ref, timeout_s=plan.timeout_s, knobs=plan.knobs, seed=plan.seed), where)
    if problems:
        said: dict[tuple[str, str, str], Problem] = {}
        for problem in problems:  # two parts may need one missing key: that is one problem, told with where it came up first
            said.setdefault((problem.where, problem.what, problem.fix), problem)
        raise ConfigError(list(said.values()))


def check_judge(plan: Plan, replay: bool) -> None:
    """Build the plan's judge and name its models, without calling any. ConfigError or JudgeError."""
    judges.create(plan.judge or {})
    for ref, _private in wanted_models(plan.judge, named_models().get("WHILEAI_EXP_JUDGE")):
        if not replay:
            connect(ref, timeout_s=plan.knobs.judge_timeout_s, knobs=plan.knobs, seed=plan.seed)


class Recorded:
    """A model in a replay: its answers come from the journal, and a call past that is a difference."""

    def __init__(self, ref: ModelRef) -> None:
        self.model = ref.model or ref.kind

    async def complete(self, request: ChatRequest) -> Reply:
        raise ReplayMismatch(f"the record holds no answer for the call at {request.address.parts()}")

    async def aclose(self) -> None:
        """Nothing is open."""


class Models:
    """The run's models by reference: opened once each, warmed up, metered and journaled."""

    def __init__(self, plan: Plan, journal: Journal | None, meter: Meter, clock: Clock, stack: AsyncExitStack) -> None:
        self._plan, self._journal, self._meter, self._clock, self._stack = plan, journal, meter, clock, stack
        self._opened: dict[str, ChatModel] = {}

    async def open(self, ref: ModelRef, *, private: bool = False) -> ChatModel:
        """The model, ready to be called. KeyRefused or BackendError when its endpoint does not serve.

        A `private` one sees answer keys: what it says is not written down here.
        """
        key = f"{ref!r} private={private}"
        if key not in self._opened:
            self._opened[key] = await self._fresh(ref, private)
        return self._opened[key]

    async def _fresh(self, ref: ModelRef, private: bool) -> ChatModel:
        plan = self._plan
        if self._journal is not None and self._journal.replay and ref.kind != "scripted":
            return journaled(Recorded(ref), self._journal)
        raw = connect(ref, timeout_s=plan.timeout_s, knobs=plan.knobs, clock=self._clock, seed=plan.seed)
        self._stack.push_async_callback(raw.aclose)
        if getattr(raw, "deterministic", False):
            return raw
        await warm_up(raw)
        return journaled(metered(raw, self._meter, ref), None if private else self._journal)


_ROLES = {"agent": frozenset({"auto"}), "writer": frozenset({"auto", "template"}), "user": frozenset({"auto", "template"})}
"""Who may be a model, and the kinds each has beside the model backends."""


def unknown_names(tree: Mapping[str, Any]) -> list[Problem]:
    """Plug-in names in a configuration that nothing is registered under; for when no plan can be made of it."""
    problems: list[Problem] = []
    kinds: tuple[tuple[str, Registry[Any], frozenset[str]], ...] = (
        *((role, backends, own) for role, own in _ROLES.items()),
        ("judge", judges, frozenset()),
        ("selection", selections, frozenset({"auto"})),
    )
    for name, registry, own in kinds:
        section = tree.get(name)
        kind = section.get("kind") if isinstance(section, Mapping) else None
        if isinstance(kind, str) and kind not in own and kind not in registry and ":" not in kind:
            problems.append(_unknown(name, kind, registry, own))
    return problems


def _unknown(name: str, kind: str, registry: Registry[Any], own: frozenset[str]) -> Problem:
    return Problem(f"{name}.kind", f"{kind!r} is no {registry.kind}", did_you_mean(kind, {*registry.names(), *own}))


OBJECTIVES = (
    "pass_at_1",
    "pass_pow_k",
    "pass_at_k",
    "headroom",
    "graded_share",
    "truncated_share",
    "lost_share",
    "faulted_share",
)


def known_objective(name: str) -> None:
    """ConfigError when no run has such a measure; markers are whatever the judge says."""
    if name not in OBJECTIVES and not name.startswith("marker/"):
        raise ConfigError(Problem("objective", f"{name!r} is not a measure", did_you_mean(name, (*OBJECTIVES, "marker/<name>"))))


def callable_target(target: str) -> Any:
    """The function behind `module:attr`. ConfigError when it is something that cannot be called."""
    found = load_target(target)
    if not callable(found) and not isinstance(found, ChatModel):
        raise ConfigError(Problem("", f"{target!r} is {type(found).__name__}, not a function"))
    return found


async def open_ports(plan: Plan, given: Given, journal: Journal | None, stack: AsyncExitStack) -> Ports:
    """The parts, opened; `stack` closes them."""
    clock = given.clock or SystemClock()
    pool = stack.enter_context(CallPool(max(plan.concurrency, plan.knobs.judge_concurrency)))
    meter = Meter()
    models = Models(plan, journal, meter, clock, stack)
    user = given.user or (await models.open(plan.person.model) if plan.person.model is not None else None)
    execute = given.execute or (load_target(plan.world_execute) if plan.world_execute else None)
    agent = await _agent(plan, given, models, user, execute, pool, journal)
    writer = given.writer or (await models.open(plan.writer.model) if plan.writer.model is not None else None)
    judge = await _judge(plan, given, models, agent.model, pool, journal)
    return Ports(agent, writer, judge, clock, pool, meter)


async def _judge(
    plan: Plan, given: Given, models: Models, policy: str, pool: CallPool, journal: Journal | None
) -> AsJudge | None:
    asked = given.judge if given.judge is not None else plan.judge
    if asked is None:
        return None
    named = named_models().get("WHILEAI_EXP_JUDGE")
    wanted = wanted_models(asked, named)
    opened = {(repr(ref), private): await models.open(ref, private=private) for ref, private in wanted}
    bench = Bench(
        plan.knobs, plan.spec, lambda ref, private: opened[repr(ref), private], default_model=named, policies=frozenset({policy})
    )
    return as_judge(
        asked,
        pool=pool,
        deadline_s=plan.knobs.judge_timeout_s,
        reason_chars=plan.knobs.judge_reason_chars,
        bench=bench,
        journal=journal,
    )


async def _agent(
    plan: Plan,
    given: Given,
    models: Models,
    user: ChatModel | None,
    execute: Callable[..., Any] | None,
    pool: CallPool,
    journal: Journal | None,
) -> Agent:
    handed = given.agent
    if handed is None and plan.agent.kind == "target":
        handed = load_target(str(plan.agent.target))
    world = make_world_factory(plan.spec, options=plan.world_options, knobs=plan.knobs, seed=plan.seed, execute=execute)
    if handed is not None and not isinstance(handed, ChatModel):
        function = CallableAgent(
            handed,
            name=name_of(handed),
            sampling=plan.sampling if plan.sampling_given else None,
            timeout_s=plan.timeout_s,
            pool=pool,
            spec=plan.spec,
            bind=binder(world),
        )
        return function if journal is None else JournaledAgent(function, journal, source_of(handed))
    model = handed if handed is not None else await models.open(plan.agent)
    person = make_person_factory(plan.spec, plan.person, model=user, knobs=plan.knobs, seed=plan.seed) if given.person else None
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
