"""What to train on next: easy to hard, solved retired, unknown kept, by task and never by prompt."""

from __future__ import annotations

import json

import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.selection import curriculum, next_round, retire_solved

from .test_selection import rows_of


def test_every_task_has_one_place_and_tiers_go_from_easy_to_hard() -> None:
    rows = rows_of(
        {
            "solved": [1] * 10,
            "never": [0] * 10,
            "easy": [1] * 7 + [0] * 3,
            "middle": [1] * 5 + [0] * 5,
            "hard": [1] * 3 + [0] * 7,
            "thin": [1],
            "lost": [None, None],
        }
    )
    found = curriculum(rows)
    assert found.tiers == (("easy",), ("middle",), ("hard",))
    assert (found.solved, found.not_ready, found.thin, found.unjudged) == (("solved",), ("never",), ("thin",), ("lost",))
    assert found.tasks["easy"]["pass_rate"] == 0.7 and "1 tasks have fewer than 2" in str(found)
    json.dumps(found.to_dict(), allow_nan=False)
    assert [len(tier) for tier in curriculum(rows_of({str(i): [1, 0] for i in range(8)}), tiers=3).tiers] == [2, 3, 3]


def test_a_few_draws_do_not_place_a_task_surely() -> None:
    """1 of 4 is below 0.3 as a number, and more likely above it than a task with 5 of 20."""
    few, many = curriculum(rows_of({"few": [1, 0, 0, 0], "many": [1] * 5 + [0] * 15}), floor=0.3).tasks.values()
    assert few["p_in_band"] > many["p_in_band"]


def test_solved_tasks_retire_with_all_their_rows() -> None:
    rows = rows_of({"solved": [1] * 10, "open": [1, 0] * 5, "once": [1]})
    kept, report = retire_solved(rows)
    assert {row["scenario_id"] for row in kept} == {"open", "once"} and kept[0] is rows[10]
    assert report.dropped == {"solved": rows[:10]} and report["n_retired"] == 1 and report["n_selected"] == 11


def test_the_next_round_keeps_the_band_and_the_unknown() -> None:
    prior = rows_of({"solved": [1] * 10, "never": [0] * 10, "band": [1, 0] * 5})
    tasks = [{"scenario_id": name} for name in ("never", "new", "band", "solved")]
    kept, report = next_round(prior, tasks)
    assert [row["scenario_id"] for row in kept] == ["new", "band"] and report["n_unknown"] == 1
    assert {reason: len(rows) for reason, rows in report.dropped.items()} == {"unsolved": 1, "solved": 1}
    assert report["prompt_set_sha"] == next_round(prior, tasks[::-1])[1]["prompt_set_sha"]
    assert report["prompt_set_sha"] != next_round(prior, tasks[1:2])[1]["prompt_set_sha"]


def test_bounds_that_cannot_be_are_named_together() -> None:
    with pytest.raises(ConfigError, match="(?s)tiers.*0 <= low"):
        curriculum([], floor=0.9, solved=0.1, tiers=0)
    assert curriculum([]).trainable == () and "no task teaches" in str(curriculum([]))
