"""Knobs of the world, the people and the rollouts, seen in one world, one conversation or one run."""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "world"))
from shop import SPEC, ask, make_task

from whileai_exp.cli.live import LiveView
from whileai_exp.errors import BackendError
from whileai_exp.knobs import RunKnobs
from whileai_exp.plan.types import Limits, PersonPlan
from whileai_exp.ports import ChatRequest, Outcome, Reply, ToolCall, World
from whileai_exp.rollouts import ModelAgent, execute, make_allocator
from whileai_exp.rollouts.user import make_person_factory
from whileai_exp.schema import (
    AgentStep,
    Fault,
    JudgeIdentity,
    JudgeStatus,
    Judgment,
    PolicyIdentity,
    Rollout,
    RolloutStatus,
    Sampling,
    Situation,
    Task,
    UserBrief,
    WorldSeed,
)
from whileai_exp.testing.fake_clock import FakeClock
from whileai_exp.world.env import make_world_factory

from ._effect import Effect, Observe


def world(knobs: RunKnobs, task: Task, **more: Any) -> World:
    return make_world_factory(SPEC, options={}, knobs=knobs, seed=0, **more)(task, 0)


def hits(knobs: RunKnobs) -> int:
    task = make_task("list_orders", {"customer_id": "C-1"}, prompt="List my orders, I am C-1.")
    return max(
        len(ask(world(knobs, make_task("list_orders", {"customer_id": "C-1"}, prompt=task.prompt, seed=seed)), "list_orders", customer_id="C-1").result["orders"])
        for seed in range(12)
    )  # fmt: skip


def stranger(knobs: RunKnobs) -> str:
    return ask(world(knobs, make_task()), "get_order", order_id="#W9999999").status


def faulty(mode: str, key: str) -> Observe:
    def observe(knobs: RunKnobs) -> Any:
        task = make_task("get_order", {"order_id": "#W1234567"}, faults=(Fault("get_order", mode, (0,)),))
        return ask(world(knobs, task), "get_order", order_id="#W1234567").result[key]

    return observe


def calculated(knobs: RunKnobs) -> str:
    return ask(world(knobs, make_task(None)), "calculate", expression="10 ** 30").status


def own_error(knobs: RunKnobs) -> int:
    def execute(tool: str, arguments: Any) -> Any:
        raise ValueError("x" * 9000)

    made = make_world_factory(SPEC, knobs=knobs, execute=execute)(make_task(), 0)
    return len(asyncio.run(made.call("get_order", {"order_id": "a"})).result["message"])


class Says:
    """A model of a person: the lines in turn, the last one again and again."""

    model = "lines"

    def __init__(self, *lines: str) -> None:
        self.lines, self.seen = lines, []

    async def complete(self, request: ChatRequest) -> Reply:
        self.seen.append(request)
        return Reply(self.lines[min(len(self.seen), len(self.lines)) - 1])

    async def aclose(self) -> None: ...


def heard(knobs: RunKnobs, said: str, turns: int = 1, model: Any = None, repeat: int = 0, **more: Any) -> list[Any]:
    task = make_task(told=more.pop("told", None), **{key: more[key] for key in ("stance",) if key in more})
    plan = PersonPlan(None, (0.0, 0.0), more.get("avg_turns", 1.0))
    person = make_person_factory(SPEC, plan, model=model, knobs=knobs, seed=0)(task, repeat)
    messages = [{"role": "user", "content": task.prompt}, {"role": "assistant", "content": said}]
    return [asyncio.run(person.reply(messages, turn)) for turn in range(1, turns + 1)]


DONE = "Order #W1234567 is cancelled."


def follow_ups(knobs: RunKnobs) -> int:
    return sum(bool(heard(knobs, DONE, repeat=repeat, avg_turns=12.0)[0].text) for repeat in range(30))


def pushbacks(knobs: RunKnobs) -> int:
    return sum(bool(reply.text) for reply in heard(knobs, "I can't do that.", 6, stance="adversarial"))


def retries(knobs: RunKnobs) -> int:
    model = Says("")
    try:
        heard(knobs, "Hello.", model=model)
    except BackendError:
        return len(model.seen)
    raise AssertionError("an empty line is no line")


def model_person(what: Callable[[Says, Any], Any]) -> Observe:
    def observe(knobs: RunKnobs) -> Any:
        model = Says("All right. " * 40)
        reply = heard(knobs, "What is the order id?", model=model)[0]
        return what(model, reply)

    return observe


class Caller:
    """An agent that calls a tool until it may not any more."""

    model = "caller"

    async def complete(self, request: ChatRequest) -> Reply:
        return Reply("", (ToolCall("c", "get_order", {"order_id": "#W1234567"}),), "tool_calls")

    async def aclose(self) -> None: ...


def turns_at_the_cap(knobs: RunKnobs) -> int:
    made = make_world_factory(SPEC, options={}, knobs=knobs, seed=0)
    agent = ModelAgent(Caller(), SPEC, world=made, person=None, sampling=Sampling(), max_turns=2, knobs=knobs)
    return sum(isinstance(step, AgentStep) for step in asyncio.run(agent.play(make_task(), 0, 0)).steps)


def tasks(n: int) -> list[Task]:
    return [Task(f"t{i}", f"ask {i}", Situation(f"s{i}", {}), UserBrief("g"), WorldSeed(i)) for i in range(n)]


class Player:
    """An agent whose rollouts take a second of the clock they are given, or fail."""

    model = "player"

    def __init__(self, clock: FakeClock | None = None, status: str = "ok", seconds: tuple[float, ...] = (1.0,)) -> None:
        self.clock, self.status, self.seconds, self.started = clock, status, seconds, 0

    async def play(self, task: Task, repeat: int, seed: int) -> Rollout:
        self.started += 1
        await asyncio.sleep(0)
        if self.clock is not None:
            self.clock.advance(self.seconds[min(self.started, len(self.seconds)) - 1])
        text = f"{task.task_id}/{repeat}"
        return Rollout(text, task.task_id, repeat, (AgentStep(text),), text, RolloutStatus(self.status), PolicyIdentity("p", ""))


class Half:
    """A judge that gives 0.6 to everything."""

    name = "half"

    async def judge(self, row: Any) -> Judgment:
        return Judgment(row["rollout_id"], JudgeIdentity("half"), 0.6, JudgeStatus.OK)


def run(
    knobs: RunKnobs, n: int, agent: Player, policy: str = "fixed", repeats: int = 1, time_s: float | None = None, **more: Any
) -> Any:
    todo = tasks(n)
    allocator = make_allocator(
        policy, task_ids=[task.task_id for task in todo], repeats=repeats, knobs=knobs, budget=None, rewards="judge" in more
    )

    async def play() -> Any:
        return await execute(todo, agent, allocator, seed=1, concurrency=1, limits=Limits(time_s=time_s), knobs=knobs, **more)

    return asyncio.run(play())


def dead_after(knobs: RunKnobs) -> int:
    return len(run(knobs, 80, Player(status="agent_error")).rollouts)


def under_a_clock(*seconds: float) -> Observe:
    """How many rollouts are begun in 20 s, when they take these times, the last again and again."""

    def observe(knobs: RunKnobs) -> int:
        clock = FakeClock()

        async def never(_: float) -> None:
            await asyncio.sleep(3600)

        clock.sleep = never  # type: ignore[method-assign]
        return len(run(knobs, 60, Player(clock, seconds=seconds), time_s=20.0, clock=clock).rollouts)

    return observe


def repeated_below_the_bar(knobs: RunKnobs) -> int:
    return len(run(knobs, 4, Player(), "adaptive", 3, judge=Half()).rollouts)


def grace(knobs: RunKnobs) -> str:
    """What becomes of a rollout in flight that needs 30 ms more when the run is stopped."""

    class Late(Player):
        async def play(self, task: Task, repeat: int, seed: int) -> Rollout:
            await asyncio.sleep(0.08)
            return await super().play(task, repeat, seed)

    return str(run(knobs, 5, Late(), time_s=0.05).rollouts[0].status)


def played(allocator: Any, label: Callable[[int, int], str]) -> int:
    count = 0
    while jobs := allocator.ask(8):
        for name, repeat in jobs:
            count += 1
            allocator.tell([Outcome(name, repeat, "ok", None, label(int(name[1:]), repeat))])
    return count


def allocated(kind: str, groups: int, label: Callable[[int, int], str], repeats: int = 8, **more: Any) -> Observe:
    return lambda knobs: played(
        make_allocator(kind, task_ids=[f"t{i}" for i in range(groups)], repeats=repeats, knobs=knobs, **more), label
    )


def new_now_and_then(group: int, repeat: int) -> str:
    """A group in ten behaves as none before."""
    return f"{group if group % 10 == 0 else 'as ever'}"


def lines_said(knobs: RunKnobs) -> int:
    """Lines on a pipe in twenty seconds of a rollout a second."""
    clock, said = FakeClock(), io.StringIO()
    with LiveView("run", 20, every_s=knobs.progress_every_s, clock=clock, stream=said) as view:
        for done in range(20):
            clock.advance(1.0)
            view({"rollouts": done + 1})
    return said.getvalue().count("\n")


EFFECTS: dict[str, Effect] = {
    "progress_every_s": Effect((10.0, 2.0), lines_said, (2, 10)),
    "world_search_hits": Effect((0, 6), hits, "more"),
    "world_strangers_exist": Effect((0.0, 1.0), stranger, ("error", "ok")),
    "world_timeout_s": Effect((30.0, 7.0), faulty("timeout", "message"), ("get_order did not answer within 30 seconds", "get_order did not answer within 7 seconds")),
    "world_retry_after_s": Effect((20, 3), faulty("rate_limited", "retry_after_s"), (20, 3)),
    "world_max_digits": Effect((60, 20), calculated, ("ok", "error")),
    "world_result_chars": Effect((4000, 200), own_error, (4000, 200)),
    "min_user_turns": Effect((0, 2), lambda k: [reply.done for reply in heard(k, DONE, 3)], ([True, True, True], [False, False, True])),
    "person_followup_share": Effect((0.0, 1.0), follow_ups, (0, 30)),
    "person_pushbacks": Effect((1, 4), pushbacks, (1, 4)),
    "person_retries": Effect((0, 3), retries, (1, 4)),
    "person_max_tokens": Effect((220, 64), model_person(lambda model, _: model.seen[0].sampling.max_tokens), (220, 64)),
    "person_line_chars": Effect((1200, 60), model_person(lambda _, reply: len(reply.text)), (439, 60)),
    "person_temperature": Effect((0.475, 1.2), model_person(lambda model, _: model.seen[0].sampling.temperature), (0.475, 1.2)),
    "pending_turns": Effect((0, 3), turns_at_the_cap, (2, 5)),
    "probe": Effect((2, 5), allocated("successive", 4, lambda g, r: "a"), "more"),
    "pass_threshold": Effect((0.5, 0.7), repeated_below_the_bar, (4, 12)),
    "smoothing_alpha": Effect((0.01, 100.0), allocated("successive", 60, lambda g, r: "b" if g % 20 == 0 and r > 2 else "a"), "more"),
    "allocation_cohort": Effect((4, 32), allocated("fixed", 100, lambda g, r: "a", repeats=1, until="saturation"), "more"),
    "saturation_share": Effect((0.05, 0.5), allocated("fixed", 200, new_now_and_then, repeats=1, until="saturation"), "less"),
    "dead_agent_errors": Effect((5, 30), dead_after, (5, 30)),
    "closing_margin": Effect((0.0, 5.0), under_a_clock(1.0), (21, 16)),
    "closing_window_rollouts": Effect((1, 1000), under_a_clock(0.5, 0.5, 0.5, 0.5, 0.5, 6.0), "more"),
    "stop_grace_s": Effect((0.0, 2.0), grace, ("cancelled", "ok")),
}  # fmt: skip
