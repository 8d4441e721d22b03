"""Publishing: what is refused and why, what is written and what never is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

import whileai_exp as wai
from whileai_exp.errors import ConfigError, PublishGateError
from whileai_exp.export.publish import calibrated

KEY = "ANSWER-KEY-71c2"


def rows_of(mixed: int = 10, flat: int = 0, k: int = 4, **more: Any) -> list[dict[str, Any]]:
    rows = []
    for task in range(mixed + flat):
        for repeat in range(k):
            reward = float(repeat % 2) if task < mixed else 1.0
            rows.append(
                {"scenario_id": f"t{task}", "rollout_index": repeat, "rollout_id": f"t{task}/{repeat}", "prompt": f"Please look at order A-{task}{task}9", "status": "ok",
                 "reward": reward, "judge_status": "ok", "final_text": f"done {task} {repeat}", "privileged": {"reference": KEY}, **more}
            )  # fmt: skip
    return rows


def push(rows: list[dict[str, Any]], tmp_path: Path, **more: Any) -> Any:
    return wai.push_rows(rows, "orders", registry=tmp_path / "registry", **more)


def refusal(rows: list[dict[str, Any]], tmp_path: Path, **more: Any) -> dict[str, Any]:
    """The checks that refused, by name; and nothing was written."""
    with pytest.raises(PublishGateError) as caught:
        push(rows, tmp_path, **more)
    assert not (tmp_path / "registry").exists()
    return {result.gate: result for result in caught.value.results if result.status in ("fail", "unmeasured")}


def test_what_is_published_holds_no_answer_key_and_says_where_it_came_from(tmp_path: Path):
    rows, _ = wai.optimize(rows_of(), mode="rl")
    entry = push(rows, tmp_path, config={"seed": 3}, holdout=[{"prompt": "An unrelated question about the weather today"}])
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY.encode() not in written and b"privileged" not in written
    manifest = orjson.loads((entry.path / "manifest.json").read_bytes())
    assert (
        manifest["config"] == {"seed": 3}
        and manifest["holdout"]["n_rows"] == 1
        and manifest["code"]
        and manifest["parent"] is None
    )
    assert {gate["status"] for gate in manifest["gates"]} == {"pass"}


@pytest.mark.parametrize(
    ("rows", "check"),
    [
        (rows_of(1, 99), "mixed_groups"),
        ([{**row, "reward": None, "judge_status": "timeout"} if n % 2 else row for n, row in enumerate(rows_of())], "graded"),
        (rows_of(lineage={"source": "eval"}), "eval_sourced"),
        (rows_of(final_text=f"the answer is {KEY}"), "no_leak"),
        (rows_of(final_text="use sk-proj-abcdefghij0123456789KLMN to call it"), "secrets"),
        (rows_of(steps=[{"tool": "get", "arguments": {}, "result": {"authorization": "Bearer abcdefghijklmnop0123"}}]), "secrets"),
    ],
)  # fmt: skip
def test_rows_that_would_teach_the_wrong_thing_are_refused(rows: list[dict[str, Any]], check: str, tmp_path: Path):
    found = refusal(rows, tmp_path)
    assert check in found and found[check].fix


def test_an_ask_of_the_holdout_is_refused_and_named(tmp_path: Path):
    found = refusal(rows_of(), tmp_path, holdout=[{"prompt": "Please look at order A-339"}])
    assert found["holdout"].numbers["value"] == 4 and "decontaminate" in found["holdout"].fix


def test_a_judge_that_was_not_measured_is_refused_where_trust_is_required(tmp_path: Path):
    assert set(refusal(rows_of(), tmp_path, require_trust=True)) == {"judge_trusted"}
    labelled = [{**row, "gold_reward": row["reward"]} for row in rows_of(40)]
    assert push(labelled, tmp_path, require_trust=True).n_rows == 160


def test_ordinary_text_is_no_secret(tmp_path: Path):
    assert push(rows_of(final_text="I asked sk-order-17 about ghp_ and the bearer of bad news"), tmp_path).version == 1


def test_the_same_rows_are_the_same_version_and_others_are_its_child(tmp_path: Path):
    first, again, other = push(rows_of(), tmp_path), push(rows_of(), tmp_path), push(rows_of(11), tmp_path)
    assert (first.version, again.version, other.version) == (1, 1, 2) and first.path == again.path
    assert orjson.loads((other.path / "manifest.json").read_bytes())["parent"] == first.path.name


def test_rows_are_stamped_with_how_hard_their_task_is_and_the_given_stay_as_they_are():
    rows = rows_of(1, k=4)
    before = orjson.dumps(rows)
    (stamp,) = {orjson.dumps(row["calibration"]) for row in calibrated(rows)}
    found = orjson.loads(stamp)
    assert (found["n"], found["pass_rate"]) == (4, 0.5) and found["pass_rate_ci95"] == pytest.approx([0.15004, 0.84996], abs=1e-4)
    assert orjson.dumps(rows) == before
    kept = calibrated([{**rows[0], "calibration": {"n": 16, "pass_rate": 0.4}}])
    assert kept[0]["calibration"]["n"] == 16


@pytest.mark.parametrize(("name", "mode", "words"), [("../x", "rl", "not a name"), ("x", "dpo", "publishing mode")])
def test_bad_names_and_modes_are_told(name: str, mode: str, words: str, tmp_path: Path):
    with pytest.raises(ConfigError, match=words):
        wai.push_rows(rows_of(), name, mode=mode, registry=tmp_path)
