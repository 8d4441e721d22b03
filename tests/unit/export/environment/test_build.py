"""What is written, what is refused, and that nothing is written then."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import whileai_exp as wai
from whileai_exp.errors import ConfigError, ExportError, GateError, SpecError

from . import rewards
from .conftest import POLICY, TOOLS, asked
from .test_tasks import HALF, words

HERE = rewards.__name__


def tree(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


def test_the_report_accounts_for_every_task(run: wai.SimulationData, tmp_path: Path) -> None:
    report = wai.export_environment(run, tmp_path / "a")
    assert report["tasks"] == 60 == report["train"] + report["holdout"] + sum(report["dropped"].values())
    assert {gate["gate"]: gate["status"] for gate in report["gates"]} == {
        "band": "pass",
        "holdout": "pass",
        "contamination": "pass",
        "no_leak": "pass",
        "key_in_ask": "pass",
        "secrets": "pass",
        "outcome": "pass",
        "reproduces": "pass",
        "battery": "pass",
    }
    assert report["warnings"] == []


def test_same_run_same_bytes(run: wai.SimulationData, exported: Path, tmp_path: Path) -> None:
    wai.export_environment(run, tmp_path / "my-agent")
    assert tree(tmp_path / "my-agent") == tree(exported)


def test_bytes_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    code = (
        "import sys, whileai_exp as wai; from tests.unit.export.environment.conftest import TOOLS, POLICY\n"
        "data = wai.simulate(agent='scripted', tools=TOOLS, system_prompt=POLICY, mode='rl', situations=20, repeats=8,"
        " repeat_policy='fixed', grader='task_checklist', seed=3)\n"
        "wai.export_environment(data, sys.argv[1])\n"
    )
    root = Path(__file__).resolve().parents[4]
    for seed in ("1", "2"):
        command = [sys.executable, "-c", code, str(tmp_path / seed / "env")]
        subprocess.run(command, check=True, cwd=root, env={"PYTHONHASHSEED": seed, "PATH": "/usr/bin:/bin"})
    assert tree(tmp_path / "1") == tree(tmp_path / "2")


def test_the_package_can_be_built_and_its_needs_are_bounded(exported: Path) -> None:
    project = tomllib.loads((exported / "pyproject.toml").read_text("utf-8"))
    needs = project["project"]["dependencies"]
    assert "verifiers>=0.1.12,<0.4" in needs
    assert all("<" in need for need in needs)
    module = (exported / "my_agent" / "__init__.py").read_text("utf-8")
    assert len(module.splitlines()) < 30
    assert {node.name for node in ast.walk(ast.parse(module)) if isinstance(node, ast.FunctionDef)} == {
        "load_environment",
        "__getattr__",
    }


def test_the_v1_shape_asks_for_the_library_that_has_it(run: wai.SimulationData, tmp_path: Path) -> None:
    wai.export_environment(run, tmp_path / "env-one", shape="v1")
    text = (tmp_path / "env-one" / "pyproject.toml").read_text("utf-8")
    assert "verifiers>=0.4,<0.5" in text and "vf-eval env-one" in (tmp_path / "env-one" / "README.md").read_text("utf-8")


def test_the_readme_carries_the_gate(exported: Path) -> None:
    text = (exported / "README.md").read_text("utf-8")
    for line in ("| battery | pass |", "| contamination | pass |", "| held-out tasks | 12 |", "[0.2, 0.8]", "vf-eval my_agent"):
        assert line in text


def test_answer_keys_stand_in_one_file_only(exported: Path) -> None:
    inside = exported / "my_agent"
    lines = [json.loads(line) for line in (inside / "server" / "keys.jsonl").read_text("utf-8").splitlines()]
    env = wai.load_environment(exported)
    assert len(lines) == len(env) and all(line["key"]["reference"] for line in lines)
    for file, data in tree(exported).items():
        if file.endswith("keys.jsonl"):
            continue
        for line in lines:
            assert line["key"]["reference"].encode() not in data and line["key"]["principle"].encode() not in data, file
        assert b"hidden_state" not in data and b"privileged" not in data
    for split in ("train", "holdout"):
        public = [json.loads(line) for line in (inside / "data" / f"{split}.jsonl").read_text("utf-8").splitlines()]
        assert {key for line in public for key in line} == {"task_id", "prompt", "calibration"}


def test_a_reward_that_pays_for_claims_is_refused_and_nothing_is_written(run: wai.SimulationData, tmp_path: Path) -> None:
    """W18: a fixed sentence used to win the exported reward."""
    with pytest.raises(GateError, match="battery: a policy that claims done earns 1.000") as refused:
        wai.export_environment(run, tmp_path / "bad", reward=rewards.pays_for_claims)
    gate = next(result for result in refused.value.results if result.gate == "battery")
    assert {item["policy"] for item in gate.numbers["policies"]} == {
        "says_nothing", "refuses", "asks", "claims_done", "covers_all", "orders", "one_answer", "echoes", "calls_all_claims", "calls_all_covers",
    }  # fmt: skip
    assert list(tmp_path.iterdir()) == []


def test_a_refused_export_leaves_the_one_before_as_it_was(run: wai.SimulationData, tmp_path: Path) -> None:
    wai.export_environment(run, tmp_path / "env-a")
    before = tree(tmp_path / "env-a")
    with pytest.raises(GateError):
        wai.export_environment(run, tmp_path / "env-a", reward=rewards.pays_for_claims)
    assert tree(tmp_path / "env-a") == before
    wai.export_environment(run, tmp_path / "env-a", reward=rewards.told_what_it_found)
    assert tree(tmp_path / "env-a") != before
    assert [path.name for path in tmp_path.iterdir()] == ["env-a"]


def test_a_folder_of_something_else_is_left_alone(run: wai.SimulationData, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("keep")
    with pytest.raises(ExportError, match="exists and is no exported environment"):
        wai.export_environment(run, tmp_path / "notes")
    assert (tmp_path / "notes" / "mine.txt").read_text() == "keep"


@pytest.mark.parametrize(("name", "said"), [("1st", "cannot name a package"), ("json", "another module"), ("class", "cannot name"), ("ünï", "cannot name")])  # fmt: skip
def test_names_that_cannot_be_imported_are_refused(run: wai.SimulationData, tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        wai.export_environment(run, tmp_path / name)


def test_every_mistake_is_told_at_once(run: wai.SimulationData, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        wai.export_environment(
            run, tmp_path / "x1", reward=lambda row: 1.0, execute=lambda t, a: {}, truncated="half", shape="gym"
        )
    assert [problem.where for problem in error.value.problems] == ["reward", "execute", "truncated", "shape"]


def test_a_reward_that_fails_on_what_is_odd_is_unmeasured_and_said(run: wai.SimulationData, tmp_path: Path) -> None:
    report = wai.export_environment(run, tmp_path / "odd", reward=rewards.breaks, band=(0.0, 1.0))
    assert {g["gate"]: g["status"] for g in report["gates"]}["battery"] == "unmeasured"
    assert any("gave no verdict" in warning for warning in report["warnings"])


def test_rows_graded_by_another_are_graded_again_and_it_is_said(run: wai.SimulationData, tmp_path: Path) -> None:
    report = wai.export_environment(run, tmp_path / "again", reward=rewards.told_what_it_found)
    assert report["warnings"][0].startswith("the rows were graded by task_checklist; the band was decided on verdicts of")
    assert any("name the package it comes from in requires=" in warning for warning in report["warnings"])
    assert {g["gate"]: g["status"] for g in report["gates"]}["reproduces"] == "pass"


def test_saved_rows_export_as_the_run_does(run: wai.SimulationData, exported: Path, tmp_path: Path) -> None:
    """Keys are not in the file: they are worked out again from the tasks' coordinates."""
    run.save(tmp_path / "rows.jsonl")
    wai.export_environment(tmp_path / "rows.jsonl", tmp_path / "my-agent")
    assert tree(tmp_path / "my-agent") == tree(exported)


def test_rows_of_others_export_with_their_own_key(tmp_path: Path) -> None:
    rows = [row for n in range(12) for row in asked(f"t{n}", HALF, prompt=words(n), reference=str(100 + n))]
    for row in rows:
        row["final_text"] = "It is " + (row["reference"] if row["reward"] else "41")
        row["steps"] = [{"text": row["final_text"]}]
    report = wai.export_environment(
        rows, tmp_path / "sums", reward=rewards.says_the_answer, system_prompt="Answer with a number.", tools=[]
    )
    assert (report["train"], report["holdout"]) == (7, 5)
    env = wai.load_environment(tmp_path / "sums")
    assert env.reproduces(rows).ok
    with pytest.raises(SpecError, match="pass tools= and system_prompt="):
        wai.export_environment(rows, tmp_path / "sums2", reward=rewards.says_the_answer)


def test_one_answer_to_everything_is_caught(tmp_path: Path) -> None:
    rows = [row for n in range(12) for row in asked(f"t{n}", HALF, prompt=words(n))]
    for row in rows:
        row["final_text"] = "It is " + ("42" if row["reward"] else "41")
    with pytest.raises(GateError, match="a policy that one answer earns 1.000"):
        wai.export_environment(rows, tmp_path / "sums", reward="includes", system_prompt="Answer.", tools=[])


def test_an_agent_that_recites_its_key_stops_the_export(run: wai.SimulationData, tmp_path: Path) -> None:
    rows = [dict(row) for row in run.trajectories]
    for row in rows:
        row["final_text"] += " " + row["privileged"]["principle"]
        row["steps"] = [*row["steps"], {"text": row["final_text"]}]
    with pytest.raises(GateError, match="no_leak: .* recite their answer key"):
        wai.export_environment(rows, tmp_path / "leaky", tools=TOOLS, system_prompt=POLICY, reward="task_checklist")
    assert list(tmp_path.iterdir()) == []


def test_what_looks_like_a_secret_stops_the_export(run: wai.SimulationData, tmp_path: Path) -> None:
    with pytest.raises(GateError, match="secrets: 1 tasks hold what looks like somebody's key: the spec"):
        wai.export_environment(run, tmp_path / "s", system_prompt=POLICY + " Use sk-proj-" + "a1B2" * 8, tools=TOOLS)


def test_a_world_of_ones_own_is_named_and_played(run: wai.SimulationData, tmp_path: Path) -> None:
    wai.export_environment(run, tmp_path / "own", execute=rewards.world, reward=rewards.told_what_it_found, band=(0.0, 1.0))
    meta: dict[str, Any] = json.loads((tmp_path / "own" / "own" / "env.json").read_text("utf-8"))
    assert meta["config"]["world"]["execute"] == f"{HERE}:world"
    rows = wai.load_environment(tmp_path / "own").play("scripted", limit=3).rows
    assert {
        json.dumps(step["result"]) for row in rows for step in row["steps"] if step.get("status") == "ok" and "result" in step
    } >= {'{"status": "ok", "seen": ["order_id"]}'}


def test_the_rows_that_are_given_stay_as_they_are(run: wai.SimulationData, tmp_path: Path) -> None:
    before = [sorted(row) for row in run.trajectories]
    wai.export_environment(run, tmp_path / "same", reward=rewards.told_what_it_found)
    assert [sorted(row) for row in run.trajectories] == before
    assert {row["judge_name"] for row in run.trajectories} == {"task_checklist"}
