"""The product against a separate HTTP server process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def server() -> Iterator[Callable[..., str]]:
    """Starts fake servers; `server("--fault", "429=0.1")` is a base URL. Stopped with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> str:
        process = subprocess.Popen(
            [sys.executable, "-m", "whileai_exp.testing.fake_server", "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout is not None
        line = process.stdout.readline()
        return "http://" + line.split("http://", 1)[1].strip()

    start.stop = lambda: [(p.terminate(), p.wait(10)) for p in started]  # type: ignore[attr-defined]
    yield start
    start.stop()  # type: ignore[attr-defined]


def on(url: str, *more: str) -> tuple[str, ...]:
    return (
        "+experiment=rl_v1",
        "record=local",
        "agent=openai",
        "agent.model=m",
        f"agent.base_url={url}",
        "writer=template",
        "user=template",
        "counts.situations=8",
        "gates=none",
        *more,
    )


@pytest.mark.slow
def test_multi_turn_rollouts_with_tool_calls_replay_with_the_server_gone(
    run: Run, run_dir: Callable[..., Path], server: Callable[..., str]
) -> None:
    run(*on(server("--fault", "429=0.08", "--fault", "500=0.05")), check=True)
    folder = run_dir()
    rows = [orjson.loads(line) for line in (folder / "rows.jsonl").read_bytes().splitlines()]
    assert all(row["status"] == "ok" and row["usage"]["input_tokens"] for row in rows)
    assert any(len(row["tools_used"]) > 1 or sum("tool" in s for s in row["steps"]) > 1 for row in rows)
    assert rows[0]["sampling"]["model"] == "m" and rows[0]["policy_version"].startswith("m@")
    server.stop()  # type: ignore[attr-defined]
    done = run("replay", str(folder))
    assert done.returncode == 0 and "identical" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_a_refused_key_exits_77_and_the_run_resumes(
    run: Run, run_dir: Callable[..., Path], server: Callable[..., str], tmp_path: Path
) -> None:
    whole = server()
    run(*on(whole, f"hydra.run.dir={tmp_path}/whole"), check=True)
    refusing = server("--refuse-after", "25")
    done = run(*on(refusing, "allocation.concurrency=4"))
    assert done.returncode == 77, done.stdout + done.stderr
    folder = run_dir()
    assert orjson.loads((folder / "record.json").read_bytes())["status"] == "incomplete"
    config = (folder / "config.yaml").read_text().replace(refusing, whole)
    (folder / "config.yaml").write_text(config)
    done = run("resume", str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "rows.jsonl").read_bytes() == (tmp_path / "whole" / "rows.jsonl").read_bytes()


@pytest.mark.slow
def test_a_model_that_judges_itself_is_said_in_the_record_and_the_verdicts_replay(
    run: Run, run_dir: Callable[..., Path], server: Callable[..., str]
) -> None:
    url = server()
    done = run(*on(url, "judge=llm", f"judge.model=vllm:m@{url}"), check=True)
    record = orjson.loads((run_dir() / "record.json").read_bytes())
    assert "judge" in record["degraded"]["same_model"] and "judged its own rollouts" in done.stdout
    other = run(*on(url, "judge=llm", f"judge.model=vllm:other@{url}", "hydra.run.dir=other"), check=True)
    assert "judged its own rollouts" not in other.stdout
    server.stop()  # type: ignore[attr-defined]
    again = run("replay", "other")
    assert again.returncode == 0 and "identical" in again.stdout, again.stdout + again.stderr
