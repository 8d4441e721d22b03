"""Tasks come back whole from saved rows: equal to what was played, keyed by id, nothing invented."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.knobs import RunKnobs
from whileai_exp.schema import PolicyIdentity, Rollout, RolloutStatus, Task
from whileai_exp.schema.row import row_line, to_row
from whileai_exp.situations import DrawRequest, draw_tasks, for_run, rebuild, tasks_from
from whileai_exp.situations.files import rows_in
from whileai_exp.spec import load_spec

DATA = Path(__file__).parents[2] / "data" / "specs"
KNOBS = RunKnobs()
SPEC = load_spec(DATA / "tau2_retail.json").spec


def saved(task: Task, repeat: int = 0) -> dict[str, Any]:
    rollout = Rollout(f"{task.task_id}/{repeat}", task.task_id, repeat, (), "done", RolloutStatus.OK, PolicyIdentity.of("m", ""))
    return orjson.loads(row_line(to_row(task, rollout)))


@pytest.mark.parametrize("stem", ["tau2_retail", "acebench_zh_phone"])
def test_a_saved_row_rebuilds_the_very_task(stem: str) -> None:
    spec = load_spec(DATA / f"{stem}.json").spec
    for task in draw_tasks(spec, DrawRequest(60, phrasings=2, seeds=("Where is it?",)), KNOBS, 3).tasks:
        assert rebuild(spec, saved(task), KNOBS) == task


def test_the_saved_row_holds_no_answer_key() -> None:
    for task in draw_tasks(SPEC, DrawRequest(30), KNOBS, 3).tasks:
        line = row_line(to_row(task, Rollout("r", task.task_id, 0, (), "", RolloutStatus.OK, PolicyIdentity.of("m", ""))))
        assert b"privileged" not in line and b"hidden_state" not in line
        assert str((task.privileged or {})["reference"]).encode() not in line


def test_tasks_of_a_file_are_the_tasks_of_the_run_in_order(tmp_path: Path) -> None:
    tasks = draw_tasks(SPEC, DrawRequest(20), KNOBS, 5).tasks
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"".join(orjson.dumps(saved(task, repeat)) + b"\n" for task in tasks for repeat in range(3)))
    found = tasks_from(path, SPEC, KNOBS, run_id="run-1")
    assert [task.task_id for task in found] == [task.task_id for task in tasks]
    assert [(t.prompt, t.world, t.user, t.privileged) for t in found] == [
        (t.prompt, t.world, t.user, t.privileged) for t in tasks
    ]
    assert {(t.lineage.replayed, t.lineage.replayed_from_run) for t in found} == {(True, "run-1")}


def test_one_prompt_under_two_ids_is_two_tasks() -> None:
    rows = [
        {"task_id": "a", "prompt": "Same words", "final_text": "x"},
        {"task_id": "b", "prompt": "Same words", "final_text": "x"},
    ]
    assert [task.task_id for task in tasks_from(rows, SPEC, KNOBS)] == ["a", "b"]


def test_one_id_for_two_prompts_is_refused() -> None:
    with pytest.raises(ConfigError, match="two prompts"):
        tasks_from(
            [{"task_id": "a", "prompt": "One", "final_text": ""}, {"task_id": "a", "prompt": "Two", "final_text": ""}],
            SPEC,
            KNOBS,
        )


def test_gold_that_a_user_brings_stays_with_the_task() -> None:
    (task,) = tasks_from([{"task_id": "a", "prompt": "2+2?", "final_text": "", "reference": "4"}], SPEC, KNOBS)
    assert task.privileged is not None and task.privileged["reference"] == "4"
    assert "4" not in repr(task.privileged)


def test_foreign_rows_get_nothing_invented() -> None:
    (task,) = tasks_from([{"prompt": "Hello there", "final_text": "Hi"}], SPEC, KNOBS)
    assert (task.privileged, task.world.target, dict(task.world.arguments)) == (None, None, {})


def test_an_earlier_draw_is_a_task_set() -> None:
    draw = draw_tasks(SPEC, DrawRequest(5), KNOBS, 5)
    assert [task.task_id for task in tasks_from(draw, SPEC, KNOBS)] == [task.task_id for task in draw.tasks]


def test_runs_after_the_first_are_replays() -> None:
    tasks = draw_tasks(SPEC, DrawRequest(3), KNOBS, 5).tasks
    first, second = for_run(tasks, 0), for_run(tasks, 1)
    assert {(t.lineage.eval_run, t.lineage.replayed) for t in first} == {(0, False)}
    assert {(t.lineage.eval_run, t.lineage.replayed) for t in second} == {(1, True)}


@pytest.mark.parametrize("source", [[], [{"prompt": ""}]])
def test_a_source_without_tasks_is_refused(source: list[dict[str, Any]]) -> None:
    with pytest.raises(ConfigError):
        tasks_from(source, SPEC, KNOBS)


def test_bad_lines_are_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"prompt": "a", "final_text": ""}\n{oops\n[1]\n')
    with pytest.raises(ConfigError) as caught:
        tasks_from(path, SPEC, KNOBS)
    assert "line 2" in str(caught.value) and "line 3" in str(caught.value)


_BROKEN: dict[str, Any] = {
    "world_seed": "x", "faults": 3, "phrasing": "a", "lineage": 4, "prefix": [3], "tags": [1], "scenario_dimensions": 3,
    "steps": 3, "usage": 3, "markers": 3, "status": "odd", "prompt": 5, "task_id": {}, "changes": [3],
}  # fmt: skip


def test_rows_of_the_wrong_kind_are_named_by_row_and_key_all_at_once() -> None:
    good = saved(draw_tasks(SPEC, DrawRequest(1), KNOBS, 3).tasks[0])
    rows: list[Any] = [good, *({**good, key: value} for key, value in _BROKEN.items()), 7]
    with pytest.raises(ConfigError) as caught:
        tasks_from(rows, SPEC, KNOBS)
    named = [problem.where for problem in caught.value.problems]
    assert named == [*(f"tasks.{index}.{key}" for index, key in enumerate(_BROKEN, 1)), f"tasks.{len(rows) - 1}"]


@pytest.mark.parametrize("key", ["world_seed", "faults", "phrasing", "lineage", "tags", "status", "usage"])
def test_null_is_absent(key: str) -> None:
    assert tasks_from([{"task_id": "a", "prompt": "Hello", "final_text": "", key: None}], SPEC, KNOBS)[0].prompt == "Hello"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("t.jsonl", '{"prompt": "a"}\n{broken\n[1]\n', ["t.jsonl line 2 is not JSON", "t.jsonl line 3 is list, not an object"]),
        ("t.json", '[{"prompt": "a"}, 5]', ["t.json item 1 is int, not an object"]),
        ("t.json", "5", ["holds int, not rows"]),
    ],
)
def test_everything_in_a_file_that_is_no_row_is_named(tmp_path: Path, name: str, text: str, words: list[str]) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError) as caught:
        rows_in(tmp_path / name)
    assert [word for word in words if word not in str(caught.value)] == []
    assert len(caught.value.problems) == len(words)
