"""The library's main call with agents of one's own, and everything that can be wrong with them."""

from __future__ import annotations

import asyncio
import contextlib
import time
from pathlib import Path
from typing import Any

import pytest

import whileai_exp as wai

TOOLS = [
    {
        "name": "get_order",
        "description": "Look up one order.",
        "parameters": {
            "type": "object",
            "properties": {"order_id": {"type": "string", "description": "such as 'A-10482'"}},
            "required": ["order_id"],
        },
    }
]
SMALL: dict[str, Any] = {"tools": TOOLS, "system_prompt": "Look orders up.", "situations": 4, "repeats": 1, "concurrency": 2}


def polite(message: str) -> str:
    return "Thank you, noted."


async def polite_async(message: str) -> dict[str, Any]:
    await asyncio.sleep(0)
    return {"steps": [{"text": "Thank you, noted."}], "final_text": "Thank you, noted."}


class Closed(BaseException):
    """Not an Exception."""


def raising(error: BaseException) -> Any:
    def agent(message: str) -> str:
        raise error

    return agent


def raising_async(error: BaseException) -> Any:
    async def agent(message: str) -> str:
        raise error

    return agent


@pytest.mark.parametrize("agent", [polite, polite_async])
def test_a_function_is_an_agent(agent: Any) -> None:
    data = wai.simulate(agent, **SMALL)
    assert [row["final_text"] for row in data.rows] == ["Thank you, noted."] * 4
    assert {row["status"] for row in data.rows} == {"ok"} and data.rows[0]["model_version"] == agent.__name__
    assert data.rows[0]["sampling"] is None and "embedded_agent" not in data.degraded


def test_a_function_agent_acts_in_the_world_of_its_rollout() -> None:
    world = wai.mock_world(TOOLS)

    def agent(message: str) -> dict[str, Any]:
        result = world("get_order", {"order_id": "A-10482"})
        return {"steps": [{"tool": "get_order", "arguments": {"order_id": "A-10482"}, "result": result}], "final_text": "looked"}

    rows = wai.simulate(agent, **{**SMALL, "fault_rate": 1.0, "mode": "rl", "repeats": 2}).rows
    assert all(row["tools_used"] == ["get_order"] and row["world_before"] for row in rows)


@pytest.mark.parametrize(
    "error",
    [
        ValueError("x"),
        TimeoutError("socket timed out"),
        asyncio.CancelledError("x"),
        SystemExit(3),
        StopIteration("x"),
        KeyboardInterrupt("x"),
        GeneratorExit("x"),
        Closed("x"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("make", [raising, raising_async])
def test_whatever_an_agent_raises_is_its_rollouts_status(make: Any, error: BaseException) -> None:
    start = time.monotonic()
    rows = wai.simulate(make(error), **SMALL, timeout=30).rows
    assert time.monotonic() - start < 10
    assert [row["status"] for row in rows] == ["agent_error"] * 4
    assert all(type(error).__name__ in row["error"] or "StopIteration" in row["error"] for row in rows)


def test_an_agent_that_never_ends_is_a_timeout_and_holds_nothing_up() -> None:
    async def stubborn(message: str) -> str:
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(3600)

    start = time.monotonic()
    data = wai.simulate(stubborn, **SMALL, timeout=0.3)
    assert time.monotonic() - start < 8
    assert {row["status"] for row in data.rows} == {"timeout"} and data.degraded["calls_abandoned"] == 4


@pytest.mark.parametrize("value", [None, 3, b"bytes", (x for x in ()), {"nothing": 1}, {"steps": "x"}])
def test_what_is_no_trajectory_is_an_agent_error(value: Any) -> None:
    assert {row["status"] for row in wai.simulate(lambda message: value, **SMALL).rows} == {"agent_error"}


def test_the_same_task_set_is_played_several_times() -> None:
    data = wai.simulate("scripted", **{**SMALL, "repeats": 2}, runs=3)
    assert len(data.rows) == 24 and len({row["rollout_id"] for row in data.rows}) == 24
    assert [row["lineage"].get("eval_run") for row in data.rows[::8]] == [0, 1, 2]


def test_every_mistake_is_said_at_once() -> None:
    with pytest.raises(wai.ConfigError) as caught:
        wai.simulate(
            situatons=3,
            fault_rate=9,
            advanced={"prob": 3, "min_k": "x"},
            mode="rll",
            agent="scriptd",
            tools=TOOLS,
            system_prompt="x",
            sampling={"temprature": 1},
        )
    found = sorted(problem.where for problem in caught.value.problems)
    assert found == ["advanced.min_k", "advanced.prob", "agent", "mode", "sampling.temprature", "situatons", "world.fault_rate"]


@pytest.mark.parametrize("output", [".", "", "/dev/null/rows.jsonl"])
def test_an_output_that_cannot_be_written_is_refused_before_anything_is_played(output: str) -> None:
    played = []
    with pytest.raises(wai.ConfigError, match="output"):
        wai.simulate(lambda message: played.append(message) or "x", **SMALL, output=output)
    assert played == []


def test_a_checkpoint_takes_up_a_cut_run_and_refuses_another(tmp_path: Path) -> None:
    calls: list[str] = []

    def agent(message: str) -> str:
        calls.append(message)
        return "noted"

    first = wai.simulate(agent, **SMALL, checkpoint=tmp_path / "run", output=tmp_path / "a-1.5.jsonl")
    again = wai.simulate(agent, **SMALL, checkpoint=tmp_path / "run")
    assert len(calls) == 4 and again.rows == first.rows
    assert (tmp_path / "a-1.5.jsonl").is_file() and (tmp_path / "a-1.5.meta.json").is_file()
    with pytest.raises(wai.ConfigError, match="another configuration: .*seed"):
        wai.simulate(agent, **SMALL, seed=3, checkpoint=tmp_path / "run")


def test_without_a_checkpoint_nothing_is_reused(tmp_path: Path) -> None:
    for word in ("one", "two"):
        data = wai.simulate(lambda message, word=word: word, **SMALL, output=tmp_path / "rows.jsonl")
        assert {row["final_text"] for row in data.rows} == {word}


def test_it_runs_inside_a_running_loop() -> None:
    async def work() -> int:
        return len(wai.simulate(polite, **SMALL).rows)

    assert asyncio.run(work()) == 4


def test_a_listener_that_raises_does_not_end_the_run() -> None:
    assert len(wai.simulate(polite, **SMALL, on_progress=lambda progress: 1 / 0).rows) == 4


def test_progress_tells_the_first_draws_apart_since_later_ones_are_chosen() -> None:
    told: list[Any] = []
    wai.simulate(polite, **{**SMALL, "repeats": 3}, grader=lambda row: 1.0, repeat_policy="successive", on_progress=told.append)
    assert told[-1]["rollouts"] > 4 and told[-1]["first_judged"] == told[-1]["first_passed"] == 4


def test_logprobs_that_nobody_gives_are_said_to_be_missing() -> None:
    assert "no reply carried any" in wai.simulate("scripted", **SMALL, logprobs=True).degraded["logprobs"]
