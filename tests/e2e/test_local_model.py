"""The whole line with a real model on this machine: it talks, calls tools, judges, and its record replays."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import orjson
import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
SMALL = ["+experiment=local_model_v1", "counts.situations=3", "counts.repeats=3", "gates=none", "record=local", "hydra.run.dir=r"]
pytestmark = [
    pytest.mark.optin,
    pytest.mark.timeout(600),
    pytest.mark.skipif(find_spec("xllamacpp") is None, reason="xllamacpp is not installed"),
]


def rows_of(path: Path) -> list[dict]:
    return [orjson.loads(line) for line in (path / "rows.jsonl").read_bytes().splitlines()]


def test_a_small_real_model_is_the_agent_and_the_judge(run: Run, tmp_path: Path) -> None:
    done = run(*SMALL, "judge=llm", "judge.model=local:smollm2", timeout=560)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = rows_of(tmp_path / "r")
    assert len(rows) == 9 and {row["status"] for row in rows} <= {"ok", "truncated"}
    assert any(row["steps"] for row in rows), "no call at all: the chat template does not show the tools"
    assert all(row["usage"]["input_tokens"] and row["logprob"] is not None for row in rows)
    assert {row["judge_status"] for row in rows} <= {"ok", "invalid_result", "abstained"}
    judged = [row for row in rows if row["judge_status"] == "ok"]
    assert judged and all(row["judge_meta"]["self_judged"] for row in judged)
    assert "same_model" in done.stdout and "judged its own rollouts" in done.stdout
    again = run("replay", "r")
    assert again.returncode == 0 and "identical" in again.stdout, again.stdout + again.stderr
