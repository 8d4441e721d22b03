"""Streamed answers: put together to what the same endpoint says in one piece, or retried as a whole."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import orjson
import pytest
from aiohttp import web

from tests.unit.models.test_openai_chat import served
from whileai_exp._clock import SystemClock
from whileai_exp.errors import BackendError
from whileai_exp.knobs import ModelKnobs
from whileai_exp.models import Link
from whileai_exp.models.openai_chat import OpenAIChat
from whileai_exp.models.sse import assembled
from whileai_exp.plan.types import ModelRef
from whileai_exp.ports import Address, ChatRequest, Reply
from whileai_exp.testing.fake_clock import FakeClock
from whileai_exp.testing.fake_server import FakeServer

TOOL = {
    "type": "function",
    "function": {
        "name": "get_order",
        "description": "Look up an order.",
        "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
    },
}


def stream(*events: Any) -> bytes:
    return b"".join(b"data: " + (e if isinstance(e, bytes) else orjson.dumps(e)) + b"\n\n" for e in events)


def delta(finish: str | None = None, **said: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": said, "finish_reason": finish}]}


def test_chunks_without_choices_are_passed_over_and_usage_is_kept():  # B35
    data = stream({"choices": None}, delta(content="hel"), delta(content="lo", finish="stop"))
    body = assembled(data + stream({"choices": [], "usage": {"total_tokens": 9}}, b"[DONE]"))
    assert body["usage"] == {"total_tokens": 9}
    assert body["choices"] == [{"index": 0, "message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}]


def test_calls_are_joined_by_index_however_their_pieces_are_mixed():
    data = stream(
        delta(tool_calls=[{"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}]),
        delta(tool_calls=[{"index": 1, "id": "b", "function": {"name": "g", "arguments": '{"y"'}}]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": '{"x":'}}, {"index": 1, "function": {"arguments": ":2}"}}]),
        delta(tool_calls=[{"index": 0, "function": {"name": "f", "arguments": "1}"}}], finish="tool_calls"),
    )
    calls = assembled(data)["choices"][0]["message"]["tool_calls"]
    assert [(c["id"], c["function"]) for c in calls] == [
        ("a", {"name": "f", "arguments": '{"x":1}'}),
        ("b", {"name": "g", "arguments": '{"y":2}'}),
    ]


def test_calls_without_an_index_are_told_apart_by_their_ids():
    data = stream(
        delta(tool_calls=[{"id": "a", "function": {"name": "f", "arguments": "{"}}]),
        delta(tool_calls=[{"function": {"arguments": "}"}}]),
        delta(tool_calls=[{"id": "b", "function": {"name": "f", "arguments": "{}"}}], finish="tool_calls"),
    )
    calls = assembled(data)["choices"][0]["message"]["tool_calls"]
    assert [(c["id"], c["function"]["arguments"]) for c in calls] == [("a", "{}"), ("b", "{}")]


@pytest.mark.parametrize("cut", [b"", b'data: {"choices": [{"del'])
def test_a_stream_that_ends_before_its_answer_is_worth_retrying(cut: bytes):
    data = stream(delta(tool_calls=[{"index": 0, "id": "a", "function": {"name": "refund", "arguments": '{"amount": 1'}}])) + cut
    with pytest.raises(BackendError) as caught:
        assembled(data)
    assert caught.value.kind == "bad_response" and caught.value.retryable


def test_lines_may_end_in_two_ways_and_comments_are_no_data():
    assert assembled(b': hi\r\ndata: {"choices":[{"delta":{"content":"x"}}]}\r\n\r\ndata:[DONE]\r\n')["choices"][0]["message"][
        "content"
    ] == ("x")


def model(url: str, **options: Any) -> OpenAIChat:
    return OpenAIChat(ModelRef("url", "m", (url,), options=options), Link(2.0, ModelKnobs(), FakeClock()))


@pytest.mark.parametrize("said", ["Where is order A-1001?", "Thanks, that is all."])
def test_a_streamed_reply_equals_the_whole_one(said: str):
    asked = ChatRequest(({"role": "user", "content": said},), Address("agent", "t", 0), [TOOL], logprobs="tokens")

    async def play() -> list[Reply]:
        async with FakeServer() as server:
            models = [model(server.url, stream=stream) for stream in (False, True)]
            replies = [await m.complete(asked) for m in models]
            for m in models:
                await m.aclose()
            return [replace(reply, latency_s=0.0) for reply in replies]

    whole, streamed = asyncio.run(play())
    assert streamed == whole
    assert whole.usage.output_tokens


def test_a_connection_that_breaks_in_the_middle_is_retried_as_a_whole():  # B35
    asked = ChatRequest(({"role": "user", "content": "Where is order A-1001?"},), Address("agent", "t", 0), [TOOL])

    async def play() -> tuple[Reply, dict[str, Any]]:
        async with FakeServer() as server:
            draw = server._fault
            server._fault = lambda number: "drop-after" if sum(server._seen.values()) == 1 else draw(number)  # type: ignore[method-assign]
            chat = model(server.url, stream=True)
            reply = await chat.complete(asked)
            await chat.aclose()
            return reply, server.stats()

    reply, stats = asyncio.run(play())
    assert reply.attempts == 2 and stats["faults"] == {"drop-after": 1}
    assert [(call.name, call.error) for call in reply.calls] == [("get_order", None)]


def test_an_error_told_inside_a_stream_is_the_callers_error():
    async def handle(request: web.Request) -> web.Response:
        data = stream({"error": {"message": "This model's maximum context length is 8192 tokens", "code": 400}})
        return web.Response(body=data, content_type="text/event-stream")

    async def play() -> BackendError:
        async with served(handle) as url:
            chat = OpenAIChat(ModelRef("url", "m", (url,), options={"stream": True}), Link(2.0, ModelKnobs(), SystemClock()))
            with pytest.raises(BackendError) as caught:
                await chat.complete(ChatRequest(({"role": "user", "content": "hi"},), Address("agent", "t", 0)))
            await chat.aclose()
            return caught.value

    assert asyncio.run(play()).kind == "context_length"


def test_an_endpoint_without_stream_options_is_asked_without_them():
    seen: list[dict[str, Any]] = []

    async def handle(request: web.Request) -> web.Response:
        sent = orjson.loads(await request.read())
        seen.append(sent)
        if "stream_options" in sent:
            return web.json_response({"error": {"message": "Unrecognized request argument: stream_options"}}, status=400)
        return web.Response(body=stream(delta(content="ok", finish="stop"), b"[DONE]"), content_type="text/event-stream")

    async def play() -> Reply:
        async with served(handle) as url:
            chat = model(url, stream=True)
            reply = await chat.complete(ChatRequest(({"role": "user", "content": "hi"},), Address("agent", "t", 0)))
            await chat.aclose()
            return reply

    reply = asyncio.run(play())
    assert reply.text == "ok" and reply.usage.output_tokens is None
    assert [("stream" in sent, "stream_options" in sent) for sent in seen] == [(True, True), (True, False)]
