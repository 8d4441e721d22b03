"""CPU of one model call: our client against a bare aiohttp loop and the openai SDK (G1, G2).

    python benchmarks/client.py            five rounds of 4,000 calls of 1 KB and 600 of 48 KB, at 128 in flight
    python benchmarks/client.py --quick    two rounds, fewer calls

Every measurement is a fresh process on one core against the same mock server on another. Clients of a round run one
after the other, and the ratio is taken within the round.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

from meter import in_process, measured, mock_server, pin, spread

CONCURRENCY = 128
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": about,
            "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
        },
    }
    for name, about in (("get_order", "Look up an order."), ("refund", "Refund an order."), ("policy", "Read the policy."))
]
Messages = list[dict[str, Any]]
Call = Callable[[Messages, int], Awaitable[Any]]


def transcript(turns: int) -> Messages:
    """An ask and `turns` tool turns after it; 80 of them come to 48 KB."""
    messages: Messages = [{"role": "system", "content": "You work for a shop. Look up the order first."}]
    messages.append({"role": "user", "content": "Where is my order A-1001? It should have been here a week ago."})
    for turn in range(turns):
        call = {"name": "get_order", "arguments": '{"order_id":"A-1001"}'}
        messages.append({"role": "assistant", "tool_calls": [{"id": f"call{turn:05d}", "type": "function", "function": call}]})
        result = json.dumps({"order_id": "A-1001", "status": "shipped", "note": "x" * 340})
        messages.append({"role": "tool", "tool_call_id": f"call{turn:05d}", "name": "get_order", "content": result})
    return messages


def ours(port: int) -> tuple[Call, Callable[[], Awaitable[None]]]:
    from whileai_exp.knobs import ModelKnobs
    from whileai_exp.models import connect
    from whileai_exp.plan.types import ModelRef
    from whileai_exp.ports import Address, ChatRequest
    from whileai_exp.schema import Sampling

    model = connect(ModelRef("url", "mock", (f"http://127.0.0.1:{port}/v1",)), timeout_s=60, knobs=ModelKnobs())
    sampling = Sampling(model="mock", temperature=0.8, max_tokens=256)

    async def call(messages: Messages, number: int) -> Any:
        return await model.complete(ChatRequest(messages, Address("agent", "task", number), TOOLS, sampling))

    return call, model.aclose


def bare(port: int) -> tuple[Call, Callable[[], Awaitable[None]]]:
    import aiohttp
    import orjson

    url, open_sessions = f"http://127.0.0.1:{port}/v1/chat/completions", []

    async def call(messages: Messages, number: int) -> Any:
        if not open_sessions:
            open_sessions.append(aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)))
        body = orjson.dumps({"model": "mock", "messages": messages, "temperature": 0.8, "max_tokens": 256, "tools": TOOLS})
        async with open_sessions[0].post(url, data=body, headers={"Content-Type": "application/json"}) as response:
            return orjson.loads(await response.read())["choices"][0]["message"]

    async def close() -> None:
        await open_sessions[0].close()

    return call, close


def sdk(port: int) -> tuple[Call, Callable[[], Awaitable[None]]]:
    import openai

    client = openai.AsyncOpenAI(api_key="none", base_url=f"http://127.0.0.1:{port}/v1", max_retries=0, timeout=600)
    create: Any = client.chat.completions.create

    async def call(messages: Messages, number: int) -> Any:
        return await create(model="mock", messages=messages, tools=TOOLS, temperature=0.8, max_tokens=256)

    return call, client.close


CLIENTS = {"bare": bare, "ours": ours, "openai": sdk}


async def many(call: Call, messages: Messages, count: int) -> None:
    numbers = iter(range(count))

    async def worker() -> None:
        for number in numbers:
            await call(messages, number)

    await asyncio.gather(*(worker() for _ in range(min(CONCURRENCY, count))))


def one(name: str, port: int, turns: int, count: int) -> None:
    import orjson

    pin()
    messages = transcript(turns)
    with asyncio.Runner() as runner:
        call, close = CLIENTS[name](port)
        runner.run(many(call, messages, CONCURRENCY))  # imports, connections and caches are not part of a call

        def work() -> dict[str, Any]:
            runner.run(many(call, messages, count))
            return {}

        out = measured(port, work)
        runner.run(close())
    start = time.process_time()
    for _ in range(200):
        body = orjson.dumps({"messages": messages, "tools": TOOLS})
    dumps_s = (time.process_time() - start) / 200
    assert out["server"]["by_status"] == {"200": count}, out
    out.update(us=out["cpu_s"] / count * 1e6, kb=len(body) / 1e3)
    out["dumps_us"] = dumps_s * 1e6
    print(json.dumps(out))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--one", nargs=4, metavar=("CLIENT", "PORT", "TURNS", "COUNT"))
    arguments = parser.parse_args()
    if arguments.one:
        name, *numbers = arguments.one
        one(name, *map(int, numbers))
        return
    rounds, short, long = (2, 1500, 200) if arguments.quick else (5, 4000, 600)
    seen: dict[tuple[str, int], list[dict[str, Any]]] = {}
    with mock_server() as port:
        for _ in range(rounds):
            for turns, count in ((0, short), (80, long)):
                for name in CLIENTS:
                    share = 4 if name == "openai" else 1
                    seen.setdefault((name, turns), []).append(in_process(__file__, name, port, turns, count // share))
    for (name, _), runs in seen.items():
        print(
            f"{name:7s} {runs[0]['kb']:5.1f} KB  {sorted(run['us'] for run in runs)[rounds // 2]:8.0f} us of CPU per call on this machine"
        )
    cost = {key: [run["us"] for run in runs] for key, runs in seen.items()}
    added = {name: [b - a for a, b in zip(cost[name, 0], cost[name, 80])] for name in CLIENTS}
    dumps = [run["dumps_us"] for run in seen["ours", 80]]

    def ratio(of: list[float], to: list[float]) -> str:
        return spread([a / b for a, b in zip(of, to)])

    print(f"G1  ours / bare, 1 KB                       {ratio(cost['ours', 0], cost['bare', 0])}  goal <= 1.3")
    print(f"G1  ours / openai, 1 KB                     {ratio(cost['ours', 0], cost['openai', 0])}  goal <= 0.06")
    print(f"    ours / bare, 48 KB                      {ratio(cost['ours', 80], cost['bare', 80])}")
    print(f"G2  added by 48 KB, ours / one orjson.dumps {ratio(added['ours'], dumps)}  goal <= 3")
    print(f"    added by 48 KB, bare / one orjson.dumps {ratio(added['bare'], dumps)}")
    print(f"G2  added by 48 KB, ours / openai           {ratio(added['ours'], added['openai'])}  goal <= 0.01")


if __name__ == "__main__":
    main()
