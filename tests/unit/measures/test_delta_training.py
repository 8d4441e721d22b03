"""Training seeds, balanced draws, and whether an evaluation can show an effect."""

from __future__ import annotations

import json
from math import sqrt
from typing import Any

import numpy as np
import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.measures.delta import delta_report
from whileai_exp.measures.delta_rules import Moved
from whileai_exp.measures.delta_training import training_spread
from whileai_exp.measures.sizing import eval_power
from whileai_exp.stats.paired import paired_test

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


@pytest.mark.slow
def test_the_power_said_is_the_power_had() -> None:
    """60 tasks of 4 draws, every task's rate up by 0.12: the share of runs that find it, against what one run foretold."""
    g = np.random.Generator(np.random.PCG64(5))
    told, found, trials = [], 0, 1500
    for at in range(trials):
        rates = g.uniform(0.2, 0.7, 60)
        one, two = g.binomial(4, rates) / 4, g.binomial(4, rates + 0.12) / 4
        found += paired_test(two - one, flips=19, exact_tasks=1).direction > 0
        if at < 60:
            run = groups({str(t): [1] * round(r * 4) + [0] * round(4 - r * 4) for t, r in enumerate(one.tolist())})
            told.append(eval_power(run, 0.12).achieved_power)
    assert np.mean(told) == pytest.approx(found / trials, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [2, 3, 5])
def test_two_arms_of_one_training_differ_beyond_the_interval_as_seldom_as_promised(seeds: int) -> None:
    """Training moves the rate by a normal 0.05; the rows are all seeds' pooled. Both arms are the same recipe."""
    g = np.random.Generator(np.random.PCG64(7))
    wrong, trials, tasks = 0, 600, 40
    base = g.uniform(0.3, 0.7, tasks)
    for _ in range(trials):
        arms = [g.binomial(1, np.clip(base + g.normal(0, 0.05, (seeds, 1)), 0, 1)) for _ in range(2)]
        means = [arm.mean(1) for arm in arms]
        half = paired_test(arms[1].mean(0) - arms[0].mean(0), flips=19, exact_tasks=1).interval
        assert half is not None
        names = {"before": means[0].tolist(), "after": means[1].tolist()}
        spread = training_spread(names, "pass_at_1", {"before": None, "after": None}, (half.high - half.low) / 2, 0.95, None)
        assert spread.ci95 is not None
        wrong += not spread.ci95.low <= 0 <= spread.ci95.high
    assert wrong / trials <= 0.06
