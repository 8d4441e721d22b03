"""Every experiment that is checked in composes, and runs in a small form without a model of anybody's."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from whileai_exp.config.places import conf_dir

from .test_wire import server  # noqa: F401

Run = Callable[..., subprocess.CompletedProcess[str]]
pytestmark = pytest.mark.slow
NAMES = sorted(path.stem for path in (conf_dir() / "experiment").glob("*.yaml"))
HOSTED = {"openai_rl_v1", "local_model_v1"}
"""Those whose agent is a real model: they run against a fake endpoint."""
REFUSING = {"judge_trust_v1": ["~gates.judge_trusted"]}
"""Those whose gate needs the whole run."""


@pytest.mark.parametrize("name", NAMES)
def test_it_runs_small(name: str, run: Run, server: Callable[..., str], tmp_path: Path) -> None:  # noqa: F811
    small = ["counts.situations=6", "counts.repeats=2", "gates=none", "record=local", "record.html=false", "hydra.run.dir=r"]
    hosted = ["agent=openai", f"agent.base_url={server()}", "agent.model=m"] if name in HOSTED else []
    done = run(f"+experiment={name}", *small, *hosted, *REFUSING.get(name, ()))
    assert done.returncode == 0, done.stdout + done.stderr
    record = orjson.loads((tmp_path / "r" / "record.json").read_bytes())
    assert record["status"] == "complete" and record["counts"]["rows"] > 0
    assert record["config"]["experiment"]["question"].endswith("?")
    rows = [orjson.loads(line) for line in (tmp_path / "r" / "rows.jsonl").read_bytes().splitlines()]
    assert {row["status"] for row in rows} <= {"ok", "truncated"} and all(row["judge_status"] == "ok" for row in rows)
    assert not any("privileged" in row for row in rows)
    assert run("plan", f"+experiment={name}", *hosted).returncode == 0
