"""Scoring a given text on an endpoint: what is asked, what is read, and what cannot score."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from threading import Event, Thread
from typing import Any

import pytest
from aiohttp import web

from whileai_exp.errors import ConfigError
from whileai_exp.knobs import RunKnobs
from whileai_exp.measures.reference import reference_logprobs

KNOBS = RunKnobs(retry_base_s=0.001, retry_cap_s=0.002)
ROW = {"messages": [{"role": "user", "content": "ab"}, {"role": "assistant", "content": "cde"}], "n_tokens": 3}
Answer = Callable[[dict[str, Any]], dict[str, Any]]


class Served:
    """A server on a thread of its own; `bodies` are what it was asked."""

    def __init__(self, answer: Answer) -> None:
        self.bodies: list[tuple[str, dict[str, Any]]] = []
        self._answer = answer
        self._up, self._loop = Event(), asyncio.new_event_loop()
        self._thread = Thread(target=self._serve, daemon=True)

    def _serve(self) -> None:
        async def handle(request: web.Request) -> web.Response:
            self.bodies.append((request.path, await request.json()))
            return web.json_response(self._answer(self.bodies[-1][1]))

        async def start() -> None:
            app = web.Application()
            app.router.add_post("/{tail:.*}", handle)
            runner = web.AppRunner(app, access_log=None)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
            self._stop: Callable[[], Awaitable[None]] = runner.cleanup
            self._up.set()

        self._loop.run_until_complete(start())
        self._loop.run_forever()

    def __enter__(self) -> Served:
        self._thread.start()
        self._up.wait(5)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(5)  # type: ignore[arg-type]
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)


def template(body: dict[str, Any]) -> str:
    """One token per character; a generation prompt is `>`, the end of a turn is `|`."""
    text = "".join(">" + m["content"] + "|" if m["role"] == "assistant" else m["content"] for m in body["messages"])
    return text + ">" * bool(body["add_generation_prompt"])


def vllm(body: dict[str, Any]) -> dict[str, Any]:
    text = template(body)
    told = [None, *({str(ord(c)): {"logprob": -0.5 if c in "cde|" else -9.0, "rank": 1}} for c in text[1:])]
    return {"choices": [{"message": {"role": "assistant", "content": "x"}}], "prompt_logprobs": told}


def test_the_reply_alone_is_scored_under_the_prompt_the_policy_saw() -> None:
    with Served(vllm) as server:
        found = reference_logprobs([ROW], f"vllm:ref@{server.url}", system_prompt="sys", knobs=KNOBS)
    assert found.rows[0]["ref_logprob"] == pytest.approx(-2.0) and found.token_count_gap == 1
    paths, bodies = zip(*server.bodies)
    assert set(paths) == {"/v1/chat/completions"} and all(b["prompt_logprobs"] == 0 and b["max_tokens"] == 1 for b in bodies)
    assert all(b["messages"][0] == {"role": "system", "content": "sys"} for b in bodies)
    assert sorted(b["add_generation_prompt"] for b in bodies) == [False, True]


def test_completions_with_echo_score_what_the_caller_rendered() -> None:
    def echo(body: dict[str, Any]) -> dict[str, Any]:
        tokens = [None, *[-1.0 if c in "cde" else -7.0 for c in body["prompt"][1:]], -3.3]
        return {"choices": [{"text": body["prompt"] + "?", "logprobs": {"token_logprobs": tokens}}]}

    with Served(echo) as server:
        found = reference_logprobs(
            [ROW], f"vllm:ref@{server.url}", render=lambda ms: "".join(m["content"] for m in ms), knobs=KNOBS
        )
    assert found.rows[0]["ref_logprob"] == pytest.approx(-3.0) and found.token_count_gap == 0
    assert {path for path, _ in server.bodies} == {"/v1/completions"} and all(b["echo"] for _, b in server.bodies)


def test_an_endpoint_that_cannot_score_says_so_and_is_no_zero() -> None:
    with (
        Served(lambda _: {"choices": [{"message": {"content": "x"}}]}) as server,
        pytest.raises(ConfigError, match="cannot score"),
    ):
        reference_logprobs([ROW], f"vllm:ref@{server.url}", knobs=KNOBS)
    with pytest.raises(ConfigError, match="openai gives no log-probabilities"):
        reference_logprobs([ROW], "openai:gpt@http://127.0.0.1:1/v1", knobs=KNOBS)


def test_a_function_of_the_conversation_will_do() -> None:
    def each(messages: Any) -> list[float]:
        return [-1.0] * sum(len(m["content"]) for m in messages)

    async def later(messages: Any) -> list[float]:
        return each(messages)

    for function in (each, later):
        assert reference_logprobs([ROW], function).rows[0]["ref_logprob"] == -3.0
