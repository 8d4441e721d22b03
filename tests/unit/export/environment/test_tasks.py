"""Which tasks train and which are held out."""

from __future__ import annotations

from typing import Any

import pytest

from whileai_exp.errors import ConfigError, ExportError
from whileai_exp.export.environment.tasks import Split, calibrated, split
from whileai_exp.knobs import RunKnobs
from whileai_exp.schema import Spec

from .conftest import asked

SPEC = Spec((), "Answer with a number.")
BAND = (0.2, 0.8)
HALF = [0.0, 1.0] * 4


def made(rows: list[dict[str, Any]], holdout: Any = None, **knobs: Any) -> Split:
    numbers = RunKnobs(**knobs)
    return split(calibrated(rows, SPEC, numbers, band=BAND), numbers, holdout=holdout, band=BAND)


def ids(items: Any) -> list[str]:
    return [item.task.task_id for item in items]


def words(n: int) -> str:
    """Asks that share no wording."""
    return " ".join(f"{chr(97 + (n * 7 + k * 3) % 26) * (3 + (n + k) % 5)}{n}" for k in range(12))


def test_the_holdout_keeps_every_difficulty_and_training_only_the_band() -> None:
    """W30: the band used to be applied to the holdout too."""
    rows = [row for n in range(100) for row in asked(f"t{n}", [1.0] * (n % 9) + [0.0] * (8 - n % 9), prompt=words(n))]
    found = made(rows)
    rates = {item.rate.mean for item in found.holdout if item.rate}
    assert {0.0, 1.0} <= rates
    assert len(found.holdout) == 20
    assert all(item.rate and 0.2 <= item.rate.mean <= 0.8 for item in found.train)
    assert found.n == 100


def test_situations_stay_on_one_side() -> None:
    rows = [
        row for n in range(40) for row in asked(f"t{n}", HALF, prompt=words(n), situation_id=f"s{n % 10}", schema_version="1")
    ]
    found = made(rows)
    sides = [{item.task.situation.situation_id for item in side} for side in (found.train, found.holdout)]
    assert sides[0].isdisjoint(sides[1])
    assert len(found.holdout) == 8


def test_one_ask_in_two_worlds_is_two_tasks_and_never_on_both_sides() -> None:
    """W10: two scenarios with one ask used to become one task with the first one's world."""
    rows = [row for n in range(12) for row in asked(f"t{n}", HALF, prompt=words(n))]
    rows += [
        *asked("exists", HALF, prompt="Is order 7 there, and what is in it?", world_state="exists"),
        *asked("missing", HALF, prompt="Is order 7 there, and what is in it?", world_state="missing"),
    ]
    found = calibrated(rows, SPEC, RunKnobs(), band=BAND)
    assert {item.task.task_id: item.task.world.state for item in found if "order" in item.task.prompt} == {
        "exists": "exists",
        "missing": "missing",
    }
    parted = made(rows, holdout=["missing"])
    assert ids(parted.holdout) == ["missing"]
    assert parted.drops["contaminated"] == ("exists",)


def test_train_tasks_that_the_holdout_says_too_are_dropped_and_counted() -> None:
    rows = [row for n in range(20) for row in asked(f"t{n}", HALF, prompt=words(n))]
    copies = [row for n in range(5) for row in asked(f"c{n}", HALF, prompt=words(n))]
    found = made([*rows, *copies], holdout=[f"t{n}" for n in range(5)])
    assert found.drops["contaminated"] == tuple(f"c{n}" for n in range(5))
    assert found.contamination["n_contaminated"] == 5
    assert len(found.train) == 15


@pytest.mark.parametrize(
    ("rewards", "reason"),
    [([1.0] * 8, "unanimous"), ([1.0] * 31 + [0.0], "too_easy"), ([0.0] * 31 + [1.0], "too_hard"), ([1.0], "single")],
)
def test_what_carries_no_contrast_is_left_out_by_name(rewards: list[float], reason: str) -> None:
    rows = [row for n in range(10) for row in asked(f"t{n}", HALF, prompt=words(n))]
    found = made([*rows, *asked("odd", rewards, prompt=words(99))], holdout=[f"t{n}" for n in range(5)])
    assert found.drops == {reason: ("odd",)}


def test_partial_credit_that_differs_is_contrast() -> None:
    rows = [row for n in range(10) for row in asked(f"t{n}", HALF, prompt=words(n))]
    found = made([*rows, *asked("graded", [0.4, 0.6] * 4, prompt=words(99))], holdout=["t1"])
    assert "graded" in ids(found.train)


def test_tasks_graded_as_an_evaluation_never_train() -> None:
    rows = [row for n in range(10) for row in asked(f"t{n}", HALF, prompt=words(n))]
    rows += asked("spent", HALF, prompt=words(99), lineage={"source": "eval"})
    assert made(rows, holdout=["t1"]).drops == {"evaluation": ("spent",)}


def test_nothing_in_the_band_is_an_error_that_says_why() -> None:
    rows = [row for n in range(10) for row in asked(f"t{n}", [1.0] * 8, prompt=words(n))]
    with pytest.raises(ExportError, match=r"no train task is left of 10 \(5 unanimous; 5 held out.*widen band="):
        made(rows)


def test_a_holdout_below_the_least_is_refused_unless_it_is_allowed() -> None:
    rows = [row for n in range(4) for row in asked(f"t{n}", HALF, prompt=words(n))]
    with pytest.raises(ExportError, match="no train task is left of 4"):
        made(rows)
    found = made(rows, environment_min_holdout=1)
    assert (len(found.train), len(found.holdout)) == (3, 1)
    assert made(rows, holdout=0.0, environment_min_holdout=0).holdout == ()


def test_a_holdout_that_names_nothing_of_the_rows_is_refused() -> None:
    rows = [row for n in range(8) for row in asked(f"t{n}", HALF, prompt=words(n))]
    with pytest.raises(ConfigError, match="'t99' is no task id and no ask"):
        made(rows, holdout=["t99"])
    with pytest.raises(ConfigError, match="1.5 is not in"):
        made(rows, holdout=1.5)
    assert ids(made(rows, holdout=[words(2), {"task_id": "t3"}]).holdout) == ["t2", "t3"]


def test_a_reference_in_a_column_of_its_own_becomes_the_key() -> None:
    rows = asked("t", HALF)
    for row in rows:
        row["answer"] = row.pop("reference")
    (item,) = calibrated(rows, SPEC, RunKnobs(), band=BAND, reference="answer")
    assert item.task.privileged is not None and item.task.privileged["reference"] == "42"
    assert item.fields == {"answer": "42"}
