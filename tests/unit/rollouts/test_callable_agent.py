"""A user's function as the agent: the contract, and everything that breaks it."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from contextlib import contextmanager
from typing import Any

import pytest

from whileai_exp._aio import CallPool
from whileai_exp.errors import KeyRefused
from whileai_exp.rollouts import CallableAgent
from whileai_exp.schema import AgentStep, Rollout, Sampling, Situation, Task, ToolStep, Usage, UserBrief, UserStep, WorldSeed

TASK = Task("t", "what is up?", Situation("s", {}), UserBrief("g"), WorldSeed(1))


def play(function: Any, timeout_s: float | None = 2.0, **more: Any) -> Rollout:
    async def run() -> Rollout:
        with CallPool(2) as pool:
            return await CallableAgent(function, timeout_s=timeout_s, pool=pool, **more).play(TASK, 0, 3)

    return asyncio.run(run())


def test_plain_text_is_an_answer():
    rollout = play(lambda prompt: prompt.upper(), name="shouter")
    assert rollout.final_text == "WHAT IS UP?" and rollout.status == "ok" and rollout.steps == (AgentStep("WHAT IS UP?"),)
    assert rollout.policy.model == "shouter" and rollout.sampling is None and rollout.seed == 3


def test_async_functions_and_objects_work():
    async def agent(prompt: str) -> str:
        await asyncio.sleep(0)
        return "hi"

    class Thing:
        async def __call__(self, prompt: str) -> str:
            return "hi"

    assert play(agent).final_text == play(Thing()).final_text == "hi"


def test_a_trajectory_is_read_step_by_step():
    said = {
        "steps": [
            {"tool": "get", "arguments": {"id": 1}, "result": {"ok": True}, "text": "looking"},
            {"user": "and?"},
            {"text": "found"},
        ],
        "final_text": "found",
        "finish_reason": "stop",
        "ended_by": "me",
        "opener": "hello there",
        "usage": {"input_tokens": 5, "output_tokens": 2},
        "note": [1, 2],
    }
    rollout = play(lambda prompt: said, sampling=Sampling(0.7, 9, "mine"))
    assert rollout.steps == (
        AgentStep("looking"),
        ToolStep("get", {"id": 1}, {"ok": True}),
        UserStep("and?"),
        AgentStep("found"),
    )
    assert rollout.ended_by == "me" and rollout.usage == Usage(5, 2) and rollout.sampling == Sampling(0.7, 9, "mine")
    assert rollout.extra == {"opener": "hello there", "note": [1, 2]}


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        b"bytes",
        ["x"],
        {"answer": 1},
        {"steps": "no"},
        {"final_text": 3},
        {"steps": [3]},
        {"steps": [{}]},
        (c for c in "x"),
        object(),
    ],
)
def test_what_is_no_trajectory_is_an_agent_error_that_says_what_came(value):
    rollout = play(lambda prompt: value)
    assert rollout.status == "agent_error" and "expected" in (rollout.error or "") or "none of" in (rollout.error or "")
    assert rollout.final_text == "" and rollout.finish_reason == "error"


def test_values_that_are_no_json_are_an_agent_error_not_a_crash():
    rollout = play(lambda prompt: {"final_text": "x", "steps": [{"tool": "t", "arguments": {"a": object()}, "result": 1}]})
    assert rollout.status == "agent_error"
    assert play(lambda prompt: {"final_text": "x", "score": float("nan")}).extra == {"score": None}


@pytest.mark.parametrize("error", [ValueError("boom"), SystemExit(3), KeyboardInterrupt(), MemoryError()])
@pytest.mark.parametrize("awaited", [False, True])
def test_whatever_it_raises_is_data_an_exit_included(error, awaited):
    def plain(prompt: str) -> str:
        raise error

    async def coroutine(prompt: str) -> str:
        raise error

    rollout = play(coroutine if awaited else plain)
    assert rollout.status == "agent_error" and type(error).__name__ in (rollout.error or "")


def test_sys_exit_in_a_thread_is_data():
    assert play(lambda prompt: sys.exit("bye")).status == "agent_error"


def test_the_deadline_binds_a_function_that_hangs():
    forever = threading.Event()
    began = time.monotonic()
    rollout = play(lambda prompt: forever.wait(5), timeout_s=0.05)
    forever.set()
    assert rollout.status == "timeout" and time.monotonic() - began < 2

    async def sleeper(prompt: str) -> str:
        await asyncio.sleep(5)
        return "late"

    assert play(sleeper, timeout_s=0.05).status == "timeout"


def test_a_refused_key_inside_it_stops_the_run():
    def agent(prompt: str) -> str:
        raise KeyRefused("no")

    with pytest.raises(KeyRefused):
        play(agent)


def test_endings():
    assert play(lambda prompt: "").status == "empty_reply"
    assert play(lambda prompt: {"final_text": "half", "finish_reason": "length"}).status == "truncated"
    ended_on_call = play(lambda prompt: {"steps": [{"tool": "get", "arguments": {}, "result": 1}]})
    assert ended_on_call.status == "empty_reply" and ended_on_call.finish_reason == "tool"


def test_it_cannot_write_its_own_verdict_or_answer_key():
    rollout = play(
        lambda prompt: {
            "final_text": "x",
            "reward": 1.0,
            "privileged": {"reference": "42"},
            "status": "ok",
            "deep": {"privileged": {"reference": "42"}},
        }
    )
    assert rollout.extra == {"deep": {}}


def test_arguments_that_are_no_object_are_kept_as_text():
    rollout = play(lambda prompt: {"final_text": "x", "steps": [{"tool": "get", "arguments": "{bad", "result": None}]})
    step = rollout.steps[1]
    assert isinstance(step, ToolStep) and step.arguments == {} and step.raw_arguments == "{bad"


def test_a_bound_world_gives_its_ledger_to_the_rollout():
    from .test_conversation import Box

    box = Box(fault="stale")

    @contextmanager
    def bind(task: Task, repeat: int):
        yield box

    def agent(prompt: str) -> str:
        asyncio.run(box.call("get", {}))
        return "done"

    rollout = play(agent, bind=bind)
    assert rollout.fired[0]["mode"] == "stale" and rollout.changes and rollout.world_after == "state1"
