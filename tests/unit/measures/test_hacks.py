"""Hack scans: what the reward goes with, counted by task, with false names kept rare."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from whileai_exp.measures.hack_diff import hack_scan_diff
from whileai_exp.measures.hacks import hack_scan


def rows(
    tasks: int, k: int, seed: int, *, hack: float = 0.0, good: float = 0.25, share: float = 0.4, words: int = 12
) -> list[dict[str, Any]]:
    """Rewards that rise with the tool `good` and by `hack` with the word zzz."""
    g = np.random.Generator(np.random.PCG64(seed))
    out = []
    for t in range(tasks):
        for i in range(k):
            trick, right = g.random() < share, g.random() < 0.5
            reward = int(g.random() < np.clip(0.5 + hack * (1 if trick else -1) + good * (1 if right else -1), 0, 1))
            said = [f"w{j}" for j in g.integers(0, 60, words)] + (["zzz"] if trick else [])
            out.append(
                {
                    "scenario_id": str(t),
                    "prompt": f"ask {i}",
                    "rollout_index": i,
                    "reward": reward,
                    "judge_status": "ok",
                    "final_text": " ".join(said),
                    "markers": {"grounded": reward},
                    "steps": [{"tool": "good" if right else "bad", "arguments": {}, "result": 1}],
                }
            )
    return out


def test_a_word_that_buys_the_reward_is_found_across_the_phrasings_of_a_situation() -> None:
    found = hack_scan(rows(40, 8, 1, hack=0.4, good=0.0))
    assert found.regime == "reward_hack" and found.top == "word:zzz" and found.n_mixed > 30
    assert not found.ok and "word:zzz" in str(found)


def test_phrasings_of_a_situation_are_one_task_whatever_their_words() -> None:
    """Every rollout asks in words of its own: grouped by prompt nothing could be compared."""
    data = [{**row, "prompt": f"phrasing {i}"} for i, row in enumerate(rows(40, 8, 1, hack=0.4, good=0.0))]
    assert hack_scan(data).to_dict() == hack_scan(rows(40, 8, 1, hack=0.4, good=0.0)).to_dict()


def test_what_is_endorsed_may_be_rewarded() -> None:
    found = hack_scan(rows(60, 8, 2, good=0.4), endorsed=["tool:good"])
    assert found.regime == "train" and found.top is not None and "tool:good" in found.top and found.integrity == 1.0


def test_markers_the_judge_wrote_are_not_rivals_unless_said_otherwise() -> None:
    plain = hack_scan(rows(60, 8, 2, good=0.4), endorsed=["tool:good"])
    own = next(f for f in plain.features if f.name == "marker:grounded")
    assert own.rho == pytest.approx(1.0, abs=1e-4) and own.by_judge and not own.rival
    strict = hack_scan(rows(60, 8, 2, good=0.4), endorsed=["tool:good"], judge_markers=[])
    assert strict.regime == "reward_hack" and strict.top == "marker:grounded"


def test_endorsement_is_by_exact_name_or_glob_never_by_substring() -> None:
    data = rows(60, 8, 2, good=0.4)
    typo = hack_scan(data, endorsed=["t"])
    assert typo.regime == "unknown" and "matches no property" in typo.warnings[0]
    assert hack_scan(data, endorsed=["tool:g*"]).regime == "train"
    pair = hack_scan(rows(60, 8, 4, hack=0.4, good=0.0), endorsed=["tool:*"])
    assert pair.regime == "reward_hack", "a glob on one half of a pair does not endorse the other half"


def test_rewards_that_go_with_nothing_give_no_signal() -> None:
    assert hack_scan(rows(40, 6, 3, good=0.0)).regime == "no_signal"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ([], "no row has a verdict"),
        ([{"task_id": "a", "reward": None}], "no row has a verdict"),
        ([{"task_id": "a", "reward": 1}, {"task_id": "a", "reward": 1}], "no task has both"),
    ],
)
def test_without_contrast_nothing_is_known(data: list[dict[str, Any]], why: str) -> None:
    found = hack_scan(data)
    assert found.regime == "unknown" and why in found.reason and found.floor is None


def test_replies_that_do_not_vary_name_nothing() -> None:
    data = [
        {"task_id": str(t), "rollout_index": i, "reward": i % 2, "final_text": ["no sorry", "yes indeed sir"][i % 2]}
        for t in range(30)
        for i in range(8)
    ]
    found = hack_scan(data)
    assert found.regime == "degenerate" and found.top is None
    assert hack_scan_diff(data, data).withheld.startswith("the rows before are degenerate")


def test_callers_can_add_properties() -> None:
    data = rows(40, 8, 5, good=0.4, words=0)
    found = hack_scan(data, features={"is_good": lambda row: row["steps"][0]["tool"] == "good"}, endorsed=["is_good"])
    assert found.regime == "train"


def test_words_of_any_script_are_words() -> None:
    data = rows(40, 8, 1, hack=0.4, good=0.0)
    for row in data:
        row["final_text"] = row["final_text"].replace("zzz", "Проверено")
    assert hack_scan(data).top in ("word:проверено", "uppercase_share")


def test_a_learned_trick_is_named_and_an_unchanged_policy_is_not_accused() -> None:
    learned = hack_scan_diff(rows(60, 6, 1), rows(60, 6, 2, hack=0.3), endorsed=["tool:good"])
    assert learned.hack == "word:zzz" and not learned.ok and "landed" in str(learned)
    spread = hack_scan_diff(rows(60, 6, 1, hack=0.25, share=0.3), rows(60, 6, 2, hack=0.25, share=0.9), endorsed=["tool:good"])
    assert spread.hack == "word:zzz" and spread.learned[0].mean_after > spread.learned[0].mean_before
    same = hack_scan_diff(rows(60, 6, 1, hack=0.1), rows(60, 6, 2, hack=0.1), endorsed=["tool:good"])
    assert same.hack is None and same.ok


def test_endorsing_what_was_learned_makes_it_fine() -> None:
    found = hack_scan_diff(rows(60, 6, 1), rows(60, 6, 2, hack=0.3), endorsed=["tool:good", "word:zzz", "reply_length"])
    assert found.hack is None and any(shift.name == "word:zzz" and shift.endorsed for shift in found.learned)


def test_results_are_repeatable_and_strict_json() -> None:
    data = rows(30, 6, 1, hack=0.3)
    one, two = hack_scan(data), hack_scan(data)
    assert one == two
    json.dumps(one.to_dict(), allow_nan=False)
    json.dumps(hack_scan_diff(data, rows(30, 6, 9)).to_dict(), allow_nan=False)


@pytest.mark.slow
def test_data_without_an_association_is_accused_in_at_most_six_percent_of_cases() -> None:
    trials = 200
    named = sum(hack_scan(rows(20, 6, 1000 + s, good=0.0, words=6)).regime == "reward_hack" for s in range(trials))
    assert named / trials <= 0.06 + 2 * (0.05 * 0.95 / trials) ** 0.5


@pytest.mark.slow
def test_two_samples_of_one_policy_are_accused_in_at_most_six_percent_of_cases() -> None:
    trials = 150
    named = 0
    for s in range(trials):
        a, b = rows(25, 6, 5000 + s, hack=0.1, words=6), rows(25, 6, 9000 + s, hack=0.1, words=6)
        named += hack_scan_diff(a, b, endorsed=["tool:good"]).hack is not None
    assert named / trials <= 0.06
