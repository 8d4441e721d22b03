"""Traces load from every common shape, and what they say about failures aims the next draw."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.knobs import RunKnobs
from whileai_exp.situations import DrawRequest, draw_tasks
from whileai_exp.situations.novelty import NearCopies
from whileai_exp.spec import load_spec
from whileai_exp.traces import load_traces, mine_traces, trace_report

SPEC = load_spec(Path(__file__).parents[2] / "data" / "specs" / "tau2_retail.json").spec
OPENAI = {
    "messages": [
        {"role": "user", "content": "Where is #W1?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "function": {"name": "get_order_details", "arguments": '{"order_id": "#W1"}'}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": '{"status": "shipped"}'},
        {"role": "assistant", "content": "It has shipped."},
    ]
}
ANTHROPIC = {
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Where is #W1?"}]},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c1", "name": "get_order_details", "input": {"order_id": "#W1"}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": '{"status": "shipped"}'}]},
        {"role": "assistant", "content": [{"type": "text", "text": "It has shipped."}]},
    ]
}
SHAREGPT = {"conversations": [{"from": "human", "value": "Where is #W1?"}, {"from": "gpt", "value": "It has shipped."}]}
LOGGED = {
    "request": {"messages": [{"role": "user", "content": "Where is #W1?"}]},
    "response": {"choices": [{"message": {"role": "assistant", "content": "It has shipped."}}]},
}


@pytest.mark.parametrize("trace", [OPENAI, ANTHROPIC, SHAREGPT, LOGGED], ids=["openai", "anthropic", "sharegpt", "logged"])
def test_common_shapes_become_rows(trace: dict[str, Any]) -> None:
    (row,) = load_traces([trace]).rows
    assert row["prompt"] == "Where is #W1?" and row["final_text"] == "It has shipped."


@pytest.mark.parametrize("trace", [OPENAI, ANTHROPIC], ids=["openai", "anthropic"])
def test_tool_results_are_bound_to_their_calls(trace: dict[str, Any]) -> None:
    (row,) = load_traces([trace]).rows
    step = next(step for step in row["steps"] if step.get("tool"))
    assert (step["tool"], step["arguments"], step["result"]) == ("get_order_details", {"order_id": "#W1"}, {"status": "shipped"})


def otlp(attributes: dict[str, Any], start: int) -> dict[str, Any]:
    pairs = [
        {"key": key, "value": {"stringValue": value if isinstance(value, str) else json.dumps(value)}}
        for key, value in attributes.items()
    ]
    return {"traceId": "t1", "spanId": str(start), "name": "span", "startTimeUnixNano": str(start), "attributes": pairs}


def test_opentelemetry_genai_spans_are_one_conversation() -> None:
    asked = [{"role": "user", "parts": [{"type": "text", "content": "Where is #W1?"}]}]
    called = {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "c1", "name": "get_order_details", "arguments": {"order_id": "#W1"}}],
    }
    answered = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": {"status": "shipped"}}]}
    said = {"role": "assistant", "parts": [{"type": "text", "content": "It has shipped."}]}
    spans = [
        otlp({"gen_ai.input.messages": asked, "gen_ai.output.messages": [called]}, 1),
        otlp(
            {
                "gen_ai.tool.name": "get_order_details",
                "gen_ai.tool.call.id": "c1",
                "gen_ai.tool.call.result": '{"status": "shipped"}',
            },
            2,
        ),
        otlp({"gen_ai.input.messages": [*asked, called, answered], "gen_ai.output.messages": [said]}, 3),
    ]
    (row,) = load_traces([{"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}]).rows
    assert (row["prompt"], row["final_text"]) == ("Where is #W1?", "It has shipped.")
    assert next(step["result"] for step in row["steps"] if step.get("tool")) == {"status": "shipped"}


def test_numbered_span_attributes_and_tool_spans() -> None:
    spans = [
        {"trace_id": "t", "span_id": "2", "start_time": 2, "attributes": {"gen_ai.tool.name": "get_order_details", "gen_ai.tool.call.id": "x", "gen_ai.tool.call.arguments": '{"order_id": "#W1"}', "gen_ai.tool.call.result": "{}"}},
        {"trace_id": "t", "span_id": "1", "start_time": 1, "attributes": {"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Where?", "gen_ai.completion.0.content": "Here."}},
    ]  # fmt: skip
    (row,) = load_traces(spans).rows
    assert row["prompt"] == "Where?" and row["final_text"] == "Here."
    assert [step["tool"] for step in row["steps"] if step.get("tool")] == ["get_order_details"]


def test_files_of_lines_and_of_lists(tmp_path: Path) -> None:
    lines, whole = tmp_path / "a.jsonl", tmp_path / "b.json"
    lines.write_text(json.dumps(OPENAI) + "\nnot json\n" + json.dumps(SHAREGPT) + "\n")
    whole.write_text(json.dumps({"traces": [OPENAI, SHAREGPT]}))
    loaded = load_traces(lines)
    assert len(loaded) == 2 and "line 2" in loaded.skipped[0]
    assert len(load_traces(whole)) == 2


def test_rewards_under_other_names_and_none_when_it_is_not_one() -> None:
    rows = load_traces([{**OPENAI, "score": 0.25}, {**OPENAI, "success": True}, {**OPENAI, "reward": "good"}]).rows
    assert [row.get("reward") for row in rows] == [0.25, 1.0, None]


@pytest.mark.parametrize("source", [[], [{"x": 1}], [3]])
def test_nothing_readable_is_an_error_that_says_why(source: list[Any]) -> None:
    with pytest.raises(ConfigError):
        load_traces(source)


def trace(index: int, tool: str, reward: float, result: Any = None) -> dict[str, Any]:
    step = {"tool": tool, "arguments": {}, "result": result or {"ok": True}, "status": "ok"}
    return {
        "prompt": f"Please handle request {index} about {tool.replace('_', ' ')} now",
        "steps": [step, {"text": "x"}],
        "final_text": "x",
        "reward": reward,
    }


FAILING = [trace(i, "cancel_pending_order", 0.0, {"status": "error", "reason": "timed out"}) for i in range(6)]
PASSING = [trace(i + 10, "get_order_details", 1.0) for i in range(6)]


def test_the_report_counts_what_happened() -> None:
    report = trace_report([*FAILING, *PASSING, trace(99, "no_such_tool", 1.0)], SPEC)
    assert (report["traces"], report["failed"], report["unknown_tools"]) == (13, 6, ["no_such_tool"])
    assert report["conditions"] == {"success": 7, "timeout": 6}


def test_failures_pull_and_few_rows_do_not() -> None:
    knobs = RunKnobs()
    mined = mine_traces([*FAILING, *PASSING, trace(50, "calculate", 0.0)], SPEC, knobs)
    assert mined.emphasis.tools["cancel_pending_order"] == pytest.approx(1 + knobs.allocation_gain * knobs.allocation_tool_weight)
    assert mined.emphasis.tools["calculate"] == 1.0
    assert mined.emphasis.conditions == {"timeout": pytest.approx(1 + knobs.allocation_gain * knobs.allocation_condition_weight)}
    assert len(mined.failing_asks) == 7


def test_the_draw_is_aimed_and_delivers_everything() -> None:
    emphasis = mine_traces([*FAILING, *PASSING], SPEC).emphasis
    request = DrawRequest(200, emphasis=emphasis)
    aimed, plain = draw_tasks(SPEC, request, RunKnobs(), 1), draw_tasks(SPEC, DrawRequest(200), RunKnobs(), 1)

    def share(tasks: Any) -> float:
        return sum(task.world.target == "cancel_pending_order" for task in tasks) / len(tasks)

    assert len(aimed.tasks) == 200
    assert share(aimed.tasks) > share(plain.tasks) + 0.02
    assert aimed.coverage["trace_leakage"]["kept"] == 0


def test_a_targeted_draw_keeps_to_the_tools_of_the_traces() -> None:
    emphasis = mine_traces([*FAILING, *PASSING], SPEC, RunKnobs(), strategy="targeted").emphasis
    tasks = draw_tasks(
        SPEC, DrawRequest(60, emphasis=emphasis, strategy="targeted", arm_weights={"structured": 1.0}), RunKnobs(), 1
    ).tasks
    assert {task.world.target for task in tasks} <= {"cancel_pending_order", "get_order_details"}


def test_no_ask_comes_close_to_a_source_prompt() -> None:
    taken = [task.prompt for task in draw_tasks(SPEC, DrawRequest(40), RunKnobs(), 1).tasks]
    rows = [{"prompt": prompt, "final_text": "x", "steps": [], "reward": 0.0} for prompt in taken]
    emphasis = mine_traces(rows, SPEC, RunKnobs()).emphasis
    draw = draw_tasks(SPEC, DrawRequest(40, emphasis=emphasis), RunKnobs(), 1)
    sources = NearCopies(0.9)
    for prompt in taken:
        sources.add(prompt)
    assert len(draw.tasks) == 40 and not any(sources.similar(task.prompt) for task in draw.tasks)
    assert draw.coverage["trace_leakage"]["redrawn"] > 0
