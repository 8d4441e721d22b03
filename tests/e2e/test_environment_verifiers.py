"""An exported environment beside the real `verifiers`, of both shapes, in a fresh venv and against the fake server.

    pytest -m optin tests/e2e/test_environment_verifiers.py

Needs a package index; each takes about two minutes, most of it installing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import whileai_exp as wai

from ..unit.export.environment.conftest import run

__all__ = ["run"]
ROOT = Path(__file__).resolve().parents[2]
REWARD = '''
def told_what_it_found(row):
    """Between 0 and 1 by how much of what its calls returned the reply tells."""
    found = {str(v) for step in row["steps"] if isinstance(step.get("result"), dict) for v in step["result"].values()}
    found = {value for value in found if len(value) >= 4}
    return sum(value in row["final_text"] for value in found) / len(found) if found else 0.0
'''
pytestmark = [pytest.mark.optin, pytest.mark.timeout(900)]


@pytest.fixture
def server() -> Iterator[str]:
    """The fake server in a process of its own."""
    command = [sys.executable, "-m", "whileai_exp.testing.fake_server", "--port", "0", "--seed", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(10)


def installed(folder: Path, *packages: str) -> Path:
    """A fresh venv with these; its programs. Skips when the index does not have them."""
    venv.create(folder, with_pip=True)
    done = subprocess.run([folder / "bin" / "pip", "install", "-q", *packages], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"cannot install {packages}: {done.stderr[-500:]}")
    return folder / "bin"


def evaluated(programs: Path, arguments: list[str], here: Path) -> None:
    env = {**os.environ, "LOCAL_KEY": "x", "PYTHONPATH": str(here)}
    done = subprocess.run([programs / "vf-eval", *arguments], capture_output=True, text=True, env=env, cwd=here)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def classic(programs: Path, url: str, here: Path, split: str) -> list[tuple[str, float, Any]]:
    told = ["my_agent", "-a", json.dumps({"split": split}), "-m", "fake", "-b", url, "-k", "LOCAL_KEY", "-n", "-1", "-r", "2"]
    evaluated(programs, [*told, "-s", "-d", "-o", str(here / "out"), "--disable-env-server"], here)
    lines = [json.loads(line) for file in (here / "out").rglob("results.jsonl") for line in file.read_text("utf-8").splitlines()]
    return [(line["info"]["task_id"], line["reward"], line["error"]) for line in lines]


def v1(programs: Path, url: str, here: Path, split: str) -> list[tuple[str, float, Any]]:
    told = ["my-agent", "--env.taskset.split", split, "-m", "fake", "-r", "2", "--client.base-url", url]
    evaluated(programs, [*told, "--client.api-key-var", "LOCAL_KEY", "--no-push", "--no-rich", "-o", str(here / "out")], here)
    lines = [json.loads(line) for file in (here / "out").rglob("traces.jsonl") for line in file.read_text("utf-8").splitlines()]
    traces = [trace for line in lines for trace in line["traces"]]
    return [(trace["task"]["key"], trace["rewards"]["paid"]["score"], trace["errors"] or None) for trace in traces]


@pytest.mark.parametrize(
    ("shape", "library", "evaluate"),
    [("classic", "verifiers==0.3.1", classic), ("classic", "verifiers==0.1.12", classic), ("v1", "verifiers>=0.4,<0.5", v1)],
)
@pytest.mark.parametrize("split", ["holdout"])
def test_the_real_library_gives_the_records_tasks_and_rewards(
    run: wai.SimulationData,
    server: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shape: str,
    library: str,
    evaluate: Any,
    split: str,
) -> None:
    (tmp_path / "shop_rewards.py").write_text(REWARD, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    package = tmp_path / "my-agent"
    report = wai.export_environment(run, package, reward="shop_rewards:told_what_it_found", shape=shape)
    env = wai.load_environment(package)
    record = defaultdict(list)
    for row in env.play(f"vllm:fake@{server}", split=split, repeats=2).rows:
        record[row["task_id"]].append(row["reward"])
    found = evaluate(installed(tmp_path / "venv", library, str(ROOT), str(package)), server, tmp_path, split)
    assert len(found) == 2 * report[split]
    assert [error for *_, error in found] == [None] * len(found)
    paid = defaultdict(list)
    for task_id, reward, _ in found:
        paid[task_id].append(reward)
    assert {task: sorted(rewards) for task, rewards in paid.items()} == {
        task: sorted(rewards) for task, rewards in record.items()
    }
    assert len({reward for rewards in paid.values() for reward in rewards}) > 2
    written = "".join(file.read_text("utf-8") for file in (tmp_path / "out").rglob("*.jsonl"))
    keys = [json.loads(line)["key"] for line in (package / "my_agent" / "server" / "keys.jsonl").read_text("utf-8").splitlines()]
    assert not [key for key in keys if key["principle"] in written or key["reference"] in written]
    assert "hidden_state" not in written and "world_seed" not in written
