"""A model endpoint that costs its clients as little as an endpoint can: one process, no framework, deterministic.

    python benchmarks/mock_server.py --latency fixed:200 --tool-turns 3 --err429 0.1

prints the port it listens on. A reply is a pure function of the request: while the conversation since the last user
message has fewer than `--tool-turns` assistant turns with tool calls, one more tool is called; then it speaks. How long
a reply takes, and whether it is a 429, also depends on how often this body was seen, so that a retry can succeed.

GET /stats   requests by status since the last POST /reset, the largest number in flight, CPU seconds
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable
from hashlib import blake2b
from math import exp
from statistics import NormalDist
from typing import Any

import orjson

_LINE = "Your order was shipped on Monday and arrives within three days; the refund goes back to the card you paid with. "
_REASONS = {200: b"OK", 404: b"Not Found", 429: b"Too Many Requests"}


def delay_of(text: str) -> Callable[[float], float]:
    """Seconds of latency from a uniform draw: `0`, `fixed:MS` or `lognormal:MEDIAN_MS:SIGMA`."""
    kind, *numbers = text.split(":")
    if kind == "lognormal":
        median_s, sigma, quantile = float(numbers[0]) / 1e3, float(numbers[1]), NormalDist().inv_cdf
        return lambda u: median_s * exp(sigma * quantile(u))
    seconds = float(numbers[0]) / 1e3 if kind == "fixed" else 0.0
    return lambda u: seconds


class Endpoint:
    """What the server answers, and what it counted."""

    def __init__(self, latency: str, tool_turns: int, err429: float, retry_after_s: float) -> None:
        self.delay = delay_of(latency)
        self.tool_turns, self.err429, self.retry_after_s = tool_turns, err429, retry_after_s
        self.seen: Counter[bytes] = Counter()
        self.reset()

    def reset(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.in_flight = self.peak = 0
        self.cpu_s = time.process_time()

    def stats(self) -> dict[str, Any]:
        by_status = {str(status): count for status, count in sorted(self.statuses.items())}
        return {"by_status": by_status, "peak": self.peak, "cpu_s": time.process_time() - self.cpu_s}

    def answer(self, body: bytes) -> tuple[int, bytes, float]:
        """Status, body and latency of a chat request."""
        number = blake2b(body, digest_size=8).digest()
        count = self.seen[number]
        self.seen[number] += 1
        draws = blake2b(number + count.to_bytes(4, "big"), digest_size=16).digest()
        if int.from_bytes(draws[:8], "big") / 2**64 < self.err429:
            return 429, b'{"error":{"message":"slow down","type":"rate_limit_error"}}', 0.0
        latency_s = self.delay((int.from_bytes(draws[8:], "big") + 0.5) / 2**64)
        return 200, orjson.dumps(self.reply(orjson.loads(body), number, len(body))), latency_s

    def reply(self, request: dict[str, Any], number: bytes, size: int) -> dict[str, Any]:
        turns = 0
        for message in reversed(request["messages"]):
            if message["role"] == "user":
                break
            turns += bool(message.get("tool_calls"))
        tools = request.get("tools")
        if tools and turns < self.tool_turns:
            function = tools[number[0] % len(tools)]["function"]
            values = {name: value_of(schema, number) for name, schema in function["parameters"].get("properties", {}).items()}
            call = {"name": function["name"], "arguments": orjson.dumps(values).decode()}
            message = {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"call_{number.hex()}", "type": "function", "function": call}],
            }
        else:
            message = {"role": "assistant", "content": _LINE * 3}
        return {
            "id": f"chatcmpl-{number.hex()}",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}],
            "usage": {"prompt_tokens": size // 4, "completion_tokens": 60, "total_tokens": size // 4 + 60},
        }


def value_of(schema: dict[str, Any], number: bytes) -> Any:
    """An argument that its schema allows."""
    if schema.get("enum"):
        return schema["enum"][number[1] % len(schema["enum"])]
    kinds = {"integer": 1 + number[2], "number": 1.5 + number[2], "boolean": True, "array": [], "object": {}}
    return kinds.get(schema.get("type", "string"), f"A-{100 + number[3]}")


class Connection(asyncio.Protocol):
    """HTTP/1.1 with a content length, which is all that the clients here send."""

    def __init__(self, endpoint: Endpoint, loop: asyncio.AbstractEventLoop) -> None:
        self.endpoint, self.loop = endpoint, loop
        self.buffer = b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].lower()
            at = head.find(b"content-length:")
            size = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self.buffer) < end + 4 + size:
                return
            body, self.buffer = self.buffer[end + 4 : end + 4 + size], self.buffer[end + 4 + size :]
            self.serve(head.split(b" ", 2)[1], body)

    def serve(self, path: bytes, body: bytes) -> None:
        endpoint = self.endpoint
        if path == b"/v1/chat/completions":
            endpoint.in_flight += 1
            endpoint.peak = max(endpoint.peak, endpoint.in_flight)
            status, answer, latency_s = endpoint.answer(body)
            if latency_s > 0:
                self.loop.call_later(latency_s, self.finish, status, answer)
            else:
                self.finish(status, answer)
            return
        known: dict[bytes, Callable[[], Any]] = {
            b"/stats": endpoint.stats,
            b"/reset": endpoint.reset,
            b"/v1/models": lambda: {"data": [{"id": "mock"}]},
        }
        self.send(200 if path in known else 404, orjson.dumps(known[path]() if path in known else {}))

    def finish(self, status: int, answer: bytes) -> None:
        self.endpoint.in_flight -= 1
        self.endpoint.statuses[status] += 1
        self.send(status, answer)

    def send(self, status: int, body: bytes) -> None:
        wait = b"retry-after: %g\r\n" % self.endpoint.retry_after_s if status == 429 else b""
        head = b"HTTP/1.1 %d %s\r\ncontent-type: application/json\r\n%scontent-length: %d\r\n\r\n"
        if not self.transport.is_closing():
            self.transport.write(head % (status, _REASONS[status], wait, len(body)) + body)


async def serve(arguments: argparse.Namespace) -> None:
    loop = asyncio.get_running_loop()
    endpoint = Endpoint(arguments.latency, arguments.tool_turns, arguments.err429, arguments.retry_after)
    server = await loop.create_server(lambda: Connection(endpoint, loop), "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", default="0")
    parser.add_argument("--tool-turns", type=int, default=3)
    parser.add_argument("--err429", type=float, default=0.0)
    parser.add_argument("--retry-after", type=float, default=0.5)
    parser.add_argument("--core", type=int)
    arguments = parser.parse_args()
    if arguments.core is not None:
        os.sched_setaffinity(0, {arguments.core})
    asyncio.run(serve(arguments))


if __name__ == "__main__":
    main()
