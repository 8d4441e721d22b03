"""Rows as training data: what is in each format, what is left out and why, what never leaves."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whileai_exp as wai
from whileai_exp.errors import ConfigError, ExportError
from whileai_exp.export import export_dataset, training_rows
from whileai_exp.export.conversation import Unfit, conversation_of

KEY = "tell the customer that the parcel is lost"
POLICY = "Look after orders."
TOOLS = [
    {"name": "get_order", "description": "Look up.", "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}}},
    {
        "name": "cancel_order",
        "description": "Cancel.",
        "parameters": {
            "type": "object",
            "properties": {"order_id": {"type": "string"}, "reason": {"type": "string", "enum": ["late", "double"]}},
        },
    },
]  # fmt: skip


def call(name: str, arguments: Any, ident: str | None = "c1") -> dict[str, Any]:
    made = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return made if ident is None else {"id": ident, **made}


def result(content: Any = "{}", ident: str | None = "c1") -> dict[str, Any]:
    return {"role": "tool", "content": content, **({"tool_call_id": ident} if ident is not None else {})}


def user(text: Any = "Cancel order A-1.") -> dict[str, Any]:
    return {"role": "user", "content": text}


def agent(text: Any = "", *calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **({"tool_calls": list(calls)} if calls else {})}


def row(*messages: dict[str, Any], n: int = 0, task: str | None = None, reward: Any = 1.0, **more: Any) -> dict[str, Any]:
    said = list(messages) or [
        user(),
        agent("", call("get_order", '{"order_id":"A-1"}')),
        result('{"status":"open"}'),
        agent(f"Order A-1 is cancelled. ({n})"),
    ]
    task = f"t{n}" if task is None else task
    return {
        "scenario_id": task, "rollout_id": f"{task}/{n}", "prompt": "Cancel order A-1.", "messages": said, "status": "ok",
        "final_text": str(said[-1]["content"]), "reward": reward, "judge_status": "ok", **more,
    }  # fmt: skip


def written(rows: Any, tmp_path: Path, format: str = "openai", **more: Any) -> tuple[list[dict[str, Any]], Any]:
    """The records of the file, and the report."""
    path = tmp_path / f"out.{'parquet' if format in ('verl', 'parquet') else 'jsonl'}"
    report = export_dataset(rows, path, format=format, **{"system_prompt": POLICY, "tools": TOOLS, **more})
    if path.suffix == ".parquet":
        import pyarrow.parquet

        return pyarrow.parquet.read_table(path).to_pylist(), report
    return [orjson.loads(line) for line in path.read_bytes().split(b"\n") if line], report


def left_out(one: dict[str, Any], tmp_path: Path, **more: Any) -> dict[str, int]:
    """Why a row is left out, told beside a good one."""
    _, report = written([row(n=7), one], tmp_path, **more)
    return report["left_out"]


# What a conversation is


def test_one_system_message_the_tools_and_nothing_a_reader_could_refuse(tmp_path: Path):
    (record,), _ = written([row()], tmp_path)
    assert [message["role"] for message in record["messages"]] == ["system", "user", "assistant", "tool", "assistant"]
    assert record["messages"][0] == {"role": "system", "content": POLICY}
    assert set(record) == {"messages", "tools"} and [tool["function"]["name"] for tool in record["tools"]] == ["get_order", "cancel_order"]  # fmt: skip


@pytest.mark.parametrize(("prompt", "kept"), [("", "Be brief.\n\nBe kind."), (POLICY, POLICY)])
def test_developer_messages_are_kept_and_there_is_never_a_second_system_message(prompt: str, kept: str):  # W29
    given = row({"role": "system", "content": "Be brief."}, {"role": "developer", "content": "Be kind."}, user(), agent("Hi."))
    (made,) = training_rows([given], system_prompt=prompt)
    assert [m["content"] for m in made["messages"] if m["role"] == "system"] == [kept]
    late = row(user(), agent("Hi."), {"role": "developer", "content": "Now in French."}, user("Bye."), agent("Au revoir."))
    (made,) = training_rows([late], system_prompt=POLICY)
    assert made["messages"][3] == {"role": "system", "content": "Now in French."}


def test_content_parts_are_text_and_not_the_print_of_a_list(tmp_path: Path):  # W29
    parts = [{"type": "text", "text": "Cancel "}, {"type": "text", "text": "A-1."}]
    (made,) = training_rows([row(user(parts), agent("Done."))])
    assert made["messages"][0]["content"] == "Cancel A-1."
    image = row(user([{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "data:x"}}]), agent("A cat."))
    (made,) = training_rows([image])
    assert made["messages"][0]["content"][1]["type"] == "image_url"
    assert left_out(image, tmp_path, format="trl") == {"content_not_text": 1}


def test_null_content_is_empty_text():
    (made,) = training_rows([row(user(), agent(None, call("get_order", "{}")), result(None), agent("Done."))])
    assert [message["content"] for message in made["messages"]] == ["Cancel order A-1.", "", "", "Done."]


def test_every_call_gets_an_id_of_its_own_and_its_own_answer():  # W29
    """Small servers count from zero in every turn, others give no ids at all."""
    given = row(
        user(),
        agent("", call("get_order", '{"order_id":"A-1"}', "c0"), call("get_order", '{"order_id":"A-2"}', None)),
        result("one", "c0"),
        result("two", None),
        agent("", call("cancel_order", '{"order_id":"A-2"}', "c0")),
        result("three", "c0"),
        agent("Done."),
    )
    (made,) = training_rows([given])
    calls = [one for message in made["messages"] for one in message.get("tool_calls", ())]
    answers = [(message["tool_call_id"], message["content"]) for message in made["messages"] if message["role"] == "tool"]
    assert len({one["id"] for one in calls}) == 3
    assert answers == [(calls[0]["id"], "one"), (calls[1]["id"], "two"), (calls[2]["id"], "three")]


def test_results_out_of_order_stay_with_their_calls():
    given = row(
        user(), agent("", call("get_order", "{}", "a"), call("cancel_order", "{}", "b")), result("B", "b"), result("A", "a"), agent("Done.")
    )  # fmt: skip
    (made,) = training_rows([given])
    assert [(m["tool_call_id"], m["content"]) for m in made["messages"] if m["role"] == "tool"] == [("b", "B"), ("a", "A")]


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([user(), agent("", call("get_order", "{broken")), result(), agent("Done.")], "broken_arguments"),
        ([user(), agent("", call("get_order", "[1]")), result(), agent("Done.")], "broken_arguments"),
        ([user(), agent("", call("get_order", '{"n": NaN}')), result(), agent("Done.")], "broken_arguments"),
        ([user(), agent("", call("get_order", None)), result(), agent("Done.")], "broken_arguments"),
        ([user(), agent("", call("", "{}")), result(), agent("Done.")], "broken_call"),
        ([user(), agent("", call("delete_all", "{}")), result(), agent("Done.")], "undeclared_tool"),
        ([user(), agent("", call("get_order", "{}")), agent("Done.")], "call_without_result"),
        ([user(), agent("", call("get_order", "{}"), call("get_order", "{}", "c2")), result()], "call_without_result"),
        ([user(), result(), agent("Done.")], "result_without_call"),
        ([user(), agent("", call("get_order", "{}")), result(), result(), agent("Done.")], "result_without_call"),
        ([user(), agent("<think>so he wants to")], "unclosed_reasoning"),
        ([user(), agent("<think>that</think>")], "empty_turn"),
        ([user(), agent("   ")], "empty_turn"),
        ([user()], "no_agent_turn"),
        ([user(), agent({"parts": 1})], "content_not_text"),
        ([user(), agent("Done.", object()), agent("x")], "not_json"),  # pyright: ignore[reportArgumentType]
        ([user("My key is sk-proj-" + "a1B2" * 8), agent("Thanks.")], "holds_a_secret"),
        ([user(), {"role": "oracle", "content": "42"}, agent("Done.")], "unknown_role"),
    ],
)
@pytest.mark.parametrize("format", ["openai", "trl", "prompt_completion"])
def test_what_is_no_whole_conversation_is_left_out_with_its_reason(messages: list[Any], reason: str, format: str, tmp_path: Path):
    assert left_out(row(*messages), tmp_path, format=format) == {reason: 1}


@pytest.mark.parametrize("raw", ['{"order_id":"A-1"}', '"{\\"order_id\\":\\"A-1\\"}"', {"order_id": "A-1"}])
def test_arguments_are_the_text_of_one_object_however_often_they_were_encoded(raw: Any, tmp_path: Path):
    given = row(user(), agent("", call("get_order", raw)), result(), agent("Done."))
    (record,), _ = written([given], tmp_path)
    arguments = record["messages"][2]["tool_calls"][0]["function"]["arguments"]
    assert isinstance(arguments, str) and json.loads(arguments) == {"order_id": "A-1"}
    (record,), _ = written([given], tmp_path, "trl")
    assert record["messages"][2]["tool_calls"][0]["function"]["arguments"] == {"order_id": "A-1"}


def test_closed_reasoning_goes_and_can_be_kept():
    given = row(user(), agent("<think>He is angry.</think>Done."))
    assert training_rows([given])[0]["messages"][-1]["content"] == "Done."
    assert training_rows([given], reasoning="keep")[0]["messages"][-1]["content"] == "<think>He is angry.</think>Done."


def test_rows_that_hold_only_steps_are_conversations_too():
    given = {"prompt": "Where is A-1?", "steps": [{"tool": "get_order", "arguments": {"order_id": "A-1"}, "result": {"s": 1}}, {"text": "Open."}], "final_text": "Open."}  # fmt: skip
    (made,) = training_rows([given])
    assert [message["role"] for message in made["messages"]] == ["user", "assistant", "tool", "assistant"]


# The loss mask


def test_the_loss_sees_the_agents_own_turns_and_never_the_history_it_was_given(tmp_path: Path):
    history = [user("Hello."), agent("Hello, how can I help?")]
    given = row(*history, user(), agent("", call("get_order", "{}")), result(), agent("Done."), prefix=history)
    (made,) = training_rows([given])
    assert made["loss_mask"] == [0, 0, 0, 1, 0, 1]
    assert training_rows([given], mask="final")[0]["loss_mask"] == [0, 0, 0, 0, 0, 1]
    (record,), _ = written([given], tmp_path)
    assert [message.get("weight") for message in record["messages"] if message["role"] == "assistant"] == [0, None, None]
    records, _ = written([given], tmp_path, "prompt_completion")
    assert [(len(one["prompt"]), [m["role"] for m in one["completion"]]) for one in records] == [(4, ["assistant"]), (6, ["assistant"])]  # fmt: skip
    assert left_out(given, tmp_path, format="trl") == {"mask_not_expressible": 1}


def test_only_the_last_turn_is_one_record_per_row(tmp_path: Path):
    records, _ = written([row(), row(n=1)], tmp_path, "prompt_completion", mask="final")
    assert [one["completion"][0]["content"] for one in records] == ["Order A-1 is cancelled. (0)", "Order A-1 is cancelled. (1)"]


# Which rows


def test_failures_and_unjudged_rows_stay_out_unless_asked_for(tmp_path: Path):  # W29
    rows = [row(), row(n=1, reward=0.0), row(n=2, reward=0.5), row(n=3, reward=None, judge_status="timeout"), row(n=4, status="agent_error")]  # fmt: skip
    records, report = written(rows, tmp_path)
    assert len(records) == 1 and report["left_out"] == {"failed": 2, "unjudged": 1, "rollout_agent_error": 1}
    records, report = written(rows, tmp_path, failures=True)
    assert len(records) == 4 and "imitates learns them too" in str(report)


def test_rows_cut_at_a_cap_or_graded_as_an_evaluation_are_not_imitated(tmp_path: Path):  # W31
    rows = [row(), row(n=1, finish_reason="length"), row(n=2, lineage={"source": "eval"})]
    _, report = written(rows, tmp_path)
    assert report["left_out"] == {"truncated": 1, "graded_as_evaluation": 1}
    assert report["left_out_ids"]["truncated"] == ["t1/1"]


@pytest.mark.parametrize(
    "text", ["您的订单已取消。", "返金しました🙂", "Set region_id to us-east-1", "------------------------------", "- a\n- **b**"]
)
def test_how_a_reply_looks_decides_nothing(text: str, tmp_path: Path):  # W12
    (record,), report = written([row(user(), agent(text))], tmp_path)
    assert record["messages"][-1]["content"] == text and report["left_out"] == {}


def test_the_rows_given_are_not_changed(tmp_path: Path):  # W32
    rows = [row(), row(n=1, reward=0.0)]
    before = copy.deepcopy(rows)
    for format in ("openai", "trl", "prompt_completion", "grpo", "verl", "parquet"):
        written(rows, tmp_path, format)
    assert rows == before


def test_an_empty_export_says_why_and_writes_nothing(tmp_path: Path):
    with pytest.raises(ExportError, match=r"none of 2 rows can be exported \(2 failed\).*failures=True"):
        written([row(reward=0.0), row(n=1, reward=0.0)], tmp_path)
    with pytest.raises(ExportError, match="there are no rows"):
        written([], tmp_path)
    assert list(tmp_path.iterdir()) == []


# Answer keys


@pytest.mark.parametrize(
    "said",
    [
        [user(), agent(f"I was told to {KEY}.")],
        [user(), agent("I should TELL the customer, that the parcel -- is lost!")],
        [user(), agent("", call("get_order", json.dumps({"order_id": KEY}))), result(), agent("Done.")],
    ],
)
@pytest.mark.parametrize("format", ["openai", "trl", "prompt_completion"])
def test_a_row_that_recites_its_answer_key_stops_the_export(said: list[Any], format: str, tmp_path: Path):  # W17, W31
    with pytest.raises(ExportError, match=r"1 rows recite their answer key \(t1/1\)"):
        written([row(), row(*said, n=1, privileged={"reference": KEY})], tmp_path, format)
    assert list(tmp_path.iterdir()) == []


def test_saying_what_one_was_told_or_the_right_answer_is_no_recital(tmp_path: Path):
    told = row(user(f"Please {KEY}."), agent(f"I will {KEY}."), privileged={"principle": KEY})
    right = row(
        user(), agent("x = 1234567890123"), n=1, privileged={"reference": "x = 1234567890123"}, judge_meta={"kind": "verifier"}
    )
    short = row(user(), agent("It is 42."), n=2, privileged={"reference": 42})
    records, report = written([told, right, short], tmp_path)
    assert "not looked for" in str(written([row()], tmp_path)[1]) and "not looked for" not in str(report)
    assert len(records) == 3 and report["leak_check"] == {"keyed": 3, "too_short": 1} and "too short" in str(report)


@pytest.mark.parametrize("format", ["openai", "trl", "prompt_completion", "grpo", "verl", "parquet"])
def test_no_format_holds_privileged_data_at_any_depth(format: str, tmp_path: Path):  # W17
    hidden = {"status": "open", "privileged": {"reference": "SECRET-KEY-1"}}
    given = row(
        user(), agent("", call("get_order", "{}")), result(json.dumps(hidden)), agent("Done."),
        privileged={"reference": "SECRET-KEY-2"}, tags={"privileged": {"x": "SECRET-KEY-3"}},
    )  # fmt: skip
    written([given], tmp_path, format)
    (file,) = tmp_path.iterdir()
    assert b"SECRET" not in file.read_bytes() and b"privileged" not in file.read_bytes().replace(b"huggingface", b"")


# Formats


def test_one_type_per_column_whatever_the_rows_hold(tmp_path: Path):  # B73
    rows = [
        row(),
        row(user(), agent("", call("cancel_order", '{"reason":"late","n":1}')), result([{"type": "text", "text": "x"}]), agent("Done."), n=1, reward=1),
        row(user(), agent("", call("cancel_order", {"n": "1"})), result(), agent("Done."), n=2, reward=True),
    ]  # fmt: skip
    for format in ("openai", "trl", "prompt_completion"):
        records, _ = written(rows, tmp_path, format)
        assert len({frozenset(record) for record in records}) == 1
        for record in records:
            assert type(record.get("reward", 1.0)) is float and type(record.get("tools", "")) in (str, list)
    records, _ = written(rows, tmp_path, "trl", arguments="text")
    assert {type(c["function"]["arguments"]) for r in records for m in r["messages"] for c in m.get("tool_calls", ())} == {str}


def test_prompts_are_counted_by_task_and_never_by_their_words(tmp_path: Path):  # W10
    rows = [row(n=n, task=task, reward=float(n % 2), world_state=task) for task in ("exists", "missing") for n in range(4)]
    records, report = written([*rows, row(n=9, task="exists", reward=None, judge_status="timeout")], tmp_path, "grpo")
    assert [(r["task_id"], r["pass_rate"], r["n"]) for r in records] == [("exists", 0.5, 4), ("missing", 0.5, 4)]
    assert [json.loads(r["info"])["world_state"] for r in records] == ["exists", "missing"]
    assert [m["role"] for m in records[0]["prompt"]] == ["system", "user"] and report["n"] == 9


def test_verl_gets_its_columns_and_the_answer_that_was_named(tmp_path: Path):
    rows = [row(gold=41), row(n=1, gold="B")]
    records, _ = written(rows, tmp_path, "verl", answer="gold", split="test")
    assert [r["reward_model"] for r in records] == [
        {"style": "rule", "ground_truth": "41"},
        {"style": "rule", "ground_truth": "B"},
    ]
    assert [r["extra_info"]["index"] for r in records] == [0, 1] and records[0]["extra_info"]["split"] == "test"
    records, _ = written(rows, tmp_path, "verl")
    assert records[0]["reward_model"]["ground_truth"] == "t0"
    called = [user(), agent("", call("get_order", "{}")), result()]
    assert left_out(row(*called, user(), agent("Done."), prefix=called), tmp_path, format="verl") == {"prompt_not_text": 1}


def test_pairs_share_their_prompt_and_part_at_one_turn_of_the_agent(tmp_path: Path):  # W8
    start = [user(), agent("", call("get_order", '{"order_id":"A-1"}', "x")), result("{}", "x")]
    other = [user(), agent("", call("get_order", '{"order_id":"A-1"}', "y")), result("{}", "y")]
    rows = [
        row(*start, agent("Cancelled."), n=0, task="a"), row(*other, agent("No."), n=1, task="a", reward=0.0),
        row(*start, agent("Missing."), n=0, task="b", reward=0.0), row(*start, agent("Gone."), n=1, task="b"),
    ]  # fmt: skip
    records, _ = written(rows, tmp_path, "preference")
    assert [(r["chosen_id"], r["rejected_id"]) for r in records] == [("a/0", "a/1"), ("b/1", "b/0")]
    assert [m["role"] for m in records[0]["prompt"]] == ["system", "user", "assistant", "tool"]
    assert (
        records[0]["chosen"] == [{"role": "assistant", "content": "Cancelled."}] and records[0]["rejected"][0]["content"] == "No."
    )
    pairs, _ = wai.build_preference_pairs(rows)
    assert written(pairs, tmp_path, "preference")[0] == records


def test_pairs_that_part_outside_the_agents_turns_are_no_pairs_to_train_on(tmp_path: Path):
    good = [row(user(), agent("A."), n=0, task="a"), row(user(), agent("B."), n=1, task="a", reward=0.0)]
    parted = [
        row(user(), agent("Which?"), user("The first."), agent("Done."), n=0, task="b"),
        row(user(), agent("Which?"), user("The last."), agent("No."), n=1, task="b", reward=0.0),
    ]
    _, report = written([*good, *parted], tmp_path, "preference")
    assert report["left_out"]["no_turn_to_compare"] == 1 and report["n_written"] == 1
    with pytest.raises(ExportError, match="1 of 2 items are no pairs"):
        written([{"chosen": good[0], "rejected": good[1]}, good[0]], tmp_path, "preference")


def test_one_ask_in_two_situations_is_two_rows_of_selection_and_no_pair(tmp_path: Path):  # W8, W9
    rows = [row(n=0, task="exists"), row(n=0, task="missing")]
    rows[1]["messages"] = rows[0]["messages"]
    rows[1]["final_text"] = rows[0]["final_text"]
    kept, _ = wai.optimize(rows, mode="sft")
    assert len(kept) == 2
    assert wai.build_preference_pairs([rows[0], {**rows[1], "reward": 0.0}])[0] == []


def test_the_table_holds_every_row_and_gives_it_back(tmp_path: Path):
    rows = [row(), row(n=1, reward=0.0, seed=2**63, odd={"a": [1, None]}, markers={"told": 1.0}, reason=None)]
    export_dataset(rows, tmp_path / "rows.parquet", format="parquet")
    assert wai.load_rows(tmp_path / "rows.parquet") == rows


# The call


def test_unknown_formats_and_settings_are_named(tmp_path: Path):
    for options, told in (
        ({"format": "trll"}, "did you mean 'trl'"),
        ({"mask": "all"}, "use assistant or final"),
        ({"reasoning": "some"}, "use drop or keep"),
        ({"format": "trl", "arguments": "yaml"}, "use object or text"),
        ({"format": "verl", "splt": "x"}, "did you mean 'split'"),
        ({"answer": "privileged"}, "answer keys never go into a file"),
        ({"tools": [{"nme": "x"}]}, "tool"),
    ):
        with pytest.raises(ConfigError, match=told):
            export_dataset([row()], tmp_path / "out.jsonl", **options)
    with pytest.raises(ConfigError, match="names a Parquet file"):
        export_dataset([row()], tmp_path / "out.parquet")
    with pytest.raises(ConfigError, match="row 1: is str, not a row"):
        export_dataset([row(), "x"], tmp_path / "out.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_the_prompt_and_tools_come_with_graded_rows_and_with_a_files_sidecar(tmp_path: Path):
    data = wai.simulate(agent="scripted", tools=TOOLS, system_prompt=POLICY, mode="rl", situations=4, repeats=2, seed=1)
    scored = data.grade(judge=lambda row: 1)
    report = export_dataset(scored, tmp_path / "a.jsonl", format="trl")
    assert report["with_system"] and report["tools"] == ["cancel_order", "get_order"]
    scored.save(tmp_path / "rows.jsonl")
    export_dataset(tmp_path / "rows.jsonl", tmp_path / "b.jsonl", format="trl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_rows_are_taken_one_at_a_time(tmp_path: Path):
    """A source larger than memory: nothing asks for a row before the one ahead of it was written."""
    alive = 0

    class Counted(dict[str, Any]):
        def __init__(self, *a: Any) -> None:
            nonlocal alive
            super().__init__(*a)
            alive += 1

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    def source() -> Any:
        for n in range(300):
            yield Counted(row(n=n))
            assert alive <= 3

    export_dataset(source(), tmp_path / "out.jsonl", tools=TOOLS)


# Round trip

_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
_ARGUMENTS = st.dictionaries(st.text(max_size=6), _VALUES, max_size=3)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(_ARGUMENTS, _TEXT), min_size=1, max_size=4), st.booleans(), st.booleans())
def test_calls_come_back_as_they_were_whatever_is_in_them(calls: list[tuple[dict[str, Any], str]], parallel: bool, named: bool):
    """Property: names, arguments, order, and which result belongs to which call survive the file."""
    messages: list[dict[str, Any]] = [user()]
    for n, (arguments, text) in enumerate(calls):
        made = call("get_order", json.dumps(arguments), f"c{n}" if named else None)
        if parallel and n:
            messages[1]["tool_calls"].append(made)
        else:
            messages.append(agent("", made))
        messages.append(result(f"{n}:{text}", f"c{n}" if named else None))
    if parallel:
        messages[2:] = [message for message in messages[2:] if message["role"] == "tool"]
    made = conversation_of(row(*messages, agent("Done.")), 1.0)
    for objects in (False, True):
        back = json.loads(json.dumps(made.messages(objects=objects)))
        found = {one["id"]: one["function"]["arguments"] for message in back for one in message.get("tool_calls", ())}
        answers = [(message["tool_call_id"], message["content"]) for message in back if message["role"] == "tool"]
        assert len(found) == len(calls) == len(answers)
        for (ident, content), (n, (arguments, text)) in zip(answers, enumerate(calls)):
            given_back = found[ident] if objects else json.loads(found[ident])
            assert given_back == arguments and content == f"{n}:{text}".encode("utf-8", "replace").decode()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([user(), agent("Hi."), agent("", call("get_order", "{}")), result(), result("x", None)]), max_size=8)
)
def test_whatever_is_exported_is_answered_call_by_call(messages: list[dict[str, Any]]):
    """Property: any order of messages is either left out or stands with every call answered once, in its own turn."""
    try:
        made = conversation_of(row(*copy.deepcopy([user(), *messages, agent("End.")])), 1.0).messages()
    except Unfit:
        return
    waiting: list[str] = []
    for message in made:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
            continue
        assert not waiting
        waiting = [one["id"] for one in message.get("tool_calls", ())]
    assert not waiting
