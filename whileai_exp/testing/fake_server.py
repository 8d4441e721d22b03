"""An OpenAI-compatible server that plays tool-calling conversations and fails on purpose.

    python -m whileai_exp.testing.fake_server --port 0 --seed 1 --fault 429=0.08 --fault 500=0.04 --latency 0.02

prints its base URL and serves until it is stopped. In tests: `async with FakeServer(faults={"429": 0.1}) as server`.

Replies are a pure function of the request. Whether a request fails is a function of the seed, the request and how
often this request was seen, so that a retry can succeed and a run's faults are the same whenever it is repeated.
Requests are counted by key (the Idempotency-Key header, else the body): GET /stats says how many keys were worked on
more than once, which is what a client paid for twice. POST /config changes any setting while it runs.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from email.utils import formatdate
from hashlib import sha256
from typing import Any

import orjson
from aiohttp import web

from ._fake_replies import digest, events_of, message_for

FAULTS = (
    "429", "429-seconds", "429-ms", "429-date", "429-long", "429-garbage", "408", "500", "502", "503", "504", "529",
    "drop-before", "drop-after", "malformed", "truncated", "empty", "no-choices", "huge", "deep", "slow", "stall", "null-finish", "no-usage",
    "cut-call", "bad-arguments", "content-filter", "context", "quota", "refused",
)  # fmt: skip
"""What a request can meet instead of, or around, its answer."""
_HARMLESS = frozenset({"null-finish", "no-usage", "cut-call", "bad-arguments", "content-filter", "slow"})


@dataclass(slots=True)
class Settings:
    """How the server behaves; every field can be set by POST /config."""

    seed: int = 0
    faults: dict[str, float] = field(default_factory=dict)
    """Fault to the share of requests that meet it."""
    latency_s: float = 0.0
    latency_spread: float = 0.0
    """Sigma of a log-normal factor on the latency; 0 is a fixed one."""
    refuse_after: int | None = None
    """Every request past this many is a 401."""
    quota_after: int | None = None
    """Every request past this many is a 429 insufficient_quota."""
    outage: str | None = None
    """While set, every request meets this fault."""
    cold_s: float = 0.0
    """Seconds from the first request during which the model is loading (503)."""
    retry_after_s: float = 0.05
    api_key: str | None = None
    """When set, requests with another key are a 401."""
    echo_key: bool = False
    """Whether a 401 repeats the key it got, as some servers do."""


class FakeServer:
    """The server; `url` is its base URL once it runs."""

    def __init__(self, port: int = 0, **settings: Any) -> None:
        self.settings = Settings(**settings)
        self.url = ""
        self.bodies: list[dict[str, Any]] = []
        """Requests in order of arrival, when `keep_bodies` is set."""
        self.keep_bodies = False
        self.loading = 0
        """How many more GETs of the model list are answered 503."""
        self._port = port
        self._runner: web.AppRunner | None = None
        self._seen: Counter[str] = Counter()
        self._worked: Counter[str] = Counter()
        self._statuses: Counter[str] = Counter()
        self._faulted: Counter[str] = Counter()
        self._in_flight = 0
        self._peak = 0
        self._first_s: float | None = None

    async def start(self) -> str:
        app = web.Application(client_max_size=1 << 26)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._models)
        app.router.add_get("/stats", self._stats)
        app.router.add_post("/config", self._config)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}/v1"
        return self.url

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> FakeServer:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def stats(self) -> dict[str, Any]:
        """What was asked of it so far."""
        return {
            "requests": sum(self._seen.values()),
            "keys": len(self._seen),
            "answered": sum(self._worked.values()),
            "answered_twice": sum(count - 1 for count in self._worked.values()),
            "by_status": dict(sorted(self._statuses.items())),
            "faults": dict(sorted(self._faulted.items())),
            "peak_in_flight": self._peak,
        }

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        self._in_flight += 1
        self._peak = max(self._peak, self._in_flight)
        try:
            return await self._answer(request)
        finally:
            self._in_flight -= 1

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        key = request.headers.get("Idempotency-Key") or sha256(raw).hexdigest()
        self._seen[key] += 1
        try:
            body = orjson.loads(raw)
        except ValueError:
            return self._error(400, "the body is not JSON")
        if self.keep_bodies:
            self.bodies.append(body)
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        draw = digest(self.settings.seed, key, self._seen[key])
        fault = self.settings.outage or self._fault(draw)
        if fault is not None:
            self._faulted[fault] += 1
            if fault not in _HARMLESS:
                failed = await self._failed(request, fault, draw)
                if failed is not None:
                    return failed
        await self._wait(draw)
        self._worked[key] += 1
        completion = self._completion(body, fault)
        if body.get("stream"):
            return await self._streamed(request, completion, fault, with_usage=bool(body.get("stream_options")))
        data = orjson.dumps(completion)
        if fault == "drop-after":
            return self._drop(request)
        self._statuses["200"] += 1
        if fault == "slow":
            return await self._slowly(request, data)
        return web.Response(body=data, content_type="application/json")

    def _refusal(self, request: web.Request) -> web.Response | None:
        """Answers that do not depend on the request's content: a bad key, a spent quota, a model that is loading."""
        settings, count = self.settings, sum(self._seen.values())
        sent = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if (settings.api_key is not None and sent != settings.api_key) or (
            settings.refuse_after is not None and count > settings.refuse_after
        ):
            return self._error(401, f"Incorrect API key provided: {sent if settings.echo_key else '***'}", "invalid_api_key")
        if settings.quota_after is not None and count > settings.quota_after:
            return self._error(429, "You exceeded your current quota", "insufficient_quota")
        if settings.cold_s:
            self._first_s = self._first_s if self._first_s is not None else time.monotonic()
            if time.monotonic() - self._first_s < settings.cold_s:
                return self._error(503, "Loading model")
        return None

    def _fault(self, draw: int) -> str | None:
        point = (draw % 10**9) / 10**9
        for fault, share in self.settings.faults.items():
            point -= share
            if point < 0:
                return fault
        return None

    async def _failed(self, request: web.Request, fault: str, draw: int) -> web.StreamResponse | None:
        """The failing answer; None for a fault that strikes after the work."""
        if fault == "drop-after":
            return None
        if fault == "drop-before":
            return self._drop(request)
        if fault == "stall":
            await asyncio.sleep(3600)
        if fault.startswith("429"):
            return self._error(429, "Rate limit reached", "rate_limit_exceeded", self._retry_header(fault))
        if fault.isdigit():
            return self._error(int(fault), "something broke on the server")
        if fault == "quota":
            return self._error(429, "You exceeded your current quota", "insufficient_quota")
        if fault == "refused":
            return self._error(401, "Incorrect API key provided", "invalid_api_key")
        if fault == "context":
            said = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"
            return self._error(400, said, "context_length_exceeded")
        self._statuses["200"] += 1
        bodies: Mapping[str, bytes] = {
            "malformed": b'{"choices": [{"message": {"content": "ha',
            "empty": b"",
            "no-choices": b'{"object": "chat.completion", "choices": []}',
            "huge": b'{"choices": "' + b"x" * (1 << 20) + b'"}',
            "deep": b"[" * 100_000,
        }
        if fault == "truncated":
            response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "4000"})
            await response.prepare(request)
            await response.write(b'{"choices": [{"message"')
            return self._drop(request, response)
        return web.Response(body=bodies[fault], content_type="application/json")

    def _retry_header(self, fault: str) -> dict[str, str]:
        wait_s = self.settings.retry_after_s
        return {
            "429-seconds": {"Retry-After": f"{wait_s:g}"},
            "429-ms": {"retry-after-ms": f"{wait_s * 1000:g}"},
            "429-date": {"Retry-After": formatdate(time.time() + max(1.0, wait_s), usegmt=True)},
            "429-long": {"Retry-After": "7200"},
            "429-garbage": {"Retry-After": "soon"},
        }.get(fault, {})

    async def _wait(self, draw: int) -> None:
        settings = self.settings
        if settings.latency_s:
            from .._rng import Stream

            factor = 2.718281828459045 ** (settings.latency_spread * Stream(draw).gauss()) if settings.latency_spread else 1.0
            await asyncio.sleep(settings.latency_s * factor)

    def _completion(self, body: Mapping[str, Any], fault: str | None) -> dict[str, Any]:
        message, finish = message_for(body)
        calls = message.get("tool_calls")
        if fault == "bad-arguments" and calls:
            calls[0]["function"]["arguments"] = '{"id": 12'
        if fault == "cut-call" and calls:
            calls[0]["function"]["arguments"], finish = calls[0]["function"]["arguments"][:-2], "length"
        if fault == "content-filter":
            message, finish = {"role": "assistant", "content": ""}, "content_filter"
        text = str(message.get("content") or orjson.dumps(calls).decode())
        words = text.split() or [""]
        choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": None if fault == "null-finish" else finish}
        if body.get("logprobs"):
            choice["logprobs"] = {"content": [{"token": word, "logprob": -0.001 * (digest(word) % 1000)} for word in words]}
        out = {
            "id": f"chatcmpl-{digest(body) % 10**12:012d}",
            "object": "chat.completion",
            "created": 0,
            "model": body.get("model", "fake"),
            "choices": [choice],
        }
        if fault != "no-usage":
            prompt = len(orjson.dumps(body.get("messages", []))) // 4
            out["usage"] = {"prompt_tokens": prompt, "completion_tokens": len(words), "total_tokens": prompt + len(words)}
        return out

    async def _streamed(
        self, request: web.Request, completion: dict[str, Any], fault: str | None, *, with_usage: bool
    ) -> web.StreamResponse:
        """The completion as server-sent events; `drop-after` breaks the connection half way."""
        events = events_of(completion, with_usage=with_usage)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in events[: len(events) // 2] if fault == "drop-after" else events:
            await response.write(event)
            if fault == "slow":
                await asyncio.sleep(0.005)
        if fault == "drop-after":
            return self._drop(request, response)
        await response.write_eof()
        self._statuses["200"] += 1
        return response

    async def _slowly(self, request: web.Request, data: bytes) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        for start in range(0, len(data), max(1, len(data) // 8)):
            await response.write(data[start : start + max(1, len(data) // 8)])
            await asyncio.sleep(0.005)
        await response.write_eof()
        return response

    def _drop(self, request: web.Request, response: web.StreamResponse | None = None) -> web.StreamResponse:
        if request.transport is not None:
            request.transport.abort()
        self._statuses["dropped"] += 1
        return response if response is not None else web.Response()

    def _error(self, status: int, said: str, code: str = "error", headers: Mapping[str, str] | None = None) -> web.Response:
        self._statuses[str(status)] += 1
        body = orjson.dumps({"error": {"message": said, "type": code, "code": code}})
        return web.Response(status=status, body=body, content_type="application/json", headers=headers)

    async def _models(self, request: web.Request) -> web.Response:
        sent = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if self.settings.api_key is not None and sent != self.settings.api_key:
            return self._error(401, "Incorrect API key provided", "invalid_api_key")
        if self.loading > 0:
            self.loading -= 1
            return self._error(503, "Loading model")
        return web.Response(
            body=orjson.dumps({"object": "list", "data": [{"id": "fake", "object": "model"}]}), content_type="application/json"
        )

    async def _stats(self, request: web.Request) -> web.Response:
        return web.Response(body=orjson.dumps(self.stats()), content_type="application/json")

    async def _config(self, request: web.Request) -> web.Response:
        known = {f.name for f in fields(Settings)}
        given = orjson.loads(await request.read())
        for name, value in given.items():
            if name in known:
                setattr(self.settings, name, value)
        if given.get("reset"):
            for counter in (self._seen, self._worked, self._statuses, self._faulted):
                counter.clear()
            self._peak = 0
        return web.Response(body=b"{}", content_type="application/json")


async def serve(port: int, **settings: Any) -> None:
    """Run until SIGINT or SIGTERM; the base URL is the first line on stdout."""
    async with FakeServer(port, **settings) as server:
        sys.stdout.write(server.url + "\n")
        sys.stdout.flush()
        over = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, over.set)
        await over.wait()


def _share(text: str) -> tuple[str, float]:
    name, _, share = text.partition("=")
    if name not in FAULTS:
        raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(FAULTS)}")
    return name, float(share or 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m whileai_exp.testing.fake_server", description="A fake model server that can fail on purpose."
    )
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds per answer")
    parser.add_argument("--spread", type=float, default=0.0, help="sigma of a log-normal factor on the latency")
    parser.add_argument("--fault", type=_share, action="append", default=[], metavar="NAME=SHARE", help=", ".join(FAULTS))
    parser.add_argument("--refuse-after", type=int, default=None)
    args = parser.parse_args()
    settings = {"seed": args.seed, "faults": dict(args.fault), "latency_s": args.latency, "latency_spread": args.spread}
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(args.port, refuse_after=args.refuse_after, **settings))


if __name__ == "__main__":
    main()
