"""Preference pairs: one task, about one length, nothing used twice, nothing forgotten."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.schema import Privileged
from whileai_exp.selection import build_preference_pairs

from .test_selection import rows_of


def of_lengths(task: str, replies: list[tuple[float, int]], **extra: Any) -> list[dict[str, Any]]:
    rows = rows_of({task: [reward for reward, _ in replies]}, **extra)
    for row, (_, length) in zip(rows, replies):
        row["final_text"] = "x" * length
    return rows


def test_no_pair_crosses_two_situations_asked_in_the_same_words() -> None:
    pairs, report = build_preference_pairs([*rows_of({"exists": [1, 1]}), *rows_of({"missing": [0, 0]})])
    assert pairs == [] and report.n_contrast == 0 and "no pair" in str(report)
    assert {row["scenario_id"] for row in report.dropped["not_paired"]} == {"exists", "missing"}


def test_the_rejected_reply_is_the_nearest_in_length() -> None:
    rows = of_lengths("a", [(1, 100), (0, 10), (0, 95), (0, 300)])
    (pair,), report = build_preference_pairs(rows)
    assert (pair["chosen_id"], pair["rejected_id"], pair["length_delta"]) == ("a/0", "a/2", 5)
    assert report.median_length_delta == 5 and report.mean_margin == 1.0
    mild = of_lengths("a", [(1, 100), (0.4, 100), (0, 10)])
    assert build_preference_pairs(mild, min_margin=0.5)[0][0]["rejected_id"] == "a/1"
    assert build_preference_pairs(mild, min_margin=0.5, length_match=False)[0][0]["rejected_id"] == "a/2"


def test_each_row_is_used_once_and_the_margin_holds() -> None:
    rows = of_lengths("a", [(1, 10), (1, 11), (0.5, 10), (0, 12), (0, 13)])
    pairs, _ = build_preference_pairs(rows, max_pairs_per_task=9)
    used = [name for pair in pairs for name in (pair["chosen_id"], pair["rejected_id"])]
    assert len(pairs) == 2 and len(set(used)) == 4 and all(pair["margin"] == 1.0 for pair in pairs)
    assert len(build_preference_pairs(rows, max_pairs_per_task=9, min_margin=0.5)[0]) == 2


def test_rows_that_cannot_teach_are_dropped_with_their_reason() -> None:
    rows = rows_of({"a": [1, 0, None, 0, 0]}, privileged=Privileged(reference="the code is 4471-A"))
    rows[3]["finish_reason"] = "length"
    rows[4]["final_text"] = "the code is 4471-A"
    before = copy.deepcopy(rows)
    pairs, report = build_preference_pairs(rows)
    assert len(pairs) == 1 and "privileged" not in pairs[0]["chosen"] and rows == before
    assert {reason: [r["rollout_id"] for r in found] for reason, found in report.dropped.items()} == {
        "unjudged": ["a/2"],
        "truncated": ["a/3"],
        "privileged_leak": ["a/4"],
    }
    assert report.to_dict()["dropped"]["truncated"] == ["a/3"]
    json.dumps(report.to_dict(), allow_nan=False)
    json.dumps(pairs)
    nameless = build_preference_pairs([{**row, "rollout_id": None} for row in rows])[1]
    assert nameless.to_dict()["dropped"]["privileged_leak"] == ["#4"]


def test_what_pairs_would_teach_besides_is_said() -> None:
    rows = [row for i in range(10) for row in of_lengths(f"t{i}", [(1, 200), (0, 20)])]
    rows[0]["policy_version"], rows[2]["lineage"] = "other@1", {"source": "eval"}
    told = str(build_preference_pairs(rows)[1])
    assert "longer one in 10 of 10 pairs" in told and "1 pairs mix two policies" in told and "spends the evaluation" in told
    same = [{**row, "messages": [{"role": "assistant", "content": "hi"}]} for row in rows]
    assert "begin with the same turn" in str(build_preference_pairs(same)[1])


def test_the_order_of_rows_does_not_decide_the_pairs() -> None:
    rows = of_lengths("a", [(1, 10), (1, 20), (0, 11), (0, 19)])
    found = [
        {(p["chosen_id"], p["rejected_id"]) for p in build_preference_pairs(given, max_pairs_per_task=2)[0]}
        for given in (rows, rows[::-1])
    ]
    assert found[0] == found[1] == {("a/0", "a/2"), ("a/1", "a/3")}


def test_a_margin_that_cannot_be_is_refused() -> None:
    with pytest.raises(ConfigError, match="(?s)min_margin.*max_pairs_per_task"):
        build_preference_pairs([], min_margin=0, max_pairs_per_task=0)
