"""What a run promises about its rows, whatever the agent, the fault rate and the judge beside it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import whileai_exp as wai
from whileai_exp.knobs import KnobInfo
from whileai_exp.knobs.tables import parameter_infos
from whileai_exp.plan import resolve_plan
from whileai_exp.plan.parameters import put

RETAIL = str(Path(__file__).resolve().parents[1] / "data" / "specs" / "tau2_retail.json")
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


def sim(**given: Any) -> Any:
    return wai.simulate(**{"agent": "scripted", "spec": RETAIL, "situations": 60, "repeats": 1, "mode": "rl", **given})


def fired_of(row: dict[str, Any]) -> set[str]:
    return {fault["mode"] for fault in row.get("faults") or () if fault.get("fired")}


def seen_of(row: dict[str, Any]) -> bool:
    """Whether a call of the rollout met a failure that was planned: its status says so, or how long a slow one took."""
    return any(
        step.get("status") == "fault" or (isinstance(step.get("result"), dict) and "elapsed_s" in step["result"])
        for step in row["steps"]
    )


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0])  # W01 and the first acceptance check
@pytest.mark.parametrize("kind", ["embedded", "function", "own world"])
def test_the_faults_on_a_row_are_those_that_its_rollout_met(rate: float, kind: str) -> None:
    given: dict[str, Any] = {"fault_rate": rate}
    if kind == "function":
        world = wai.mock_world(TOOLS)

        def agent(message: str) -> dict[str, Any]:
            results = [world("get_order", {"order_id": "A-10482"}) for _ in range(2)]
            steps = [{"tool": "get_order", "arguments": {"order_id": "A-10482"}, "result": result} for result in results]
            return {"steps": steps, "final_text": "looked"}

        given |= {"agent": agent, "spec": None, "tools": TOOLS, "system_prompt": "Look orders up."}
    elif kind == "own world":
        given["execute"] = lambda tool, arguments: {"status": "ok", "tool": tool}
    rows = sim(**given).rows
    planned = [row for row in rows if row.get("faults")]
    about = [row for row in rows if row["scenario_dimensions"]["tool"] not in ("unrelated", "multi_tool")]
    assert abs(len(planned) / len(about) - rate) <= 0.03
    if kind != "function":
        assert all(bool(fired_of(row)) == seen_of(row) for row in rows)
    elif rate == 1.0:
        assert {row["faults"][0]["mode"] for row in planned if fired_of(row)} >= {"timeout", "rate_limited"}


def test_seeds_and_several_runs_go_together() -> None:  # W36
    data = sim(seeds=["Where is my parcel?"], runs=2, situations=4)
    assert len(data.rows) == 8 and [row["prompt"] for row in data.rows].count("Where is my parcel?") == 2
    assert data.report()["delivered"]["rollouts"] == 8


def test_a_scaffold_is_no_part_of_the_policys_identity() -> None:  # W11
    plain, helped = sim(situations=1).rows[0], sim(situations=1, scaffold="Think first.").rows[0]
    assert plain["policy_version"] == helped["policy_version"] and plain["lineage"] == helped["lineage"]


def test_whatever_a_users_world_returns_becomes_strict_json(tmp_path: Path) -> None:  # W37
    data = sim(execute=lambda tool, arguments: {"ids": {1}, "share": math.nan, "raw": b"x"}, output=tmp_path / "rows.jsonl")
    assert any("tool" in step for row in data.rows for step in row["steps"])
    assert "NaN" not in (tmp_path / "rows.jsonl").read_text("utf-8")


def test_people_and_agent_take_turns_from_the_first_message_on() -> None:  # B50
    for row in sim(avg_turns=12).rows:
        said = [
            message["role"] for message in row["messages"] if message["role"] in ("user", "assistant") and message.get("content")
        ]
        assert said[0] == "user" and "useruser" not in "".join(said)
        assert sum("user" in step for step in row["steps"]) <= 24


def test_an_inconclusive_judge_beside_the_loop_ends_no_talk() -> None:  # B53
    plain = sim()
    judged = sim(grader=lambda row: {"reason": "inconclusive"})
    assert [row["steps"] for row in judged.rows] == [row["steps"] for row in plain.rows]
    assert {row["judge_status"] for row in judged.rows if row["status"] == "ok"} == {"missing_reward"}


def test_a_run_that_is_refused_leaves_the_earlier_file_alone(tmp_path: Path) -> None:  # W49
    target = tmp_path / "rows.jsonl"
    sim(situations=3, output=target)
    before = target.read_bytes()
    with pytest.raises(wai.ConfigError):
        sim(situations=3, output=target, hard_share=7)
    assert target.read_bytes() == before and len(before.splitlines()) == 3


def wrong_values(info: KnobInfo) -> list[Any]:
    out: list[Any] = [[1], {"a": 1}]
    if "int" in info.type or "float" in info.type:
        out += ["a word", math.nan, math.inf, True]
    if info.low is not None:
        out.append(info.low - 1 if not info.open_low else info.low)
    if info.high is not None:
        out.append(info.high + 1)
    return out


@pytest.mark.slow
@pytest.mark.parametrize(("name", "info"), parameter_infos(), ids=lambda item: item if isinstance(item, str) else "")
def test_a_parameter_out_of_bounds_is_refused_by_its_path(name: str, info: KnobInfo) -> None:  # the seventh acceptance check
    for value in wrong_values(info):
        config: dict[str, Any] = {"spec": {"path": RETAIL}}
        put(config, name, value)
        with pytest.raises(wai.ConfigError) as caught:
            resolve_plan(config)
        assert any(problem.where.startswith(name) for problem in caught.value.problems), value
    section, _, leaf = name.rpartition(".")
    with pytest.raises(wai.ConfigError, match="unknown key"):
        resolve_plan({"spec": {"path": RETAIL}, section: {leaf + "x": 1}})


def test_a_given_task_set_is_played_whole_however_large_it_is() -> None:  # W03: the default budget of 1,000 cut it
    asks = [{"scenario_id": f"t{n}", "prompt": f"Look at order number {n}."} for n in range(1100)]
    data = wai.simulate(lambda message: "noted", tools=TOOLS, system_prompt="Look orders up.", tasks=asks, repeats=1)
    assert [row["prompt"] for row in data.rows] == [row["prompt"] for row in asks] and data.stopped_because == "tasks_done"
    assert not any("of 1100" in warning for warning in data.warnings)
