"""Other providers' dialects of the same conversation."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest
from aiohttp import web

from whileai_exp.errors import BackendError, ConfigError, KeyRefused
from whileai_exp.knobs import ModelKnobs
from whileai_exp.models import Link, Secret
from whileai_exp.models.anthropic import AnthropicMessages, turns_of
from whileai_exp.models.http_agent import HttpAgent
from whileai_exp.models.openai_chat import sendable
from whileai_exp.models.responses import OpenAIResponses, items_of
from whileai_exp.plan.types import ModelRef
from whileai_exp.ports import Address, ChatRequest, Reply
from whileai_exp.schema import Sampling, Usage
from whileai_exp.testing.fake_clock import FakeClock

CALLS = [{"id": name, "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}} for name in ("t1", "t2")]
TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "S"},
    {"role": "user", "content": "do it"},
    {"role": "assistant", "content": "", "tool_calls": CALLS},
    {"role": "tool", "tool_call_id": "t1", "content": ""},
]
TOOLS = ({"type": "function", "function": {"name": "f", "description": "d", "parameters": {}}},)


def link(key: bool = True) -> Link:
    return Link(2.0, ModelKnobs(), FakeClock(), Secret("KEY", "sk-canary-123") if key else None)


def against(
    kind: type, answers: list[Any], request: ChatRequest, path: str = "/v1", **options: Any
) -> tuple[Any, list[dict], list[web.Request]]:
    """The reply (or error) of `kind` when the server gives these answers in turn, with what it was sent."""
    sent, asked = [], []

    async def handle(http: web.Request) -> web.Response:
        sent.append(orjson.loads(await http.read()))
        asked.append(http)
        answer = answers[min(len(sent), len(answers)) - 1]
        status, body = answer if isinstance(answer, tuple) else (200, answer)
        return web.json_response(body, status=status)

    async def play() -> Any:
        app = web.Application()
        app.router.add_post("/{tail:.*}", handle)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}{path}"
        model = kind(ModelRef("x", "m", (url,), options=options), link())
        try:
            return await model.complete(request)
        except BackendError as error:
            return error
        finally:
            await model.aclose()
            await runner.cleanup()

    return asyncio.run(play()), sent, asked


def request(**more: Any) -> ChatRequest:
    return ChatRequest(TALK, Address("agent", "t", 1, 2), **more)


def test_messages_turns_have_no_empty_block_and_every_call_its_result_in_the_next_turn():  # B41
    turns = turns_of(sendable(TALK))
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    assert [b["type"] for b in turns[1]["content"]] == ["tool_use", "tool_use"] and turns[1]["content"][0]["input"] == {"a": 1}
    results = turns[2]["content"]
    assert (
        [b["tool_use_id"] for b in results] == ["t1", "t2"]
        and "content" not in results[0]
        and "interrupted" in results[1]["content"]
    )


def test_consecutive_speakers_are_one_turn_and_the_user_is_first():
    turns = turns_of(
        [
            {"role": "assistant", "content": "hello"},
            {"role": "user", "content": "a"},
            {"role": "user", "content": "b"},
            {"role": "user", "content": " "},
        ]
    )
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"] and len(turns[2]["content"]) == 2


def test_a_messages_call_and_its_answer():
    answer = {
        "model": "m-1",
        "stop_reason": "tool_use",
        "content": [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "ok"},
            {"type": "tool_use", "id": "u", "name": "f", "input": {"a": 2}},
        ],
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 10, "output_tokens": 7},
    }
    reply, sent, asked = against(AnthropicMessages, [answer], request(tools=TOOLS, sampling=Sampling(0.5, 99, stop=("X",))))
    assert (
        isinstance(reply, Reply)
        and reply.text == "ok"
        and reply.calls[0].arguments == {"a": 2}
        and reply.finish_reason == "tool_calls"
    )
    assert reply.usage == Usage(115, 7, 100) and reply.reasoning == "hm" and reply.model == "m-1"
    assert sent[0]["system"] == "S" and sent[0]["max_tokens"] == 99 and sent[0]["stop_sequences"] == ["X"]
    assert sent[0]["tools"][0]["input_schema"] == {"type": "object"} and "Authorization" not in asked[0].headers
    assert (
        asked[0].headers["x-api-key"] == "sk-canary-123"
        and asked[0].headers["anthropic-version"]
        and asked[0].path == "/v1/messages"
    )


def test_a_schema_shaped_answer_is_a_forced_tool_and_comes_back_as_text():
    answer = {"stop_reason": "tool_use", "content": [{"type": "tool_use", "id": "u", "name": "answer", "input": {"reward": 1}}]}
    reply, sent, _ = against(AnthropicMessages, [answer], request(response_format={"type": "object"}))
    assert reply.text == '{"reward":1}' and reply.calls == () and reply.finish_reason == "stop"
    assert sent[0]["tool_choice"]["name"] == "answer"


def test_messages_errors_are_ours():
    overloaded = (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    fine = {"stop_reason": "end_turn", "content": [{"type": "text", "text": "ok"}]}
    assert against(AnthropicMessages, [overloaded, fine], request())[0].attempts == 2
    long = (400, {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens"}})
    assert against(AnthropicMessages, [long], request())[0].kind == "context_length"
    assert isinstance(against(AnthropicMessages, [(401, {"error": {"message": "bad"}})], request())[0], KeyRefused)
    assert against(AnthropicMessages, [{"nothing": 1}, fine], request())[0].attempts == 2
    cut = {"stop_reason": "max_tokens", "content": [{"type": "text", "text": "ha"}]}
    assert against(AnthropicMessages, [cut], request())[0].finish_reason == "length"


def test_responses_items_carry_calls_and_outputs():
    items = items_of(sendable(TALK))
    assert [item.get("type", item.get("role")) for item in items] == [
        "system",
        "user",
        "function_call",
        "function_call",
        "function_call_output",
        "function_call_output",
    ]
    assert items[2]["call_id"] == items[4]["call_id"] == "t1"


def test_a_responses_call_and_its_answer():
    answer = {
        "status": "completed",
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "because"}]},
            {"type": "message", "content": [{"type": "output_text", "text": "ok"}]},
            {"type": "function_call", "call_id": "u", "name": "f", "arguments": '{"a": 3'},
        ],
        "usage": {"input_tokens": 9, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 3}},
    }
    reply, sent, asked = against(OpenAIResponses, [answer], request(tools=TOOLS, sampling=Sampling(max_tokens=7)))
    assert reply.text == "ok" and reply.calls[0].error and reply.finish_reason == "tool_calls" and reply.reasoning == "because"
    assert reply.usage == Usage(9, 4, 3) and sent[0]["store"] is False and sent[0]["max_output_tokens"] == 7
    assert sent[0]["tools"][0]["name"] == "f" and asked[0].path == "/v1/responses"
    cut = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []}
    assert against(OpenAIResponses, [cut], request())[0].finish_reason == "length"


def test_an_agent_behind_a_url_plays_turn_by_turn():
    answer = {"tool_calls": [{"name": "f", "arguments": {"a": 1}}], "usage": {"input_tokens": 1, "output_tokens": 2}}
    reply, sent, asked = against(HttpAgent, [answer], request(tools=TOOLS), path="/my/agent")
    assert reply.calls[0].name == "f" and reply.finish_reason == "tool_calls" and asked[0].path == "/my/agent"
    assert sent[0]["conversation"] == "t/1" and [m["role"] for m in sent[0]["messages"]][0] == "system"
    assert against(HttpAgent, [{"choices": [{"message": {"content": "hi"}}]}], request())[0].text == "hi"


def test_an_agent_that_calls_its_own_tools_may_tell_them():
    answer = {"final_text": "done", "steps": [{"tool": "f", "arguments": {"a": 1}, "result": 3}, "junk", {"text": "x"}]}
    assert against(HttpAgent, [answer], request())[0].meta == {"steps": [{"tool": "f", "arguments": {"a": 1}, "result": 3}]}


def test_an_agent_that_answers_something_else_is_told_what_was_expected():
    error = against(HttpAgent, [{"foo": 1}], request())[0]
    assert isinstance(error, BackendError) and "none of text" in str(error) and "foo" in str(error)


@pytest.mark.parametrize("kind", [AnthropicMessages, OpenAIResponses])
def test_a_model_must_be_named(kind):
    with pytest.raises(ConfigError, match="no model was named"):
        kind(ModelRef("x"), link())
    with pytest.raises(ConfigError, match="no address"):
        HttpAgent(ModelRef("http"), link())
