"""Cut runs: killed, interrupted, crowded out of their directory or of the disk, and taken up again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from .test_wire import on, server  # noqa: F401

Run = Callable[..., subprocess.CompletedProcess[str]]
pytestmark = pytest.mark.slow


def started(tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "whileai_exp", *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for_calls(folder: Path) -> None:
    """Until the journal of a starting run holds answers."""
    journal = folder / "journal.sqlite-wal"
    for _ in range(400):
        if journal.is_file() and journal.stat().st_size > 60_000:
            return
        time.sleep(0.05)
    raise AssertionError("the run made no calls")


@pytest.fixture
def slow_run(tmp_path: Path, run: Run, server: Callable[..., str]) -> tuple[tuple[str, ...], bytes]:  # noqa: F811
    """Arguments of a run that takes seconds, and the rows it should give."""
    run(*on(server(), f"hydra.run.dir={tmp_path}/whole"), check=True)
    return on(server("--latency", "0.15"), "allocation.concurrency=8"), (tmp_path / "whole" / "rows.jsonl").read_bytes()


def test_a_killed_run_resumes_to_the_same_rows(tmp_path: Path, run: Run, slow_run: tuple[tuple[str, ...], bytes]) -> None:
    arguments, rows = slow_run
    process = started(tmp_path, *arguments, f"hydra.run.dir={tmp_path}/cut")
    wait_for_calls(tmp_path / "cut")
    process.kill()
    process.wait(10)
    assert not (tmp_path / "cut" / "rows.jsonl").exists()
    done = run("resume", str(tmp_path / "cut"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "cut" / "rows.jsonl").read_bytes() == rows


def test_an_interrupted_run_drains_records_and_resumes(tmp_path: Path, run: Run, slow_run: tuple[tuple[str, ...], bytes]) -> None:
    arguments, rows = slow_run
    process = started(tmp_path, *arguments, f"hydra.run.dir={tmp_path}/cut")
    wait_for_calls(tmp_path / "cut")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, out + err
    assert orjson.loads((tmp_path / "cut" / "record.json").read_bytes())["status"] == "incomplete"
    assert run("resume", str(tmp_path / "cut")).returncode == 0
    assert (tmp_path / "cut" / "rows.jsonl").read_bytes() == rows


def test_a_second_run_in_the_directory_is_turned_away_and_harms_nothing(
    tmp_path: Path, run: Run, slow_run: tuple[tuple[str, ...], bytes]
) -> None:
    arguments, rows = slow_run
    process = started(tmp_path, *arguments, "allocation.concurrency=1", f"hydra.run.dir={tmp_path}/one")
    wait_for_calls(tmp_path / "one")
    before = (tmp_path / "one" / "config.yaml").read_bytes()
    done = run(*arguments, "seed=9", f"hydra.run.dir={tmp_path}/one")
    assert done.returncode == 73 and "Traceback" not in done.stderr, done.stdout + done.stderr
    assert (tmp_path / "one" / "config.yaml").read_bytes() == before
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert (tmp_path / "one" / "rows.jsonl").read_bytes() == rows
    done = run(*arguments, "seed=9", f"hydra.run.dir={tmp_path}/one")
    assert done.returncode == 2 and "seed (0 there, 9 here)" in done.stderr
    assert (tmp_path / "one" / "rows.jsonl").read_bytes() == rows


@pytest.mark.skipif(os.geteuid() != 0 if hasattr(os, "geteuid") else True, reason="mounting a small disk needs root")
def test_a_full_disk_stops_the_run_and_space_finishes_it(tmp_path: Path, run: Run, server: Callable[..., str]) -> None:  # noqa: F811
    disk = tmp_path / "disk"
    disk.mkdir()
    if (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(disk)], capture_output=True, check=False
        ).returncode
        != 0
    ):
        pytest.skip("this machine does not let us mount a small disk")
    try:
        arguments = on(server())
        run(*arguments, f"hydra.run.dir={tmp_path}/whole", check=True)
        done = run(*arguments, f"hydra.run.dir={disk}/run")
        assert done.returncode == 74 and "free space and resume" in done.stderr, done.stderr
        subprocess.run(["mount", "-o", "remount,size=50M", str(disk)], check=True)
        assert run("resume", str(disk / "run")).returncode == 0
        assert (disk / "run" / "rows.jsonl").read_bytes() == (tmp_path / "whole" / "rows.jsonl").read_bytes()
    finally:
        subprocess.run(["umount", str(disk)], check=True)
