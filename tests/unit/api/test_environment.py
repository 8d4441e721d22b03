"""`wai.load_environment`: an exported environment is what was recorded, and shows no key to anybody who plays it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import whileai_exp as wai
from whileai_exp.errors import ConfigError
from whileai_exp.ports import ChatRequest, Reply

from ..export.environment.conftest import POLICY, exported, run

__all__ = ["exported", "run"]


class Overhearing:
    """The scripted agent, and everything that is said to it."""

    deterministic = True

    def __init__(self, seed: int) -> None:
        self._inner = wai.scripted_agent(seed=seed)
        self.model = "scripted"
        self.heard: list[str] = []

    async def complete(self, request: ChatRequest) -> Reply:
        self.heard.append(json.dumps([request.messages, request.tools], default=str))
        return await self._inner.complete(request)

    async def aclose(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize("split", ["train", "holdout"])
def test_the_logged_policy_earns_its_logged_rewards_again(exported: Path, run: wai.SimulationData, split: str) -> None:
    env = wai.load_environment(exported)
    logged = {row["rollout_id"]: row for row in run.trajectories}
    played = env.play("scripted", split=split, repeats=8)
    assert len(played) == 8 * len(getattr(env, split))
    assert [row["reward"] for row in played.rows] == [logged[row["rollout_id"]]["reward"] for row in played.rows]
    assert all(row["steps"] == logged[row["rollout_id"]]["steps"] for row in played.rows)


def test_it_reproduces_the_record_and_counts_what_it_does_not_have(exported: Path, run: wai.SimulationData) -> None:
    env = wai.load_environment(exported)
    found = env.reproduces(run)
    assert found.ok and found.same == found.n == 8 * len(env) and found.strangers == len(run) - found.n
    changed = [{**row, "reward": 1.0 - row["reward"]} if row["rollout_index"] == 0 else row for row in run.trajectories]
    assert not env.reproduces(changed).ok and len(env.reproduces(changed).differing) == 20


def test_what_an_agent_hears_holds_no_key(exported: Path) -> None:
    """W17: the key used to be shipped where a client reads it."""
    env = wai.load_environment(exported)
    agent = Overhearing(seed=3)
    for split in ("train", "holdout"):
        env.play(agent, split=split, repeats=2)
    heard = "\n".join(agent.heard)
    lines = (exported / "my_agent" / "server" / "keys.jsonl").read_text("utf-8").splitlines()
    for line in lines:
        key = json.loads(line)["key"]
        assert json.dumps(key["reference"])[1:-1] not in heard and json.dumps(key["principle"])[1:-1] not in heard
    for word in ("privileged", "hidden_state", "world_seed", "pass_rate", "look_first", "scenario_dimensions"):
        assert word not in heard
    assert POLICY in heard


def test_tasks_are_handed_out_without_their_keys(exported: Path) -> None:
    env = wai.load_environment(exported)
    assert all(task.privileged is None for task in (*env.train, *env.holdout))
    assert {task.task_id for task in env.train}.isdisjoint(task.task_id for task in env.holdout)


def test_saved_rows_of_an_environment_hold_no_key(exported: Path, tmp_path: Path) -> None:
    played = wai.load_environment(exported).play("scripted", limit=2)
    assert all("privileged" in row for row in played.rows)
    played.save(tmp_path / "rows.jsonl")
    assert "privileged" not in (tmp_path / "rows.jsonl").read_text("utf-8")


def test_a_function_plays_too(exported: Path) -> None:
    played = wai.load_environment(exported).play(lambda message: "I can't do that.", limit=4)
    assert {row["reward"] for row in played.rows} <= {0.0, 1.0} and len(played) == 4


def test_grading_copies_rows_and_leaves_strangers_unjudged(exported: Path, run: wai.SimulationData) -> None:
    env = wai.load_environment(exported)
    row: dict[str, Any] = {**run.trajectories[0], "task_id": "elsewhere", "scenario_id": "elsewhere"}
    before = dict(row)
    graded = env.grade([row])
    assert row == before and graded.rows[0] is not row


def test_what_is_no_environment_is_refused(tmp_path: Path, exported: Path) -> None:
    with pytest.raises(ConfigError, match="is no exported environment; give the folder that export_environment wrote"):
        wai.load_environment(tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "env.json").write_text('{"format": 99, "made_with": "whileai-exp 7"}')
    with pytest.raises(ConfigError, match="was written by whileai-exp 7 in a form this version does not read"):
        wai.load_environment(tmp_path / "other")
    with pytest.raises(ConfigError, match="'test' is no split"):
        wai.load_environment(exported).play("scripted", split="test")


def test_another_person_can_be_named(exported: Path) -> None:
    with pytest.raises(ConfigError, match="use 'template', a spec string or a ChatModel"):
        wai.load_environment(exported, user=3)
    assert len(wai.load_environment(exported, user="template").play("scripted", limit=1)) == 1
