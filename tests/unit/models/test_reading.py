"""Answers as servers really send them."""

from __future__ import annotations

import pytest

from whileai_exp.errors import BackendError
from whileai_exp.knobs import ModelKnobs
from whileai_exp.models.reading import read_chat
from whileai_exp.ports import Reply
from whileai_exp.schema import Usage

KNOBS = ModelKnobs()


def read(message: dict | None, finish: str | None = "stop", **more) -> Reply:
    max_tokens = more.pop("max_tokens", None)
    tokens = more.pop("tokens", False)
    choice = {"index": 0, "finish_reason": finish, **more.pop("choice", {})}
    if message is not None:
        choice["message"] = message
    return read_chat({"choices": [choice], **more}, knobs=KNOBS, max_tokens=max_tokens, tokens=tokens)


def calling(*functions: dict, ids: list | None = None) -> dict:
    return {"tool_calls": [{"id": (ids or ["c"] * 9)[i], "type": "function", "function": f} for i, f in enumerate(functions)]}


def test_unparsable_arguments_are_kept_with_their_reason_and_never_as_an_object():  # B18
    reply = read(calling({"name": "get_order", "arguments": '{"id": 12'}, {"arguments": "{}"}, {"name": "get_order"}))
    broken, nameless, bare = reply.calls
    assert broken.arguments == {} and broken.raw == '{"id": 12' and "not valid JSON" in (broken.error or "")
    assert nameless.name == "" and nameless.error == "the tool call names no tool"
    assert bare.name == "get_order" and bare.arguments == {} and bare.error is None


@pytest.mark.parametrize("arguments", [None, "", "  ", "{}", {}, "null"])
def test_absent_arguments_are_an_empty_object(arguments):  # B20
    (call,) = read(calling({"name": "ping", "arguments": arguments})).calls
    assert (call.arguments, call.raw, call.error) == ({}, None, None)


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [("[1,2]", "an array"), ('"x"', "a string"), ("3", "a number"), ([1], "an array"), ("true", "a boolean")],
)
def test_arguments_that_are_json_but_no_object_are_an_error_the_model_can_read(arguments, kind):  # B21
    (call,) = read(calling({"name": "f", "arguments": arguments})).calls
    assert call.error == f"the arguments must be a JSON object, not {kind}"
    assert call.arguments == {} and call.raw


def test_arguments_already_parsed_by_the_server_are_taken():
    assert read(calling({"name": "f", "arguments": {"a": 1}})).calls[0].arguments == {"a": 1}


def test_deep_arguments_are_refused_without_recursion():
    deep = "[" * 300 + "]" * 300
    (call,) = read(calling({"name": "f", "arguments": '{"a":' + deep + "}"})).calls
    assert "nested deeper" in (call.error or "")
    (call,) = read(calling({"name": "f", "arguments": '{"a":' + "[" * 5000 + "]" * 5000 + "}"})).calls
    assert call.error
    (call,) = read(calling({"name": "f", "arguments": '{"a":[' + ",".join(["{}"] * 200) + "]}"})).calls
    assert call.error is None


def test_more_calls_than_the_cap_fail_the_answer():
    with pytest.raises(BackendError, match="calls_per_turn_cap"):
        read(calling(*[{"name": "f"}] * 129, ids=["x"] * 129))


def test_a_call_cut_at_the_cap_is_a_length_finish_even_if_the_server_says_tool_calls():  # B23
    reply = read(
        calling({"name": "say", "arguments": '{"text": "abc'}), "tool_calls", usage={"completion_tokens": 300}, max_tokens=300
    )
    assert reply.finish_reason == "length"
    whole = read(calling({"name": "say", "arguments": "{}"}), "tool_calls", usage={"completion_tokens": 300}, max_tokens=300)
    assert whole.finish_reason == "tool_calls"


def test_equal_call_ids_are_two_calls():  # B26
    reply = read(calling({"name": "w", "arguments": '{"city":"A"}'}, {"name": "w", "arguments": '{"city":"B"}'}, ids=["w", "w"]))
    assert [call.arguments["city"] for call in reply.calls] == ["A", "B"]


def test_reasoning_as_an_object_is_opaque_and_as_text_is_kept_apart():  # B30
    first = read({"content": "42", "reasoning_content": {"thoughts": "..."}})
    assert first.text == "42" and first.reasoning is None and first.meta == {"reasoning": {"thoughts": "..."}}
    second = read({"content": None, "reasoning_content": "Let me think"})
    assert second.text == "" and second.reasoning == "Let me think"
    assert read({"content": "x", "reasoning": "short"}).reasoning == "short"


def test_think_blocks_are_not_part_of_the_answer():  # B31
    reply = read({"content": "<think>Answer: A looks tempting</think>\nAnswer: C"})
    assert reply.text == "Answer: C" and "tempting" in (reply.reasoning or "")
    only_closed = read({"content": "hmm, A?</think>\n\nAnswer: C"})
    assert only_closed.text == "Answer: C" and only_closed.reasoning == "hmm, A?"


def test_an_unclosed_think_block_is_no_answer_and_a_cut():  # B31
    reply = read({"content": "<think>Answer: A"})
    assert reply.text == "" and reply.finish_reason == "length"


def test_a_null_finish_reason_is_none():  # B33
    reply = read({"role": "assistant", "content": "hi"}, None, id="x", model="m")
    assert reply.text == "hi" and reply.finish_reason is None and reply.model == "m" and reply.usage == Usage()


@pytest.mark.parametrize(
    "body", [{}, {"choices": None}, {"choices": []}, {"choices": [{}]}, {"choices": ["x"]}, {"choices": [{"message": "hi"}]}]
)
def test_a_body_without_a_message_is_a_bad_response_worth_retrying(body):
    with pytest.raises(BackendError) as caught:
        read_chat(body, knobs=KNOBS)
    assert caught.value.kind == "bad_response" and caught.value.retryable


def test_content_may_be_null_a_list_or_a_refusal():
    assert read({"content": None}).text == ""
    assert read({"content": [{"type": "text", "text": "a"}, {"type": "image_url"}, {"text": "b"}]}).text == "ab"
    assert read({"content": None, "refusal": "I cannot help"}).text == "I cannot help"


def test_a_legacy_function_call_is_a_tool_call():
    reply = read({"content": None, "function_call": {"name": "f", "arguments": '{"a":1}'}}, "function_call")
    assert reply.calls[0].arguments == {"a": 1} and reply.finish_reason == "tool_calls"


@pytest.mark.parametrize(
    "usage",
    [None, "many", {"prompt_tokens": -4, "completion_tokens": True}, {"prompt_tokens": float("nan")}, {"prompt_tokens": 10**30}],
)
def test_usage_that_is_no_count_is_unknown(usage):
    assert read({"content": "x"}, usage=usage).usage == Usage()


def test_usage_is_read_in_both_dialects():
    openai = read(
        {"content": "x"}, usage={"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
    )
    assert openai.usage == Usage(9, 2, 4)
    assert read({"content": "x"}, usage={"input_tokens": 9, "output_tokens": 2}).usage == Usage(9, 2, None)


def test_logprobs_are_summed_and_counted_and_listed_only_on_request():
    content = {"logprobs": {"content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -0.25}]}}
    reply = read({"content": "ab"}, choice=content)
    assert (reply.logprob, reply.n_tokens, reply.token_logprobs) == (-0.75, 2, None)
    assert read({"content": "ab"}, choice=content, tokens=True).token_logprobs == (-0.5, -0.25)
    assert read({"content": "ab"}, choice={"logprobs": {"content": [{"logprob": None}]}}).logprob is None


def test_providers_words_for_the_end_are_ours():
    assert read({"content": "x"}, "max_tokens").finish_reason == "length"
    assert read({"content": "x"}, "end_turn").finish_reason == "stop"
    assert read({"content": ""}, "content_filter").finish_reason == "content_filter"
