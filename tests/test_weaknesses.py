"""Faults found in an earlier engine's scoring, each as it was reproduced there, with the behaviour that is right here.

The name of each test opens with the fault's number in the list this project keeps (W1 to W34, judging and verifiers).
"""

from __future__ import annotations

import asyncio
import threading
import time
from decimal import Decimal
from hashlib import sha256
from typing import Any

import numpy as np
import pytest

import whileai_exp as wai
from whileai_exp.errors import ConfigError
from whileai_exp.judges import LLMJudge
from whileai_exp.ports import ChatRequest, Reply
from whileai_exp.schema import Privileged
from whileai_exp.testing.fake_server import FakeServer
from whileai_exp.verify import (
    All,
    CodeExec,
    ExactMatch,
    JSONSchema,
    MathEqual,
    MultipleChoice,
    Numeric,
    Weighted,
    verifier,
)
from whileai_exp.verify import (
    Any as AnyOf,
)
from whileai_exp.verify._levels import level_of_this_machine

boxed = pytest.mark.skipif(level_of_this_machine()[0] < 2, reason="no containment here")


def rows_of(count: int) -> list[dict[str, Any]]:
    return [{"prompt": str(at), "id": at, "final_text": str(at)} for at in range(count)]


def verdict(judge: Any, said: str, gold: Any) -> dict[str, Any]:
    return wai.run_judge([{"prompt": "?", "final_text": said, "privileged": Privileged(reference=gold)}], judge).rows[0]


def statuses(rows: Any) -> list[str]:
    return [row["judge_status"] for row in rows]


def test_w1_the_deadline_is_each_calls_own_and_a_hung_judge_is_left_behind() -> None:
    hold = threading.Event()
    began = time.monotonic()
    scored = wai.run_judge(rows_of(16), lambda row: hold.wait(20) if row["id"] == 3 else 1, timeout=0.2)
    took = time.monotonic() - began
    hold.set()
    assert took < 5 and statuses(scored.rows) == ["timeout" if at == 3 else "ok" for at in range(16)]
    for concurrency, count in ((8, 16), (1, 2), (1, 1)):
        stop = threading.Event()
        scored = wai.run_judge(rows_of(count), lambda row, stop=stop: stop.wait(20), concurrency=concurrency, timeout=0.1)
        stop.set()
        assert statuses(scored.rows) == ["timeout"] * count


def test_w1b_a_crashing_verifier_is_an_error_with_its_reason() -> None:
    @verifier
    def boom(candidate: str, reference: Any, row: Any) -> float:
        raise KeyError("no such thing")

    for row in wai.run_judge([{**row, "answer": "4"} for row in rows_of(2)], boom).rows:
        assert row["judge_status"] == "error" and row["reward"] is None and "KeyError" in row["judge_meta"]["error"]


@pytest.mark.parametrize("value", [np.float32(1), np.int64(1), np.bool_(True), Decimal(1), True, 1, 1.0])
def test_w1c_every_kind_of_number_is_a_reward(value: Any) -> None:
    row = wai.run_judge(rows_of(1), lambda row: value).rows[0]
    assert (row["judge_status"], row["reward"], type(row["reward"])) == ("ok", 1.0, float)


def test_w1c_a_judge_changes_no_row_of_the_caller_and_ends_no_run() -> None:
    source = [{"final_text": "orig", "steps": [{"tool": "a"}]}, {"final_text": "other", "steps": []}]

    def judge(row: Any) -> Any:
        if row["final_text"] == "other":
            raise SystemExit(3)
        row["steps"][0]["tool"] = "PWN"
        return row.update(final_text="PWN") or 1

    scored = wai.run_judge(source, judge)
    assert source == [{"final_text": "orig", "steps": [{"tool": "a"}]}, {"final_text": "other", "steps": []}]
    assert scored.rows[0]["final_text"] == "orig" and statuses(scored.rows) == ["ok", "error"]


def test_w2_no_reward_is_invented_on_any_path() -> None:
    tools = [{"name": "get_order", "description": "Look up one order.", "parameters": {"type": "object", "properties": {}}}]
    data = wai.simulate(agent="scripted", tools=tools, situations=3, repeats=2, seed=1)

    def fails(row: Any) -> float:
        return 1 / 0

    for judge, status in (
        (lambda row: {"reason": "no key"}, "missing_reward"),
        (lambda row: 7, "invalid_result"),
        (fails, "error"),
    ):
        beside = wai.simulate(agent="scripted", tools=tools, situations=3, repeats=2, seed=1, grader=judge)
        for rows in (data.grade(judge).rows, wai.evaluate(data.trajectories, judge).rows, beside.trajectories):
            assert {(row["judge_status"], row["reward"]) for row in rows} == {(status, None)}
        with pytest.raises(wai.WhileaiError):
            data.grade(judge).push("none_of_it", gate=True)


class Prose:
    model = "judge-p"

    async def complete(self, request: ChatRequest) -> Reply:
        return Reply("I could not possibly say.")

    async def aclose(self) -> None: ...


def test_w3_a_refused_request_and_an_answer_of_prose_are_told_apart_on_the_row() -> None:
    async def play() -> list[dict[str, Any]]:
        async with FakeServer(outage="context") as server:
            judge = LLMJudge(f"vllm:judge-z@{server.url}", rubric="It is right.")
            return (await asyncio.to_thread(wai.run_judge, rows_of(2), judge)).rows

    refused, prose = asyncio.run(play()), wai.run_judge(rows_of(2), LLMJudge(Prose(), rubric="It is right.")).rows
    assert {(row["judge_status"], row["reward"]) for row in refused} == {("error", None)}
    assert {row["judge_meta"]["http_status"] for row in refused} == {400}
    assert {(row["judge_status"], row["reward"]) for row in prose} == {("invalid_result", None)}
    assert all("http_status" not in row["judge_meta"] and row["reason"] for row in prose)


def test_w4_silence_on_a_criterion_is_no_zero() -> None:
    rubric = wai.Rubric((wai.Criterion("A", kind="hard"),))
    assert rubric.score({})["reward"] is None


def test_w14_a_constant_judge_and_uneven_halves_are_not_trusted() -> None:
    always = [{"task_id": str(at), "rollout_id": str(at), "reward": 1, "gold_reward": 1} for at in range(50)]
    assert not wai.judge_trust(always).ok
    half = [sha256(str(at).encode()).digest()[0] % 2 for at in range(400)]
    uneven = [
        {
            "task_id": str(at),
            "rollout_id": str(at),
            "gold_reward": float(at % 4 < 2),
            "reward": 0.0 if half[at] and at % 12 < 4 else float(at % 4 < 2),
        }
        for at in range(400)
    ]
    trust = wai.judge_trust(uneven)
    assert not trust.ok
    six = [{**row, "task_id": str(at % 6)} for at, row in enumerate(uneven[:120])]
    many = [{**row, "task_id": str(at)} for at, row in enumerate(uneven[:120])]
    ends = [found.to_dict()["agreement_ci95"] for found in map(wai.judge_trust, (six, many))]
    width = [high - low for low, high in ends]
    assert width[0] > 1.5 * width[1]


def test_w15_a_scorer_that_breaks_is_not_clean_and_the_default_judge_is_measured_as_itself() -> None:
    rows = wai.simulate(
        agent="scripted",
        tools=[{"name": "get_order", "description": "Look up one order.", "parameters": {"type": "object", "properties": {}}}],
        situations=12,
        repeats=2,
        seed=3,
    ).trajectories
    assert not wai.cheat_probes(rows, lambda row: 1 / 0).ok
    found = wai.cheat_probes(rows, wai.task_checklist)
    assert found.ok and all(probe.n_failed == 0 for probe in found.probes)


def test_w21_the_record_says_what_was_sent_and_who_judged_whom() -> None:
    from whileai_exp.judges._identity import judges_itself

    assert judges_itself("openai/judge-x", ["judge-x"])[0]
    assert not judges_itself("openai/judge-x", ["judge-y"])[0]


HONEST = "def solve(n):\n    return sum(i * i for i in range(n + 1))\n"
TESTS = "assert solve(3) == 14\ndef test_ten():\n    assert solve(10) == 385\n"


@boxed
@pytest.mark.parametrize(
    "program",
    [
        "import sys; sys.exit(0)",
        "import os; os._exit(0)",
        "raise SystemExit",
        "def solve(n):\n    import sys; sys.exit(0)",
        "class E:\n    __eq__ = lambda s, o: True\n    __hash__ = None\ndef solve(n):\n    return E()",
        "globals = lambda: {}\ndef solve(n): return 0",
        "callable = lambda f: False\ndef solve(n): return 0",
        "import atexit, os\natexit.register(os._exit, 0)\ndef solve(n): return 0",
        "import re\ndef solve(n):\n    try:\n        return int(re.findall('== (\\\\d+)', open(__file__).read())[0])\n    except Exception:\n        return 0",
    ],
)
def test_w24_none_of_the_nine_exploits_is_paid(program: str) -> None:
    row = {"final_text": f"```python\n{program}\n```", "privileged": Privileged(tests=TESTS)}
    assert CodeExec()(row)["reward"] in (0.0, None)
    assert CodeExec()({**row, "final_text": f"```python\n{HONEST}```"})["reward"] == 1.0


@boxed
@pytest.mark.parametrize("base", ["unittest.TestCase", "object"])
def test_w24_tests_in_classes_are_collected_or_nothing_is_judged(base: str) -> None:
    tests = f"import unittest\nclass TestSolve({base}):\n    def test_three(self):\n        assert solve(3) == 14\n"
    row = {"final_text": f"```python\n{HONEST}```", "privileged": Privileged(tests=tests)}
    assert CodeExec()(row)["reward"] == 1.0
    assert CodeExec()({**row, "final_text": "```python\ndef solve(n): return 0\n```"})["reward"] == 0.0


@pytest.mark.parametrize(
    ("judge", "said", "gold", "reward"),
    [
        (Numeric(), "The answer is 3.14", "3.14", 1.0),
        (Numeric(), "The answer is 3.14", "3", 0.0),
        (Numeric(), "the answer is .5", "0.5", 1.0),
        (Numeric(), "$1.50 per unit", "1.5", 1.0),
        (MultipleChoice(), "The answer depends on the case. I would say B.", "D", 0.0),
        (MultipleChoice(), "The best choice given this is C", "C", 1.0),
        (MultipleChoice(), "The answer is definitely B", "B", 1.0),
        (ExactMatch(), "-5", "5", 0.0),
        (ExactMatch(), "314", "3.14", 0.0),
        (ExactMatch(), "C", "C++", 0.0),
    ],
)
def test_w25_numbers_letters_and_texts_are_read_as_they_are_meant(judge: Any, said: str, gold: str, reward: float) -> None:
    assert verdict(judge, said, gold)["reward"] == reward


def test_w26_an_endless_power_ends_in_a_worker_thread_too() -> None:
    began = time.monotonic()
    row = verdict(MathEqual(timeout_s=1.0), r"\boxed{9^{9^{9^{9}}}}", "9")
    assert row["reward"] in (0.0, None) and time.monotonic() - began < 10


def test_w27_a_schema_counts_whole_and_a_misspelt_one_grades_nothing() -> None:
    schema = {"type": "object", "properties": {"a": {"enum": [1, 2]}}, "additionalProperties": False}
    assert [verdict(JSONSchema(schema), said, None)["reward"] for said in ('{"a": 1}', '{"a": 3}', '{"b": 1}')] == [1.0, 0.0, 0.0]
    with pytest.raises(ConfigError, match="schema"):
        JSONSchema({"type": "objet"})


def test_w28_weights_stay_within_the_scale_and_plain_callables_compose() -> None:
    with pytest.raises(ConfigError, match="weight"):
        Weighted([(ExactMatch(), 2), (Numeric(), -1)])
    parts = [lambda row: 1, lambda row: 0.5]
    assert [verdict(judge, "x", "x")["reward"] for judge in (All(*parts), AnyOf(*parts))] == [0.5, 1.0]
    assert verdict(Weighted([(parts[0], 1), (parts[1], 3)]), "x", "x")["reward"] == 0.625


@pytest.mark.parametrize("said", ["The answer is B.", "The answer is C.", "No idea at all."])
def test_w33_a_reason_does_not_hold_the_gold_letter(said: str) -> None:
    row = verdict(MultipleChoice(), said, "C")
    assert " C" not in row.get("reason", "").replace("The answer is C", "") and "'C'" not in row.get("reason", "")


def test_w34_two_scorings_of_one_row_are_refused_not_dropped() -> None:
    once = [{"rollout_id": "r1", "reward": 1.0}, {"rollout_id": "r2", "reward": 0.0}]
    twice = [*once, {"rollout_id": "r1", "reward": 0.0}]
    with pytest.raises(ConfigError, match="r1"):
        wai.judge_agreement(once, twice)
