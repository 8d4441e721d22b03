"""A rubric of criteria: its arithmetic, and that silence earns and costs nothing."""

from __future__ import annotations

import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.judges import Criterion, Rubric

R = Rubric(
    (Criterion("Hard", kind="hard"), Criterion("Two", weight=2), Criterion("One"), Criterion("Trap", weight=2, kind="pitfall"))
)
MET, NOT, DUNNO = "met", "not_met", "cannot_tell"


@pytest.mark.parametrize(
    ("answers", "reward"),
    [
        ({"hard": MET, "two": MET, "one": NOT, "trap": NOT}, 2 / 3),
        ({"hard": MET, "two": MET, "one": MET, "trap": MET}, 1 / 3),
        ({"hard": NOT, "two": MET, "one": MET, "trap": NOT}, 0.0),
        ({"hard": MET, "two": NOT, "one": NOT, "trap": MET}, 0.0),
        ({}, None),
        ({"hard": DUNNO, "two": MET, "one": MET, "trap": NOT}, None),
        ({"two": MET, "one": MET, "trap": NOT}, None),
        ({"hard": MET, "two": MET, "one": DUNNO, "trap": NOT}, 1.0),
        ({"hard": MET}, None),
    ],
)
def test_how_answers_become_a_reward(answers: dict[str, str], reward: float | None) -> None:
    found = R.score(answers)["reward"]
    assert found == (pytest.approx(reward) if reward is not None else None)


def test_markers_are_good_at_one_for_pitfalls_too() -> None:
    assert R.score({"hard": MET, "two": NOT, "one": MET, "trap": NOT})["markers"] == {
        "rubric:hard": 1.0, "rubric:two": 0.0, "rubric:one": 1.0, "rubric:trap": 1.0,
    }  # fmt: skip


def test_only_hard_criteria_that_are_met_are_a_one_and_only_pitfalls_a_share() -> None:
    assert Rubric((Criterion("A", kind="hard"),)).score({"a": MET})["reward"] == 1.0
    assert Rubric((Criterion("A", kind="hard"),)).score({})["reward"] is None
    pits = Rubric((Criterion("A", kind="pitfall", weight=3), Criterion("B", kind="pitfall")))
    assert pits.score({"a": NOT, "b": MET})["reward"] == 0.75


def test_what_is_wrong_with_a_rubric_is_said() -> None:
    with pytest.raises(ConfigError, match="not above 0"):
        Criterion("A", weight=-1)
    with pytest.raises(ConfigError, match="twice"):
        Rubric.of([{"title": "A b"}, {"title": "a B!"}])
    with pytest.raises(ConfigError, match="unknown: points"):
        Rubric.of({"criteria": [{"title": "A", "points": 3}]})
    assert Rubric.of([{"title": "A"}]).version != Rubric.of([{"title": "A", "weight": 2}]).version
