"""The embedded solvers: right answers are right, programs are what the hidden tests want, mistakes differ."""

from __future__ import annotations

import asyncio
import json

import pytest

from whileai_exp.config.places import experiments_dir
from whileai_exp.ports import Address, ChatRequest
from whileai_exp.testing.solvers import _PROGRAMS, arithmetic, programmer, value_of
from whileai_exp.verify import CodeExec, MathEqual


def rows(name: str) -> list[dict]:
    return [json.loads(line) for line in (experiments_dir() / name / "tasks.jsonl").read_text().splitlines()]


def test_the_answers_of_the_math_tasks_are_the_values_of_their_expressions():
    for row in rows("math"):
        assert value_of(row["prompt"].split("`")[1]) == int(row["privileged"]["reference"])


@pytest.mark.parametrize("text", ["__import__('os')", "2 ** 9", "a + 1", "1.5 + 1", "'x' * 3"])
def test_only_arithmetic_of_whole_numbers_is_evaluated(text: str):
    with pytest.raises(ValueError):
        value_of(text)


def test_pass_rates_differ_between_tasks_and_repeats_differ_within_them():
    async def rewards(row: dict) -> list[float]:
        ask = ({"role": "user", "content": row["prompt"]},)
        replies = [await arithmetic.complete(ChatRequest(ask, Address("agent", row["task_id"], k))) for k in range(8)]
        again = [await arithmetic.complete(ChatRequest(ask, Address("agent", row["task_id"], k))) for k in range(8)]
        assert replies == again
        verdicts = [MathEqual()({**row, "final_text": reply.text}) for reply in replies]
        return [verdict["reward"] for verdict in verdicts]

    async def every() -> list[list[float]]:
        return [await rewards(row) for row in rows("math")[:10]]

    found = asyncio.run(every())
    assert sum(0 < sum(group) < 8 for group in found) >= 5
    assert len({sum(group) for group in found}) >= 4


@pytest.mark.slow
def test_right_programs_pass_the_hidden_tests_and_known_bugs_fail_them():
    judge = CodeExec(min_level=2)
    by_name = {row["task_id"].rsplit("-", 1)[0].removeprefix("code-"): row for row in rows("code")}
    assert set(by_name) == set(_PROGRAMS) and programmer.model == "embedded-programmer"
    for name, (right, wrong) in _PROGRAMS.items():
        verdicts = [judge({**by_name[name], "final_text": f"```python\n{text}\n```"})["reward"] for text in (right, *wrong)]
        assert verdicts == [1, *[0] * len(wrong)], name
