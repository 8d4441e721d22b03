"""Models as advisers beside the reward: pairs compared in both orders, and grades that never become the reward."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._aio import run_sync
from ..errors import ConfigError, JudgeError, Problem
from ..judges import LLMJudge
from ..judges._pairwise import compare_pair, pair_report
from ..judges._session import judge_once
from ..knobs import RunKnobs
from ..models import connect
from ..models.backend import named_models
from ..plan.refs import parse_ref
from ..ports import ChatModel
from ..schema import Spec, reward_of


def compare_pairs(
    pairs: Iterable[Sequence[Mapping[str, Any]]],
    model: Any = None,
    *,
    rubric: str | None = None,
    spec: Spec | None = None,
    knobs: RunKnobs | None = None,
) -> dict[str, Any]:
    """A judging model's choice between two rollouts of one task each, asked in both orders.

    `model`: a spec string or ChatModel; None is WHILEAI_EXP_JUDGE. The report holds `pairs` in order, wins, ties, how
    often the order decided (`position_flip_rate`), and how often the winner is the one with the higher reward.
    """
    knobs = knobs or RunKnobs()
    given = [tuple(pair) for pair in pairs]
    if any(len(pair) != 2 for pair in given):
        raise ConfigError(Problem("pairs", "are not pairs of rows", "[(row_a, row_b), …]"))

    async def work() -> list[dict[str, Any]]:
        chat = judging_model(model, knobs)
        try:
            return [
                await compare_pair(a, b, chat, knobs, spec=spec, rubric=rubric or (spec.rubric if spec else None))
                for a, b in given
            ]
        finally:
            if chat is not model:
                await chat.aclose()

    told = run_sync(work())
    for found, (a, b) in zip(told, given):
        x, y = reward_of(a.get("reward")), reward_of(b.get("reward"))
        found["by_reward"] = None if x is None or y is None or x == y else "a" if x > y else "b"
    return {**pair_report(told, knobs.position_flip_flag), "pairs": told}


def judging_model(given: Any, knobs: RunKnobs) -> ChatModel:
    named = given if given is not None else named_models().get("WHILEAI_EXP_JUDGE")
    if named is None:
        raise JudgeError("no judging model is named: pass 'provider:model', or set WHILEAI_EXP_JUDGE")
    return (
        named
        if isinstance(named, ChatModel)
        else connect(parse_ref(named, "model"), timeout_s=knobs.judge_timeout_s, knobs=knobs)
    )


def llm_grade(
    rows: Sequence[dict[str, Any]],
    model: Any = None,
    *,
    rubric: Any = None,
    spec: Spec | None = None,
    knobs: RunKnobs | None = None,
) -> dict[str, Any]:
    """A model's advisory grade (0, 0.5 or 1) on rows as `llm_reward` and `llm_reason`; never the reward.

    A row that the model could not grade gets `llm_reward` None and the reason why. The report counts by status.
    """
    knobs = knobs or RunKnobs()
    judge = LLMJudge(model, rubric=rubric, scale=(0.0, 1.0), name="llm_grade")
    session = run_sync(judge_once(rows, judge, knobs=knobs, spec=spec))
    counts: dict[str, int] = {}
    for row, verdict in zip(rows, session.verdicts):
        counts[str(verdict.status)] = counts.get(str(verdict.status), 0) + 1
        row["llm_reward"] = None if verdict.reward is None else round(verdict.reward * 2) / 2
        row["llm_reason"] = verdict.reason or str(verdict.meta.get("error", ""))
    return {"n": len(rows), "graded": counts.get("ok", 0), "by_status": counts, "model": session.judge.identity.model}
