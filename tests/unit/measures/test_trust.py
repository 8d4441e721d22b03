"""A judge against gold labels: measured on both classes, or not measured."""

from __future__ import annotations

from typing import Any

import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.measures.trust import judge_agreement, judge_trust


def labelled(pairs: list[tuple[Any, Any]]) -> list[dict[str, Any]]:
    return [{"rollout_id": str(i), "reward": r, "gold_reward": g, "judge_status": "ok"} for i, (r, g) in enumerate(pairs)]


def test_without_gold_labels_a_judge_is_unmeasured_not_failed() -> None:
    found = judge_trust([{"reward": 1, "judge_status": "ok"}])
    assert not found.ok and not found.measured and "unmeasured, not failed" in found.warnings[0]


def test_a_constant_judge_on_one_class_is_not_trusted() -> None:
    found = judge_trust(labelled([(1, 1)] * 60))
    assert not found.ok and not found.measured and found.agreement.confusion.kappa is None


def test_a_good_judge_is_trusted_and_a_lenient_one_is_not() -> None:
    good = labelled([(1, 1)] * 60 + [(0, 0)] * 40 + [(0, 1)] * 3 + [(1, 0)] * 2)
    assert judge_trust(good).ok
    lenient = labelled([(1, 1)] * 60 + [(0, 0)] * 30 + [(1, 0)] * 10)
    found = judge_trust(lenient)
    assert found.measured and not found.ok and any("gold failures" in w for w in found.warnings)


def test_agreement_against_a_second_scoring_refuses_repeated_ids() -> None:
    rows = labelled([(1, None), (0, None)])
    second = [{"rollout_id": "0", "reward": 1}, {"rollout_id": "1", "reward": 1}]
    assert judge_agreement(rows, second).confusion.fn == 1
    with pytest.raises(ConfigError, match="twice"):
        judge_agreement(rows, [*second, second[0]])
