"""Graded rows: views that agree with the numbers, and a report of what is in them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from whileai_exp import run_judge
from whileai_exp.measures.dataset import dataset_report


def graded(rewards: list[Any]) -> Any:
    rows = [{"scenario_id": f"t{i}", "rollout_id": str(i), "final_text": f"reply {i}", "given": r} for i, r in enumerate(rewards)]
    return run_judge(rows, lambda row: row["given"])


def test_views_and_numbers_read_a_reward_the_same_way() -> None:
    scored = graded([1, True, np.float32(1), "1", 0.0, 0.5, None, float("nan")])
    assert [r["rollout_id"] for r in scored.passes()] == ["0", "1", "2"]
    assert len(scored.failures()) == 1 and len(scored.partials()) == 1 and len(scored.unjudged()) == 3
    assert scored.pass_at.n_rows == 5 and scored.pass_at.pass_at_1 == 3 / 5


def test_the_report_counts_every_row_once_and_is_strict_json() -> None:
    scored = graded([1, 1, 0, 0.55, "broken"])
    found = scored.report()
    assert (found.n_rows, found.n_judged, found.n_pass, found.n_fail, found.n_partial) == (5, 4, 2, 1, 1)
    assert found.reward_histogram == (1, 0, 0, 0, 0, 1, 0, 0, 0, 2)
    assert found.by_judge_status == {"invalid_result": 1, "ok": 4} and found.unjudged_ids == ("4",)
    assert found.usable_sft == 2 and "1 of 5 rows have no verdict" in str(found)
    json.dumps(found.to_dict(), allow_nan=False)
    assert "no verdict" not in str(graded([1, 0]).report().warnings)


def test_rows_without_any_verdict_or_any_row_have_no_rate() -> None:
    for rows in ([], [{"scenario_id": "a", "tier": "ordinary"}]):
        found = dataset_report(rows)
        assert found.pass_at_1 is None and found.n_judged == 0 and "not measured" in str(found)
        json.dumps(found.to_dict(), allow_nan=False)


def test_a_set_of_easy_rows_is_named() -> None:
    rows = [{"scenario_id": str(i), "reward": 1, "tier": "ordinary" if i % 10 else "boundary"} for i in range(40)]
    assert "10% of rows are of a hard tier" in str(dataset_report(rows))
