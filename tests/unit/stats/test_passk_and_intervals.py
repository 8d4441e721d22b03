"""Estimators against closed forms, enumeration, and the reference values of their papers."""

from __future__ import annotations

import itertools
import json
import math
import runpy
from pathlib import Path

import numpy as np
import pytest

from whileai_exp.stats.agreement import Confusion
from whileai_exp.stats.intervals import bootstrap_mean, effective_n, mean_interval, wilson, wilson_clustered
from whileai_exp.stats.passk import over_groups, pass_at_k, pass_pow_k
from whileai_exp.stats.special import poisson_low

DATA = Path(__file__).parents[2] / "data"


def test_every_reference_value_of_pass_at_k_and_pass_pow_k() -> None:
    cases = json.loads((DATA / "pass_k_reference.json").read_text())["rows"]
    assert len(cases) == 402
    for case in cases:
        n, c, k = case["n"], case["c"], case["k"]
        assert pass_at_k(n, c, k) == pytest.approx(case["pass_at_k"], abs=1e-9)
        assert pass_pow_k(n, c, k) == pytest.approx(case["pass_pow_k"], abs=1e-9)


def test_wilson_is_statsmodels() -> None:
    for case in json.loads((DATA / "stats_reference.json").read_text())["wilson"]:
        made = wilson(case["k"], case["n"], 1 - case["alpha"])
        assert made is not None and made.to_list() == pytest.approx(case["wilson"], abs=1e-12)


def test_one_effective_event_gets_the_exact_bound() -> None:
    values = np.array([1.0] + [0.0] * 19)
    n = effective_n(values, 20)
    made = wilson_clustered(values, 20)
    plain = wilson(0.05 * n, n)
    assert made is not None and plain is not None
    assert made.low == pytest.approx(poisson_low(0.05 * n, 0.05) / n) and made.low < plain.low and made.high == plain.high


def test_an_interval_of_values_below_a_largest_one_scales() -> None:
    values = np.array([0.0, 0.25, 0.5, 0.75, 0.5, 0.0])
    kept = {"level": 0.95, "resamples": 500, "min_tasks": 3, "bootstrap_min_tasks": 50, "prior": 0.5}
    whole, half = mean_interval(values, 24, largest=1.0, **kept), mean_interval(values / 2, 24, largest=0.5, **kept)
    assert whole is not None and half is not None
    assert [2 * end for end in half.to_list()] == pytest.approx(whole.to_list())


@pytest.mark.parametrize(
    ("n", "c", "k", "at", "power"),
    [
        (8, 3, 4, 0.9285714, 0.0),
        (8, 6, 4, 1.0, 0.2142857),
        (8, 8, 4, 1, 1),
        (8, 0, 4, 0, 0),
        (16, 4, 8, 0.9615385, 0),
        (5, 2, 4, 1, 0),
    ],
)
def test_golden_values(n: int, c: int, k: int, at: float, power: float) -> None:
    assert pass_at_k(n, c, k) == pytest.approx(at, abs=1e-7)
    assert pass_pow_k(n, c, k) == pytest.approx(power, abs=1e-7)


@pytest.mark.parametrize("n", [1, 3, 5])
def test_against_enumeration_of_every_draw(n: int) -> None:
    for c, k in itertools.product(range(n + 1), range(1, n + 1)):
        outcomes = [1] * c + [0] * (n - c)
        draws = [[outcomes[i] for i in chosen] for chosen in itertools.combinations(range(n), k)]
        assert pass_at_k(n, c, k) == pytest.approx(np.mean([max(d) for d in draws]))
        assert pass_pow_k(n, c, k) == pytest.approx(np.mean([min(d) for d in draws]))


def test_more_draws_than_there_are_have_no_answer() -> None:
    assert math.isnan(pass_at_k(3, 0, 5)) and math.isnan(pass_pow_k(3, 3, 5)) and math.isnan(pass_at_k(3, 1, 0))


def test_groups_are_computed_in_their_order() -> None:
    at, power = over_groups(np.array([4, 4, 4]), np.array([4, 0, 2]), 2)
    assert at.tolist() == pytest.approx([1, 0, 5 / 6]) and power.tolist() == pytest.approx([1, 0, 1 / 6])


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (2, 4, 0.15004, 0.84996),
        (0, 40, 0.0, 0.08762),
        (45, 50, 0.78640, 0.95652),
        (50, 50, 0.92865, 1.0),
        (8, 8, 0.67559, 1.0),
        (1, 10, 0.01788, 0.40415),
    ],
)
def test_wilson_reference_values(successes: int, n: int, low: float, high: float) -> None:
    made = wilson(successes, n)
    assert made is not None and made.low == pytest.approx(low, abs=1e-5) and made.high == pytest.approx(high, abs=1e-5)


def test_wilson_without_data_is_nothing() -> None:
    assert wilson(0, 0) is None and wilson_clustered(np.array([]), 0) is None


def test_clustered_wilson_reference_values() -> None:
    unanimous = wilson_clustered(np.ones(3), 12)
    assert unanimous is not None and unanimous.low == pytest.approx(0.43850, abs=1e-5) and unanimous.high == 1.0
    means = np.array([1, 0.75, 0.5, 0, 1, 0.25, 0.75, 1, 0.5, 0])
    assert effective_n(means, 40) == pytest.approx(15.923, abs=1e-3)
    mixed = wilson_clustered(means, 40)
    assert mixed is not None and (mixed.low, mixed.high) == (pytest.approx(0.34200, abs=1e-5), pytest.approx(0.77885, abs=1e-5))


def test_repeating_every_rollout_does_not_narrow_the_interval_of_identical_repeats() -> None:
    means = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 1.0])
    once, eight = wilson_clustered(means, 6), wilson_clustered(means, 48)
    assert once is not None and eight is not None
    assert eight.high - eight.low > 0.8 * (once.high - once.low)


def test_the_bootstrap_is_the_same_for_the_same_seed_and_near_the_normal_theory() -> None:
    values = np.tile([0.0, 0.25, 0.5, 1.0], 50)
    a, b = bootstrap_mean(values, 0.95, 4000, 1), bootstrap_mean(values, 0.95, 4000, 1)
    assert a == b
    half = 1.96 * values.std() / math.sqrt(len(values))
    assert a.low == pytest.approx(values.mean() - half, abs=0.01) and a.high == pytest.approx(values.mean() + half, abs=0.01)


def test_which_method_is_used_is_named() -> None:
    def method(values: np.ndarray) -> str | None:
        made = mean_interval(values, 1000, level=0.95, resamples=500, min_tasks=3, bootstrap_min_tasks=50, prior=0.5)
        return made.method.split(" ")[0].rstrip(",") if made else None

    assert method(np.array([0.0, 1.0])) is None
    assert method(np.array([0.0, 1.0, 0.5])) == "wilson"
    assert method(np.ones(100)) == "wilson"
    assert method(np.tile([0.0, 1.0], 40)) == "bootstrap"


def test_kappa() -> None:
    assert Confusion(27, 5, 3, 15).kappa == pytest.approx(0.661017, abs=1e-6)
    assert Confusion(5, 0, 0, 0).kappa is None and Confusion(0, 0, 0, 0).agreement is None


@pytest.mark.slow
@pytest.mark.parametrize("tasks", [5, 6, 8, 10, 20, 50])
def test_nominal_intervals_cover(tasks: int) -> None:
    """pass@1, pass^4, pass@4 and headroom over three distributions of task rates; 800 trials are worth +-0.015 at 0.95.

    A truth within one success of a bound (0.007, 0.997) may be covered by more than the nominal share, never by less.
    """
    simulated = runpy.run_path(str(Path(__file__).parents[3] / "benchmarks" / "stats.py"))
    trials = 800 if tasks < 50 else 400
    slack = 2.5 * (0.92 * 0.08 / trials) ** 0.5
    for a, b in simulated["RATES"]:
        for repeats in (1, 4, 8):
            truth = simulated["truths"](a, b, min(4, repeats))
            for name, share in simulated["coverage_of"](a, b, tasks, repeats, trials).items():
                assert share >= 0.92 - slack, (a, b, repeats, name)
                if 0.02 < truth[name] < 0.98:
                    assert share <= 0.985 + slack / 2, (a, b, repeats, name)
