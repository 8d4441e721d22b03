"""Knobs of the call path, the judging and the gates, seen on a server, on a judge's call and on a gate's verdict."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import orjson

import whileai_exp as wai
from whileai_exp.errors import BackendError
from whileai_exp.gates import check_gates
from whileai_exp.judges import LLMJudge
from whileai_exp.judges._payload import shown
from whileai_exp.knobs import RunKnobs
from whileai_exp.models import Link
from whileai_exp.models.anthropic import AnthropicMessages
from whileai_exp.models.limiter import Limiter
from whileai_exp.models.openai_chat import OpenAIChat
from whileai_exp.models.reading import read_chat
from whileai_exp.plan import resolve_plan
from whileai_exp.plan.types import ModelRef
from whileai_exp.ports import Address, ChatRequest, Evidence, Reply
from whileai_exp.run.estimate import estimate
from whileai_exp.run.pipeline import open_journal
from whileai_exp.schema import Spec
from whileai_exp.spec import load_spec
from whileai_exp.testing.fake_clock import FakeClock
from whileai_exp.testing.fake_server import FakeServer
from whileai_exp.verify import CodeExec, MathEqual, Regex
from whileai_exp.verify._knobs import under

from ._effect import Effect, Observe


def request(repeat: int = 0) -> ChatRequest:
    return ChatRequest(({"role": "user", "content": "hi"},), Address("agent", "t", repeat))


def served(see: Callable[[Any, FakeServer, FakeClock], Any], calls: int = 1, timeout_s: float = 2.0, **settings: Any) -> Observe:
    """What is seen after some calls at once to a server that behaves as told; `see` gets the last answer or error."""

    def observe(knobs: RunKnobs) -> Any:
        async def play() -> Any:
            clock = FakeClock()
            async with FakeServer(**settings) as server:
                model = OpenAIChat(ModelRef("url", "m", (server.url,)), Link(timeout_s, knobs, clock))
                found = await asyncio.gather(*(model.complete(request(n)) for n in range(calls)), return_exceptions=True)
                seen = see(found[-1], server, clock)
                await model.aclose()
                return seen

        return asyncio.run(play())

    return observe


def requests(_: Any, server: FakeServer, __: FakeClock) -> int:
    return server.stats()["requests"]


def waited(_: Any, __: FakeServer, clock: FakeClock) -> float:
    return clock.monotonic()


def longest(_: Any, __: FakeServer, clock: FakeClock) -> float:
    return max(clock.slept)


def nobody_there(knobs: RunKnobs) -> float:
    clock = FakeClock()
    model = OpenAIChat(ModelRef("url", "m", ("http://127.0.0.1:9/v1",)), Link(2.0, knobs, clock))
    try:
        asyncio.run(model.complete(request()))
    except BackendError:
        return clock.monotonic()
    raise AssertionError("nothing listens there")


def loading(knobs: RunKnobs) -> float:
    """How long a server that never finishes loading is waited for."""

    async def play() -> float:
        clock = FakeClock()
        async with FakeServer() as server:
            server.loading = 10_000
            model = OpenAIChat(ModelRef("url", None, (server.url,)), Link(2.0, knobs, clock))
            with suppress(BackendError):
                await model.warm_up()
            await model.aclose()
            return clock.monotonic()

    return asyncio.run(play())


def connecting(knobs: RunKnobs) -> float | None:
    async def play() -> float | None:
        async with FakeServer() as server:
            model = OpenAIChat(ModelRef("url", "m", (server.url,)), Link(2.0, knobs, FakeClock()))
            await model.complete(request())
            found = model._transport._session.timeout.sock_connect
            await model.aclose()
            return found

    return asyncio.run(play())


def journal_of(knobs: RunKnobs) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        plan = resolve_plan({"advanced": knobs.model_dump()}, spec=Spec((), ""))
        journal = open_journal(plan, Path(folder), False)
        return journal._commit_s, journal._sync_s


def ran_under(name: str) -> Observe:
    """A limit that a candidate program is run under, with the running itself left out."""

    def observe(knobs: RunKnobs) -> Any:
        seen: list[Any] = []

        def boxes(source: str, tests: str, limits: Any, level: int) -> Any:
            seen.append(limits)
            return SimpleNamespace(reason="timeout", passed=0, total=0)

        with mock.patch("whileai_exp.verify.code.run_boxes", boxes):
            row = {"final_text": "```python\ndef f(): return 1\n```", "tests": "assert f() == 1"}
            under(knobs, lambda given: CodeExec(min_level=1)(given))(row)
        return getattr(seen[0], name)

    return observe


def held_at(knobs: RunKnobs) -> bool:
    """Whether code at containment level 1 is refused."""
    with mock.patch("whileai_exp.verify.code.run_boxes", lambda *_: SimpleNamespace(reason="ok", passed=1, total=1)):
        row = {"final_text": "```python\ndef f(): return 1\n```", "tests": "assert f() == 1"}
        return "sandbox_unavailable" in under(knobs, lambda given: CodeExec(level=1)(given))(row)["reason"]


def waits_for(maths: bool) -> Observe:
    """The deadline that a comparison in a worker is given."""

    def observe(knobs: RunKnobs) -> float:
        seen: list[float] = []

        class Workers:
            def call(self, op: str, arguments: Any, limit: float) -> Any:
                seen.append(limit)
                return {"equal": True, "found": True, "captured": []}

        where = "maths" if maths else "text"
        judge = MathEqual() if maths else Regex(pattern="x+")
        with mock.patch(f"whileai_exp.verify.{where}.workers", Workers):
            under(knobs, judge)({"final_text": "x + x", "answer": "2*x"})
        return seen[0]

    return observe


def estimated(key: str) -> Observe:
    def observe(knobs: RunKnobs) -> Any:
        tools = [
            {
                "name": "get_order",
                "description": "Look up an order.",
                "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
            }
        ]
        config = {
            "agent": {"kind": "openai", "model": "m"},
            "counts": {"situations": 40, "repeats": 1},
            "advanced": knobs.model_dump(),
        }
        return getattr(estimate(resolve_plan(config, spec=load_spec({"tools": tools, "policy": "Help."}).spec)), key)

    return observe


def cut_window(knobs: RunKnobs) -> float:
    limiter = Limiter(100, knobs.limiter_backoff, knobs.limiter_tolerance, FakeClock())
    limiter.in_flight = 100
    for _ in range(3):
        limiter.throttled(0.0, None)
    return limiter.window


def read(calls: int, arguments: str) -> Observe:
    def observe(knobs: RunKnobs) -> Any:
        listed = [{"id": f"c{n}", "type": "function", "function": {"name": "f", "arguments": arguments}} for n in range(calls)]
        body = {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"tool_calls": listed}}]}
        try:
            return all(call.error is None for call in read_chat(body, knobs=knobs, max_tokens=None, tokens=False).calls)
        except BackendError:
            return False

    return observe


def anthropic_cap(knobs: RunKnobs) -> int:
    model = AnthropicMessages(ModelRef("anthropic", "m", ("http://127.0.0.1:9/v1",)), Link(2.0, knobs, FakeClock()))
    return orjson.loads(model.payload(request()))["max_tokens"]


class Says:
    """A judging model that gives one answer and keeps what it was asked."""

    model = "judge-x"

    def __init__(self, answer: str = '{"reason": "fine", "reward": 1}', wait_s: float = 0.0) -> None:
        self.answer, self.wait_s, self.asked, self.running, self.peak = answer, wait_s, [], 0, 0

    async def complete(self, request: ChatRequest) -> Reply:
        self.asked.append(request)
        self.running += 1
        self.peak = max(self.peak, self.running)
        await asyncio.sleep(self.wait_s)
        self.running -= 1
        return Reply(self.answer)

    async def aclose(self) -> None: ...


ROW = {"rollout_id": "r0", "prompt": "p" * 9000, "final_text": "f" * 9000, "steps": [{"tool": "t", "arguments": {}, "result": "x" * 900, "status": "ok"}] * 60, "model_version": "m"}  # fmt: skip


def judged(see: Callable[[Says, dict[str, Any]], Any], rows: int = 1, **says: Any) -> Observe:
    def observe(knobs: RunKnobs) -> Any:
        chat = Says(**says)
        given = [{**ROW, "rollout_id": f"r{n}"} for n in range(rows)]
        spec = Spec((), "policy " * 2000)
        return see(chat, wai.run_judge(given, LLMJudge(chat), spec=spec, knobs=knobs).rows[0])

    return observe


def payload(key: str) -> Observe:
    def observe(knobs: RunKnobs) -> int:
        text = shown(ROW, knobs.model_copy(update={"judge_payload_chars": 200_000}), spec=Spec((), "policy " * 2000)).text
        return len(orjson.loads(text.split("\n", 1)[1].rsplit("\n", 1)[0])[key])

    return observe


def hung(knobs: RunKnobs) -> str:
    return wai.run_judge([{"rollout_id": "r", "final_text": "x"}], lambda row: time.sleep(0.2) or 1, knobs=knobs).rows[0][
        "judge_status"
    ]


def gate(name: str, rows: list[dict[str, Any]]) -> Observe:
    return lambda knobs: str(check_gates({name: {}}, Evidence("rl", rows, rows, {}, {}), knobs)[0].status)


def plain(n: int, **more: Any) -> list[dict[str, Any]]:
    return [{"scenario_id": f"t{i // 2}", "rollout_id": f"r{i}", "reward": 1.0, "judge_status": "ok", "status": "ok", "final_text": "x", **more} for i in range(n)]  # fmt: skip


MIXED = [*plain(18), {**plain(1)[0], "scenario_id": "m", "reward": 0.0}, {**plain(1)[0], "scenario_id": "m"}]
UNJUDGED = [*plain(9), {**plain(1)[0], "reward": None, "judge_status": "timeout"}]

EFFECTS: dict[str, Effect] = {
    "connect_timeout_s": Effect((5.0, 1.5), connecting, (5.0, 1.5)),
    "idle_timeout_s": Effect((0.001, 60.0), lambda k: served(lambda answer, *_: isinstance(answer, Reply), faults={"slow": 1.0})(k.model_copy(update={"retry_attempts": 1})), (False, True)),
    "journal_commit_s": Effect((0.0, 0.5), lambda k: journal_of(k)[0], (0.0, 0.5)),
    "journal_sync_s": Effect((0.0, 9.0), lambda k: journal_of(k)[1], (0.0, 9.0)),
    "code_timeout_s": Effect((10.0, 2.0), ran_under("timeout_s"), (10.0, 2.0)),
    "code_cpu_s": Effect((5.0, 1.0), ran_under("cpu_s"), (5.0, 1.0)),
    "code_memory_mb": Effect((512, 128), ran_under("memory_mb"), (512, 128)),
    "code_processes": Effect((32, 8), ran_under("processes"), (32, 8)),
    "sandbox_min_level": Effect((1, 2), held_at, (False, True)),
    "math_timeout_s": Effect((5.0, 0.5), waits_for(True), (5.0, 0.5)),
    "regex_timeout_s": Effect((1.0, 0.5), waits_for(False), (1.0, 0.5)),
    "assumed_latency_s": Effect((1.0, 3.0), estimated("seconds"), "more"),
    "rehearsal_situations": Effect((3, 12), estimated("sample"), (3, 12)),
    "unreachable_s": Effect((3.0, 60.0), nobody_there, "more"),
    "cold_start_s": Effect((20.0, 200.0), loading, "more"),
    "retry_for_s": Effect((5.0, 100.0), served(waited, faults={"500": 1.0}), "more"),
    "retry_attempts": Effect((1, 4), served(requests, faults={"500": 1.0}), (1, 4)),
    "retry_base_s": Effect((0.1, 5.0), served(lambda a, s, clock: clock.slept[0], faults={"500": 1.0}), "more"),
    "retry_cap_s": Effect((0.5, 20.0), served(longest, faults={"500": 1.0}), "more"),
    "bad_response_attempts": Effect((2, 5), served(requests, faults={"malformed": 1.0}), (2, 5)),
    "park_max_s": Effect((5.0, 1.0), served(lambda answer, *_: isinstance(answer, BackendError) and "park_max_s" in str(answer), faults={"429-seconds": 0.5}, retry_after_s=3.0, seed=1, calls=8), (False, True)),
    "endpoint_concurrency": Effect((2, 16), served(lambda a, server, c: server.stats()["peak_in_flight"], calls=16, latency_s=0.02), (2, 16)),
    "limiter_backoff": Effect((0.5, 0.9), lambda k: cut_window(k.model_copy(update={"limiter_tolerance": 0.0})), "more"),
    "limiter_tolerance": Effect((0.0, 1.0), cut_window, "more"),
    "response_cap_mb": Effect((16.0, 0.00001), served(lambda answer, *_: isinstance(answer, Reply)), (True, False)),
    "json_depth_cap": Effect((64, 8), read(1, '{"a":' + "[" * 20 + "]" * 20 + "}"), (True, False)),
    "calls_per_turn_cap": Effect((128, 2), read(3, "{}"), (True, False)),
    "anthropic_max_tokens": Effect((4096, 99), anthropic_cap, (4096, 99)),
    "judge_concurrency": Effect((1, 4), judged(lambda chat, _: chat.peak, rows=6, wait_s=0.01), (1, 4)),
    "judge_timeout_s": Effect((30.0, 0.05), hung, ("ok", "timeout")),
    "judge_reason_chars": Effect((2000, 10), judged(lambda _, row: len(row["reason"]), answer=json.dumps({"reason": "y" * 500, "reward": 1})), (500, 10)),
    "judge_retries": Effect((0, 3), lambda k: judged(lambda chat, _: len(chat.asked), answer="hm")(k.model_copy(update={"judge_temperature": 0.7})), (1, 4)),
    "judge_max_tokens": Effect((512, 99), judged(lambda chat, _: chat.asked[0].sampling.max_tokens), (512, 99)),
    "judge_temperature": Effect((0.0, 1.0), judged(lambda chat, _: chat.asked[0].sampling.temperature), (0.0, 1.0)),
    "judge_payload_chars": Effect((24_000, 6_000), lambda k: shown(ROW, k).chars, "less"),
    "judge_situation_chars": Effect((4000, 200), payload("situation"), "less"),
    "judge_reply_chars": Effect((6000, 200), payload("final_text"), "less"),
    "judge_policy_chars": Effect((4000, 200), payload("agent_policy"), "less"),
    "gate_min_graded_share": Effect((0.9, 0.95), gate("graded", UNJUDGED), ("pass", "fail")),
    "gate_min_mixed_share": Effect((0.05, 0.2), gate("mixed_groups", MIXED), ("pass", "fail")),
    "gate_max_truncated_share": Effect((0.2, 0.05), gate("truncation", [*plain(9), *plain(1, status="truncated")]), ("pass", "fail")),
    "gate_max_error_share": Effect((0.2, 0.05), gate("errors", [*plain(9), *plain(1, status="agent_error")]), ("pass", "fail")),
}  # fmt: skip
