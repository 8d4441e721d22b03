"""Selection: what it keeps, what it drops and why, and that it touches nothing."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.schema import Privileged
from whileai_exp.selection import optimize


def rows_of(groups: dict[str, list[Any]], **extra: Any) -> list[dict[str, Any]]:
    return [
        {
            "scenario_id": t,
            "rollout_id": f"{t}/{i}",
            "rollout_index": i,
            "reward": r,
            "judge_status": "ok" if r is not None else "error",
            "status": "ok",
            "final_text": f"reply {t} {i}",
            "prompt": "same",
            **extra,
        }
        for t, rs in groups.items()
        for i, r in enumerate(rs)
    ]


def test_rl_keeps_whole_mixed_groups_in_the_band_and_gives_every_row_a_place() -> None:
    rows = rows_of(
        {"all": [1] * 4, "none": [0] * 4, "mixed": [1, 0, 1, 0], "easy": [1] * 9 + [0], "one": [1], "lost": [None, None]}
    )
    kept, report = optimize(rows, mode="rl")
    assert {row["scenario_id"] for row in kept} == {"mixed"} and len(kept) == 4
    dropped = report["dropped"]
    assert {reason: len(ids) for reason, ids in dropped.items()} == {"unanimous": 8, "too_easy": 10, "single": 1, "unjudged": 2}
    assert sorted([*(row["rollout_id"] for row in kept), *(i for ids in dropped.values() for i in ids)]) == sorted(
        row["rollout_id"] for row in rows
    )
    assert kept[0]["calibration"]["n"] == 4 and report["tasks"]["mixed"]["ci95"] is not None


def test_the_rows_given_are_not_changed() -> None:
    rows = rows_of({"a": [1, 0], "b": [1, 1]})
    before = copy.deepcopy(rows)
    optimize(rows, mode="rl")
    optimize(rows, mode="sft")
    assert rows == before


def test_tasks_that_share_a_prompt_stay_apart() -> None:
    rows = rows_of({"exists": [1, 0], "missing": [1, 0]})
    for row in rows:
        row["final_text"] = "same reply" if row["reward"] else "other"
    assert len(optimize(rows, mode="rl")[0]) == 4


def test_duplicates_within_a_task_go_and_a_collapsed_group_goes_with_them() -> None:
    rows = rows_of({"a": [1, 1, 0, 0]})
    for row in rows:
        row["final_text"] = "one"
    kept, report = optimize(rows, mode="rl")
    assert kept == [] and set(report["dropped"]) == {"duplicate", "collapsed"}


def test_replies_in_any_language_and_shape_are_kept() -> None:
    replies = [
        "请取消我的订单，已经处理好了。",
        "- item one\n- item two",
        "see https://example.org/a",
        "```sql\nSELECT 1\n```",
        "Set region_id to us-east-1 🎉",
        "-" * 40,
    ]
    rows = [
        row
        for i, text in enumerate(replies)
        for row in rows_of({str(i): [1, 0]}, behavior_signature=str(i))
        if row.update(final_text=text * (row["rollout_index"] + 1)) is None
    ]
    assert len(optimize(rows, mode="rl")[0]) == len(rows)


def test_a_row_that_recites_its_answer_key_is_dropped() -> None:
    rows = rows_of({"a": [1, 0]}, privileged=Privileged(reference="the code is 4471-A"))
    rows[0]["final_text"] = "Sure: The CODE is  4471-a."
    assert optimize(rows, mode="rl")[1]["dropped"]["privileged_leak"] == ["a/0"]


def test_the_target_takes_whole_groups() -> None:
    kept, report = optimize(rows_of({str(t): [1, 0, 1, 0] for t in range(10)}), mode="rl", target=6)
    assert len(kept) == 8 and report["groups_selected"] == 2 and len(report["dropped"]["over_target"]) == 32


def test_sft_keeps_the_best_of_each_task() -> None:
    kept, report = optimize(rows_of({"a": [1, 1, 0], "b": [0, 0], "c": [1]}), mode="sft")
    assert sorted(row["scenario_id"] for row in kept) == ["a", "c"] and len(report["dropped"]["below_min_reward"]) == 3


def test_an_unknown_mode_or_band_is_refused() -> None:
    with pytest.raises(ConfigError, match="dpo"):
        optimize([], mode="dpo")
    with pytest.raises(ConfigError, match="0 <= low"):
        optimize(rows_of({"a": [1, 0]}), mode="rl", band=(0.9, 0.1))


def test_the_order_of_rows_does_not_decide_which_tasks_are_kept() -> None:
    rows = rows_of({str(t): [1, 0, 1, 0] for t in range(10)})
    kept = {row["scenario_id"] for row in optimize(rows, mode="rl", target=12)[0]}
    assert kept == {row["scenario_id"] for row in optimize(list(reversed(rows)), mode="rl", target=12)[0]}


def test_a_rollout_given_twice_is_selected_once() -> None:
    rows = rows_of({"a": [1, 0, 1, 0]})
    for mode in ("rl", "sft"):
        kept, report = optimize(rows * 3, mode=mode)
        assert len({row["rollout_id"] for row in kept}) == len(kept) and len(report["dropped"]["repeated_rollout"]) == 8
