"""The record in a real MLflow store."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from whileai_exp.record.compare import compare_runs, tracked_rows

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def client(tmp_path: Path):  # noqa: ANN201
    def make():  # noqa: ANN202
        from mlflow import MlflowClient

        return MlflowClient(f"sqlite:///{tmp_path}/outputs/mlflow.db")

    return make


def test_a_sweep_is_one_parent_and_its_children(run: Run, client, tmp_path: Path) -> None:  # noqa: ANN001
    run("-m", "+experiment=rl_v1", "counts.situations=12", "seed=1,2", "advanced.probe=2,4", "gates=basic", check=True)
    store = client()
    experiment = store.get_experiment_by_name("rl_v1")
    runs = store.search_runs([experiment.experiment_id])
    parents = [r for r in runs if "mlflow.parentRunId" not in r.data.tags]
    children = [r for r in runs if "mlflow.parentRunId" in r.data.tags]
    assert len(parents) == 1 and len(children) == 4
    assert {r.data.tags["mlflow.parentRunId"] for r in children} == {parents[0].info.run_id}
    assert {r.info.status for r in runs} == {"FINISHED"}
    assert {(r.data.params["seed"], r.data.params["advanced.probe"]) for r in children} == {
        ("1", "2"),
        ("1", "4"),
        ("2", "2"),
        ("2", "4"),
    }
    child = next(r for r in children if r.data.params["advanced.probe"] == "4")
    assert {"pass_at_1", "pass_at_1.low", "pass_at_1.high", "pass_at_1.n", "headroom"} <= set(child.data.metrics)
    assert child.data.params["counts.situations"] == "12" and child.data.tags["knobs.changed"] == "probe=4"
    assert child.data.tags["sha.spec"] and child.data.tags["rows.sha256"] and child.data.tags["gate.graded"].startswith("pass")
    assert [i.dataset.name for i in child.inputs.dataset_inputs] == ["rl_v1"]
    assert {"rows.jsonl", "config.yaml", "report.md", "record.json"} <= {a.path for a in store.list_artifacts(child.info.run_id)}
    assert parents[0].data.metrics["best/pass_at_1"] == max(r.data.metrics["pass_at_1"] for r in children)
    done = run("replay", child.info.run_id)
    assert done.returncode == 0 and "identical" in done.stdout
    rows = tracked_rows(f"sqlite:///{tmp_path}/outputs/mlflow.db")
    same = compare_runs(f"mlflow:{child.info.run_id}", Path(child.data.tags["whileai.directory"]), resolver=rows)
    assert same.delta == 0.0 and same.mean_a == child.data.metrics["pass_at_1"]
    shutil.rmtree(child.data.tags["whileai.directory"])
    assert compare_runs(child.info.run_id, child.info.run_id, resolver=rows).mean_a == same.mean_a


def test_a_run_that_fails_half_way_is_marked_failed(run: Run, client, tmp_path: Path) -> None:  # noqa: ANN001
    (tmp_path / "broken_gate.py").write_text(
        "class Broken:\n    def check(self, evidence):\n        raise RuntimeError('the gate fell over')\n"
    )
    done = run(
        "+experiment=rl_v1",
        "counts.situations=4",
        "+gates.mine={target: 'broken_gate:Broken'}",
        env={"PYTHONPATH": f"{tmp_path}:{ROOT}"},
    )
    assert done.returncode == 1 and "the gate fell over" in done.stderr
    store = client()
    (found,) = store.search_runs([store.get_experiment_by_name("rl_v1").experiment_id])
    assert found.info.status == "FAILED" and "the gate fell over" in found.data.tags["whileai.failure"]


def test_a_store_that_cannot_be_reached_costs_the_run_nothing_but_its_copy(run: Run, tmp_path: Path) -> None:
    done = run(
        "+experiment=rl_v1", "counts.situations=4", "record.uri=http://127.0.0.1:9", env={"MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0"}
    )
    assert "not complete" in done.stdout and "record " in done.stdout
    assert done.returncode in (0, 3)
