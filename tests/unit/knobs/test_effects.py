"""Every knob and parameter changes what it says: two values, two things to see. None is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from whileai_exp.knobs import RunKnobs, info_of

from .effects import of_measures, of_models, of_rollouts, of_selection, of_situations
from .effects._effect import Effect

TESTS = Path(__file__).resolve().parents[2]
EFFECTS: dict[str, Effect] = {
    **of_situations.EFFECTS,
    **of_rollouts.EFFECTS,
    **of_models.EFFECTS,
    **of_selection.EFFECTS,
    **of_measures.EFFECTS,
}


ELSEWHERE: dict[str, str] = {
    "environment_battery_tasks": "export/environment/test_knobs.py::test_the_tasks_that_policies_without_work_play",
    "environment_holdout_share": "export/environment/test_knobs.py::test_the_share_that_is_held_out",
    "environment_min_holdout": "export/environment/test_tasks.py::test_a_holdout_below_the_least_is_refused_unless_it_is_allowed",
    "failure_wave_share": "run/test_waves.py::test_held_back_situations_are_drawn_where_the_first_ones_failed",
}
"""Knobs whose effect takes a whole run or a terminal to see, with the test that sees it."""


@pytest.mark.slow
@pytest.mark.parametrize("name", EFFECTS)
def test_a_knob_changes_what_it_says(name: str) -> None:
    EFFECTS[name].check(name)


def test_no_knob_is_without_an_observed_effect() -> None:
    known = {info.name for info in info_of(RunKnobs)}
    assert sorted(known - set(EFFECTS) - set(ELSEWHERE)) == []
    assert sorted({*EFFECTS, *ELSEWHERE} - known) == []


@pytest.mark.parametrize("where", ELSEWHERE.values())
def test_the_tests_that_are_named_exist(where: str) -> None:
    path, _, name = where.partition("::")
    assert f"def {name}(" in (TESTS / "unit" / path).read_text("utf-8")
