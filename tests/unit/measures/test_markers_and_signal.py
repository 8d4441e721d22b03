"""Markers, contrast and sizing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.measures.markers import group_signal, marker_summary, metric_summary
from whileai_exp.measures.passat import pass_at
from whileai_exp.measures.sizing import detectable_effect, holdout_size


def graded(groups: dict[str, list[Any]], **extra: Any) -> list[dict[str, Any]]:
    return [
        {"scenario_id": t, "rollout_index": i, "reward": r, "judge_status": "ok", **extra}
        for t, rs in groups.items()
        for i, r in enumerate(rs)
    ]


def test_a_marker_that_is_nan_is_missing_and_not_zero() -> None:
    rows = [{"task_id": str(i), "markers": {"m": value}} for i, value in enumerate([0.5, float("nan"), float("nan"), 1.0])]
    found = metric_summary(rows, "marker:m")
    assert (found.mean, found.n_rows, found.n_missing) == (0.75, 2, 2)
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_unanimous_rows_get_the_same_interval_everywhere() -> None:
    rows = graded({t: [1] for t in "abc"}, markers={"m": 1.0})
    one, two, three = pass_at(rows).ci95, metric_summary(rows).ci95, metric_summary(rows, "marker:m").ci95
    assert one == two == three and one is not None and one.low == pytest.approx(0.43850, abs=1e-5)
    assert metric_summary(rows, "marker:m").degenerate and "cannot fail" in str(metric_summary(rows, "marker:m"))


def test_every_marker_is_summarised_in_order_of_name() -> None:
    rows = graded({"a": [1, 0], "b": [0, 0], "c": [1, 1]}, markers={"z": 1.0, "y": 0.25})
    found = marker_summary(rows)
    assert list(found.markers) == ["y", "z"] and found["y"].mean == 0.25 and found["z"].n_rows_at_1 == 6
    assert "carry no marker" in str(marker_summary([]))


def test_values_beyond_shares_get_students_interval() -> None:
    rows = [{"task_id": str(i), "markers": {"seconds": float(i)}} for i in range(10)]
    found = metric_summary(rows, "marker:seconds")
    assert found.mean == 4.5 and found.ci95 is not None and found.ci95.method.startswith("t over")


def test_signal_counts_tasks_by_their_key() -> None:
    found = group_signal(
        graded({"a": [1, 0, 1, 0], "b": [0, 0, 0, 0], "c": [1, 1, 1, 1], "d": [1], "e": [1, 1, 1, 0, 1, 1, 1, 1, 1, 1]})
    )
    assert (found.n_groups, found.n_single, found.n_mixed, found.n_all_zero, found.n_all_one) == (5, 1, 2, 1, 1)
    assert found.n_in_band == 1 and found.mixed_rate == 0.5 and found.mixed_ci95 is not None
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_set_without_contrast_says_so() -> None:
    assert "nothing to learn" in str(group_signal(graded({"a": [1, 1], "b": [0, 0]})))
    assert group_signal([]).mixed_rate is None


def test_sizing_by_model_given_spread_and_rows() -> None:
    assert holdout_size(0.05, task_std=0.38).n_tasks == 456
    assert holdout_size(0.05).n_tasks == 369 and holdout_size(0.05).sd_source == "model"
    before = graded({str(t): [t % 2, 1] for t in range(20)})
    after = graded({str(t): [1, t % 3 == 0] for t in range(20)})
    assert holdout_size(0.05, before=before, after=after).sd_source == "measured"
    assert "harder tasks" in str(holdout_size(0.02, base=0.95))
    effect = detectable_effect(456, task_std=0.38)
    assert effect is not None and effect == pytest.approx(0.05, abs=1e-3) and detectable_effect(1) is None


def test_all_problems_of_sizing_come_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        holdout_size(0, k=0, base=2, power=1)
    assert len(caught.value.problems) == 4
