"""Endpoints that fail in every way endpoints fail."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from whileai_exp.errors import BackendError, ConfigError, KeyRefused
from whileai_exp.knobs import ModelKnobs
from whileai_exp.models import Link, Secret, warm_up
from whileai_exp.models.http import address_of, retry_after_s
from whileai_exp.models.openai_chat import OpenAIChat
from whileai_exp.plan.types import ModelRef
from whileai_exp.ports import Address, ChatRequest, Reply
from whileai_exp.testing.fake_clock import FakeClock
from whileai_exp.testing.fake_server import FakeServer

KNOBS = ModelKnobs()


def request(repeat: int = 0) -> ChatRequest:
    return ChatRequest(({"role": "user", "content": "hi"},), Address("agent", "t", repeat))


def chat(
    *urls: str, clock: FakeClock | None = None, key: Secret | None = None, timeout_s: float = 2.0, **knobs: Any
) -> OpenAIChat:
    link = Link(timeout_s, KNOBS.model_copy(update=knobs), clock or FakeClock(), key)
    return OpenAIChat(ModelRef("url", "m", urls), link)


def call(
    faults: dict[str, float] | None = None, first: int | None = None, clock: FakeClock | None = None, **knobs: Any
) -> tuple[Reply, FakeServer]:
    """One call against a server; `first` switches the faults off after that many requests."""

    async def play() -> tuple[Reply, FakeServer]:
        async with FakeServer(faults=faults or {}) as server:
            if first is not None:
                draw = server._fault
                server._fault = lambda number: draw(number) if sum(server._seen.values()) <= first else None  # type: ignore[method-assign]
            model = chat(server.url, clock=clock, **knobs)
            try:
                return await model.complete(request()), server
            finally:
                await model.aclose()

    return asyncio.run(play())


@pytest.mark.parametrize(
    "fault",
    [
        "429",
        "408",
        "500",
        "502",
        "503",
        "504",
        "529",
        "drop-before",
        "drop-after",
        "malformed",
        "truncated",
        "empty",
        "no-choices",
        "deep",
    ],
)
def test_what_passes_is_retried_in_the_call(fault):
    reply, server = call({fault: 1.0}, first=2)
    assert reply.text and reply.attempts == 3 and server.stats()["requests"] == 3


@pytest.mark.parametrize(("fault", "named_s"), [("429-seconds", 3.0), ("429-ms", 3.0), ("429-date", 1.9)])
def test_a_named_waiting_time_is_kept(fault, named_s):  # B36
    clock = FakeClock(datetime.now(UTC))

    async def play() -> Reply:
        async with FakeServer(faults={fault: 1.0}, retry_after_s=3.0) as server:
            draw = server._fault
            server._fault = lambda number: draw(number) if sum(server._seen.values()) <= 1 else None  # type: ignore[method-assign]
            model = chat(server.url, clock=clock)
            reply = await model.complete(request())
            await model.aclose()
            return reply

    assert asyncio.run(play()).attempts == 2
    assert len(clock.slept) == 1 and named_s <= clock.slept[0] <= named_s + 2.0


def test_a_bad_waiting_time_falls_back_to_jittered_back_off():  # B36
    for text in ("-1", "nan", "inf", "soon", ""):
        assert retry_after_s({"Retry-After": text}, 0.0) is None
    assert retry_after_s({"Retry-After": "0"}, 0.0) == 0.0
    assert retry_after_s({"Retry-After": "3"}, 0.0) == 3.0
    assert retry_after_s({"retry-after-ms": "1500", "Retry-After": "9"}, 0.0) == 1.5
    now = datetime(2026, 10, 21, 7, 27, tzinfo=UTC).timestamp()
    assert retry_after_s({"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, now) == 60.0
    assert retry_after_s({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, now) == 0.0
    clock = FakeClock()
    reply, _ = call({"429-garbage": 1.0}, first=3, clock=clock)
    assert reply.attempts == 4 and all(slept < 4.0 for slept in clock.slept)


def test_a_waiting_time_over_the_cap_is_an_error_that_names_it():  # B36
    with pytest.raises(BackendError, match="7200 s, longer than park_max_s") as caught:
        call({"429-long": 1.0})
    assert caught.value.kind == "rate_limited"


def test_back_off_is_the_same_for_the_same_call_and_differs_between_calls():
    first, again = FakeClock(), FakeClock()
    call({"500": 1.0}, first=4, clock=first)
    call({"500": 1.0}, first=4, clock=again)
    assert first.slept == again.slept and len(set(first.slept)) == 4


def test_retries_end_by_count_and_by_clock():
    with pytest.raises(BackendError, match="after 3 attempts") as caught:
        call({"500": 1.0}, retry_attempts=3)
    assert caught.value.status == 500
    with pytest.raises(BackendError, match="HTTP 503"):
        call({"503": 1.0}, retry_for_s=10.0)


def test_an_outage_of_a_minute_costs_no_call():
    clock = FakeClock()

    async def play() -> Reply:
        async with FakeServer(outage="503") as server:
            model = chat(server.url, clock=clock)

            async def recover() -> None:
                while clock.monotonic() < 60:  # noqa: ASYNC110 - the fake clock has no event
                    await asyncio.sleep(0.005)
                server.settings.outage = None

            reply, _ = await asyncio.gather(model.complete(request()), recover())
            await model.aclose()
            return reply

    assert asyncio.run(play()).text


def test_an_answer_that_is_never_usable_fails_sooner_than_an_outage():
    with pytest.raises(BackendError) as caught:
        call({"malformed": 1.0})
    assert caught.value.kind == "bad_response" and "after 6 attempts" in str(caught.value)


def test_a_prompt_over_the_window_is_final():  # B25
    with pytest.raises(BackendError) as caught:
        call({"context": 1.0})
    assert caught.value.kind == "context_length" and "attempts" not in str(caught.value)


def test_an_answer_past_the_cap_is_final_and_not_read_to_its_end():
    with pytest.raises(BackendError, match="response_cap_mb"):
        call({"huge": 1.0}, response_cap_mb=0.1)


def test_a_refused_key_opens_the_circuit_for_all_who_wait():
    async def play() -> dict[str, Any]:
        async with FakeServer(faults={"refused": 1.0}) as server:
            model = chat(server.url, endpoint_concurrency=4)
            results = await asyncio.gather(*(model.complete(request(n)) for n in range(64)), return_exceptions=True)
            assert all(isinstance(result, KeyRefused) for result in results)
            with pytest.raises(KeyRefused):
                await model.complete(request(99))
            await model.aclose()
            return server.stats()

    assert asyncio.run(play())["requests"] <= 4


def test_a_spent_quota_is_a_refused_key_not_a_rate_limit():
    with pytest.raises(KeyRefused) as caught:
        call({"quota": 1.0})
    assert caught.value.kind == "quota"


def test_a_key_that_the_server_repeats_is_not_in_the_error():
    async def play() -> str:
        async with FakeServer(api_key="right", echo_key=True) as server:
            model = chat(server.url, key=Secret("MY_KEY", "sk-canary-1234567890"))
            with pytest.raises(KeyRefused) as caught:
                await model.complete(request())
            await model.aclose()
            assert caught.value.__cause__ is None
            return str(caught.value)

    said = asyncio.run(play())
    assert "sk-canary" not in said and "[secret:MY_KEY]" in said


def test_a_stalled_endpoint_times_out_and_says_so():
    with pytest.raises(BackendError) as caught:
        call({"stall": 1.0}, timeout_s=0.05, retry_attempts=2)
    assert caught.value.kind == "timeout"


def test_a_slow_body_is_waited_for():
    assert call({"slow": 1.0})[0].text


def test_a_dead_address_is_given_up_on_soon_and_the_next_endpoint_serves():
    clock = FakeClock()
    with pytest.raises(BackendError) as caught:
        asyncio.run(chat("http://127.0.0.1:9/v1", clock=clock).complete(request()))
    assert caught.value.kind == "unreachable" and clock.monotonic() < 30

    async def play() -> list[Reply]:
        async with FakeServer() as server:
            model = chat("http://127.0.0.1:9/v1", server.url)
            replies = await asyncio.gather(*(model.complete(request(n)) for n in range(8)))
            await model.aclose()
            return replies

    assert all(reply.text for reply in asyncio.run(play()))


def test_stray_throttling_does_not_slow_the_endpoint_down():
    """One call in ten is throttled once: it is sent again, and nobody else waits or is held back."""

    async def play() -> tuple[float, float, int, list[int]]:
        async with FakeServer() as server:
            clock = FakeClock()
            server._fault = lambda number: "429-seconds" if sum(server._seen.values()) % 10 == 1 else None  # type: ignore[method-assign]
            model = chat(server.url, clock=clock)
            replies = [await model.complete(request(n)) for n in range(90)]
            limiter = model._transport._limiters[0]
            await model.aclose()
            return limiter.window, limiter._parked_until, server.stats()["requests"], [r.attempts for r in replies]

    window, parked_until, requests, attempts = asyncio.run(play())
    assert window == KNOBS.endpoint_concurrency and parked_until == float("-inf")
    assert requests == 100 and attempts.count(2) == 10 and attempts.count(1) == 80


def test_heavy_throttling_shrinks_the_window_and_success_grows_it():
    async def play() -> tuple[float, float]:
        async with FakeServer(outage="429") as server:
            model = chat(server.url, retry_attempts=6)
            await asyncio.gather(*(model.complete(request(n)) for n in range(64)), return_exceptions=True)
            low = model._transport._limiters[0].window
            server.settings.outage = None
            await asyncio.gather(*(model.complete(request(n)) for n in range(100, 300)))
            high = model._transport._limiters[0].window
            await model.aclose()
            return low, high

    low, high = asyncio.run(play())
    assert low < 16 and high > 64


def test_addresses_are_completed_and_must_hold_no_password():
    assert address_of("http://localhost:8000") == "http://localhost:8000/v1"
    assert address_of("http://localhost:8000/v1/") == "http://localhost:8000/v1"
    assert address_of("https://x.org/api/v3/chat/completions") == "https://x.org/api/v3"
    for bad in ("localhost:8000", "ftp://x", "http://"):
        with pytest.raises(ConfigError):
            address_of(bad)
    with pytest.raises(ConfigError, match="password") as caught:
        address_of("http://user:hunter2@x.org/v1")
    assert "hunter2" not in str(caught.value)


def test_one_model_serves_several_event_loops():
    async def once(model: OpenAIChat) -> str:
        async with FakeServer() as server:
            model._transport._urls[0] = server.url + "/chat/completions"
            return (await model.complete(request())).text

    model = chat("http://127.0.0.1:9")
    assert asyncio.run(once(model)) == asyncio.run(once(model))


def probe(server: FakeServer | None, url: str | None = None, **knobs: Any) -> tuple[OpenAIChat, FakeClock]:
    async def play() -> tuple[OpenAIChat, FakeClock]:
        clock = FakeClock()
        link = Link(2.0, KNOBS.model_copy(update=knobs), clock)
        if server is not None:
            await server.start()
        model = OpenAIChat(ModelRef("url", None, (url or (server.url if server else ""),)), link)
        try:
            await warm_up(model)
        finally:
            await model.aclose()
            if server is not None:
                await server.stop()
        return model, clock

    return asyncio.run(play())


def test_a_url_without_a_model_takes_the_one_it_serves():
    assert probe(FakeServer())[0].model == "fake"


def test_a_server_that_is_loading_is_waited_for_by_one_probe():
    server = FakeServer()
    server.loading = 5
    model, clock = probe(server)
    assert model.model == "fake" and len(clock.slept) == 5 and server.stats()["requests"] == 0


def test_an_address_where_nothing_listens_is_told_soon():
    with pytest.raises(BackendError, match="127.0.0.1:9 cannot be used") as caught:
        probe(None, "http://127.0.0.1:9")
    assert caught.value.kind == "unreachable"


def test_a_bad_key_is_told_before_anything_is_spent():
    with pytest.raises(KeyRefused):
        probe(FakeServer(api_key="other"))
