"""The whole engine against a bare loop that makes the same calls: CPU, wall, growth and faults (G3 to G8).

    python benchmarks/rollouts.py            five rounds, growth to 5,000 rollouts
    python benchmarks/rollouts.py --quick    one round of a smaller work, under 90 s

Work: N prompts x 8 rollouts of three tool turns and an answer, so four model calls each. `ours` is `play` with the mock
world, the journal on disk, progress and rows; `bare` is a coroutine per rollout over aiohttp and orjson that answers
tools from a dict and writes a JSON line. Fresh processes on one core, the server on another, ratios within a round.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from meter import in_process, measured, mock_server, pin, spread

SPEC = Path(__file__).resolve().parent.parent / "experiments" / "refunds"
REPEATS = 8
CALLS = 4
SHARE_429 = 0.1
BUSY_CORES = 0.6
"""Walls of a round in which others used more than this are not judged."""


def prompts(tasks: int) -> list[str]:
    return [
        f"My order A-{1000 + n} has not arrived and I would like to know where it is, or have my money back."
        for n in range(tasks)
    ]


def spec_of() -> tuple[str, list[dict[str, Any]]]:
    spec = json.loads((SPEC / "spec.json").read_text())
    return spec.get("system_prompt") or "You work for a shop.", [
        {"type": "function", "function": tool["function"]} for tool in spec["tools"]
    ]


def ours(port: int, tasks: int, concurrency: int, out: Path) -> Callable[[], dict[str, Any]]:
    """The run of a resolved plan; resolving it is start-up, which is measured elsewhere."""
    import orjson

    from whileai_exp.plan import resolve_plan
    from whileai_exp.run.pipeline import play
    from whileai_exp.run.ports import Given

    config = {
        "mode": "rl",
        "spec": {"path": str(SPEC)},
        "agent": {"kind": "url", "model": "mock", "base_url": f"http://127.0.0.1:{port}/v1"},
        "user": {"kind": "template"},
        "counts": {"situations": tasks, "repeats": REPEATS},
        "allocation": {"kind": "fixed", "concurrency": concurrency, "max_turns": CALLS},  # the person's answer ends it
        "sampling": {"temperature": 0.8, "max_tokens": 256},
    }
    seen: list[int] = []
    given = Given(
        tasks=[{"prompt": prompt} for prompt in prompts(tasks)], on_progress=lambda state: seen.append(state["rollouts"])
    )
    plan = resolve_plan(config)

    def work() -> dict[str, Any]:
        played = asyncio.run(play(plan, given, directory=out, judge=False))
        size, digest, usable = 0, sha256(), 0
        with (out / "bench_rows.jsonl").open("wb") as file:
            for row in played.rows:
                line = orjson.dumps(row) + b"\n"
                digest.update(line)
                size += file.write(line)
                usable += row["status"] in ("ok", "truncated")
        assert len(seen) == len(played.rows)
        return {"rows": usable, "bytes": size, "digest": digest.hexdigest()}

    return work


Call = Callable[[list[dict[str, Any]]], Awaitable[dict[str, Any]]]


@asynccontextmanager
async def aiohttp_call(port: int, concurrency: int) -> AsyncIterator[Call]:
    """A POST over aiohttp with the engine's rule for a first 429."""
    import aiohttp
    import orjson

    url, tools, draw = f"http://127.0.0.1:{port}/v1/chat/completions", spec_of()[1], random.Random(0)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def call(messages: list[dict[str, Any]]) -> dict[str, Any]:
            body = orjson.dumps({"model": "mock", "messages": messages, "temperature": 0.8, "max_tokens": 256, "tools": tools})
            while True:
                async with session.post(url, data=body, headers={"Content-Type": "application/json"}) as response:
                    data = await response.read()
                    if response.status == 200:
                        return orjson.loads(data)
                    wait_s = float(response.headers["retry-after"])
                await asyncio.sleep(wait_s + draw.uniform(0, 0.5))

        yield call


@asynccontextmanager
async def sdk_call(port: int, concurrency: int) -> AsyncIterator[Call]:
    """A call of the openai SDK, its connection pool as large as the concurrency."""
    import httpx2
    import openai

    limits = httpx2.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
    http = openai.DefaultAsyncHttpxClient(limits=limits)
    tools = spec_of()[1]
    async with openai.AsyncOpenAI(
        api_key="none", base_url=f"http://127.0.0.1:{port}/v1", max_retries=0, http_client=http
    ) as client:
        create: Any = client.chat.completions.create

        async def call(messages: list[dict[str, Any]]) -> dict[str, Any]:
            reply = await create(model="mock", messages=messages, tools=tools, temperature=0.8, max_tokens=256)
            return reply.model_dump(exclude_none=True)

        yield call


def bare(port: int, tasks: int, concurrency: int, out: Path) -> Callable[[], dict[str, Any]]:
    return loop(aiohttp_call, port, tasks, concurrency, out)


def sdk(port: int, tasks: int, concurrency: int, out: Path) -> Callable[[], dict[str, Any]]:
    return loop(sdk_call, port, tasks, concurrency, out)


def loop(opened: Any, port: int, tasks: int, concurrency: int, out: Path) -> Callable[[], dict[str, Any]]:
    """What somebody would write by hand: a coroutine per place, tools answered from a dict, one JSON line per rollout."""
    import orjson

    system = spec_of()[0]
    orders = {f"A-{100 + n}": {"order_id": f"A-{100 + n}", "status": "shipped", "total": 59.9} for n in range(256)}
    jobs = iter([(prompt, repeat) for prompt in prompts(tasks) for repeat in range(REPEATS)])
    done = {"rows": 0, "bytes": 0}

    async def rollout(call: Call, prompt: str, repeat: int, file: Any) -> None:
        messages: list[dict[str, Any]] = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
        tokens = 0
        while True:
            reply = await call(messages)
            message = reply["choices"][0]["message"]
            tokens += reply["usage"]["total_tokens"]
            asked = message.get("tool_calls")
            if not asked:
                messages.append({"role": "assistant", "content": message["content"]})
                break
            messages.append({"role": "assistant", "tool_calls": asked})
            for item in asked:
                arguments = orjson.loads(item["function"]["arguments"])
                result = orders.get(str(arguments.get("order_id")), {"error": "not found"})
                messages.append({"role": "tool", "tool_call_id": item["id"], "content": orjson.dumps(result).decode()})
        done["bytes"] += file.write(
            orjson.dumps({"prompt": prompt, "repeat": repeat, "messages": messages, "tokens": tokens}) + b"\n"
        )
        done["rows"] += 1

    async def worker(call: Call, file: Any) -> None:
        for prompt, repeat in jobs:
            await rollout(call, prompt, repeat, file)

    async def everything() -> None:
        with (out / "bench_rows.jsonl").open("wb") as file:
            async with opened(port, concurrency) as call:
                await asyncio.gather(*(worker(call, file) for _ in range(concurrency)))

    def work() -> dict[str, Any]:
        asyncio.run(everything())
        return done

    return work


DRIVERS = {"ours": ours, "bare": bare, "openai": sdk}


def one(name: str, port: int, tasks: int, concurrency: int) -> None:
    pin()
    with tempfile.TemporaryDirectory() as folder:
        first, then = Path(folder, "first"), Path(folder, "then")
        first.mkdir()
        then.mkdir()
        DRIVERS[name](port, 1, 4, first)()  # imports and caches are not part of the run
        out = measured(port, DRIVERS[name](port, tasks, concurrency, then))
    out["calls"] = sum(out["server"]["by_status"].values())
    out["answered"] = out["server"]["by_status"]["200"]
    out["us"] = out["cpu_s"] / out["answered"] * 1e6
    print(json.dumps(out))


PAIR = ("ours", "bare")


def rounds_of(
    rounds: int, tasks: int, concurrency: int, names: Sequence[str] = PAIR, **server: Any
) -> dict[str, list[dict[str, Any]]]:
    """The drivers on one server's terms, one after the other, `rounds` times."""
    seen: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for _ in range(rounds):
        for name, runs in seen.items():
            with mock_server(**server) as port:  # a new one each time: its draws depend on how often a body was seen
                runs.append(in_process(__file__, name, port, tasks, concurrency))
    return seen


def ratios(seen: dict[str, list[dict[str, Any]]], key: str, to: str = "bare") -> list[float]:
    return [a[key] / b[key] for a, b in zip(seen["ours"], seen[to])]


def walls(label: str, seen: dict[str, list[dict[str, Any]]], goal: float) -> None:
    quiet = [max(a["foreign"], b["foreign"]) <= BUSY_CORES for a, b in zip(seen["ours"], seen["bare"])]
    note = "" if any(quiet) else "  (busy machine)"
    print(f"{label:42s} {spread(ratios(seen, 'wall_s'))}  goal <= {goal}{note}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--one", nargs=4, metavar=("DRIVER", "PORT", "TASKS", "CONCURRENCY"))
    arguments = parser.parse_args()
    if arguments.one:
        name, *numbers = arguments.one
        one(name, *map(int, numbers))
        return
    quick = arguments.quick
    rounds = 1 if quick else 5

    at = {
        128: rounds_of(2 if quick else 5, 63, 128, tuple(DRIVERS), latency="fixed:200"),
        32: rounds_of(rounds, 16 if quick else 63, 32, latency="fixed:200"),
    }
    for name in DRIVERS:
        print(f"{name}: {statistics.median(run['us'] for run in at[128][name]):.0f} us of CPU per model call on this machine")
    print(f"{'G3  CPU per call, c=128':42s} {spread(ratios(at[128], 'us'))}  goal <= 1.5")
    print(f"{'G3  the same / openai loop':42s} {spread(ratios(at[128], 'us', 'openai'))}  goal <= 0.1")
    walls("G4  wall, fixed 200 ms, c=32", at[32], 1.03)
    walls("G4  wall, fixed 200 ms, c=128", at[128], 1.06)

    tail = rounds_of(rounds, 8 if quick else 63, 32, latency="lognormal:200:1")
    walls("G5  wall, lognormal(200 ms, 1), c=32", tail, 1.03)
    other = rounds_of(1, 8 if quick else 63, 128, latency="lognormal:100:1")["ours"][0]
    same = {run["digest"] for run in tail["ours"]} == {other["digest"]}
    print(f"G5  same rows at c=32 and c=128: {same}")

    small, large = 63, 160 if quick else 625
    grown = {tasks: rounds_of(rounds, tasks, 128, latency="fixed:20") for tasks in (small, large)}
    for name in PAIR:
        pairs = list(zip(grown[small][name], grown[large][name]))
        growth = [b["us"] / a["us"] for a, b in pairs]
        memory = [b["peak_mb"] - a["peak_mb"] for a, b in pairs]
        of_json = [(b["peak_mb"] - a["peak_mb"]) * 2**20 / (b["bytes"] - a["bytes"]) for a, b in pairs]
        print(f"G6  {name}: CPU per call, {large * 8} rollouts / {small * 8}   {spread(growth)}  goal <= 1.1")
        print(
            f"G7  {name}: memory grown {statistics.median(memory):.0f} MB, of the rows' JSON {spread(of_json)}  goal <= 2 (rows kept)"
        )

    faulty = rounds_of(rounds, 13, 32, latency="fixed:200", err429=SHARE_429, retry_after=0.5)
    for name, runs in faulty.items():
        calls = [run["calls"] * (1 - SHARE_429) / (13 * REPEATS * CALLS) for run in runs]
        print(
            f"G8  {name}: calls over expected {spread(calls)}  goal <= 1.03; rows lost {13 * REPEATS - min(run['rows'] for run in runs)}"
        )
    walls("G8  wall", faulty, 1.15)


if __name__ == "__main__":
    main()
