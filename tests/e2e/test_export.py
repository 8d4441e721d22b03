"""Exports as a person asks for them: with the run, and afterwards from what it left."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

import whileai_exp as wai

Run = Callable[..., subprocess.CompletedProcess[str]]
SPEC = Path(__file__).resolve().parents[2] / "experiments" / "refunds"
pytestmark = pytest.mark.slow


def lines(path: Path) -> list[dict[str, object]]:
    return [orjson.loads(line) for line in path.read_bytes().split(b"\n") if line]


@pytest.fixture
def ran(run: Run, tmp_path: Path) -> Path:
    """One RL run that also wrote TRL conversations and verl prompts."""
    few = ("record=local", "counts.situations=20", "gates=none", "hydra.run.dir=r")
    run("+experiment=rl_v1", "export=trl", "+export.verl={kind: dataset, format: verl}", *few, check=True)
    return tmp_path / "r"


def test_a_run_writes_the_exports_it_is_told_to_and_records_their_hashes(ran: Path) -> None:
    record = orjson.loads((ran / "record.json").read_bytes())
    made = record["reports"]["exports"] if "reports" in record else orjson.loads((ran / "report.json").read_bytes())["exports"]
    assert {name: report["format"] for name, report in made.items()} == {"trl": "trl", "verl": "verl"}
    for file in ("trl.export.jsonl", "verl.export.parquet"):
        assert file in record["files"] and (ran / file).is_file()
    assert set(lines(ran / "trl.export.jsonl")[0]) == {"messages", "tools", "task_id", "rollout_id", "reward"}


def test_every_format_is_written_from_what_a_run_left(run: Run, ran: Path, tmp_path: Path) -> None:
    for name in ("openai", "trl", "prompt_completion", "preference", "grpo", "verl", "parquet"):
        file = f"out/{name}{'.parquet' if name in ('verl', 'parquet') else '.jsonl'}"
        done = run("export", "r", "--format", name, "--to", file, check=True)
        assert f"{name}: " in done.stdout and "records of" in done.stdout
    assert (tmp_path / "out" / "trl.jsonl").read_bytes() == (ran / "trl.export.jsonl").read_bytes()
    run("export", "out/parquet.parquet", "--to", "again.jsonl", "--spec", str(SPEC), check=True)
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "out" / "openai.jsonl").read_bytes()
    everything = run("export", "r", "--rows", "all", "--format", "parquet", "--to", "all.parquet", check=True)
    assert "left out" not in everything.stdout
    assert wai.load_rows(tmp_path / "all.parquet") == wai.load_rows(ran / "rows.jsonl")


def test_what_cannot_be_exported_is_told_in_one_line(run: Run, ran: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.jsonl").write_bytes((ran / "rows.jsonl").read_bytes()[:-40])
    (tmp_path / "failed.jsonl").write_text('{"prompt": "p", "final_text": "f", "steps": [{"text": "f"}], "reward": 0.0}\n')
    for arguments, code, told in (
        (("r", "--format", "tlr", "--to", "x.jsonl"), 2, "did you mean 'trl'"),
        (("r", "--rows", "some", "--to", "x.jsonl"), 2, "use selected or all"),
        (("r", "--to", "x.parquet"), 2, "names a Parquet file"),
        (("nowhere", "--to", "x.jsonl"), 2, "neither a run directory nor an MLflow run id"),
        (("cut.jsonl", "--to", "x.jsonl"), 2, "is cut off"),
        (("failed.jsonl", "--to", "x.jsonl"), 3, "--failures"),
    ):
        done = run("export", *arguments)
        assert done.returncode == code and told in done.stdout + done.stderr, done.stdout + done.stderr
        assert "Traceback" not in done.stderr and not list(tmp_path.glob("x.*"))
