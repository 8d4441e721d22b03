"""A rollout driven from outside is the rollout that the engine plays alone."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import whileai_exp as wai
from whileai_exp.export.environment import Loaded
from whileai_exp.export.environment.episode import Episode
from whileai_exp.models import connect
from whileai_exp.plan import ModelRef
from whileai_exp.ports import Address, ChatRequest, Reply, ToolCall


def scripted(env: Loaded) -> Any:
    """The agent that was logged."""
    return connect(ModelRef("scripted"), timeout_s=1, knobs=env.plan.knobs, seed=env.plan.seed)


async def driven(env: Loaded, task: Any) -> tuple[Any, list[dict[str, Any]]]:
    """The logged agent outside, asked with what the episode says; gives the rollout and all it was shown."""
    model, tools = scripted(env), tuple(tool.wire() for tool in env.spec.tools)
    episode = Episode(env.agent, task, 0, env.plan.seed, model=model.model)
    messages: list[Any] = list(await episode.open())
    turn = 0
    while episode.rollout is None:
        reply = await model.complete(ChatRequest(messages, Address("agent", task.task_id, 0, turn), tools))
        turn += 1
        said: dict[str, Any] = {"role": "assistant", "content": reply.text}
        if reply.calls:
            said["tool_calls"] = [
                {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": json.dumps(dict(c.arguments))}}
                for c in reply.calls
            ]
        messages += [said, *await episode.take(reply)]
    return episode.rollout, messages


def test_turn_by_turn_is_the_same_rollout(exported: Path, run: wai.SimulationData) -> None:
    env = Loaded(exported)
    logged = {row["rollout_id"]: row for row in run.trajectories}
    for task in (*env.tasks("train"), *env.tasks("holdout")):
        rollout, _ = asyncio.run(driven(env, task))
        row = env.row(rollout)
        assert {key: row[key] for key in ("steps", "status", "final_text", "messages")} == {
            key: logged[f"{task.task_id}/0"][key] for key in ("steps", "status", "final_text", "messages")
        }


def test_the_outside_loop_sees_what_the_engine_would_have_shown(exported: Path) -> None:
    env = Loaded(exported)
    for task in env.tasks("train")[:6]:
        rollout, messages = asyncio.run(driven(env, task))
        assert messages[0] == {"role": "system", "content": env.system}
        assert rollout.status in ("ok", "truncated", "empty_reply")
        results = [message for message in messages if message["role"] == "tool"]
        assert len(results) == sum(hasattr(step, "tool") for step in rollout.steps)


def test_results_come_back_under_the_policys_own_call_ids(exported: Path) -> None:
    env = Loaded(exported)
    task = env.tasks("train")[0]

    async def play() -> list[Any]:
        episode = env.episode(task)
        await episode.open()
        calls = (ToolCall("mine-1", "get_order", {"order_id": "A1"}), ToolCall("mine-2", "nothing_such", {}))
        said = await episode.take(Reply("", calls, "tool_calls"))
        await episode.stop("error", "enough")
        return said

    said = asyncio.run(play())
    assert [message["tool_call_id"] for message in said] == ["mine-1", "mine-2"]
    assert "unknown_tool" in said[1]["content"]


@pytest.mark.parametrize(("kind", "status"), [("context_length", "truncated"), ("timeout", "timeout"), ("error", "agent_error")])
def test_a_rollout_that_is_stopped_says_how(exported: Path, kind: str, status: str) -> None:
    env = Loaded(exported)

    async def play() -> Any:
        episode = env.episode(env.tasks("train")[0])
        await episode.open()
        await episode.stop(kind, "the trainer stopped it")
        await episode.stop(kind, "twice does nothing")
        return episode.rollout

    assert asyncio.run(play()).status == status


def test_a_cut_turn_ends_the_rollout_as_truncated(exported: Path) -> None:
    env = Loaded(exported)

    async def play() -> Any:
        episode = env.episode(env.tasks("train")[0])
        await episode.open()
        assert await episode.take(Reply("I was say", finish_reason="length")) == []
        return episode.rollout

    assert asyncio.run(play()).status == "truncated"


def test_repeats_of_a_task_are_counted(exported: Path) -> None:
    env = Loaded(exported)
    assert [env.next_repeat("a"), env.next_repeat("b"), env.next_repeat("a")] == [0, 0, 1]
