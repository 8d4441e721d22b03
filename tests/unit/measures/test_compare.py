"""Comparing two runs: paired by task, one verdict, and no number hidden behind another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.measures.compare import compare_runs


def rows(rates: list[float], k: int = 4, seed: int = 0, **extra: Any) -> list[dict[str, Any]]:
    generator = np.random.Generator(np.random.PCG64(seed))
    return [
        {"task_id": str(t), "rollout_index": i, "reward": int(generator.random() < rate), "judge_status": "ok", **extra}
        for t, rate in enumerate(rates)
        for i in range(k)
    ]


def flat(rewards: list[float]) -> list[dict[str, Any]]:
    return [{"task_id": str(t), "reward": r} for t, r in enumerate(rewards)]


def test_five_tasks_that_all_flip_are_not_yet_proof_and_interval_and_p_say_so_together() -> None:
    found = compare_runs(flat([0] * 5), flat([1] * 5))
    assert found.verdict == "no_difference_detected" and found.sign_flip_p == 0.0625
    assert found.ci95 is not None and found.ci95.low < 0 < found.ci95.high
    six = compare_runs(flat([0] * 6), flat([1] * 6))
    assert six.verdict == "b_better" and six.sign_flip_p == 0.03125 and six.ci95 is not None and six.ci95.low > 0


def test_four_shared_tasks_without_spread_give_no_verdict() -> None:
    found = compare_runs(flat([0.0] * 4), flat([1.0] * 4))
    assert found.verdict == "insufficient_data" and found.ci95 is None and found.p_value is None


def test_reference_differences() -> None:
    d = [0.25, 0.25, 0, 0.5, -0.25, 0.25, 0.5, 0, 0.25, 0.25]
    found = compare_runs(flat([0.5 - x / 2 for x in d]), flat([0.5 + x / 2 for x in d]), metric="reward")
    assert found.delta == pytest.approx(0.2) and found.sd == pytest.approx(0.229734, abs=1e-6)
    assert found.ci95 is not None
    assert (found.ci95.low, found.ci95.high) == (pytest.approx(0.035658, abs=1e-6), pytest.approx(0.364342, abs=1e-6))
    assert found.sign_flip_p == pytest.approx(0.0546875) and found.sign_flip == "exact"
    assert found.verdict == "b_better" and found.evidence == "weak" and "weak evidence" in str(found)


def test_means_are_over_the_tasks_used_so_that_they_differ_by_the_change() -> None:
    a, b = rows([0.5] * 8, seed=1), rows([0.5] * 12, seed=2)
    found = compare_runs(a, b)
    assert found.mean_a is not None and found.mean_b is not None and found.delta == pytest.approx(found.mean_b - found.mean_a)
    assert (found.n_paired, found.n_only_a, found.n_only_b) == (8, 0, 4)


def test_sides_without_shared_tasks_are_compared_as_independent() -> None:
    a = rows([0.2] * 30, seed=1)
    b = [{**row, "task_id": "x" + row["task_id"]} for row in rows([0.9] * 30, seed=2)]
    found = compare_runs(a, b)
    assert not found.paired and found.verdict == "b_better" and "Welch" in found.ci95.method  # type: ignore[union-attr]


def test_swapping_the_sides_mirrors_the_answer() -> None:
    a, b = rows([0.3, 0.5, 0.6, 0.7, 0.2, 0.4], seed=1), rows([0.6, 0.5, 0.9, 0.8, 0.5, 0.6], seed=2)
    one, two = compare_runs(a, b), compare_runs(b, a)
    assert one.delta == pytest.approx(-two.delta) and one.p_value == pytest.approx(two.p_value)  # type: ignore[operator]
    assert one.sign_flip_p == two.sign_flip_p and one.direction == -two.direction


def test_no_change_larger_than_a_margin_can_be_shown() -> None:
    a = flat([0.5, 0.51] * 20)
    b = flat([0.51, 0.5] * 20)
    assert compare_runs(a, b, metric="reward", equivalence=0.05).verdict == "equivalent"
    assert compare_runs(a, b, metric="reward", equivalence=0.001).verdict == "no_difference_detected"
    with pytest.raises(ConfigError, match="not above 0"):
        compare_runs(a, b, equivalence=0)


def test_the_detectable_effect_is_always_given_when_paired() -> None:
    spread = compare_runs(rows([0.5] * 20, seed=1), rows([0.5] * 20, seed=2))
    alike = compare_runs(flat([0] * 20), flat([0] * 20))
    assert 0.05 < spread.detectable_effect < 0.5 and alike.detectable_effect > 0  # type: ignore[operator]


def test_rows_files_directories_and_tracked_runs_are_the_same_rows(tmp_path: Path) -> None:
    a, b = rows([0.5] * 8, seed=1), rows([0.7] * 8, seed=2)
    for name, side in (("a", a), ("b", b)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "rows.jsonl").write_text("\n".join(json.dumps(row) for row in side))
    want = compare_runs(a, b).to_dict()
    assert compare_runs(tmp_path / "a", str(tmp_path / "b" / "rows.jsonl")).to_dict() == want
    resolver = {"1f": tmp_path / "a", "2e": tmp_path / "b"}.__getitem__
    assert compare_runs("mlflow:1f", "runs:/2e/rows", resolver=resolver).to_dict() == want
    with pytest.raises(ConfigError, match="resolver"):
        compare_runs("mlflow:1f", b)
    with pytest.raises(ConfigError, match="there is no file"):
        compare_runs(tmp_path / "nowhere", b)
    (tmp_path / "bad.jsonl").write_text('{"a": 1}\n{"a": NaN}\n')
    with pytest.raises(ConfigError, match="bad.jsonl:2"):
        compare_runs(tmp_path / "bad.jsonl", b)


def test_draws_that_allocation_chose_are_not_compared() -> None:
    stamp = {"allocation": {"policy": "successive", "probe": 2, "k": 8}}
    a = [{**r, **stamp} for r in rows([0.8] * 300, k=8, seed=1)]
    topped = [
        r
        for t in range(300)
        for group in [a[t * 8 : t * 8 + 8]]
        for r in (group[:2] if group[0]["reward"] == group[1]["reward"] else group)
    ]
    fixed = rows([0.8] * 300, k=8, seed=5)
    assert abs(compare_runs(topped, fixed).delta) < 0.06  # type: ignore[arg-type]


def test_markers_with_nan_text_or_nothing_are_missing_not_zero() -> None:
    a = [{"task_id": str(t), "markers": {"grounded": v}} for t, v in enumerate([1.0, float("nan"), "no", 0.0, 1.0, 1.0, 1.0])]
    found = compare_runs(a, a, metric="marker:grounded")
    assert found.n_paired == 5 and found.mean_a == pytest.approx(0.8)
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.slow
@pytest.mark.parametrize("tasks", [5, 6, 8, 10, 12, 20, 30])
def test_the_verdict_gives_false_alarms_at_its_level(tasks: int) -> None:
    from whileai_exp.stats.paired import paired_test

    generator = np.random.Generator(np.random.PCG64(11))
    trials = 8000
    rates = generator.uniform(0.2, 0.7, (trials, tasks))
    differences = (generator.binomial(4, rates) - generator.binomial(4, rates)) / 4
    alarms = sum(paired_test(d, flips=99, exact_tasks=1).direction != 0 for d in differences)
    assert 0.035 <= alarms / trials <= 0.065
