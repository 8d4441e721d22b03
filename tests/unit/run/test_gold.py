"""Labels from a file: what is read, what is refused, and that no label lands on another row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from whileai_exp.config.compose import compose_tree, plan_of
from whileai_exp.errors import ConfigError
from whileai_exp.run.gold import read_labels, with_labels
from whileai_exp.run.pipeline import run_line
from whileai_exp.run.ports import preflight

ROWS = [{"rollout_id": f"t{at}/0", "task_id": f"t{at}", "reward": 1.0} for at in range(3)]


def written(path: Path, *lines: Any) -> Path:
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def test_labels_go_to_their_rows_and_the_callers_rows_stay_as_they_are(tmp_path: Path) -> None:
    labels = read_labels(
        written(tmp_path / "gold.jsonl", {"rollout_id": "t1/0", "label": 0}, {"rollout_id": "t9/0", "label": 1, "annotator": "b"})
    )
    labelled, unplayed = with_labels(ROWS, labels)
    assert [(row["rollout_id"], row["gold_reward"]) for row in labelled] == [("t1/0", 0.0)]
    assert unplayed == ["t9/0"] and not any("gold_reward" in row for row in ROWS)


def test_every_wrong_line_of_a_file_is_named(tmp_path: Path) -> None:
    path = written(
        tmp_path / "gold.jsonl",
        "{",
        [1],
        {"label": 1},
        {"rollout_id": "a", "label": 2},
        {"rollout_id": "a", "label": 1, "kind": "dog"},
    )
    with pytest.raises(ConfigError) as caught:
        read_labels(path)
    said = str(caught.value)
    for words in ("line 1", "line 2", "names no rollout", "is 2", "'dog'"):
        assert words in said


def test_a_missing_file_is_found_before_anything_is_spent() -> None:
    plan = plan_of(compose_tree(["+experiment=rl_v1", "measures.gold=no/such.jsonl"]))
    with pytest.raises(ConfigError, match=r"measures\.gold: there is no file"):
        preflight(plan)


@pytest.mark.slow
def test_the_shipped_labels_fit_the_shipped_experiment() -> None:
    """So that a change of the situations is noticed: the labels were made by reading these very rollouts."""
    import asyncio

    played, concluded = asyncio.run(run_line(plan_of(compose_tree(["+experiment=judge_trust_v1"]))))
    assert not [warning for warning in played.ledger.warnings if "labels" in warning]
    assert concluded.reports["judge_trust"]["n"] == 42 and not concluded.reports["judge_trust"]["ok"]
