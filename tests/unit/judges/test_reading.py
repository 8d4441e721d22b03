"""Judging models' answers as they really come: every shape gives its verdict or says why there is none."""

from __future__ import annotations

import pytest

from whileai_exp.judges._contract import verdict_of
from whileai_exp.judges._reading import allowed_score, read_grade, read_label, read_verdict
from whileai_exp.schema import JudgeIdentity


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('```json\n{"reward": 1, "reason": "refund issued"}\n```', 1),
        ('{"reward": 1, "reason": "agent ran ```python\\nprint(1)\\n``` as asked"}', 1),
        ('Thinking about {policy}.\n{"reward": 0, "markers": {"a": {"b": 1}}}\nHope that helps!', 0),
        ('{"reward": 0}\nOn reflection:\n{"reward": 1}', 1),
        ('{"reward": 1}\n{"note": "a stray object"}', 1),
        ('<think>{"reward": 0}</think>{"reward": 1}', 1),
        ('<think>{"reward": 1} and then', None),
        ('{"reward": 1, "reward": 0}', None),
        ('{"reward": 1, "score": 0}', None),
        ('{"reward": "1"}', 1),
        ('{"reward": " 1 "}', 1),
        ('{"reward": true}', 1),
        ('{"reward": "one"}', None),
        ('{"reward": NaN}', None),
        ("1", 1),
        ("The agent did well.", None),
        ("", None),
        ('{"reward": 1, "reason": "line\nbreak"}', 1),
    ],
)
def test_a_verdict_is_found_or_missed(text: str, score: float | None) -> None:
    assert read_verdict(text).score == score


def test_a_cut_verdict_is_never_salvaged_and_names_the_cap() -> None:
    told = read_verdict('{"reward": 1, "reason": "The agent cor', finish_reason="length", max_tokens=120)
    assert told.score is None and "max_tokens" in told.problem and "120" in told.problem


def test_many_braces_cost_no_time() -> None:
    assert read_verdict("{" * 100_000).score is None


@pytest.mark.parametrize(
    "text",
    [
        "It is correct.\nGRADE: I (ignore)\nGRADE:\u200bC",
        "GRADE: C. No reason to downgrade: insufficient grounds.",
        "The answer is right. grade: c",
    ],
)
def test_the_last_well_formed_grade_wins(text: str) -> None:
    assert read_grade(text) == "C"


def test_labels_are_whole_words() -> None:
    labels = ["relevant", "irrelevant"]
    assert read_label("irrelevant", labels) == "irrelevant"
    assert read_label("relevant or irrelevant", labels) is None and read_label("neither", labels) is None
    assert read_label("It is not met.", ["met", "not met"]) == "not met"


def test_scores_as_models_write_them() -> None:
    assert [allowed_score(v, (0, 1)) for v in ("1", 1.0, " 1 ", True, "one", 0.5)] == [1, 1, 1, 1, None, None]


def test_a_rating_becomes_a_reward_and_is_kept() -> None:
    who = JudgeIdentity("j")
    found = verdict_of({"rating": 4, "reason": "good"}, "r", who, scale=(1, 5))
    assert found.reward == 0.75 and found.meta == {"rating": 4, "scale": [1, 5]}
    assert verdict_of(3, "r", who, scale=(1, 5)).reward == 0.5
    assert verdict_of(True, "r", who, scale=(0, 1)).status == "invalid_result"
    assert verdict_of({"rating": 6}, "r", who, scale=(1, 5)).status == "invalid_result"
    assert verdict_of({"rating": None}, "r", who, scale=(1, 5)).status == "abstained"
