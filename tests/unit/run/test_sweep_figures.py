"""How much of an objective a setting explains, by small exact cases."""

from __future__ import annotations

import pytest

from whileai_exp.run.report.page import png
from whileai_exp.run.report.page.sweep import explained, sweep_figures, varied_settings

JOBS = [
    {"overrides": ["+experiment=e", "a=1", "b=x"], "objective": 0.2},
    {"overrides": ["+experiment=e", "a=1", "b=y"], "objective": 0.2},
    {"overrides": ["+experiment=e", "a=2", "b=x"], "objective": 0.6},
    {"overrides": ["+experiment=e", "a=2", "b=y"], "objective": 0.6},
]


def test_what_never_varies_is_no_setting_of_the_sweep():
    assert varied_settings(JOBS) == {"a": ["1", "1", "2", "2"], "b": ["x", "y", "x", "y"]}


@pytest.mark.parametrize(
    ("settings", "share"), [(["1", "1", "2", "2"], 1.0), (["x", "y", "x", "y"], 0.0), (["x", "y", "y", "y"], 1 / 3)]
)
def test_a_setting_explains_what_lies_between_its_groups(settings: list[str], share: float):
    assert explained(settings, [0.2, 0.2, 0.6, 0.6]) == pytest.approx(share)


def test_a_value_of_its_own_for_every_job_does_not_explain_everything():
    values = [0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6]
    assert explained([str(n / 7) for n in range(8)], values) < 0.5
    assert explained(["a"] * 8, [0.5] * 8) == 0.0


def test_figures_are_drawn_where_something_varied():
    figures = sweep_figures(JOBS, "pass_at_1")
    assert set(figures) == {"parallel", "importance"} and all(png(figure).startswith(b"\x89PNG") for figure in figures.values())
    assert sweep_figures(JOBS[:1], "pass_at_1") == {} and sweep_figures([JOBS[0], JOBS[0]], "pass_at_1") == {}
