"""The main command, as a process: its record, its repeatability, and what it says about mistakes."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from whileai_exp.schema.validate import row_problems

SMALL = ("+experiment=rl_v1", "counts.situations=16", "record=local")
Run = Callable[..., subprocess.CompletedProcess[str]]


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in (folder / "rows.jsonl").read_bytes().splitlines()]


def test_the_main_job_runs_and_leaves_a_whole_record(run: Run, run_dir: Callable[..., Path]) -> None:
    done = run(*SMALL, check=True)
    assert "pass@1" in done.stdout and "headroom" in done.stdout and "gates" in done.stdout
    folder = run_dir()
    record = orjson.loads((folder / "record.json").read_bytes())
    assert record["status"] == "complete" and record["counts"]["judged"] == record["counts"]["rows"] > 60
    assert all(hashlib.sha256((folder / name).read_bytes()).hexdigest() == sha for name, sha in record["files"].items())
    rows = rows_of(folder)
    assert [problem for row in rows for problem in row_problems(row)] == []
    assert {row["reward"] for row in rows} == {0, 1} and any(row.get("seeded") for row in rows)
    assert "pass_at_1" in {m["name"] for m in record["measures"]} and record["origins"]["counts.repeats"]
    assert yaml.safe_load((folder / "config.yaml").read_text())["counts"]["situations"] == 16
    assert not list(folder.glob("*.part"))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_at_any_concurrency_and_hash_seed(run: Run, tmp_path: Path) -> None:
    digests = set()
    for at, (concurrency, hash_seed) in enumerate([(1, "0"), (64, "1"), (7, "random")]):
        run(
            *SMALL,
            f"allocation.concurrency={concurrency}",
            f"hydra.run.dir={tmp_path}/r{at}",
            env={"PYTHONHASHSEED": hash_seed},
            check=True,
        )
        digests.add(hashlib.sha256((tmp_path / f"r{at}" / "rows.jsonl").read_bytes()).hexdigest())
    run(*SMALL, "seed=1", f"hydra.run.dir={tmp_path}/other", check=True)
    assert len(digests) == 1
    assert hashlib.sha256((tmp_path / "other" / "rows.jsonl").read_bytes()).hexdigest() not in digests


@pytest.mark.slow
def test_a_replay_is_identical_and_a_changed_record_is_noticed(run: Run, run_dir: Callable[..., Path]) -> None:
    run(*SMALL, check=True)
    folder = run_dir()
    done = run("replay", str(folder))
    assert done.returncode == 0 and "identical" in done.stdout
    config = yaml.safe_load((folder / "config.yaml").read_text())
    (folder / "config.yaml").write_text(yaml.safe_dump({**config, "seed": 9}))
    done = run("replay", str(folder))
    assert done.returncode == 5 and "DIFFERS" in done.stdout and "first at line 1" in done.stdout


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (["advanced.probe=0"], "below its floor 1"),
        pytest.param(["+experiment=nope"], "experiment=nope", marks=pytest.mark.slow),
        pytest.param(["spec.path=no/such"], "there is nothing at", marks=pytest.mark.slow),
    ],
)
def test_a_mistake_exits_2_with_one_message_and_writes_nothing(run: Run, tmp_path: Path, tokens: list[str], words: str) -> None:
    base = [] if any("experiment" in token for token in tokens) else ["+experiment=rl_v1"]
    done = run(*base, *tokens)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr and "Traceback" not in done.stderr + done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_all_jobs_of_a_sweep_are_checked_before_the_first_starts(run: Run, tmp_path: Path) -> None:
    done = run("-m", *SMALL, "counts.repeats=4,0", "advanced.probe=4,0")
    assert done.returncode == 2 and "counts.repeats: 0" in done.stderr and "advanced.probe: 0" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_gates_that_refuse_exit_3_and_say_what_to_do(run: Run, run_dir: Callable[..., Path]) -> None:
    done = run(*SMALL, "gates.mixed_groups.min_share=1.0")
    assert done.returncode == 3 and "fail" in done.stdout and "->" in done.stdout
    assert orjson.loads((run_dir() / "record.json").read_bytes())["status"] == "refused"


@pytest.mark.slow
def test_no_answer_key_reaches_any_file(run: Run, tmp_path: Path, run_dir: Callable[..., Path]) -> None:
    """The judge-only references of the very tasks of the run are searched for in everything it wrote."""
    run(*SMALL, check=True)
    folder = run_dir()
    code = (
        "import yaml, sys; from whileai_exp.plan import resolve_plan; from whileai_exp.situations import rebuild; from whileai_exp.run.directory import read_rows;"
        "plan = resolve_plan(yaml.safe_load(open(sys.argv[1] + '/config.yaml')));"
        "tasks = [rebuild(plan.spec, row, plan.knobs) for row in read_rows(sys.argv[1] + '/rows.jsonl')];"
        "print('\\n'.join(sorted({t.privileged['reference'] for t in tasks})))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True)
    references = done.stdout.splitlines()
    assert len(references) > 10
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert [r for r in references if r.encode() in written] == []
