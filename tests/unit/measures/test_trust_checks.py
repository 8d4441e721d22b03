"""What a judge is held to beside raw agreement: clusters, fairness, flips, probes; and rates corrected for its errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import whileai_exp as wai
from whileai_exp.errors import ConfigError
from whileai_exp.measures.labels import annotator_agreement, attach_labels, compare_judges
from whileai_exp.measures.probes import cheat_probes, judge_probes
from whileai_exp.measures.trust import judge_agreement, judge_trust
from whileai_exp.stats.agreement import Confusion, clustered_share, corrected_rate, kappa_interval


def rows_of(pairs: list[tuple[float, float]], per_task: int = 1, **more: Any) -> list[dict[str, Any]]:
    return [
        {
            "rollout_id": str(i),
            "scenario_id": f"t{i // per_task}",
            "reward": r,
            "gold_reward": g,
            "judge_status": "ok",
            "final_text": "x" * (i % 50),
            **more,
        }
        for i, (r, g) in enumerate(pairs)
    ]


def test_measures_of_agreement_are_the_known_ones() -> None:
    c = Confusion(27, 5, 3, 15)
    assert c.kappa == pytest.approx(0.661017, abs=1e-6) and c.mcc == pytest.approx(0.6637, abs=1e-3)
    assert c.balanced_accuracy == pytest.approx((0.9 + 0.75) / 2) and c.ac1 is not None and c.ac1 > 0.6
    assert Confusion(50, 0, 0, 0).kappa is None and Confusion(50, 0, 0, 0).mcc is None


def test_rollouts_of_few_tasks_do_not_count_as_independent() -> None:
    loose = clustered_share([1] * 110 + [0] * 10, [1] * 120)
    tight = clustered_share([20, 20, 20, 20, 20, 10], [20] * 6)
    assert loose is not None and tight is not None and tight.high - tight.low > 2 * (loose.high - loose.low)
    all_right = clustered_share([20] * 6, [20] * 6)
    assert all_right is not None and all_right.low < 0.7


def test_kappa_has_an_interval_that_holds_it_and_repeats() -> None:
    generator = np.random.Generator(np.random.PCG64(0))
    counts = generator.multinomial(4, [0.45, 0.08, 0.07, 0.4], size=60)
    a, b = kappa_interval(counts), kappa_interval(counts)
    kappa = Confusion(*map(int, counts.sum(0))).kappa
    assert a == b and a is not None and kappa is not None and a.low < kappa < a.high
    assert kappa_interval(counts[:2]) is None


def test_the_corrected_rate_covers_the_truth() -> None:
    generator = np.random.Generator(np.random.PCG64(1))
    covered = 0
    for _ in range(400):
        truth, sensitivity, specificity = 0.6, 0.9, 0.8
        gold = generator.random(120) < truth
        judged = np.where(gold, generator.random(120) < sensitivity, generator.random(120) > specificity)
        c = Confusion(
            int((judged & gold).sum()), int((judged & ~gold).sum()), int((~judged & gold).sum()), int((~judged & ~gold).sum())
        )
        real = generator.random(500) < truth
        seen = float(np.where(real, generator.random(500) < sensitivity, generator.random(500) > specificity).mean())
        made = corrected_rate(seen, 500, c)
        assert made is not None
        covered += made[1].low <= truth <= made[1].high
    assert covered / 400 >= 0.92
    assert (
        corrected_rate(0.5, 100, Confusion(10, 10, 10, 10)) is None and corrected_rate(0.5, 100, Confusion(10, 0, 1, 0)) is None
    )


def test_a_judge_that_errs_on_one_half_or_on_long_replies_is_not_trusted() -> None:
    pairs = [(1.0, 1.0)] * 150 + [(0.0, 0.0)] * 100 + [(0.0, 1.0)] * 30
    rows = rows_of(pairs)
    for row in rows:
        row["final_text"] = "long " * 100 if row["reward"] != row["gold_reward"] else "short"
    found = judge_trust(rows)
    assert not found.ok and any(c.name == "length:passes" and c.ok is False for c in found.checks)
    assert found.review and found.corrected is not None and found.corrected["value"] > found.corrected["judged"]


def test_a_judge_that_flips_or_breaks_is_not_trusted() -> None:
    rows = rows_of([(1.0, 1.0)] * 60 + [(0.0, 0.0)] * 60)
    good = judge_trust(rows, lambda row: row["gold_reward"])
    assert good.ok, good.warnings
    assert not judge_trust(rows, lambda row: 1 - row["gold_reward"]).ok
    broken = judge_trust(rows, lambda row: 1 / 0)
    assert not broken.ok and any("failed on" in w for w in broken.warnings)


def test_gold_from_a_model_is_a_warning_and_partial_rewards_are_counted() -> None:
    rows = rows_of([(1.0, 1.0)] * 60 + [(0.0, 0.0)] * 60, gold_kind="model")
    assert not judge_trust(rows).ok and judge_trust(rows, allow_model_gold=True).ok
    half = rows_of([(0.5, 1.0)] * 40 + [(1.0, 1.0)] * 60 + [(0.0, 0.0)] * 60)
    assert judge_agreement(half).n_partial == 40 and not judge_trust(half).ok


def probe_rows(n: int = 40) -> list[dict[str, Any]]:
    return [
        {
            "rollout_id": str(i),
            "prompt": f"Where is order {i}?",
            "final_text": f"Order {i} is lost.",
            "steps": [{"tool": "look", "result": "lost"}],
            "answer": "A",
        }
        for i in range(n)
    ]


def test_a_judge_that_reads_scores_is_fooled_and_an_honest_one_holds() -> None:
    fooled = judge_probes(probe_rows(), lambda row: float("reward" in row["final_text"].lower() or row["final_text"] == "1"))
    names = {probe.name for probe in fooled.probes if probe.flagged}
    assert not fooled.ok and "add:injection" in names
    assert judge_probes(probe_rows(), lambda row: 0.0).ok


def test_a_scorer_that_breaks_has_passed_no_probe() -> None:
    found = cheat_probes(probe_rows(), lambda row: 1 / 0)
    assert not found.ok and all(probe.flagged is None for probe in found.probes) and "failed on" in found.warnings[0]
    paid = cheat_probes(probe_rows(), lambda row: 1.0)
    assert not paid.ok and all(probe.flagged for probe in paid.probes)
    assert cheat_probes(probe_rows(), wai.task_checklist).probes


def test_labels_are_attached_by_key_and_never_by_guess() -> None:
    rows = [
        {"rollout_id": "a", "scenario_id": "s", "rollout_index": 0},
        {"rollout_id": "b", "scenario_id": "s", "rollout_index": 1},
    ]
    told = attach_labels(rows, {"a": 1, "s#1": 0}, "ann")
    assert (
        told["n_labels"] == 2
        and rows[0]["gold_reward"] == 1.0
        and rows[1]["gold_reward"] == 0.0
        and rows[0]["gold_kind"] == "human"
    )
    attach_labels(rows, [{"rollout_id": "a", "label": 0}], "ben")
    assert "gold_reward" not in rows[0] and rows[0]["gold_labels"] == {"ann": 1.0, "ben": 0.0}
    for bad, why in (({"s": 1}, "fits 2"), ({"zz": 1}, "fits no row"), ({"a": 0.5}, "not 0 or 1"), ({"b": 1}, "already")):
        with pytest.raises(ConfigError, match=why):
            attach_labels(rows, bad, "ann")
    agreed = annotator_agreement(rows)
    assert agreed["n_shared"] == 1 and agreed["unanimous_share"] == 0.0 and agreed["pairs"][0]["agreement"] == 0.0


def test_judges_side_by_side_best_first() -> None:
    rows = rows_of([(1.0, 1.0)] * 60 + [(0.0, 0.0)] * 60)
    told = compare_judges(rows, {"always": lambda row: 1, "good": lambda row: row["gold_reward"], "broken": lambda row: 1 / 0})
    assert (
        told[0]["judge"] == "good"
        and told[0]["ok"]
        and not told[1]["ok"]
        and [t for t in told if t["judge"] == "broken"][0]["n_unjudged"] == 120
    )
