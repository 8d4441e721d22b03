"""Sweeps: grids, two processes, a search that is resumed, and what jobs of one sweep do not pay for twice."""

from __future__ import annotations

import subprocess
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from .test_wire import on, server  # noqa: F401

Run = Callable[..., subprocess.CompletedProcess[str]]
pytestmark = pytest.mark.slow
SMALL = ("+experiment=rl_v1", "counts.situations=8", "gates=none", "record.html=false")


def requests_of(url: str) -> int:
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats", timeout=10) as response:
        return orjson.loads(response.read())["requests"]


def family(tmp_path: Path) -> tuple[Any, list[Any], Any]:
    """The sweep's run, its jobs' runs, and the client."""
    from mlflow import MlflowClient

    client = MlflowClient(f"sqlite:///{tmp_path}/outputs/mlflow.db")
    runs = client.search_runs([e.experiment_id for e in client.search_experiments() if e.name == "rl_v1"])
    (parent,) = [run for run in runs if run.data.tags.get("whileai.kind") == "sweep"]
    return parent, [run for run in runs if run.data.tags.get("mlflow.parentRunId") == parent.info.run_id], client


def test_a_sweep_over_judges_asks_the_agent_nothing_twice(run: Run, server: Callable[..., str], tmp_path: Path) -> None:  # noqa: F811
    alone, swept = server(), server()
    run(*on(alone, "hydra.run.dir=alone", "allocation.kind=fixed", "judge=conduct"), check=True)
    done = run(
        "-m", *on(swept, "hydra.sweep.dir=swept", "allocation.kind=fixed", "judge=conduct,task_checklist,json_valid"), check=True
    )
    assert "sweep: 3 jobs" in done.stdout
    assert requests_of(swept) == requests_of(alone) > 0
    rows = [
        [orjson.loads(line) for line in (tmp_path / "swept" / str(n) / "rows.jsonl").read_bytes().splitlines()] for n in range(3)
    ]
    assert [row["steps"] for row in rows[0]] == [row["steps"] for row in rows[1]] == [row["steps"] for row in rows[2]]
    assert len({rows[n][0]["judge_name"] for n in range(3)}) == 3


@pytest.mark.parametrize(
    ("launcher", "options", "jobs"),
    [
        ("joblib", ["hydra.launcher.n_jobs=2"], 8),
        ("submitit_local", ["hydra.launcher.timeout_min=4"], 3),
        pytest.param("ray", ["+hydra.launcher.ray.init.num_cpus=2"], 3, marks=pytest.mark.optin),
    ],
)
def test_processes_of_any_launcher_leave_one_parent_and_all_its_children(
    launcher: str, options: list[str], jobs: int, run: Run, tmp_path: Path
) -> None:
    pytest.importorskip(f"hydra_plugins.hydra_{launcher.split('_')[0]}_launcher")
    seeds = [str(seed) for seed in range(1, jobs + 1)]
    done = run("-m", f"hydra/launcher={launcher}", *options, *SMALL, f"seed={','.join(seeds)}", "hydra.sweep.dir=swept")
    assert done.returncode == 0 and f"sweep: {jobs} jobs" in done.stdout, done.stdout + done.stderr
    parent, children, client = family(tmp_path)
    assert parent.info.status == "FINISHED" and {run.info.status for run in children} == {"FINISHED"}
    assert sorted(run.data.params["seed"] for run in children) == seeds
    best = max(children, key=lambda run: run.data.metrics["pass_at_1"])
    assert parent.data.metrics["best/pass_at_1"] == best.data.metrics["pass_at_1"]
    assert {"jobs.json", "best.yaml", "parallel.png", "importance.png"} <= {
        a.path for a in client.list_artifacts(parent.info.run_id)
    }
    saved = (tmp_path / "swept" / "best.yaml").read_text()
    assert f"\nseed: {best.data.params['seed']}\n" in saved


def test_a_failing_job_leaves_the_others_alone_and_is_named(run: Run, tmp_path: Path) -> None:
    done = run(
        "-m",
        *SMALL,
        "agent=scripted,openai",
        "agent.model=m",
        "agent.base_url=http://127.0.0.1:9/v1",
        "advanced.unreachable_s=1",
        "hydra.sweep.dir=swept",
    )
    assert done.returncode == 75, done.stdout + done.stderr
    assert [line.split()[1] for line in done.stdout.splitlines() if line.startswith("  exit")] == ["0", "75"]
    parent, children, _ = family(tmp_path)
    assert parent.info.status == "FAILED" and len(children) == 2


def test_a_search_finds_resumes_and_counts_what_is_finished(run: Run, tmp_path: Path) -> None:
    space = ("advanced.probe=choice(2,4)", "world.hard_share=interval(0.1,0.7)", "record=local")

    def search(trials: int) -> str:
        return run("-m", "hydra/sweeper=search", f"hydra.sweeper.n_trials={trials}", *SMALL, *space, check=True).stdout

    assert "sweep: 3 jobs" in search(3)
    assert "sweep: 1 jobs" in search(4)
    import optuna

    (name,) = optuna.get_all_study_names(f"sqlite:///{tmp_path}/outputs/rl_v1/study.db")
    study = optuna.load_study(study_name=name, storage=f"sqlite:///{tmp_path}/outputs/rl_v1/study.db")
    assert len(study.trials) == 4 and len({tuple(trial.params.values()) for trial in study.trials}) == 4
    assert all(0.1 <= trial.params["world.hard_share"] <= 0.7 for trial in study.trials)


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (["hydra/sweeper=search", "seed=1"], "no value is searched"),
        (["hydra/sweeper=search", "advanced.probe=choice(0,2)"], "advanced.probe"),
        (["seed=1,2", "advanced.prob=1,2"], "probe"),
    ],
)
def test_what_cannot_be_swept_is_told_before_anything_runs(run: Run, tmp_path: Path, tokens: list[str], words: str) -> None:
    done = run("-m", *SMALL, *tokens)
    assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert not (tmp_path / "outputs").exists()


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("hydra/launcher=nope", "there is no such option"),
        ("hydra.launcher.nope=1", "is not set by any file"),
        ("hydra.sweep.nope=1", "hydra.sweep.nope"),
    ],
)
def test_a_mistake_about_hydra_itself_is_one_line_too(token: str, words: str, run: Run, tmp_path: Path) -> None:
    done = run("-m", *SMALL, "seed=1,2", token)
    assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert f"[from command line: {token}]" in done.stderr
