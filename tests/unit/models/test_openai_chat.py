"""Requests for the strictest servers, and what is learnt from a refusal."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest
from aiohttp import web

from whileai_exp._clock import SystemClock
from whileai_exp.errors import BackendError, ConfigError
from whileai_exp.knobs import ModelKnobs
from whileai_exp.models import Link
from whileai_exp.models.openai_chat import OpenAIChat, can_be_strict, merged, sendable, wire_tool
from whileai_exp.plan.types import ModelRef
from whileai_exp.ports import Address, ChatRequest
from whileai_exp.schema import Sampling

KNOBS = ModelKnobs(retry_base_s=0.001, retry_cap_s=0.002)
AT = Address("agent", "t", 0, 0)


def model(url: str = "http://localhost:1", kind: str = "vllm", **options: Any) -> OpenAIChat:
    return OpenAIChat(ModelRef(kind, "m", (url,), options=options), Link(5.0, KNOBS, SystemClock()))


def body(request: ChatRequest, **options: Any) -> dict[str, Any]:
    return orjson.loads(model(**options).payload(request))


def ask(*messages: dict, **more: Any) -> ChatRequest:
    return ChatRequest(messages or ({"role": "user", "content": "hi"},), AT, **more)


def test_without_tools_there_is_no_tools_key_and_without_sampling_nothing_is_said_about_it():
    assert body(ask()) == {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


def test_sampling_goes_out_as_given():
    sent = body(ask(sampling=Sampling(0.0, 64, "other", 0.9, 7, ("END",))))
    assert sent["temperature"] == 0.0 and sent["max_tokens"] == 64 and sent["model"] == "other"
    assert sent["top_p"] == 0.9 and sent["seed"] == 7 and sent["stop"] == ["END"]
    assert "max_completion_tokens" in body(ask(sampling=Sampling(max_tokens=5)), kind="openai")


def test_tools_without_parameters_get_an_empty_object_schema():
    assert wire_tool({"function": {"name": "ping", "description": "", "parameters": {}}})["function"]["parameters"] == {
        "type": "object",
        "properties": {},
    }
    assert wire_tool({"function": {"name": "ping"}})["function"]["parameters"]["type"] == "object"


def test_strict_is_sent_only_for_schemas_that_obey_its_rules():
    closed = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
    assert wire_tool({"function": {"name": "f", "parameters": closed, "strict": True}})["function"]["strict"] is True
    assert (
        "strict"
        not in wire_tool({"function": {"name": "f", "parameters": {**closed, "required": []}, "strict": True}})["function"]
    )
    nested = {**closed, "properties": {"a": {"type": "array", "items": {"type": "object", "properties": {}}}}}
    assert not can_be_strict(nested)
    assert can_be_strict({**closed, "properties": {"a": {"anyOf": [closed, {"type": "null"}]}}})


def test_empty_content_and_empty_tool_calls_are_left_out():  # B28
    sent = sendable(
        [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": "ok"},
            {"role": "assistant", "content": "done", "tool_calls": []},
        ]
    )
    assert "content" not in sent[1] and "tool_calls" not in sent[3] and len(sent) == 4


def test_unparsable_arguments_are_never_echoed():  # B21, B23
    for raw in ('{"id": 12', "[1,2]", '"x"', "3", "", None):
        call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": raw}}
        sent = sendable([{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c", "content": "error"}])
        assert sent[0]["tool_calls"][0]["function"]["arguments"] == "{}"


def test_a_thinking_only_turn_is_not_sent_back():  # B30
    sent = sendable([{"role": "user", "content": "a"}, {"role": "assistant", "content": None, "reasoning_content": "hm"}])
    assert sent == [{"role": "user", "content": "a"}]


def test_every_call_has_its_answer_and_every_answer_its_call():  # B41
    calls = [{"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}} for name in ("t1", "t2")]
    sent = sendable(
        [
            {"role": "assistant", "content": "", "tool_calls": calls},
            {"role": "tool", "tool_call_id": "t1", "content": None},
            {"role": "tool", "tool_call_id": "stray", "content": "x"},
            {"role": "user", "content": "go on"},
        ]
    )
    assert [m["role"] for m in sent] == ["assistant", "tool", "tool", "user"]
    assert sent[1]["content"] == "" and sent[2]["tool_call_id"] == "t2" and "interrupted" in sent[2]["content"]


def test_merge_roles_leaves_one_system_message_and_strict_alternation():  # B40
    messages = [
        {"role": "system", "content": "S1"},
        {"role": "system", "content": "S2"},
        {"role": "user", "content": "a"},
        {"role": "user", "content": "b"},
    ]
    assert merged(messages) == [{"role": "system", "content": "S1\n\nS2"}, {"role": "user", "content": "a\n\nb"}]
    assert len(body(ask(*messages))["messages"]) == 4
    assert len(body(ask(*messages), merge_roles=True)["messages"]) == 2


def test_a_response_schema_is_wrapped_and_strict_only_when_it_can_be():
    wanted = body(ask(response_format={"type": "object", "properties": {}}))["response_format"]
    assert wanted["type"] == "json_schema" and wanted["json_schema"]["strict"] is False


def test_missing_model_and_unknown_options_are_told_together_with_the_nearest():
    with pytest.raises(ConfigError, match="merge_roles"):
        model(merge_role=True)
    with pytest.raises(ConfigError, match="no model was named"):
        OpenAIChat(ModelRef("vllm"), Link(5.0, KNOBS, SystemClock()))
    with pytest.raises(ConfigError, match="no address"):
        OpenAIChat(ModelRef("url"), Link(5.0, KNOBS, SystemClock()))


def test_what_an_endpoint_refuses_is_learnt_and_not_sent_again():
    seen: list[dict] = []

    async def handle(request: web.Request) -> web.Response:
        sent = orjson.loads(await request.read())
        seen.append(sent)
        for field, said in (
            ("max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
            ("response_format", "response_format is not supported by this model"),
            ("logprobs", "logprobs are not supported with reasoning models"),
        ):
            if field in sent:
                return web.json_response({"error": {"message": said}}, status=400)
        return web.json_response({"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]})

    async def play() -> OpenAIChat:
        async with served(handle) as url:
            chat = model(url)
            wanted = ask(sampling=Sampling(max_tokens=9), response_format={"type": "object"}, logprobs=True)
            assert (await chat.complete(wanted)).text == "ok"
            before = len(seen)
            assert (await chat.complete(wanted)).text == "ok"
            assert len(seen) == before + 1
            await chat.aclose()
            return chat

    chat = asyncio.run(play())
    assert len(seen) == 5 and seen[-1]["max_completion_tokens"] == 9
    assert chat.unsupported == ("logprobs", "response_format")


def test_a_template_that_refuses_the_roles_names_the_model_and_the_option():  # B40
    async def handle(request: web.Request) -> web.Response:
        return web.json_response({"error": {"message": "Conversation roles must alternate user/assistant/user"}}, status=400)

    async def play() -> None:
        async with served(handle) as url:
            chat = model(url)
            with pytest.raises(BackendError, match="chat template of m .* merge_roles: true"):
                await chat.complete(ask())
            await chat.aclose()

    asyncio.run(play())


class served:
    """A handler behind a local port."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle

    async def __aenter__(self) -> str:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self.handle)
        self.runner = web.AppRunner(app)
        await self.runner.setup()
        await web.TCPSite(self.runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{self.runner.addresses[0][1]}/v1"

    async def __aexit__(self, *_: object) -> None:
        await self.runner.cleanup()
