"""The engine against a server that fails and a machine that kills it: same rows, nothing paid for twice.

Run as a script it is the run that is killed: `test_chaos.py URL FOLDER CONCURRENCY TASKS`.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from whileai_exp.errors import KeyRefused
from whileai_exp.journal import Journal, journaled
from whileai_exp.knobs import RunKnobs
from whileai_exp.models import connect
from whileai_exp.plan.types import Limits, ModelRef
from whileai_exp.ports import PersonReply
from whileai_exp.rollouts import Execution, ModelAgent, execute, make_allocator
from whileai_exp.schema import Sampling, Situation, Spec, Task, Tool, ToolStep, UserBrief, WorldSeed, to_row
from whileai_exp.schema.row import row_line

MIX = {
    "429": 0.03,
    "429-seconds": 0.03,
    "429-ms": 0.02,
    "500": 0.03,
    "503": 0.01,
    "drop-before": 0.02,
    "malformed": 0.02,
    "empty": 0.01,
}
"""17% of requests fail before their work is done."""
KNOBS = RunKnobs() if "CHAOS_PATIENT" in os.environ else RunKnobs(retry_base_s=0.02, retry_cap_s=0.1)
"""Short waits between attempts, but for the child that has to sit out a real outage."""
CANARY = "sk-canary-7f3a9b1c5d"


def _tool(name: str) -> Tool:
    schema = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
    return Tool(name, f"{name.split('_')[0]} an order", schema)


SPEC = Spec(tools=tuple(_tool(f"{verb}_order") for verb in ("get", "cancel", "refund")), system_prompt="Be helpful.")


class Shelf:
    """A world whose answers depend on the calls made so far."""

    def __init__(self) -> None:
        self.ledger: list[Any] = []
        self.count = 0

    async def call(self, tool: str, arguments: Any, call_id: str = "") -> ToolStep:
        self.count += 1
        return ToolStep(tool, arguments, {"tool": tool, "n": self.count}, "ok", call_id)

    def state_hash(self) -> str:
        return f"h{self.count}"


class Asker:
    """A person with two more wishes."""

    model = "template"

    async def reply(self, messages: Any, turn: int) -> PersonReply:
        return PersonReply(f"Then refund order B{turn}00" if turn < 3 else "", done=turn >= 3)


def tasks(n: int) -> list[Task]:
    return [
        Task(f"t{i:03d}", f"Please get order A{i:04d}", Situation(f"s{i}", {}), UserBrief("g"), WorldSeed(i)) for i in range(n)
    ]


async def run(url: str, folder: Path | None, concurrency: int, n: int = 12, replay: bool = False) -> Execution:
    """Tasks with 2 to 4 repeats of 6 calls each."""
    model = connect(
        ModelRef("vllm", "fake", (url,), api_key_env="CANARY_KEY" if "CANARY_KEY" in os.environ else None),
        timeout_s=10,
        knobs=KNOBS,
    )
    journal = Journal.open(folder, commit_s=0.002, sync_s=1.0, replay=replay) if folder is not None else None
    agent = ModelAgent(
        journaled(model, journal),
        SPEC,
        world=lambda t, r: Shelf(),
        person=lambda t, r: Asker(),
        sampling=Sampling(),
        max_turns=20,
        knobs=KNOBS,
    )
    todo = tasks(n)
    allocator = make_allocator("successive", task_ids=[t.task_id for t in todo], repeats=4, knobs=KNOBS)
    done = await execute(todo, agent, allocator, seed=3, concurrency=concurrency, limits=Limits(), knobs=KNOBS)
    await model.aclose()
    if journal is not None:
        journal.close()
    return done


def digest(done: Execution) -> str:
    by_id = {task.task_id: task for task in tasks(200)}
    return sha256(b"".join(row_line(to_row(by_id[r.task_id], r)) for r in done.rollouts)).hexdigest()


def main() -> None:
    done = asyncio.run(run(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])))
    failed = f"{done.failure}" if done.failure else ""
    sys.stdout.write(
        json.dumps({"digest": digest(done), "rows": len(done.rollouts), "why": done.report["stopped_because"], "failed": failed})
        + "\n"
    )


@contextmanager
def server(**faults: float) -> Iterator[str]:
    """A fake server in a process of its own."""
    command = [sys.executable, "-m", "whileai_exp.testing.fake_server", "--latency", "0.004", "--spread", "0.5"]
    command += [part for name, share in faults.items() for part in ("--fault", f"{name}={share}")]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    try:
        yield child.stdout.readline().strip()
    finally:
        child.terminate()
        child.wait()


def stats(url: str, **config: Any) -> dict[str, Any]:
    """The server's counts, after changing its configuration."""
    base = url.removesuffix("/v1")
    if config:
        urllib.request.urlopen(urllib.request.Request(f"{base}/config", json.dumps(config).encode(), method="POST")).read()
    return json.loads(urllib.request.urlopen(f"{base}/stats").read())


def start(url: str, folder: Path, concurrency: int, n: int = 12, **env: str) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, url, str(folder), str(concurrency), str(n)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **env})


def finished(child: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    return json.loads(out)


@pytest.fixture(scope="module")
def truth() -> str:
    """The digest of an undisturbed run."""
    with server() as url:
        done = asyncio.run(run(url, None, 8))
    assert done.report["statuses"].keys() == {"ok"}
    return digest(done)


@pytest.mark.slow
def test_one_digest_over_concurrency_and_faults(truth):
    with server() as url:
        assert {digest(asyncio.run(run(url, None, concurrency))) for concurrency in (1, 64)} == {truth}
    with server(**MIX) as url:
        done = asyncio.run(run(url, None, 64))
        counts = stats(url)
    assert digest(done) == truth and set(done.report["statuses"]) == {"ok"}
    # 1 / (1 - 0.17) = 1.20 is expected; the rest is the chance of a small run
    assert counts["requests"] <= 1.4 * counts["answered"] and counts["answered_twice"] == 0


@pytest.mark.slow
def test_one_digest_over_hash_seeds(truth, tmp_path):
    with server() as url:
        children = [start(url, tmp_path / seed, 7, PYTHONHASHSEED=seed) for seed in ("0", "random")]
        assert {finished(child)["digest"] for child in children} == {truth}


def killed_and_resumed(folder: Path, truth: str, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    with server(**MIX) as url:
        for _ in range(kills):
            child = start(url, folder, 64)
            journal = folder / "journal.sqlite-wal"
            deadline = time.monotonic() + 20
            while not (journal.exists() and journal.stat().st_size) and child.poll() is None and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(rng.random() * 0.15)
            child.send_signal(signal.SIGKILL)
            child.communicate()
        result = finished(start(url, folder, 64))
        counts = stats(url)
    assert result["digest"] == truth and result["why"] == "tasks_done"
    assert counts["answered_twice"] <= 64 * kills
    with Journal.open(folder, replay=True) as journal:
        assert len(journal) == counts["keys"]


@pytest.mark.slow
def test_killed_at_random_and_resumed_it_gives_the_same_rows(truth, tmp_path):
    killed_and_resumed(tmp_path / "run", truth, kills=1, seed=1)


@pytest.mark.slow
def test_one_digest_over_the_whole_grid(truth, tmp_path):
    for faults in ({}, MIX):
        with server(**faults) as url:
            for concurrency in (1, 7, 64, 256):
                for seed in ("0", "1", "random"):
                    child = start(url, tmp_path / f"{len(faults)}-{concurrency}-{seed}", concurrency, PYTHONHASHSEED=seed)
                    assert finished(child)["digest"] == truth


@pytest.mark.slow
def test_twenty_kills(truth, tmp_path):
    for trial in range(4):
        killed_and_resumed(tmp_path / f"run{trial}", truth, kills=5, seed=trial)


def test_a_replay_needs_no_server_and_gives_the_same_bytes(truth, tmp_path):
    with server() as url:
        asyncio.run(run(url, tmp_path, 16))
        asked = stats(url)["requests"]
        again = asyncio.run(run(url, tmp_path, 16))
        assert digest(again) == truth and stats(url)["requests"] == asked
    assert digest(asyncio.run(run("http://127.0.0.1:9", tmp_path, 64, replay=True))) == truth


def test_a_key_revoked_in_mid_run_stops_at_once_and_a_new_one_finishes_the_job(truth, tmp_path):
    with server() as url:
        stats(url, refuse_after=70)
        done = asyncio.run(run(url, tmp_path, 16))
        assert isinstance(done.failure, KeyRefused) and done.incomplete and done.failure.exit_code == 77
        assert stats(url)["by_status"]["401"] <= 16
        stats(url, refuse_after=None)
        assert digest(asyncio.run(run(url, tmp_path, 16))) == truth
        assert stats(url)["answered_twice"] == 0


def test_an_outage_costs_time_and_no_row(truth):
    async def play(url: str) -> Execution:
        running = asyncio.ensure_future(run(url, None, 32))
        await asyncio.sleep(0.1)
        await asyncio.to_thread(stats, url, outage="503")
        await asyncio.sleep(0.4)
        await asyncio.to_thread(stats, url, outage=None)
        return await running

    with server() as url:
        done = asyncio.run(play(url))
    assert digest(done) == truth


@pytest.mark.parametrize(
    "fault", ["refused-echo", *(pytest.param(name, marks=pytest.mark.slow) for name in ("none", "500", "malformed"))]
)
def test_a_key_is_found_nowhere(fault, tmp_path):
    from base64 import b64encode
    from urllib.parse import quote

    with server() as url:
        if fault == "refused-echo":
            stats(url, api_key="another", echo_key=True)
        elif fault != "none":
            stats(url, faults={fault: 0.2})
        child = start(url, tmp_path, 16, CANARY_KEY=CANARY)
        out, err = child.communicate(timeout=60)
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()) + out.encode() + err.encode()
    assert written
    for form in (CANARY, CANARY[::-1], quote(CANARY), b64encode(CANARY.encode()).decode(), CANARY.encode().hex()):
        assert form.encode() not in written
    assert ("secret:CANARY_KEY" in out) == (fault == "refused-echo")


if __name__ == "__main__":
    main()
