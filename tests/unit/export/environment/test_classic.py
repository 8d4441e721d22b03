"""The classic shape without the library: what is masked, what is shown, and what is said when the library is another.

The stand-in has the few names of `verifiers` that the adapter builds on; the real library is in the opt-in tests.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import whileai_exp as wai
from whileai_exp.errors import ExportError

from . import rewards

NAME = "whileai_exp.export.environment.classic"


class _Rubric:
    def __init__(self, **_: Any) -> None:
        pass


class _MultiTurnEnv:
    def __init__(self, **options: Any) -> None:
        self.options = options


class _InfraError(Exception):
    pass


@pytest.fixture
def classic(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    library = ModuleType("verifiers")
    library.Rubric, library.MultiTurnEnv, library.InfraError = _Rubric, _MultiTurnEnv, _InfraError  # type: ignore[attr-defined]
    library.cleanup = lambda function: function  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "verifiers", library)
    sys.modules.pop(NAME, None)
    yield importlib.import_module(NAME)
    sys.modules.pop(NAME, None)


async def rolled(env: Any, task: Any, turns: list[dict[str, Any]]) -> dict[str, Any]:
    """A rollout as the library's loop does it."""
    state: dict[str, Any] = {"info": json.dumps({"task_id": task.task_id}), "trajectory": [], "model": "m", "error": None}
    state = await env.setup_state(state)
    for message in turns:
        state["trajectory"].append({"tokens": {"completion_mask": [1, 1, 1]}, "is_truncated": message.pop("cut", False)})
        await env.env_response([message], state)
        if state.get("final_env_response") is not None:
            break
    await env.end_episode(state)
    return state


CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "x1", "name": "get_order", "arguments": '{"order_id": "ORD-1"}'}],
}
LONG = {"role": "assistant", "content": "I looked and looked and looked " * 6 + "."}
SHORT = {"role": "assistant", "content": "No."}


def test_a_rollout_without_a_verdict_is_masked_and_its_group_goes_on(
    classic: Any, run: wai.SimulationData, tmp_path: Path
) -> None:
    wai.export_environment(run, tmp_path / "odd", reward=rewards.breaks, band=(0.0, 1.0))
    env = classic.load_environment(tmp_path / "odd")
    task = env.environment.tasks("train")[0]

    async def play() -> list[dict[str, Any]]:
        states = [
            await rolled(env, task, [dict(turn)] * 40) for turn in (LONG, SHORT, {**LONG, "content": LONG["content"] + "!"})
        ]
        await env.rubric.score_group(states)
        return states

    first, broken, third = asyncio.run(play())
    assert {first["reward"], third["reward"]} == {0.0, 1.0}
    assert [state["error"] for state in (first, third)] == [None, None]
    assert isinstance(broken["error"], _InfraError) and "no verdict (error)" in str(broken["error"])
    assert broken["reward"] == 0.5 and broken["advantage"] == 0.0 and broken["metrics"]["judge_ok"] == 0.0
    assert all(step["tokens"]["completion_mask"] == [0, 0, 0] for step in broken["trajectory"])
    assert first["advantage"] == -third["advantage"] and abs(first["advantage"]) == 0.5
    assert all(step["tokens"]["completion_mask"] == [1, 1, 1] for step in first["trajectory"])


def test_a_lone_rollout_without_a_verdict_has_no_reward_at_all(classic: Any, run: wai.SimulationData, tmp_path: Path) -> None:
    wai.export_environment(run, tmp_path / "odd", reward=rewards.breaks, band=(0.0, 1.0))
    env = classic.load_environment(tmp_path / "odd")

    async def play() -> dict[str, Any]:
        state = await rolled(env, env.environment.tasks("train")[0], [dict(SHORT)] * 40)
        await env.rubric.score_rollout(state)
        return state

    state = asyncio.run(play())
    assert math.isnan(state["reward"]) and isinstance(state["error"], _InfraError)


def test_calls_are_carried_out_and_answered_under_their_own_ids(classic: Any, exported: Path) -> None:
    env = classic.load_environment(exported)

    async def play() -> Any:
        state: dict[str, Any] = {"info": {"task_id": env.environment.tasks("train")[0].task_id}, "trajectory": [{}]}
        await env.setup_state(state)
        said = await env.env_response([CALL], state)
        await env.end_episode(state)
        return said

    (result,) = asyncio.run(play())
    assert (
        (result["role"], result["tool_call_id"]) == ("tool", "x1")
        and "ORD-1" in result["content"]
        or "error" in result["content"]
    )


def test_a_turn_cut_at_the_token_cap_ends_as_truncated_and_earns_nothing(classic: Any, exported: Path) -> None:
    env = classic.load_environment(exported)

    async def play() -> dict[str, Any]:
        state = await rolled(env, env.environment.tasks("train")[0], [{**LONG, "cut": True}])
        await env.rubric.score_group([state])
        return state

    state = asyncio.run(play())
    assert (state["reward"], state["is_truncated"], state["metrics"]["truncated"]) == (0.0, True, 1.0)


def test_a_model_that_fails_is_masked_with_its_own_error(classic: Any, exported: Path) -> None:
    env = classic.load_environment(exported)

    async def play() -> dict[str, Any]:
        state: dict[str, Any] = {"info": {"task_id": env.environment.tasks("train")[0].task_id}, "trajectory": []}
        await env.setup_state(state)
        state["error"] = failure
        await env.end_episode(state)
        await env.rubric.score_group([state])
        return state

    failure = RuntimeError("503")
    state = asyncio.run(play())
    assert state["error"] is failure and math.isnan(state["reward"]) and state["metrics"]["judge_ok"] == 0.0


def test_what_is_shown_is_the_ask_and_an_id(classic: Any, exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = ModuleType("datasets")
    table.Dataset = type("Dataset", (), {"from_list": staticmethod(list)})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", table)
    env = classic.load_environment(exported)
    rows = [*env.options["dataset"](), *env.options["eval_dataset"]()]
    assert len(rows) == len(wai.load_environment(exported))
    assert {key for row in rows for key in row} == {"prompt", "answer", "info"}
    assert {key for row in rows for key in json.loads(row["info"])} == {"task_id", "split"}
    assert [message["role"] for message in rows[0]["prompt"]] == ["system", "user"]
    assert [tool["name"] for tool in env.options["tool_defs"]] == ["get_order", "refund_order"]
    one = classic.load_environment(exported, split="holdout")
    assert one.options["dataset"]() == one.options["eval_dataset"]() == env.options["eval_dataset"]()


def test_another_version_of_the_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """W19: the message used to be that the library was missing, though it was there."""
    monkeypatch.setitem(sys.modules, "verifiers", ModuleType("verifiers"))
    sys.modules.pop(NAME, None)
    with pytest.raises(ExportError, match="the classic shape needs verifiers>=0.1.12,<0.4, and .*: pip install 'verifiers<0.4'"):
        importlib.import_module(NAME)
