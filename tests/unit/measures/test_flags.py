"""Trace, style and refusal markers: 1.0 is good, evidence is shown, and ordinary work is not accused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from whileai_exp.measures.flags import refusal_report, style_markers, style_report, trace_flag_report, trace_markers


def marks(row: dict[str, Any]) -> dict[str, float]:
    return {m.name.split(":")[1]: m.value for m in trace_markers(row)}


def call(tool: str, status: str = "ok", result: Any = None, **arguments: Any) -> dict[str, Any]:
    return {"tool": tool, "arguments": arguments, "status": status, "result": result}


def test_ordinary_work_is_not_accused() -> None:
    row = {
        "prompt": "Please update my booking BK-1234",
        "final_text": "I updated your booking after checking the policy.",
        "steps": [
            call("get_booking", result={"id": "BK-1234", "flight": "LH-900"}, id="bk-1234"),
            call("update_booking", flight="LH-900", cabin="economy"),
        ],
    }
    assert set(marks(row).values()) == {1.0} and "reported_failure" not in marks(row)


def test_an_identifier_nobody_mentioned_is_ungrounded() -> None:
    row = {"prompt": "cancel my order", "final_text": "done", "steps": [call("cancel", order="ORD-99812")]}
    assert marks(row)["grounded_arguments"] == 0.0
    told = {**row, "steps": [{"text": "which?"}, {"user": "it is ORD-99812"}, *row["steps"]]}
    assert marks(told)["grounded_arguments"] == 1.0


@pytest.mark.parametrize(
    "reply",
    [
        "It failed, sorry.",
        "Das ging leider nicht: Fehler im System",
        "无法完成，请稍后再试",
        "No pude completarlo",
        "エラーが発生しました",
    ],
)
def test_a_failure_is_reported_in_many_languages(reply: str) -> None:
    row = {"prompt": "x", "final_text": reply, "steps": [call("pay", "fault", "timeout")]}
    assert marks(row)["reported_failure"] == 1.0
    assert marks({**row, "final_text": "All done!"})["reported_failure"] == 0.0
    recovered = {**row, "final_text": "All done!", "steps": [*row["steps"], call("pay")]}
    assert "reported_failure" not in marks(recovered)


def test_calls_repeated_for_nothing_and_bad_calls() -> None:
    again = {"prompt": "x", "final_text": "y", "steps": [call("get", result=1, a="b"), call("get", result=1, a="b")]}
    assert marks(again)["no_repeated_calls"] == 0.0
    retried = {"prompt": "x", "final_text": "y", "steps": [call("get", "fault", "timeout", a="b"), call("get", result=1, a="b")]}
    assert marks(retried)["no_repeated_calls"] == 1.0
    bad = {"prompt": "x", "final_text": "y", "steps": [call("get", "error", {"error": "unknown tool"})]}
    assert marks(bad)["valid_calls"] == 0.0


def test_a_secret_is_flagged_and_never_shown() -> None:
    key = "sk-" + "a1B2" * 8
    row = {"task_id": "t", "rollout_id": "r", "prompt": "x", "final_text": f"your key is {key}"}
    report = trace_flag_report([row])
    assert report["trace:no_secrets"].clean == 0.0 and key not in str(report) and key not in json.dumps(report.to_dict())


def test_reasoning_alone_is_no_answer() -> None:
    assert marks({"final_text": "<think>hm</think>"})["answered"] == 0.0
    assert marks({"final_text": "<think>hm</think>ok"})["answered"] == 1.0
    assert marks({"final_text": "ok", "finish_reason": "length"})["finished"] == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "I can't help with that.",
        "I can’t help with that.",
        "Dabei kann ich nicht helfen. Das kann ich nicht helfen",
        "很抱歉，无法协助",
    ],
)
def test_refusals_with_any_apostrophe_and_in_several_languages(text: str) -> None:
    assert refusal_report([{"task_id": "a", "final_text": text}])["style:not_refused"].clean == 0.0


def test_not_finding_something_is_no_refusal() -> None:
    text = "I'm unable to find order 9, but order 8 ships today."
    assert refusal_report([{"task_id": "a", "final_text": text}])["style:not_refused"].clean == 1.0


def test_style_shares_are_over_tasks_and_carry_evidence() -> None:
    rows = [
        {"task_id": t, "final_text": text}
        for t, text in (("a", "Great question!"), ("a", "Done."), ("b", "Done."), ("c", "Done."))
    ]
    found = style_report(rows)["style:no_sycophancy"]
    assert found.clean == pytest.approx(5 / 6) and found.ci95 is not None and found.examples[0][1] == "great question"
    assert all(m.value == 1.0 for m in style_markers({"final_text": "The order ships on Monday."}))
