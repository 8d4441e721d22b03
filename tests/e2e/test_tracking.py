"""MLflow as a server that hangs, dies and comes back: the run ends in time, and `sync` makes its record whole, once."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from whileai_exp.record.mlflow_sink import MlflowSink

Run = Callable[..., subprocess.CompletedProcess[str]]
pytestmark = pytest.mark.slow
SMALL = [
    "+experiment=rl_v1",
    "agent=scripted",
    "counts.situations=12",
    "gates=none",
    "record.traces=5",
    "record.html=false",
    "hydra.run.dir=r",
]


class Server:
    """An MLflow server of its own process group over a sqlite file."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            self.port = taken.getsockname()[1]
        self.url, self._folder, self._process = f"http://127.0.0.1:{self.port}", folder, None

    def start(self) -> None:
        command = [
            "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(self.port), "--workers", "1",
            "--backend-store-uri", f"sqlite:///{self._folder}/server.db", "--artifacts-destination", str(self._folder / "art"),
        ]  # fmt: skip
        self._process = subprocess.Popen(
            [sys.executable, *command], cwd=self._folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True, env={**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"},
        )  # fmt: skip
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                urllib.request.urlopen(f"{self.url}/health", timeout=1).read()
                return
            except OSError:
                time.sleep(0.2)
        raise AssertionError("the MLflow server did not start")

    def send(self, number: int) -> None:
        if self._process is not None:
            os.killpg(self._process.pid, number)

    def stop(self) -> None:
        if self._process is not None:
            self.send(signal.SIGKILL)
            self._process.wait(10)
            self._process = None


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    found = Server(tmp_path_factory.mktemp("mlflow"))
    yield found
    found.stop()


def held(url: str, run_id: str) -> dict[str, Any]:
    """What the store has of a run, as sizes."""
    from mlflow import MlflowClient

    client = MlflowClient(url)
    run = client.get_run(run_id)
    traces = client.search_traces(locations=[run.info.experiment_id], run_id=run_id)
    return {
        "status": run.info.status,
        "params": len(run.data.params),
        "history": {name: len(client.get_metric_history(run_id, name)) for name in ("pass_at_1", "count/rows")},
        "files": sorted(found.path for found in client.list_artifacts(run_id)),
        "traces": len(traces),
        "verdicts": sum(len(trace.info.assessments) for trace in traces),
        "spans": sum(len(trace.data.spans) for trace in traces),
        "inputs": len(run.inputs.dataset_inputs) if run.inputs else 0,
        "runs": len(client.search_runs([run.info.experiment_id])),
    }


def whole(found: dict[str, Any]) -> None:
    assert found["status"] == "FINISHED" and found["params"] > 100
    assert found["history"] == {"pass_at_1": 1, "count/rows": 1} and found["inputs"] == 1 and found["runs"] == 1
    assert {"record.json", "rows.jsonl", "journal.sqlite", "config.yaml"} <= set(found["files"])
    assert found["traces"] == 5 and found["verdicts"] == 5 and found["spans"] >= 10


def test_a_dead_server_costs_no_run_and_sync_sends_it_once(run: Run, server: Server, tmp_path: Path) -> None:
    done = run(*SMALL, f"record.uri={server.url}", check=True)
    assert "not complete" in done.stdout and "whileai-exp sync" in done.stdout
    server.start()
    first = run("sync", "r", check=True)
    run_id = (tmp_path / "r" / "mlflow_run_id").read_text().strip()
    assert run_id in first.stdout
    sent = held(server.url, run_id)
    whole(sent)
    assert "nothing to send" in run("sync", "r", check=True).stdout
    (tmp_path / "r" / "tracked.json").unlink()  # as after a crash between the last answer and its note
    run("sync", "r", check=True)
    assert held(server.url, run_id) == sent


def test_a_server_that_answers_gets_everything_and_one_that_hangs_is_left_after_a_second(
    run: Run, server: Server, tmp_path: Path
) -> None:
    server.start()
    done = run(*SMALL, f"record.uri={server.url}", "record.patience_s=60", check=True)
    assert "not complete" not in done.stdout, done.stdout
    whole(held(server.url, (tmp_path / "r" / "mlflow_run_id").read_text().strip()))

    folder = tmp_path / "hung"
    folder.mkdir()
    (folder / "record.json").write_bytes((tmp_path / "r" / "record.json").read_bytes())
    sink = MlflowSink(server.url, "hung", directory=folder, patience_s=1.0)
    sink.open("one", {"a": "1"}, {})
    until = time.monotonic() + 30
    while sink.run_id is None and time.monotonic() < until:
        time.sleep(0.05)
    assert sink.run_id is not None
    server.send(signal.SIGSTOP)
    try:
        sink.progress({"rollouts": 1})
        time.sleep(0.1)
        began = time.monotonic()
        sink.close(None)  # type: ignore[arg-type]
        assert time.monotonic() - began < 2.5 and "did not answer" in str(sink.trouble)
    finally:
        server.send(signal.SIGCONT)
    (folder / "config.yaml").write_text("{}\n")
    assert run("sync", str(folder)).returncode == 0
    found = held(server.url, sink.run_id)
    assert found["status"] == "FINISHED" and found["runs"] == 1 and found["params"] == 1


def test_a_run_of_this_machine_has_traces_with_their_tools_and_verdicts(run: Run, tmp_path: Path) -> None:
    run(*SMALL, f"record.uri=sqlite:///{tmp_path}/m.db", check=True)
    run_id = (tmp_path / "r" / "mlflow_run_id").read_text().strip()
    from mlflow import MlflowClient

    client = MlflowClient(f"sqlite:///{tmp_path}/m.db")
    traces = client.search_traces(locations=[client.get_run(run_id).info.experiment_id], run_id=run_id)
    rows = {row["rollout_id"]: row for row in map(orjson.loads, (tmp_path / "r" / "rows.jsonl").read_bytes().splitlines())}
    assert len(traces) == 5
    for trace in traces:
        row = rows[trace.info.tags["whileai.rollout_id"]]
        named = [span.name for span in trace.data.spans if span.span_type == "TOOL"]
        assert named == [step["tool"] for step in row["steps"] if "tool" in step]
        verdict = trace.info.assessments[0]
        assert verdict.feedback is not None and (verdict.name, verdict.feedback.value) == ("reward", row["reward"])
    assert "privileged" not in str([trace.to_json() for trace in traces])
