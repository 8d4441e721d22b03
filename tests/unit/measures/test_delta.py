"""The delta report: guards that bite, a proxy that is watched, and nothing compared that cannot be."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.measures.delta import delta_report
from whileai_exp.measures.delta_rules import Moved
from whileai_exp.measures.variance import eval_variance


def rows(
    rate: float, *, tasks: int = 40, k: int = 4, seed: int = 0, markers: dict[str, float] | None = None, **extra: Any
) -> list[dict[str, Any]]:
    generator = np.random.Generator(np.random.PCG64(seed))
    return [
        {
            "scenario_id": f"t{t}",
            "rollout_index": i,
            "reward": int(generator.random() < rate),
            "judge_status": "ok",
            "final_text": "done",
            "markers": {name: float(generator.random() < r) for name, r in (markers or {}).items()},
            **extra,
        }
        for t in range(tasks)
        for i in range(k)
    ]


def test_a_change_that_landed_passes_and_says_how_sure_it_is() -> None:
    found = delta_report(rows(0.3, seed=1), rows(0.7, seed=2))
    assert found.ok and found.target_moved is Moved.UNREPLICATED and found.headline.startswith("PASS")
    assert found.detectable_effect is not None and found.tasks_needed is not None and found.tasks_needed > 40
    assert "shows changes" not in str(found) and "these tasks show changes from" in str(found)


def test_a_guard_that_is_not_measured_fails() -> None:
    found = delta_report(rows(0.3, seed=1), rows(0.7, seed=2), must_not_regress=["no_such_marker"])
    assert not found.ok and found.unmeasured == ("marker:no_such_marker",) and "not measured" in found.headline


def test_a_report_on_nothing_is_not_ok() -> None:
    found = delta_report([], [], target="pass_at_1")
    assert not found.ok and found.headline == "TARGET NOT MEASURED"


def test_a_missing_proxy_is_not_ok() -> None:
    assert not delta_report(rows(0.3, seed=1), rows(0.7, seed=2), proxy="marker:gone").ok


def test_a_guard_that_regresses_fails_and_an_unguarded_slip_is_named() -> None:
    before = rows(0.3, seed=1, markers={"honest": 0.9, "brief": 0.9})
    after = rows(0.7, seed=2, markers={"honest": 0.2, "brief": 0.2})
    guarded = delta_report(before, after, must_not_regress=["honest"])
    assert not guarded.ok and guarded.regressions == ("marker:honest",) and guarded.slipped == ("marker:brief",)
    free = delta_report(before, after)
    assert free.ok and set(free.slipped) == {"marker:honest", "marker:brief"}


@pytest.mark.parametrize("name", ["refusal", "hedging", "sycophancy", "truncated", "boilerplate", "security"])
def test_one_is_good_whatever_a_marker_is_called(name: str) -> None:
    before, after = rows(0.5, seed=1, markers={name: 0.3}), rows(0.5, seed=2, markers={name: 0.9})
    found = delta_report(before, after, must_not_regress=[name])
    assert found.ok and found.regressions == () and f"marker:{name}" in found.improved


def test_the_proxy_may_not_rise_without_the_target() -> None:
    before = rows(0.5, seed=1, markers={"first_action": 0.2})
    stuck = delta_report(before, rows(0.5, seed=2, markers={"first_action": 0.9}), proxy="marker:first_action")
    assert stuck.over_optimized and not stuck.ok
    followed = delta_report(before, rows(0.95, seed=3, markers={"first_action": 0.65}), proxy="marker:first_action")
    assert not followed.over_optimized and followed.ok
    ahead = delta_report(
        rows(0.4, tasks=200, seed=4, markers={"p": 0.1}), rows(0.55, tasks=200, seed=5, markers={"p": 0.95}), proxy="p"
    )
    assert ahead.over_optimized, "the proxy's interval lies above the target's"


def test_a_target_that_moves_the_wrong_way_fails() -> None:
    found = delta_report(rows(0.7, seed=1), rows(0.3, seed=2))
    assert not found.ok and found.target_moved is Moved.WRONG_WAY


def test_a_guard_that_cannot_fail_is_named() -> None:
    found = delta_report(rows(0.3, seed=1, markers={"g": 1.0}), rows(0.7, seed=2, markers={"g": 1.0}), must_not_regress=["g"])
    assert found.ok and any("cannot fail" in warning for warning in found.warnings)


def test_changes_within_the_noise_between_runs_do_not_count() -> None:
    def runs(rates: list[float], seed: int) -> list[dict[str, Any]]:
        return [r for i, rate in enumerate(rates) for r in rows(rate, tasks=100, seed=seed + i, lineage={"eval_run": i})]

    noisy = delta_report(runs([0.2, 0.7, 0.3], 1), runs([0.4, 0.9, 0.4], 11))
    assert noisy.target_moved is Moved.WITHIN_NOISE and noisy.headline == "NO DIFFERENCE"
    calm = delta_report(runs([0.3, 0.3, 0.3], 1), runs([0.7, 0.7, 0.7], 11))
    assert calm.target_moved is Moved.MOVED and calm.headline == "PASS"
    given = delta_report(rows(0.3, seed=1), rows(0.7, seed=2), run_std=0.5)
    assert given.target_moved is Moved.WITHIN_NOISE and any("run_std_runs" in w for w in given.warnings)


@pytest.mark.parametrize(
    ("one", "two", "cause"),
    [
        ({"judge_name": "j", "judge_meta": {"version": "1"}}, {"judge_name": "j", "judge_meta": {"version": "2"}}, "judge"),
        ({"user_model": "a"}, {"user_model": "b"}, "user model"),
        ({"writer_model": "a"}, {"writer_model": "template"}, "writer model"),
        ({"prompt": "x"}, {"prompt": "y"}, "asks"),
        ({"final_text": "hm"}, {"final_text": "<think>hm"}, "answered"),
    ],
)
def test_sides_that_differ_in_how_they_were_measured_are_not_compared(one: dict, two: dict, cause: str) -> None:
    found = delta_report(rows(0.3, seed=1, **one), rows(0.7, seed=2, **two))
    assert not found.ok and found.headline == "NOT COMPARABLE" and cause in " ".join(found.comparability.causes)


def test_offline_writers_are_one_writer_and_a_new_policy_is_the_point() -> None:
    one = rows(0.3, seed=1, writer_model="template", policy_version="m@1")
    two = rows(0.7, seed=2, writer_model="pinned", policy_version="m@2", sampling={"temperature": 1.0})
    found = delta_report(one, two)
    assert found.ok and any("system prompt differs" in w for w in found.warnings)
    assert any("noise, not a change" in w for w in delta_report(one, rows(0.7, seed=2, policy_version="m@1")).warnings)


def test_other_tasks_are_not_comparable() -> None:
    other = [{**r, "scenario_id": "x" + r["scenario_id"]} for r in rows(0.7, seed=2)]
    assert "tasks" in " ".join(delta_report(rows(0.3, seed=1), other).comparability.causes)


def test_verdicts_missing_on_one_side_are_not_comparable() -> None:
    after = rows(0.7, seed=2)
    for row in after[::3]:
        row.update(reward=None, judge_status="error")
    assert "graded share" in " ".join(delta_report(rows(0.3, seed=1), after).comparability.causes)


def test_slices_follow_an_axis_a_key_or_a_function() -> None:
    def tagged(rate: float, seed: int) -> list[dict[str, Any]]:
        out = rows(rate, seed=seed)
        for row in out:
            easy = int(row["scenario_id"][1:]) < 36
            row["scenario_dimensions"] = {"tool": "easy" if easy else "hard"}
            row["tier"] = "a"
        return out

    before, after = tagged(0.3, 1), tagged(0.7, 2)
    by_axis = delta_report(before, after, by="tool").slices
    assert [(s.value, s.low_n) for s in by_axis] == [("easy", False), ("hard", True)]
    by_call = delta_report(before, after, by=lambda row: row["scenario_dimensions"]["tool"]).slices
    assert [s.comparison.delta for s in by_call] == [s.comparison.delta for s in by_axis]
    assert [s.value for s in delta_report(before, after, by="tier").slices] == ["a"]


def test_metrics_nobody_named_are_judged_together() -> None:
    names = {f"m{i}": 0.5 for i in range(30)}
    found = delta_report(rows(0.5, seed=1, markers=names), rows(0.5, seed=2, markers=names))
    raw = [m.comparison.p_value for m in found.metrics.values() if m.role == "other"]
    adjusted = [m.p_adjusted for m in found.metrics.values() if m.role == "other"]
    assert all(a >= r for a, r in zip(adjusted, raw)) and found.improved == found.slipped == ()


def test_no_change_larger_than_a_margin() -> None:
    found = delta_report(rows(0.5, tasks=600, seed=1), rows(0.5, tasks=600, seed=2), equivalence=0.1)
    assert found.target_moved is Moved.EQUIVALENT and found.headline == "NO DIFFERENCE, shown equivalent"


def test_all_problems_of_a_call_come_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        delta_report([], [], must_not_regress="one", equivalence=-1, run_std=-2)
    assert len(caught.value.problems) == 3


def test_the_json_twin_is_strict_json_and_order_does_not_matter() -> None:
    before, after = rows(0.3, seed=1, markers={"a": 0.5}), rows(0.7, seed=2, markers={"a": 0.4})
    found = delta_report(before, after, by="scenario_id")
    text = json.dumps(found.to_dict(), allow_nan=False)
    again = delta_report(before[::-1], after[::-1], by="scenario_id").to_dict()
    assert json.loads(text)["metrics"] == json.loads(json.dumps(again))["metrics"] and found["ok"] is True


def test_variance_of_repeated_runs() -> None:
    both = [r for i in range(3) for r in rows(0.5, seed=i, lineage={"eval_run": i})]
    found = eval_variance(both)
    assert found.n_runs == 3 and found.run_std is not None
    assert found.run_std == pytest.approx(np.std(list(found.run_means.values()), ddof=1))
    assert found.noise_band == pytest.approx(4.30265 * 2**0.5 * found.run_std, rel=1e-5)
    assert eval_variance(*(rows(0.5, seed=i) for i in range(3))).run_std == pytest.approx(found.run_std)
    alone = eval_variance(rows(0.5))
    assert alone.run_std is None and "runs=3" in str(alone)
