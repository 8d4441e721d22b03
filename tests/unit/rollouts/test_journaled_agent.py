"""A callable agent's rollouts are resumed and replayed whole."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from whileai_exp._aio import CallPool
from whileai_exp.errors import ReplayMismatch
from whileai_exp.journal import Journal
from whileai_exp.rollouts import CallableAgent, JournaledAgent, source_of
from whileai_exp.schema import Fault, Rollout, Situation, Task, UserBrief, WorldSeed, to_row
from whileai_exp.schema.row import row_line

TASK = Task("t", "what is up?", Situation("s", {}), UserBrief("g"), WorldSeed(1, faults=(Fault("get", "stale"),)))


class Counting:
    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.calls = 0

    def __call__(self, prompt: str) -> Any:
        self.calls += 1
        answer = self.answers[min(self.calls, len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer


def play(folder: Path, agent: Any, task: Task = TASK, source: str = "v1", replay: bool = False) -> Rollout:
    async def run() -> Rollout:
        with CallPool(1) as pool, Journal.open(folder, replay=replay) as journal:
            inner = CallableAgent(agent, name="mine", timeout_s=2.0, pool=pool)
            return await JournaledAgent(inner, journal, source).play(task, 1, 7)

    return asyncio.run(run())


SAID = {
    "steps": [{"tool": "get", "arguments": {"reference": "A1"}, "result": {"ok": 1}, "text": "x"}, {"user": "u"}],
    "final_text": "done",
    "note": [1],
}


def test_a_rollout_is_played_once_and_read_back_whole(tmp_path):
    agent = Counting(SAID)
    first = play(tmp_path, agent)
    assert play(tmp_path, agent) == first == play(tmp_path, agent, replay=True) and agent.calls == 1


def test_a_failed_rollout_is_played_again_on_resume_and_repeated_on_replay(tmp_path):
    agent = Counting(ValueError("boom"), "fine")
    assert play(tmp_path, agent).status == "agent_error"
    assert play(tmp_path, agent, replay=True).status == "agent_error" and agent.calls == 1
    assert play(tmp_path, agent).final_text == "fine"
    assert play(tmp_path, agent, replay=True).final_text == "fine" and agent.calls == 2


def test_an_edited_agent_or_another_task_is_played_anew(tmp_path):
    agent = Counting("a", "b", "c")
    play(tmp_path, agent)
    assert play(tmp_path, agent, source="v2").final_text == "b"
    other = Task("t", "what is up?", Situation("s", {}), UserBrief("g"), WorldSeed(2))
    assert play(tmp_path, agent, task=other).final_text == "c"
    with pytest.raises(ReplayMismatch, match="no rollout t/1"):
        play(tmp_path, agent, source="v3", replay=True)


def test_source_is_of_the_function_or_its_class():
    assert source_of(play) != source_of(Counting("x")) != ""
    assert source_of(Counting("x")) == source_of(Counting("y")) and source_of(len) == ""


def test_the_keys_of_what_a_tool_said_keep_their_order_over_a_replay(tmp_path):
    """The reply is worded again from the steps, so that another order would be other words."""
    agent = Counting(
        {"steps": [{"tool": "get", "arguments": {"b": 1, "a": 2}, "result": {"z": 1, "a": 2}}], "final_text": "done"}
    )
    first, again = play(tmp_path, agent), play(tmp_path, agent, replay=True)
    lines = [row_line(to_row(TASK, rollout)) for rollout in (first, again)]
    assert lines[0] == lines[1] and b'\\"z\\":1,\\"a\\":2' in lines[0]
