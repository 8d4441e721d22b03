"""A second look at a verifier's failures, and criteria drafted by a model."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

import whileai_exp as wai
from whileai_exp.errors import ConfigError
from whileai_exp.judges._drafting import rubric_in
from whileai_exp.ports import ChatRequest, Reply


def rows_of(wrong: int, failed: int, passed: int = 10) -> list[dict[str, Any]]:
    """`failed` failures, of which `wrong` hold the right answer all the same."""
    rows = [
        {"final_text": "42." if n < wrong else "7", "reward": 0, "reason": "not equal" if n < wrong else "wrong"}
        for n in range(failed)
    ]
    rows += [{"final_text": "42", "reward": 1} for _ in range(passed)]
    return [{"rollout_id": f"r{n}", "status": "ok", "prompt": "q", **row} for n, row in enumerate(rows)]


def right(row: Any) -> int:
    return int(str(row["final_text"]).strip(".") == "42")


def test_the_share_of_wrong_failures_is_measured_on_the_sample_and_scaled_to_all():
    found = wai.audit_grades(rows_of(10, 40), right, sample=40)
    assert (found.n_audited, found.overturned, found.fn_rate, found.wrong_fails) == (40, 10, 0.25, 10.0)
    assert found.interval is not None and found.interval.low == pytest.approx(0.1419, abs=1e-3)
    assert found.by_reason == {"not equal": 10} and len(found.rollouts) == 10
    assert any("more than 10%" in said for said in found.warnings)
    assert "wrong failures 0.250" in str(found) and found.to_dict()["fn_rate"] == 0.25


def test_a_row_the_second_judge_leaves_open_is_in_no_rate():
    found = wai.audit_grades(rows_of(0, 10), lambda row: {"reward": None} if row["rollout_id"] == "r3" else 0)
    assert (found.n_audited, found.unjudged, found.fn_rate) == (9, 1, 0.0)
    assert wai.audit_grades(rows_of(0, 3), lambda row: 1 / 0).fn_rate is None


def test_passes_are_audited_on_request_and_rows_stay_as_they_are():
    rows = rows_of(0, 5)
    before = orjson.dumps(rows)
    found = wai.audit_grades(rows, lambda row: 0, passes=10)
    assert found.fp_rate == 1.0 and orjson.dumps(rows) == before
    with pytest.raises(ConfigError, match="none failed"):
        wai.audit_grades(rows_of(0, 0), right)


class Drafter:
    """Says the texts it was given, one per call."""

    model = "drafter"

    def __init__(self, *texts: str) -> None:
        self.texts, self.asked = list(texts), 0

    async def complete(self, request: ChatRequest) -> Reply:
        self.asked += 1
        return Reply(self.texts[min(self.asked, len(self.texts)) - 1])

    async def aclose(self) -> None:
        return None


def criteria(*importances: str) -> str:
    return orjson.dumps(
        {"criteria": [{"title": f"thing {n}", "description": "d", "importance": kind} for n, kind in enumerate(importances)]}
    ).decode()


def test_importances_become_kinds_and_too_many_essentials_become_principles():
    rubric = rubric_in(criteria("essential", "essential", "important", "pitfall", "optional", "nonsense"), max_hard=1)
    assert not isinstance(rubric, str)
    assert [(c.kind, c.weight) for c in rubric.criteria] == [
        ("hard", 1),
        ("principle", 2),
        ("principle", 2),
        ("pitfall", 1),
        ("principle", 1),
        ("principle", 1),
    ]


def test_an_answer_that_is_no_rubric_is_asked_for_again_and_then_told():
    drafts = wai.write_rubrics(["Refund A-1", "Refund A-1"], Drafter("no", criteria("essential", "important", "pitfall")))
    assert list(drafts.rubrics) == ["Refund A-1"] and drafts.failed == {}
    broken = wai.write_rubrics(["Refund A-1"], Drafter(criteria("essential")))
    assert broken.rubrics == {} and "1 usable criteria" in broken.failed["Refund A-1"]


def test_a_drafted_rubric_is_one_that_the_judge_takes():
    rubric = wai.write_rubrics(["Refund A-1"], Drafter(criteria("essential", "important", "pitfall"))).rubrics["Refund A-1"]
    assert (
        wai.Rubric.of(rubric) is rubric
        and rubric.score({"thing_0": "met", "thing_1": "met", "thing_2": "not_met"})["reward"] == 1.0
    )
