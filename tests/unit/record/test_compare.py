"""Measures on tracked runs: found by id, and MLflow left alone where rows are given."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.record import mlflow_sink
from whileai_exp.record.compare import compare_runs, delta_report

RUN = "0123456789abcdef0123456789abcdef"


def written(path: Path, reward: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        {"scenario_id": f"t{t}", "rollout_index": i, "reward": reward if t else 1 - reward, "judge_status": "ok"}
        for t in range(8)
        for i in range(2)
    ]
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return path


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store at the default place whose one run names `<tmp>/run` and has no artifacts."""
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs/mlflow.db").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(mlflow_sink, "directory_of", lambda uri, run_id: tmp_path / "run")
    monkeypatch.setattr(mlflow_sink, "download", lambda uri, run_id, name, into: None)
    return tmp_path


@pytest.mark.parametrize("spelled", [f"mlflow:{RUN}", f"runs:/{RUN}", f"runs:/{RUN}/rows.jsonl", RUN])
def test_a_tracked_run_is_its_rows(store: Path, spelled: str) -> None:
    a, b = written(store / "run/rows.jsonl", 0), written(store / "other/rows.jsonl", 1)
    assert compare_runs(spelled, b).to_dict() == compare_runs(a, b).to_dict()
    assert delta_report(before=spelled, after=str(b)).to_dict() == delta_report(a, b).to_dict()


def test_training_seeds_may_be_tracked_runs(store: Path) -> None:
    a, b = written(store / "run/rows.jsonl", 0), written(store / "other/rows.jsonl", 1)
    found = delta_report(a, b, train_runs={"after": [f"mlflow:{RUN}", str(b)]})
    assert found.training is not None and found.training.values["after"] == (1 / 8, 7 / 8)


def test_a_run_whose_directory_is_gone_is_read_from_its_artifacts(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetched(uri: str, run_id: str, name: str, into: Path) -> Path:
        scratch.append(into)
        return written(into / name, 1)

    scratch: list[Path] = []
    monkeypatch.setattr(mlflow_sink, "download", fetched)
    other = written(store / "elsewhere/rows.jsonl", 1)
    assert compare_runs(f"mlflow:{RUN}", other).delta == 0.0 and compare_runs(f"mlflow:{RUN}", other).n_paired == 8
    assert scratch and not any(path.exists() for path in scratch)


def test_what_is_missing_is_said(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=r"its directory .*run holds no rows.jsonl, and its artifacts hold no rows.jsonl"):
        compare_runs(f"mlflow:{RUN}", [])

    def gone(uri: str, run_id: str) -> Path:
        raise RuntimeError(f"Run '{run_id}' not found")

    monkeypatch.setattr(mlflow_sink, "directory_of", gone)
    with pytest.raises(ConfigError, match="cannot be read from sqlite:.*not found"):
        compare_runs(f"mlflow:{RUN}", [])
    (store / "outputs/mlflow.db").unlink()
    with pytest.raises(ConfigError, match="there is no store at"):
        compare_runs(RUN, [])


def test_a_file_named_like_a_run_is_a_file(store: Path) -> None:
    written(store / RUN, 1)
    assert compare_runs(RUN, store / RUN).delta == 0.0


def test_paths_do_not_load_mlflow(tmp_path: Path) -> None:
    path = written(tmp_path / "rows.jsonl", 1)
    code = f"import sys, whileai_exp as wai; wai.compare_runs({str(path)!r}, {str(path)!r}); print('mlflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"
