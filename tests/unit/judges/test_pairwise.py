"""Two runs side by side: asked in both orders, and never decided by the place; advisory grades stay apart from rewards."""

from __future__ import annotations

from typing import Any

import whileai_exp as wai
from whileai_exp.ports import ChatRequest, Reply

A = {"rollout_id": "a", "prompt": "x", "final_text": "GOOD", "reward": 1.0}
B = {"rollout_id": "b", "prompt": "x", "final_text": "BAD", "reward": 0.0}


class Picks:
    model = "picker"

    def __init__(self, how: str) -> None:
        self.how = how

    async def complete(self, request: ChatRequest) -> Reply:
        text = str(request.messages[1]["content"])
        if self.how == "good":
            return Reply('{"reason": "r", "better": "%s"}' % ("A" if text.index("GOOD") < text.index("BAD") else "B"))
        return Reply('{"reason": "r", "better": "A"}' if self.how == "first" else "hm")

    async def aclose(self) -> None: ...


def told(how: str) -> dict[str, Any]:
    return wai.compare_pairs([(A, B), (B, A)], Picks(how))


def test_the_better_run_wins_in_either_order() -> None:
    found = told("good")
    assert [pair["winner"] for pair in found["pairs"]] == ["a", "b"] and found["agrees_with_rewards"] == 1.0
    assert found["position_flip_rate"] == 0.0 and not found["warnings"]


def test_a_judge_that_prefers_a_place_only_makes_ties() -> None:
    found = told("first")
    assert found["tie_rate"] == 1.0 and found["position_flip_rate"] == 1.0 and "order" in found["warnings"][0]


def test_no_answer_is_no_winner() -> None:
    assert told("silent")["n_unjudged"] == 2 and told("silent")["pairs"][0]["winner"] is None


class Half:
    model = "half"

    async def complete(self, request: ChatRequest) -> Reply:
        return Reply('{"reason": "so so", "rating": 0.5}' if "GOOD" in str(request.messages) else "hm")

    async def aclose(self) -> None: ...


def test_an_advisory_grade_never_becomes_the_reward() -> None:
    rows = [dict(A), dict(B)]
    report = wai.llm_grade(rows, Half())
    assert rows[0]["llm_reward"] == 0.5 and rows[0]["reward"] == 1.0 and rows[1]["llm_reward"] is None and rows[1]["llm_reason"]
    assert report["graded"] == 1 and report["by_status"] == {"ok": 1, "invalid_result": 1}
