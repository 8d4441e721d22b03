"""Bug reports against other judges and verifiers, as inputs with the right answer (tests/data/bug_reports.json)."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import orjson
import pytest

import whileai_exp as wai
from whileai_exp.judges._payload import shown
from whileai_exp.judges._prompts import system_text
from whileai_exp.judges._reading import allowed_score, read_grade, read_label, read_verdict
from whileai_exp.knobs import RunKnobs
from whileai_exp.verify import JSONField, MathEqual, MultipleChoice, Regex, ToolCalls

CASES = {case["id"]: case for case in orjson.loads((Path(__file__).parent / "data" / "bug_reports.json").read_bytes())}


def reward(verifier: Any, text: str, gold: Any) -> Any:
    return verifier({"final_text": text, "status": "ok", "privileged": {"reference": gold}})["reward"]


@pytest.mark.parametrize("ident", ["B01", "B03", "B05"])
def test_a_verdict_is_found_in_whatever_a_model_wraps_it_in(ident: str):
    case = CASES[ident]
    found = read_verdict(case["input"]["judge_text"])
    assert found.score == case["expected"]["reward"] and not found.problem
    assert found.body.get("markers") == case["expected"].get("markers")


def test_a_verdict_cut_at_the_cap_is_none_and_says_so():  # B06
    given = CASES["B06"]["input"]
    found = read_verdict(given["judge_text"], finish_reason=given["finish_reason"], max_tokens=512)
    assert found.score is None and "max_tokens" in found.problem


@pytest.mark.parametrize("text", CASES["B08"]["input"]["judge_text"])
def test_the_last_well_formed_grade_decides(text: str):
    assert read_grade(text) == CASES["B08"]["expected"]["grade"]


def test_a_score_is_one_of_those_allowed_however_it_is_written():  # B10
    given = CASES["B10"]["input"]
    assert [allowed_score(value, given["allowed"]) for value in given["score"]] == [1.0, 1.0, 1.0, 1.0, None]


@pytest.mark.parametrize("value", [95, math.nan, math.inf, 1.7])
def test_a_reward_that_is_none_is_no_verdict(value: float):  # B11
    (row,) = wai.run_judge([{"rollout_id": "a", "status": "ok", "final_text": "x"}], lambda row: {"reward": value}).rows
    assert row["reward"] is None and row["judge_status"] == "invalid_result"


def test_a_transcript_past_the_window_is_made_smaller_in_a_way_that_is_told():  # B13
    steps = [{"tool": "find", "arguments": {"q": f"turn {n}"}, "result": "x" * 1900, "status": "ok"} for n in range(200)]
    row = {"prompt": "q", "final_text": "done", "steps": steps, "status": "ok"}
    knobs = RunKnobs()
    first, again = shown(row, knobs), shown(row, knobs)
    assert first == again
    assert first.reduced and first.chars <= knobs.judge_payload_chars
    assert orjson.loads("\n".join(first.text.splitlines()[1:-1]))["final_text"] == "done"


def test_the_rubric_is_the_only_bar_and_the_situation_is_context():  # B15
    text = system_text("order is cancelled", scale=None, labels=(), prompt=None)
    assert "order is cancelled" in text and "only bar" in text and "the situation" in text[: text.index("RUBRIC")]


def test_a_label_is_a_whole_word_and_two_or_none_are_no_answer():  # B16
    given = CASES["B16"]["input"]
    assert read_label(given["judge_text"], given["labels"]) == CASES["B16"]["expected"]["label"]
    assert read_label("relevant and irrelevant", given["labels"]) is None and read_label("neither", given["labels"]) is None


@pytest.mark.parametrize(("a", "b"), CASES["B80"]["input"]["pairs"])
def test_different_small_numbers_are_different(a: str, b: str):
    assert reward(MathEqual(), f"\\boxed{{{a}}}", b) == 0


def test_two_equations_are_not_equal_because_neither_is_a_value():  # B81
    assert reward(MathEqual(), CASES["B81"]["input"]["pred"], CASES["B81"]["input"]["gold"]) == 0


def test_the_last_box_is_the_answer():  # B83
    assert reward(MathEqual(), CASES["B83"]["input"]["final_text"], CASES["B83"]["input"]["gold"]) == 1


@pytest.mark.parametrize(("gold", "text"), CASES["B85"]["input"]["equal"])
def test_forms_that_mean_the_same_match(gold: str, text: str):
    assert reward(MathEqual(), text, gold) == 1


@pytest.mark.parametrize(("gold", "text"), CASES["B85"]["input"]["not_equal"])
def test_near_misses_do_not(gold: str, text: str):
    assert reward(MathEqual(), text, gold) == 0


def test_an_answer_is_never_run(tmp_path: Path):  # B86
    target = tmp_path / "pwned"
    assert not reward(MathEqual(), f'\\boxed{{__import__("os").system("touch {target}")}}', "4")
    assert not target.exists()


@pytest.mark.parametrize(("text", "letters"), CASES["B88"]["input"]["cases"])
def test_lists_of_letters_are_read_with_their_commas(text: str, letters: Any):
    gold = letters if letters is not None else "A"
    assert reward(MultipleChoice(), text, gold) == int(letters is not None)
    assert reward(MultipleChoice(), text, ["B", "D"]) == 0


def test_no_output_matches_no_expected_item():  # B90
    row = {
        "final_text": "",
        "steps": [],
        "status": "ok",
        "privileged": {"reference": [{"tool": "refund", "arguments": {"a": 1}}]},
    }
    assert ToolCalls(mode="superset")(row)["reward"] == 0
    assert reward(JSONField(path="items.0.a", equals=1), "[]", None) == 0


def test_a_pattern_that_never_ends_costs_its_row_and_no_other():  # B91
    bad, good = "a" * 40 + "b", "aaa"
    rows = [{"rollout_id": str(n), "status": "ok", "final_text": text} for n, text in enumerate([good, bad, good])]
    began = time.monotonic()
    scored = wai.run_judge(rows, Regex(pattern=CASES["B91"]["input"]["pattern"]), knobs=RunKnobs(regex_timeout_s=0.3)).rows
    assert time.monotonic() - began < 20
    assert [row["judge_status"] for row in scored] == ["ok", "timeout", "ok"] and scored[1]["reward"] is None
