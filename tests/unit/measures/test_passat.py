"""The pass numbers: what is counted, what is not, and what they refuse to say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.measures.passat import pass_at


def rows_of(groups: dict[str, list[Any]], **extra: Any) -> list[dict[str, Any]]:
    return [
        {
            "scenario_id": task,
            "rollout_index": i,
            "rollout_id": f"{task}/{i}",
            "reward": r,
            "judge_status": "ok" if r is not None else "error",
            **extra,
        }
        for task, rewards in groups.items()
        for i, r in enumerate(rewards)
    ]


def test_groups_of_different_size_use_the_smallest_and_say_so() -> None:
    groups = {"a": [1, 1, 1, 1], "b": [1, 0], "c": [0, 0, 0, 0]}
    found = pass_at(rows_of(groups))
    assert found.k == 2 and found.pass_at_1 == 0.5 and found.pass_at_k is None
    assert "smallest group has 2" in " ".join(found.notes)
    at_4 = pass_at(rows_of(groups), k=4)
    assert at_4.pass_at_k == 0.5 and at_4.pass_pow_k == 0.5 and at_4.n_tasks_at_k == 2 and at_4.pass_at_1 == 0.5
    assert "(b)" in " ".join(at_4.notes) and at_4.headroom == 0.0


def test_tasks_without_a_verdict_are_counted_and_never_scored_zero() -> None:
    found = pass_at(rows_of({"t1": [1], "t2": [None, None], "t3": [None]}))
    assert (found.pass_at_1, found.n_tasks, found.n_tasks_total, found.n_rows, found.n_rows_total) == (1.0, 1, 3, 1, 4)
    assert "2 of 3 tasks have no judged rollout" in " ".join(found.notes)


def test_partial_rewards_do_not_add_up_to_a_pass() -> None:
    found = pass_at(rows_of({"t": [0.5, 0.5]}))
    assert (found.pass_at_1, found.mean_reward, found.n_partial) == (0.0, 0.5, 2)
    assert pass_at(rows_of({"t": [0.5, 0.5]}), threshold=0.5).pass_at_1 == 1.0


def test_a_rollout_counted_twice_is_left_out_and_said() -> None:
    found = pass_at(rows_of({"t": [1, 0]}) + rows_of({"t": [1]}))
    assert found.n_rows == 2 and "repeat a rollout_id" in " ".join(found.notes)


def test_two_agents_on_one_task_set_are_not_repeats_of_each_other() -> None:
    one = rows_of({"t": [1, 0]}, policy_version="a@1")
    other = rows_of({"t": [0, 0]}, policy_version="b@1")
    found = pass_at(one + other)
    assert found.n_rows == 4 and found.pass_at_1 == 0.25


def test_a_k_below_the_floor_is_named_with_the_way_to_have_it() -> None:
    rows = rows_of({f"t{i}": [1, 0, 1, 1, 0, 1, 1, 1] for i in range(5)})
    refused = pass_at(rows, k=2)
    assert refused.pass_at_k is None and refused.k_note.startswith("k=2 is below min_k=4") and "min_k=2" in refused.k_note
    assert pass_at(rows, k=2, min_k=2).pass_at_k is not None


@pytest.mark.parametrize(
    "given",
    [
        {"k": 0}, {"k": 1.5}, {"k": True}, {"k": float("nan")}, {"min_k": 0}, {"threshold": float("nan")}, {"threshold": 0},
        {"threshold": 1.2}, {"threshold": "1"}, {"level": 0}, {"level": 1}, {"level": float("nan")},
    ],
)  # fmt: skip
def test_a_nonsense_argument_is_refused_by_name(given: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(given))):
        pass_at(rows_of({"t": [1, 0]}), **given)


def test_rows_whose_judge_failed_say_how_and_rows_without_a_judge_ask_for_one() -> None:
    broken = rows_of({"t": [None, None]}, judge_meta={"error": "KeyError: 'x'"})
    assert "the judge failed on 2, first with error (KeyError: 'x')" in str(pass_at(broken))
    fresh = [{key: value for key, value in row.items() if key != "judge_status"} for row in broken]
    assert "grade first" in str(pass_at(fresh))


@pytest.mark.parametrize("groups", [{}, {"t1": [1]}, {"t1": [1, 1], "t2": [1, 1]}])
def test_fewer_than_three_groups_have_no_interval(groups: dict[str, list[int]]) -> None:
    assert pass_at(rows_of(groups)).ci95 is None


def test_unanimous_tasks_do_not_give_a_point_interval() -> None:
    found = pass_at(rows_of({t: [1, 1, 1, 1] for t in "abcde"}))
    assert found.ci95 is not None and found.ci95.low < 0.7 and found.ci95.high == 1.0


def test_groups_that_allocation_stopped_early_are_never_imputed() -> None:
    """With p = 0.8 and k = 8 the truth of pass^8 is 0.168; imputing the short unanimous groups would say 0.7."""
    stamp = {"allocation": {"policy": "successive", "probe": 2, "k": 8}}
    generator = np.random.Generator(np.random.PCG64(3))
    groups: dict[str, list[int]] = {}
    for task in range(400):
        draws = (generator.random(8) < 0.8).astype(int).tolist()
        groups[str(task)] = draws if draws[0] != draws[1] else draws[:2]
    found = pass_at(rows_of(groups, **stamp))
    assert found.pass_pow_k is None and found.pass_at_k is None and found.headroom is None
    assert found.pass_at_1 == pytest.approx(0.8, abs=0.04), "the means of all draws would be near 0.87"
    naive = np.mean([np.mean(g) for g in groups.values()])
    assert naive > 0.85
    at_8 = pass_at(rows_of(groups, **stamp), k=8)
    assert at_8.pass_pow_k is None and "no task has 8 judged draws" in " ".join(at_8.notes)


def test_k_way_numbers_of_adaptive_groups_read_the_probe_draws() -> None:
    """With four probe draws pass^4 and pass@4 are unbiased, whatever allocation did afterwards."""
    stamp = {"allocation": {"policy": "successive", "probe": 4, "k": 8}}
    generator = np.random.Generator(np.random.PCG64(5))
    groups: dict[str, list[int]] = {}
    for task in range(600):
        draws = (generator.random(8) < 0.7).astype(int).tolist()
        groups[str(task)] = draws if len(set(draws[:4])) == 2 else draws[:4]
    found = pass_at(rows_of(groups, **stamp))
    assert found.k == 4 and found.n_tasks_at_k == 600
    assert found.pass_pow_k == pytest.approx(0.7**4, abs=0.04) and found.pass_at_k == pytest.approx(1 - 0.3**4, abs=0.03)
    assert found.headroom == pytest.approx(1 - 0.3**4 - 0.7, abs=0.04)


def test_adaptive_groups_that_all_reached_k_are_a_random_sample() -> None:
    stamp = {"allocation": {"policy": "successive", "probe": 2, "k": 4}}
    found = pass_at(rows_of({"a": [1, 0, 1, 1], "b": [0, 0, 0, 0], "c": [1, 1, 1, 1]}, **stamp))
    assert found.pass_at_k == pytest.approx(2 / 3) and found.pass_pow_k == pytest.approx(1 / 3)


def test_rows_in_any_order_and_numpy_rewards_give_the_same() -> None:
    groups = {"a": [np.float32(1), np.bool_(False), True, 0], "b": [1, 1, 1, 0], "c": [0, 0, 1, 0]}
    rows = rows_of(groups)
    assert pass_at(rows).to_dict() == {**pass_at(list(reversed(rows))).to_dict(), "per_task": pass_at(rows).to_dict()["per_task"]}


def test_per_task_is_keyed_by_the_task_key() -> None:
    assert dict(pass_at(rows_of({"a": [1, 0], "b": [1]})).per_task) == {"a": 0.5, "b": 1.0}


def test_it_prints_numbers_with_intervals_and_notes() -> None:
    text = str(pass_at(rows_of({"a": [1, 1, 1, 1], "b": [1, 0, 0, 1], "c": [0, 0, 0, 0]})))
    assert text.startswith("pass@1 0.500 [") and "pass^4" in text and "headroom" in text


def test_an_id_of_zero_is_an_id_and_rows_without_any_key_are_strangers() -> None:
    rows = [{"scenario_id": i, "prompt": "same", "reward": r} for i, r in ((0, 1), (0, 0), (1, 1), (1, 1))]
    assert dict(pass_at(rows).per_task) == {"0": 0.5, "1": 1.0}
    assert pass_at([{"reward": 1, "x": 1}, {"reward": 0, "x": 2}]).n_tasks == 2


def test_bools_count_and_text_does_not() -> None:
    found = pass_at([{"task_id": "a", "reward": True}, {"task_id": "a", "reward": False}, {"task_id": "a", "reward": "1"}])
    assert found.pass_at_1 == 0.5 and found.n_rows == 2 and "1 of 3 rows have no verdict" in " ".join(found.notes)


def test_headroom_is_over_the_tasks_with_k_draws_and_never_negative() -> None:
    found = pass_at(rows_of({"a": [0] * 7 + [1], "b": [1, 1], "c": [0] * 8}), k=8)
    assert found.headroom is not None and found.headroom == pytest.approx((1 - 1 / 8 + 0) / 2) and found.n_tasks_at_k == 2


def test_a_repeat_written_twice_without_rollout_ids_counts_once_and_another_run_counts() -> None:
    one = [{"task_id": "a", "rollout_index": 0, "reward": 1}, {"task_id": "a", "rollout_index": 1, "reward": 0}]
    assert pass_at(one + one).n_rows == 2
    assert pass_at(one + [{**row, "lineage": {"eval_run": 1}} for row in one]).n_rows == 4


def test_every_interval_comes_with_a_method_and_lies_in_bounds() -> None:
    generator = np.random.Generator(np.random.PCG64(4))
    for tasks in (3, 5, 60):
        found = pass_at(rows_of({str(t): (generator.random(6) < 0.7).astype(int).tolist() for t in range(tasks)}))
        for interval in (found.ci95, found.pass_pow_k_ci95, found.pass_at_k_ci95, found.headroom_ci95):
            assert interval is not None and interval.method and 0 <= interval.low < interval.high <= 1


def test_draws_in_any_number_of_tasks_take_one_pass() -> None:
    rows = rows_of({str(t): [t % 2, 1, 0, 1] for t in range(500)})
    assert pass_at(iter(rows)).to_dict() == pass_at(rows).to_dict()
