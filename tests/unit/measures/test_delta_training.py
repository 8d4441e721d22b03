"""Training seeds, balanced draws, and whether an evaluation can show an effect."""

from __future__ import annotations

import json
from math import sqrt
from typing import Any

import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.measures.delta import delta_report
from whileai_exp.measures.delta_rules import Moved
from whileai_exp.measures.sizing import eval_power

from .test_delta import rows


def groups(passes: dict[str, list[int]], **extra: Any) -> list[dict[str, Any]]:
    return [
        {"scenario_id": t, "rollout_index": i, "reward": r, "judge_status": "ok", **extra}
        for t, rewards in passes.items()
        for i, r in enumerate(rewards)
    ]


def test_a_change_must_clear_the_spread_between_training_seeds() -> None:
    before, after = rows(0.3, seed=1), rows(0.7, seed=2)
    steady = delta_report(before, after, train_runs={"after": [0.68, 0.7, 0.72]})
    assert steady.ok and steady.target_moved is Moved.UNREPLICATED and steady.training is not None
    shaky = delta_report(before, after, train_runs={"after": [0.2, 0.7, 1.0]})
    assert shaky.target_moved is Moved.NO_CHANGE and shaky.headline == "NO DIFFERENCE"


def test_the_half_width_adds_tasks_and_seeds() -> None:
    found = delta_report(rows(0.3, seed=1), rows(0.7, seed=2), train_runs={"before": [0.28, 0.32], "after": [0.6, 0.7, 0.8]})
    spread, c = found.training, found.metrics["pass_at_1"].comparison
    assert spread is not None and spread.ci95 is not None and c.ci95 is not None and spread.df == 3
    assert spread.delta == pytest.approx(0.4) and spread.sd["after"] == pytest.approx(0.1)
    tasks, seeds = (c.ci95.high - c.ci95.low) / 2, 3.182446 * sqrt(0.0008 / 2 + 0.01 / 3)
    assert (spread.ci95.high - spread.ci95.low) / 2 == pytest.approx(sqrt(tasks**2 + seeds**2), rel=1e-5)


def test_one_training_seed_resolves_nothing() -> None:
    found = delta_report(rows(0.3, seed=1), rows(0.7, seed=2), train_runs={"after": [0.7]})
    assert not found.ok and found.target_moved is Moved.UNRESOLVED and found.headline.startswith("UNRESOLVED")
    assert "two or more" in str(found)
    json.dumps(found.to_dict(), allow_nan=False)


def test_seeds_may_be_rows_and_mistakes_are_named() -> None:
    after = [rows(0.7, seed=s) for s in (2, 3)]
    found = delta_report(rows(0.3, seed=1), [*after[0]], train_runs={"after": after})
    assert found.training is not None and len(found.training.values["after"]) == 2
    with pytest.raises(ConfigError, match="'late' is no arm"):
        delta_report([], [], train_runs={"late": [0.1]})
    with pytest.raises(ConfigError, match=r"train_runs\.after\[1\].*no value"):
        delta_report(rows(0.3), rows(0.7), train_runs={"after": [0.5, [{"scenario_id": "a"}]]})


def test_balanced_sides_compare_the_first_draws_of_each_shared_task() -> None:
    before = groups({"a": [1, 1, 1, 1], "b": [1, 0, 1, 1], "only": [1, 1]})
    after = groups({"a": [0, 1], "b": [1, 1]})
    found = delta_report(list(reversed(before)), after, balance_rollouts=True)
    c = found.metrics["pass_at_1"].comparison
    assert found.balanced == 4 and c.n_only_a == 1
    assert delta_report(before, after).balanced is None
    kept = delta_report(before, groups({"a": [1, 1], "b": [1, 0]}), balance_rollouts=True, target="reward")
    assert kept.metrics["reward"].comparison.n_paired == 2


def test_balancing_hides_no_missing_verdict() -> None:
    before = rows(0.5, seed=1, k=8)
    after = rows(0.5, seed=2, k=8)
    for i, row in enumerate(after):
        if i % 8 >= 4:
            row.update(reward=None, judge_status="error")
    found = delta_report(before, after, balance_rollouts=True)
    assert any("graded share" in cause for cause in found.comparability.causes)


def test_power_of_an_evaluation_follows_the_draws_of_each_task() -> None:
    half = groups({str(i): [1, 0, 1, 0] for i in range(50)})
    found = eval_power(half, 0.05)
    assert found.verdict == "underpowered" and found.sd == pytest.approx(sqrt(2 * 0.25 / 3)) and found.k == 4
    assert found.achieved_power is not None and found.achieved_power < 0.3 and found.tasks_needed is not None
    more = eval_power(groups({str(i): [1, 0, 1, 0] for i in range(found.tasks_needed)}), 0.05)
    assert more.ok and more.achieved_power is not None and 0.8 <= more.achieved_power < 0.81
    assert eval_power(half, 0.5).verdict == "usable"


def test_an_evaluation_at_an_end_or_without_verdicts_says_so() -> None:
    assert eval_power(groups({str(i): [1] * 4 for i in range(50)}), 0.05).verdict == "saturated"
    assert eval_power(groups({str(i): [0] * 4 for i in range(50)}), 0.05).verdict == "floored"
    empty = eval_power([{"scenario_id": "a"}], 0.05)
    assert empty.verdict == "empty" and "grade first" in str(empty)
    single = eval_power(groups({str(i): [i % 2] for i in range(50)}), 0.05)
    assert "upper bound" in str(single) and single.sd == pytest.approx(sqrt(0.5))
    for found in (empty, single):
        json.dumps(found.to_dict(), allow_nan=False)
    with pytest.raises(ConfigError, match="effect"):
        eval_power([], 0.0)
