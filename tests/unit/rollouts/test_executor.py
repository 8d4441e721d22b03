"""Rollouts in flight: canonical order, one digest, and a reason for every stop."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from whileai_exp.errors import DiskError, KeyRefused, ReplayMismatch
from whileai_exp.knobs import RolloutKnobs
from whileai_exp.plan.types import Limits
from whileai_exp.rollouts import Execution, execute, make_allocator
from whileai_exp.rollouts.identity import group_id
from whileai_exp.schema import (
    AgentStep,
    JudgeIdentity,
    JudgeStatus,
    Judgment,
    PolicyIdentity,
    Rollout,
    RolloutStatus,
    Situation,
    Task,
    TaskLineage,
    Usage,
    UserBrief,
    WorldSeed,
)
from whileai_exp.testing.fake_clock import FakeClock

KNOBS = RolloutKnobs(allocation_cohort=4, stop_grace_s=0.02)


def tasks(n: int, **more: Any) -> list[Task]:
    return [Task(f"t{i}", f"ask {i}", Situation(f"s{i}", {}), UserBrief("g"), WorldSeed(i), **more) for i in range(n)]


class Player:
    """An agent whose outcome is a function of task and repeat, after a delay that is not."""

    model = "player"

    def __init__(self, status: str = "ok", delay_s: float = 0.0, raises: dict[int, BaseException] | None = None) -> None:
        self.status, self.delay_s, self.raises = status, delay_s, raises or {}
        self.started = 0
        self.running = self.peak = 0

    async def play(self, task: Task, repeat: int, seed: int) -> Rollout:
        self.started += 1
        number = self.started
        self.running += 1
        self.peak = max(self.peak, self.running)
        try:
            if self.delay_s:
                await asyncio.sleep(random.random() * self.delay_s)
            if number in self.raises:
                raise self.raises[number]
        finally:
            self.running -= 1
        text = f"{task.task_id}/{repeat}/{seed}"
        error = "boom" if self.status == "agent_error" else None
        return Rollout(
            text,
            task.task_id,
            repeat,
            (AgentStep(text),),
            text,
            RolloutStatus(self.status),
            PolicyIdentity("player", ""),
            usage=Usage(10, 5),
            error=error,
        )


class Verdict:
    """Passes even repeats of tasks whose number is divisible by three."""

    name = "v"

    async def judge(self, row: Any) -> Judgment:
        passed = int(row["task_id"][1:]) % 3 == 0 and row["rollout_index"] % 2 == 0
        return Judgment(row["rollout_id"], JudgeIdentity("v"), float(passed), JudgeStatus.OK)


def run(
    agent: Any,
    n: int = 6,
    repeats: int = 3,
    policy: str = "fixed",
    concurrency: int = 4,
    limits: Limits = Limits(),
    the_tasks: list[Task] | None = None,
    knobs: RolloutKnobs = KNOBS,
    **more: Any,
) -> Execution:
    todo = the_tasks or tasks(n)
    allocator = make_allocator(
        policy,
        task_ids=[group_id(t) for t in todo],
        repeats=repeats,
        knobs=knobs,
        budget=limits.rollouts,
        rewards="judge" in more,
    )

    async def play() -> Execution:
        return await execute(todo, agent, allocator, seed=1, concurrency=concurrency, limits=limits, knobs=knobs, **more)

    return asyncio.run(play())


def ids(execution: Execution) -> list[str]:
    return [f"{r.task_id}/{r.repeat}" for r in execution.rollouts]


def test_rollouts_come_in_task_order_then_repeat():
    done = run(Player(delay_s=0.003), 12)
    assert ids(done) == [f"t{i}/{k}" for i in range(12) for k in range(3)]
    assert done.report["stopped_because"] == "tasks_done" and done.report["statuses"] == {"ok": 36} and not done.incomplete


@pytest.mark.parametrize("policy", ["fixed", "successive", "adaptive"])
def test_the_result_does_not_depend_on_concurrency(policy):
    results = [run(Player(delay_s=0.002), 20, 4, policy, concurrency, judge=Verdict()) for concurrency in (1, 7, 64)]
    assert len({tuple(ids(r)) for r in results}) == 1
    assert results[0].rollouts == results[1].rollouts == results[2].rollouts
    assert results[0].judgments == results[2].judgments and len(results[0].judgments) == len(results[0].rollouts)


def test_concurrency_is_an_upper_bound_that_is_reached():
    agent = Player(delay_s=0.004)
    run(agent, 20, concurrency=5)
    assert agent.peak == 5


def test_a_judge_in_the_loop_decides_where_repeats_go():
    done = run(Player(), 6, 4, "successive", judge=Verdict())
    full = {r.task_id for r in done.rollouts if r.repeat == 3}
    assert {"t0", "t3"} <= full and done.report["by"] == "reward"


def test_without_a_judge_behaviour_decides():
    done = run(Player(), 6, 4, "successive")
    assert done.report["by"] == "behavior_signature" and done.judgments == {}


def test_a_budget_pays_for_whole_groups():
    done = run(Player(), 6, 3, limits=Limits(rollouts=8))
    assert ids(done) == [f"t{i}/{k}" for i in range(2) for k in range(3)] and done.report["stopped_because"] == "budget"
    assert not done.incomplete


def test_a_dead_agent_stops_early_and_says_why():
    agent = Player("agent_error")
    done = run(agent, 100, knobs=KNOBS.model_copy(update={"dead_agent_errors": 5}))
    assert done.report["stopped_because"] == "agent_failed" and done.report["first_error"] == "boom" and done.incomplete
    assert agent.started < 5 + 4 and len(done.rollouts) == agent.started and any("boom" in warning for warning in done.warnings)


def test_an_agent_that_breaks_its_contract_is_a_row():
    done = run(Player(raises={3: ValueError("broken")}))
    assert len(done.rollouts) == 18 and done.report["statuses"] == {"agent_error": 1, "ok": 17}
    assert done.degraded == {"rollouts_lost": {"agent_error": 1}} and not done.incomplete


@pytest.mark.parametrize(
    ("error", "reason"), [(KeyRefused("no"), "key_refused"), (DiskError("full"), "disk"), (ReplayMismatch("x"), "replay_differs")]
)
def test_what_makes_going_on_impossible_stops_and_is_handed_over(error, reason):
    agent = Player(raises={5: error}, delay_s=0.001)
    done = run(agent, 50)
    assert done.failure is error and done.report["stopped_because"] == reason and done.incomplete
    assert agent.started <= 5 + 4 + 4 and len(done.rollouts) == agent.started


def test_a_token_budget_stops_the_run():
    done = run(Player(), 50, concurrency=1, limits=Limits(tokens=100))
    assert done.report["stopped_because"] == "token_budget" and len(done.rollouts) == 7


def test_a_rollout_past_the_backstop_is_a_timeout():
    done = run(Player(delay_s=2.0), 2, 1, timeout_s=0.001)
    assert done.report["statuses"] == {"timeout": 2} and "timeout_s" in " ".join(done.warnings)


def test_time_up_starts_nothing_more_and_keeps_every_started_rollout():
    agent = Player(delay_s=0.2)
    done = run(agent, 200, limits=Limits(time_s=0.05))
    assert done.report["stopped_because"] == "time_budget" and len(done.rollouts) == agent.started < 60
    assert set(done.report["statuses"]) <= {"ok", "cancelled"}


def test_near_the_end_of_the_time_no_group_is_opened_that_cannot_be_finished():
    clock = FakeClock()

    class Ticking(Player):
        async def play(self, task: Task, repeat: int, seed: int) -> Rollout:
            clock.advance(1.0)
            return await super().play(task, repeat, seed)

    async def never(seconds: float) -> None:
        await asyncio.sleep(3600)

    clock.sleep = never  # type: ignore[method-assign]
    done = run(Ticking(), 50, 3, concurrency=1, limits=Limits(time_s=10.0), clock=clock)
    assert done.report["stopped_because"] == "time_budget" and done.report["partial"] == 0 and len(done.rollouts) == 9


def test_an_interrupt_drains_and_reports():
    async def play() -> Execution:
        stop = asyncio.Event()
        allocator = make_allocator("fixed", task_ids=[f"t{i}" for i in range(100)], repeats=1, knobs=KNOBS)
        running = asyncio.ensure_future(
            execute(tasks(100), Player(delay_s=0.5), allocator, seed=1, concurrency=4, limits=Limits(), knobs=KNOBS, stop=stop)
        )
        await asyncio.sleep(0.01)
        stop.set()
        return await running

    done = asyncio.run(play())
    assert done.report["stopped_because"] == "interrupted" and done.incomplete and done.report["statuses"].get("cancelled")


def test_progress_is_told_and_a_failing_display_costs_no_row():
    seen: list[dict] = []
    run(Player(), 4, on_progress=seen.append)
    assert [p["rollouts"] for p in seen] == list(range(1, 13)) and seen[-1]["statuses"] == {"ok": 12}

    def broken(progress: dict) -> None:
        raise RuntimeError("no terminal")

    done = run(Player(), 4, on_progress=broken)
    assert len(done.rollouts) == 12 and "no terminal" in done.warnings[0]


def test_runs_of_the_same_tasks_are_kept_apart():
    twice = tasks(2) + tasks(2, lineage=TaskLineage(eval_run=1))
    done = run(Player(), the_tasks=twice, repeats=2)
    assert len(done.rollouts) == 8


def test_no_tasks_is_no_rollouts():
    assert run(Player(), the_tasks=[], n=0).rollouts == []


def test_an_agent_that_never_waits_lets_the_loop_breathe():
    async def play() -> int:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0)
                ticks += 1

        class Busy(Player):
            async def play(self, task: Task, repeat: int, seed: int) -> Rollout:
                sum(range(20_000))
                return await super().play(task, repeat, seed)

        beside = asyncio.ensure_future(tick())
        allocator = make_allocator("fixed", task_ids=[f"t{i}" for i in range(300)], repeats=1, knobs=KNOBS)
        await execute(tasks(300), Busy(), allocator, seed=1, concurrency=1, limits=Limits(), knobs=KNOBS)
        beside.cancel()
        return ticks

    assert asyncio.run(play()) >= 2


def test_a_money_budget_needs_a_price_and_stops_the_run():
    from whileai_exp.models import Meter

    meter = Meter()

    class Spending(Player):
        async def play(self, task: Task, repeat: int, seed: int) -> Rollout:
            line = meter.line("agent", "m")
            line.money = (line.money or 0.0) + 0.25
            return await super().play(task, repeat, seed)

    done = run(Spending(), 50, concurrency=1, limits=Limits(money=1.0), meter=meter)
    assert done.report["stopped_because"] == "money_budget" and len(done.rollouts) == 4
    unpriced = run(Player(), 2, limits=Limits(money=1.0), meter=Meter())
    assert unpriced.report["stopped_because"] == "tasks_done" and "no model has a price" in unpriced.warnings[0]


def test_saturation_is_a_reason_to_stop():
    todo = tasks(100)
    allocator = make_allocator("fixed", task_ids=[t.task_id for t in todo], repeats=1, knobs=KNOBS, until="saturation")
    done = asyncio.run(execute(todo, Player(), allocator, seed=1, concurrency=4, limits=Limits(), knobs=KNOBS))
    assert done.report["stopped_because"] == "saturation" and len(done.rollouts) < 20


def test_the_first_interrupt_drains_and_the_second_is_the_usual_one():
    import os
    import signal

    from whileai_exp.rollouts import drained_by_interrupt

    async def play() -> Execution:
        stop = asyncio.Event()
        with drained_by_interrupt(stop):
            allocator = make_allocator("fixed", task_ids=[f"t{i}" for i in range(100)], repeats=1, knobs=KNOBS)
            asyncio.get_running_loop().call_later(0.02, os.kill, os.getpid(), signal.SIGINT)
            done = await execute(
                tasks(100), Player(delay_s=0.05), allocator, seed=1, concurrency=4, limits=Limits(), knobs=KNOBS, stop=stop
            )
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
            return done

    before = signal.getsignal(signal.SIGINT)
    done = asyncio.run(play())
    assert done.report["stopped_because"] == "interrupted" and 0 < len(done.rollouts) < 100
    assert signal.getsignal(signal.SIGINT) is before


def test_a_judge_that_breaks_its_contract_costs_no_row():
    class Broken(Verdict):
        async def judge(self, row: Any) -> Judgment:
            if row["task_id"] == "t1":
                raise RuntimeError("judge bug")
            return await super().judge(row)

    done = run(Player(), 3, 2, judge=Broken())
    assert len(done.rollouts) == 6 and len(done.judgments) == 4 and "judge bug" in done.warnings[0] and not done.incomplete
