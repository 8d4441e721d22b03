"""A reward by name, and one verdict per rollout from it."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.export.environment.reward import Keys, Reward, reference_of
from whileai_exp.judges import LLMJudge, judges
from whileai_exp.judges.checklist import task_checklist
from whileai_exp.plan import resolve_plan
from whileai_exp.schema import JudgeStatus
from whileai_exp.verify import All, ExactMatch, MathEqual, Numeric, Weighted

from . import rewards

HERE = rewards.__name__
PLAN = resolve_plan({"agent": {"kind": "scripted"}, "spec": {"system_prompt": "Answer."}})


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("task_checklist", {"kind": "task_checklist"}),
        ({"kind": "exact_match"}, {"kind": "exact_match"}),
        (f"{HERE}:pays_for_claims", {"target": f"{HERE}:pays_for_claims"}),
        (rewards.pays_for_claims, {"target": f"{HERE}:pays_for_claims"}),
        (rewards.says_the_answer, {"target": f"{HERE}:says_the_answer"}),
        (task_checklist, {"target": "whileai_exp.judges.checklist:task_checklist"}),
        (MathEqual(), {"kind": "math_equal"}),
        (ExactMatch(field="answer"), {"kind": "exact_match", "field": "answer"}),
        (
            All(MathEqual(), rewards.pays_for_claims),
            {"kind": "all", "parts": [{"kind": "math_equal"}, {"target": f"{HERE}:pays_for_claims"}]},
        ),
        (
            Weighted((MathEqual(), 2), (Numeric(), 1)),
            {"kind": "weighted", "parts": [{"kind": "math_equal"}, {"kind": "numeric"}], "weights": [2, 1]},
        ),
        (LLMJudge(model="vllm:m@http://127.0.0.1:9/v1", votes=3), {"kind": "llm", "model": "vllm:m@http://127.0.0.1:9/v1", "votes": 3}),
    ],
)  # fmt: skip
def test_a_reward_is_known_by_a_name_that_makes_it_again(given: Any, name: dict[str, Any]) -> None:
    found = reference_of(given, "reward")
    assert found == name
    again = judges.create(json.loads(json.dumps(found)))
    assert type(again) is type(judges.create(name))


def local() -> Any:
    def inner(row: Any) -> float:
        return 1.0

    return inner


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda row: 1.0, "has no name that a trainer could import; define it at the top of a module"),
        (local(), "has no name that a trainer could import"),
        (partial(rewards.pays_for_claims), "has no name that a trainer could import"),
        ("rewards.py:f", "is a file here; install it as a module"),
        ("__main__:f", "is this script; move it to a module"),
        ("nowhere_at_all:f", "cannot be imported"),
        ("task_chekclist", "is no name of one; use 'module:attr'"),
        ({"kind": "exact_mach"}, "is no judge"),
        (MathEqual, "is a class; pass an instance"),
        (3, "cannot be called"),
    ],
)
def test_what_a_trainer_cannot_import_is_refused_with_the_fix(given: Any, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        reference_of(given, "reward")


def keys(tmp_path: Path) -> Keys:
    lines = [{"task_id": "a", "key": {"reference": "42"}}, {"task_id": "b", "key": None, "fields": {"answer": "7"}}]
    path = tmp_path / "keys.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return Keys(path)


def paid(reward: Reward, **row: Any) -> Any:
    return asyncio.run(reward.verdict({"rollout_id": "r", "status": "ok", **row}))


def test_the_key_reaches_the_judge_and_not_the_row(tmp_path: Path) -> None:
    reward = Reward({"target": f"{HERE}:says_the_answer"}, PLAN, keys(tmp_path))
    row = {"task_id": "a", "final_text": "It is 42", "rollout_id": "r", "status": "ok"}
    assert asyncio.run(reward.verdict(row)).reward == 1.0  # type: ignore[union-attr]
    assert set(row) == {"task_id", "final_text", "rollout_id", "status"}
    assert paid(reward, task_id="a", final_text="It is 41").reward == 0.0


def test_a_column_that_the_reward_reads_is_part_of_the_key(tmp_path: Path) -> None:
    reward = Reward({"kind": "exact_match", "field": "answer"}, PLAN, keys(tmp_path))
    assert paid(reward, task_id="b", final_text="7").reward == 1.0


def test_a_judge_that_fails_gives_no_reward_and_never_zero(tmp_path: Path) -> None:
    """W19: a judge's failure used to be rewarded with 0."""
    found = paid(Reward({"target": f"{HERE}:breaks"}, PLAN, keys(tmp_path)), task_id="a", final_text="short")
    assert (found.reward, found.status) == (None, JudgeStatus.ERROR)


@pytest.mark.parametrize("status", ["agent_error", "timeout", "user_error", "cancelled"])
def test_a_rollout_that_says_nothing_about_the_agent_has_no_verdict(tmp_path: Path, status: str) -> None:
    assert (
        paid(Reward({"target": f"{HERE}:pays_for_claims"}, PLAN, keys(tmp_path)), task_id="a", final_text="done", status=status)
        is None
    )


def test_a_cut_rollout_is_worth_nothing_unless_the_judge_is_to_say(tmp_path: Path) -> None:
    config = {"target": f"{HERE}:pays_for_claims"}
    cut = {"task_id": "a", "final_text": "done", "status": "truncated"}
    assert paid(Reward(config, PLAN, keys(tmp_path)), **cut).reward == 0.0
    assert paid(Reward(config, PLAN, keys(tmp_path), "judge"), **cut).reward == 1.0
