"""Rows: what goes in comes out, and what must not go in cannot."""

from __future__ import annotations

import copy
import json
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import orjson
import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.schema import (
    AgentStep,
    Fault,
    JudgeIdentity,
    JudgeStatus,
    Judgment,
    PolicyIdentity,
    Privileged,
    Rollout,
    RolloutStatus,
    Sampling,
    Situation,
    Task,
    TaskLineage,
    ToolStep,
    Usage,
    UserBrief,
    UserStep,
    WorldSeed,
    from_row,
    reward_of,
    task_key,
    to_row,
)
from whileai_exp.schema.privileged import without_privileged
from whileai_exp.schema.row import row_line
from whileai_exp.schema.validate import row_problems

SECRET = "the right answer is forty-two pancakes"


def make_row(**over: Any) -> dict[str, Any]:
    task = Task(
        "sc-1",
        "Refund A-1 please",
        Situation("si-1", {"tool": "refund_order", "stance": "ordinary"}, "ordinary", "structured", "pair 3"),
        UserBrief("get a refund", knows={"order_id": "A-1"}),
        WorldSeed(7, "exists", (Fault("refund_order", "timeout"),), "refund_order", {"order_id": "A-1"}),
        phrasing=1,
        privileged=Privileged(reference=SECRET),
        lineage=TaskLineage("template", eval_run=2),
        tags={"tone": "terse"},
    )
    steps = (
        AgentStep("One moment.", logprob=-1.5, n_tokens=4, usage=Usage(10, 4)),
        ToolStep("get_order", {"order_id": "A-1"}, {"status": "delivered"}, call_id="c1"),
        ToolStep("refund_order", {"order_id": "A-1"}, {"error": "timeout"}, status="fault", call_id="c2"),
        AgentStep("It timed out. Try again?"),
        UserStep("yes"),
        AgentStep("", truncated=True),
        ToolStep("refund_order", {}, "bad arguments", status="error", call_id="c3", raw_arguments='{"order_id": 1'),
        AgentStep("Done."),
    )
    rollout = Rollout(
        "sc-1/3@r2",
        "sc-1",
        3,
        steps,
        "Done.",
        RolloutStatus.OK,
        PolicyIdentity.of("m-1", "be good"),
        sampling=Sampling(0.7, 100, "m-1"),
        usage=Usage(20, 9),
        seed=5,
        fired=({"tool": "refund_order", "mode": "timeout", "call": 0},),
        world_before="aa",
        world_after="bb",
        changes=({"tool": "refund_order", "entity": "order:A-1", "op": "refund"},),
        planted=("ignore_fault",),
        extra={"mine": {"reference": "PNR77Q", "vector": [1, 2]}},
    )
    judgment = Judgment(
        "sc-1/3@r2",
        JudgeIdentity("j", "callable", version="v1"),
        1.0,
        JudgeStatus.OK,
        "good",
        {"grounded": 1.0},
        None,
        {"seconds": 1},
    )
    return {**to_row(task, rollout, judgment), **over}


def test_splitting_and_joining_a_row_gives_the_same_row() -> None:
    row = make_row()
    assert to_row(*from_row(row)) == row
    assert to_row(*from_row(orjson.loads(row_line(row)))) == row


def test_a_saved_row_is_one_line_with_sorted_keys() -> None:
    line = row_line(make_row())
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    keys = list(orjson.loads(line))
    assert keys == sorted(keys)


def test_privileged_data_cannot_be_serialised_copied_out_or_shown() -> None:
    held = Privileged(reference=SECRET)
    for attempt in (lambda: json.dumps(held), lambda: orjson.dumps(held), lambda: pickle.dumps(held)):
        with pytest.raises(TypeError):
            attempt()
    assert SECRET not in repr(held) and SECRET not in str(held) and SECRET not in f"{held}"
    assert copy.deepcopy({"p": held})["p"] is held
    assert held["reference"] == SECRET


def test_a_row_with_its_privileged_object_saves_without_it() -> None:
    row = make_row(privileged=Privileged(reference=SECRET))
    assert SECRET.encode() not in row_line(row)


def test_a_privileged_block_inside_a_result_or_inside_json_text_is_dropped() -> None:
    block = {"privileged": {"reference": SECRET}}
    row = make_row(mine=block, text=json.dumps({"a": 1, **block}), nested=[{"deep": block}])
    assert SECRET.encode() not in row_line(row)
    assert orjson.loads(row_line(row))["text"] == '{"a": 1}'
    other = {"privileged": {"answer": SECRET}}
    row = make_row(deep=[{"x": other}], prose=f"see: {json.dumps(other)} and more", raw=json.dumps(block).encode())
    assert SECRET.encode() not in row_line(row)
    assert orjson.loads(row_line(row))["prose"] == "see: {} and more"


def test_a_callers_own_fields_called_reference_or_privileged_survive() -> None:
    row = make_row(mine={"reference": "PNR77Q", "rubric": "x", "privileged": True, "vector": [1]})
    assert orjson.loads(row_line(row))["mine"] == row["mine"]
    untouched = {"a": [1, {"reference": 2}]}
    assert without_privileged(untouched) is untouched


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**70, b"\xff", "\ud800", {1, 2}])
def test_awkward_values_become_strict_json(value: Any) -> None:
    line = row_line(make_row(odd=value))
    json.loads(line.decode("utf-8"), parse_constant=lambda c: pytest.fail(f"{c} is not JSON"))


def test_line_separators_inside_text_stay_one_line() -> None:
    assert row_line(make_row(t="a\u2028b\u0085c\x0b")).count(b"\n") == 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 1.0), (0, 0.0), (True, 1.0), (0.7, 0.7), (np.float32(1), 1.0), (np.int64(0), 0.0), (np.bool_(True), 1.0), (np.array(1.0), 1.0),
        (Decimal("0.5"), 0.5), (Fraction(1, 4), 0.25), ("1", None), (None, None), (float("nan"), None), (float("inf"), None), (7, None), (-1, None),
        (1.0000001, None), ([1], None), (np.array([1.0]), None), ({"reward": 1}, None),
    ],
)  # fmt: skip
def test_what_counts_as_a_reward(value: Any, expected: float | None) -> None:
    assert reward_of(value) == expected


def test_the_task_key_takes_the_first_that_is_present() -> None:
    assert task_key({"scenario_id": 0, "prompt": "p"}) == "0"
    assert task_key({"task_id": "t", "prompt": "p"}) == "t"
    assert task_key({"prompt": "p"}) == "p"
    assert task_key({"final_text": "a"}) != task_key({"final_text": "b"})


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": "hi", "steps": [{"text": "hello"}], "final_text": "hello"},
        {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]},
        {"question": "hi", "answer": "hello"},
        {"prompt": "hi", "tool_trace": [{"tool": "t", "input": {"a": 1}, "output": 2}], "final_text": "hello"},
    ],
)
def test_older_and_foreign_rows_load_by_their_shape(row: dict[str, Any]) -> None:
    task, rollout, judgment, markers = from_row(row)
    assert task.prompt == "hi" and rollout.final_text == "hello" and judgment is None and markers == ()


def test_tool_results_find_their_calls_in_openai_and_anthropic_messages() -> None:
    openai = [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}},
                {"id": "b", "type": "function", "function": {"name": "f", "arguments": None}},
            ],
        },
        {"role": "tool", "tool_call_id": "b", "content": "two"},
        {"role": "tool", "tool_call_id": "a", "content": '{"n": 1}'},
        {"role": "assistant", "content": "done", "tool_calls": []},
    ]
    steps = [s for s in from_row({"messages": openai})[1].steps if isinstance(s, ToolStep)]
    assert [(s.arguments, s.result) for s in steps] == [({"x": 1}, {"n": 1}), ({}, "two")]
    anthropic = [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "look"}, {"type": "tool_use", "id": "u", "name": "g", "input": {"y": 2}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "u", "content": "ok"}]},
        {"role": "assistant", "content": "done"},
    ]
    rollout = from_row({"messages": anthropic})[1]
    assert [s.result for s in rollout.steps if isinstance(s, ToolStep)] == ["ok"] and rollout.final_text == "done"


def test_a_row_of_no_known_shape_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="weird"):
        from_row({"weird": 1})


def test_a_saved_row_fits_the_schema_that_ships() -> None:
    assert row_problems(orjson.loads(row_line(make_row()))) == []


@pytest.mark.parametrize(
    "over",
    [
        {"reward": float("nan")},
        {"reward": 7},
        {"steps": "x"},
        {"steps": [{"nothing": 1}]},
        {"schema_version": "2"},
        {"status": "fine"},
        {"privileged": {"reference": "x"}},
    ],
)
def test_what_is_no_row_is_named(over: dict[str, Any]) -> None:
    assert row_problems({**make_row(), **over})


def test_a_stamp_alone_is_not_a_row() -> None:
    assert len(row_problems({"schema_version": "1"})) == 3
