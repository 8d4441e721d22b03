"""Paired tests, sizing and multiplicity against closed forms, enumeration and scipy."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from whileai_exp.stats.multiple import holm
from whileai_exp.stats.paired import (
    alike_interval,
    equivalence_p,
    paired_test,
    sign_flip,
    smallest_pairs,
    two_proportions,
    welch,
)
from whileai_exp.stats.power import effect_for, model_sd, power_of, tasks_for
from whileai_exp.stats.runs import noise_band, run_spread
from whileai_exp.stats.special import poisson_low, t_of

REFERENCE = json.loads((Path(__file__).parents[2] / "data" / "stats_reference.json").read_text())


@pytest.mark.parametrize(("df", "value"), [(1, 12.70620), (2, 4.30265), (4, 2.77645), (10, 2.22814)])
def test_t_quantiles(df: int, value: float) -> None:
    assert t_of(0.95, df) == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize("case", REFERENCE["paired_difference"], ids=lambda c: str(len(c["before"])))
def test_the_paired_t_test_is_scipys(case: dict) -> None:
    d = np.array(case["after"]) - np.array(case["before"])
    found = paired_test(d)
    assert found.mean == pytest.approx(case["mean_diff"])
    if case["t_p"] is not None and np.isfinite(case["t_p"]) and d.std(ddof=1) > 1e-9:
        assert found.p == pytest.approx(case["t_p"])
        assert found.interval is not None and found.interval.to_list() == pytest.approx(case["t_ci95"])


def test_sign_flips_of_few_tasks_are_all_of_them() -> None:
    d = np.array([0.25, 0.5, -0.25, 0.0, 1.0, 0.125])
    sums = [abs(np.dot(s, d)) for s in itertools.product([1, -1], repeat=6)]
    assert sign_flip(d, flips=10)[0] == pytest.approx(np.mean([s >= abs(d.sum()) - 1e-9 for s in sums]))


def test_monte_carlo_sign_flips_are_near_the_exact_ones_and_repeatable() -> None:
    d = np.array([0.25, 0.25, 0.5, -0.25, 0.25, 0.5, -0.5, 0.25, 0.25, 0.75])
    exact, _ = sign_flip(d, flips=0)
    near, how = sign_flip(d, flips=20_000, exact_tasks=1)
    assert near == pytest.approx(exact, abs=0.01) and how == "20000 sign flips"
    assert sign_flip(d, flips=20_000, exact_tasks=1) == (near, how)
    assert sign_flip(np.zeros(4), flips=10) == (1.0, "exact")


@pytest.mark.parametrize("n", range(1, 15))
def test_differences_of_one_exclude_zero_exactly_when_the_sign_test_does(n: int) -> None:
    assert (alike_interval(1.0, n).low > 0) == (2 * 0.5**n < 0.05)
    assert smallest_pairs(0.05) == 6


def test_unchanged_tasks_do_not_prove_that_nothing_changed() -> None:
    few, many = alike_interval(0.0, 5), alike_interval(0.0, 500)
    assert few.high > 0.5 and many.high < 0.01 and few.low == -few.high


def test_welch_is_scipys() -> None:
    from scipy.stats import ttest_ind

    a, b = np.array([0.1, 0.4, 0.3, 0.9]), np.array([0.5, 0.7, 0.2, 0.8, 0.9])
    theirs = ttest_ind(b, a, equal_var=False)
    delta, interval, p = welch(a, b)
    assert p == pytest.approx(theirs.pvalue) and delta == pytest.approx(b.mean() - a.mean())
    assert interval is not None and interval.to_list() == pytest.approx(list(theirs.confidence_interval()))


def test_equivalence_is_two_one_sided_tests() -> None:
    from scipy.stats import t

    mean, sd, n, margin = 0.01, 0.1, 25, 0.05
    error = sd / 5
    want = max(t.sf((mean + margin) / error, 24), t.cdf((mean - margin) / error, 24))
    assert equivalence_p(mean, sd, n, margin) == pytest.approx(want)
    assert equivalence_p(0.0, 0.0, 25, 0.05) == 1.0


def test_two_proportions_reference_value() -> None:
    assert two_proportions(30, 100, 45, 100) == pytest.approx(0.02846, abs=1e-5)
    assert two_proportions(0, 10, 0, 10) is None and two_proportions(1, 0, 1, 2) is None


def test_sizing_reference_values() -> None:
    assert tasks_for(0.05, 0.38) == pytest.approx(455.27, abs=0.01)
    assert model_sd(0.6, 4, 0.05) ** 2 == pytest.approx((0.24 + 0.2275) / 4)
    assert tasks_for(0.05, model_sd(0.6, 4, 0.05)) == pytest.approx(368.86, abs=0.01)
    assert tasks_for(0.0, 0.3) is None and tasks_for(0.3, 0.0) == 2.0


@pytest.mark.parametrize("sd", [0.1, 0.38, 0.6])
def test_sizing_and_detectable_effect_undo_each_other(sd: float) -> None:
    effect = effect_for(40, sd)
    assert effect is not None and tasks_for(effect, sd) == pytest.approx(40, rel=1e-4)
    assert power_of(effect, sd, 40) == pytest.approx(0.8, abs=1e-6)
    assert effect_for(1, sd) is None


def test_adjusted_p_values() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == [] and holm([0.9, 0.9]) == [1.0, 1.0]


def test_run_to_run_spread_is_pooled_by_degrees_of_freedom() -> None:
    found = run_spread([0.5, 0.6], [0.5, 0.5, 0.8])
    assert found is not None and found.df == 3
    assert found.sd**2 == pytest.approx((0.005 + 2 * 0.03) / 3)
    assert run_spread([0.5], [0.6]) is None
    assert noise_band(0.1, 2, 2, df=4) == pytest.approx(2.77645 * 0.1, abs=1e-5)
    assert noise_band(0.1) == pytest.approx(1.959964 * 0.1 * 2**0.5, abs=1e-6)
    assert noise_band(0.1, df=0) == float("inf")


def test_poisson_bound() -> None:
    assert poisson_low(1, 0.05) == pytest.approx(-np.log(0.95)) and poisson_low(0, 0.05) == 0.0
