"""Which rollouts a label sheet holds, and what it must not hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.run.report.page.labelling import label_sample, label_sheet


def rows_of(passed: int, failed: int, repeats: int = 1, **more: Any) -> list[dict[str, Any]]:
    return [
        {
            "rollout_id": f"t{task}/{k}",
            "scenario_id": f"t{task}",
            "status": "ok",
            "reward": float(task < passed),
            "prompt": "p",
            "steps": [],
            **more,
        }
        for task in range(passed + failed)
        for k in range(repeats)
    ]


def test_both_classes_are_drawn_alike_where_there_are_enough():
    chosen = label_sample(rows_of(90, 30), 40)
    assert [sum(row["reward"] == value for row in chosen) for value in (0.0, 1.0)] == [20, 20]
    assert [sum(row["reward"] == value for row in label_sample(rows_of(90, 5), 40)) for value in (0.0, 1.0)] == [5, 35]


def test_every_task_comes_once_before_any_comes_twice():
    chosen = label_sample(rows_of(10, 10, repeats=6), 20)
    assert len({row["scenario_id"] for row in chosen}) == 20


def test_the_draw_depends_on_the_seed_alone():
    rows = rows_of(30, 30)
    assert label_sample(rows, 20, 3) == label_sample(rows, 20, 3) != label_sample(rows, 20, 4)


def test_rollouts_that_say_nothing_of_the_agent_are_left_out_and_open_ones_come_last():
    rows = [
        *rows_of(2, 2),
        *({**row, "reward": None} for row in rows_of(3, 0)),
        *({**row, "status": "agent_error"} for row in rows_of(9, 0)),
    ]
    chosen = label_sample(rows, 6)
    assert len(chosen) == 6 and sum(row["reward"] is None for row in chosen) == 2
    with pytest.raises(ConfigError, match="none can be labelled"):
        label_sheet([{"rollout_id": "x", "status": "agent_error"}], "nowhere.html")


def test_a_blind_sheet_does_not_hold_the_verdict_at_all(tmp_path: Path):
    rows = rows_of(
        3,
        3,
        reason="REASON-CANARY",
        judge_name="JUDGE-CANARY",
        markers={"MARKER-CANARY": 0.0},
        failure_class="CLASS-CANARY",
        privileged={"reference": "KEY-CANARY"},
    )
    blind = label_sheet(rows, tmp_path / "a.html").read_text()
    shown = label_sheet(rows, tmp_path / "b.html", blind=False).read_text()
    assert "CANARY" not in blind and '"reward"' not in blind
    assert "REASON-CANARY" in shown and "KEY-CANARY" not in shown
