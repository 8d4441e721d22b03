"""The long form of the chaos tests (`make chaos`): kills, faults and an outage at 64 in flight, and the table of what came of it.

    python -m tests.chaos [--kills 20] [--tasks 120] [--outage 60]

Ends with 1 when a row was lost, doubled or changed, or more was paid for than promised.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.unit.rollouts import test_chaos as short
from whileai_exp.journal import Journal

IN_FLIGHT = 64
_FIRST_ANSWERS_S = 20.0


def kill(url: str, folder: Path, tasks: int, after_s: float) -> bool:
    """Start the run, kill it `after_s` after its first answers; whether it was still running then."""
    child = short.start(url, folder, IN_FLIGHT, tasks)
    log, deadline = folder / "journal.sqlite-wal", time.monotonic() + _FIRST_ANSWERS_S
    while not (log.exists() and log.stat().st_size) and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(after_s)
    alive = child.poll() is None
    child.send_signal(signal.SIGKILL)
    child.communicate()
    return alive


def one_kill(folder: Path, tasks: int, after_s: float, truth: dict[str, Any]) -> dict[str, Any]:
    """A run under the fault mix, killed once and resumed; what the server counted."""
    with short.server(**short.MIX) as url:
        alive = kill(url, folder, tasks, after_s)
        before = short.stats(url)
        result = short.finished(short.start(url, folder, IN_FLIGHT, tasks))
        counts = short.stats(url)
    with Journal.open(folder, replay=True) as journal:
        kept = len(journal)
    return {
        "killed alive": alive,
        "answered before": before["answered"],
        "same rows": result["digest"] == truth["digest"] and result["rows"] == truth["rows"],
        "repeated": counts["answered_twice"],
        "kept": kept == counts["keys"],
    }


def faults(tasks: int) -> tuple[bool, float]:
    """The fault mix without kills: same rows, and calls per answer."""
    with short.server(**short.MIX) as url, tempfile.TemporaryDirectory() as folder:
        result = short.finished(short.start(url, Path(folder), IN_FLIGHT, tasks))
        counts = short.stats(url)
    return result["digest"] == truth_of(tasks)["digest"], counts["requests"] / counts["answered"]


def outage(tasks: int, seconds: float) -> bool:
    """Every request is a 503 for `seconds` from early in the run: whether the rows are the same in the end."""
    with short.server() as url, tempfile.TemporaryDirectory() as folder:
        child = short.start(url, Path(folder), IN_FLIGHT, tasks, CHAOS_PATIENT="1")
        while short.stats(url)["answered"] < tasks:
            time.sleep(0.02)
        short.stats(url, outage="503")
        time.sleep(seconds)
        short.stats(url, outage=None)
        out, err = child.communicate(timeout=600)
    assert child.returncode == 0, err
    return truth_of(tasks)["digest"] in out


_TRUTHS: dict[int, dict[str, Any]] = {}


def truth_of(tasks: int) -> dict[str, Any]:
    """Digest and number of rows of an undisturbed run, one call at a time per rollout."""
    if tasks not in _TRUTHS:
        with short.server() as url:
            done = asyncio.run(short.run(url, None, 8, tasks))
        _TRUTHS[tasks] = {"digest": short.digest(done), "rows": len(done.rollouts)}
    return _TRUTHS[tasks]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--tasks", type=int, default=120)
    parser.add_argument("--outage", type=float, default=60.0, help="seconds")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    say, bad = sys.stdout.write, 0
    truth, draw = truth_of(arguments.tasks), random.Random(arguments.seed)
    say(f"{truth['rows']} rows undisturbed, {IN_FLIGHT} in flight, {sum(short.MIX.values()):.0%} of requests fail\n\n")
    say("kill   answers before  repeated  rows\n")
    for number in range(arguments.kills):
        with tempfile.TemporaryDirectory() as folder:
            seen = one_kill(Path(folder, "run"), arguments.tasks, draw.uniform(0.0, 1.5), truth)
        good = seen["same rows"] and seen["kept"] and seen["repeated"] <= IN_FLIGHT
        bad += not good
        note = "" if seen["killed alive"] else "  (had ended before the kill)"
        say(f"{number:4d}  {seen['answered before']:15d}  {seen['repeated']:8d}  {'same' if good else 'WRONG'}{note}\n")
    same, calls = faults(arguments.tasks)
    bad += not same or calls > 1.25
    say(f"\nfaults only: rows {'same' if same else 'WRONG'}, {calls:.2f} calls per answer (at most 1.25)\n")
    same = outage(arguments.tasks, arguments.outage)
    bad += not same
    say(f"outage of {arguments.outage:g} s: rows {'same' if same else 'WRONG'}\n")
    raise SystemExit(1 if bad else 0)


if __name__ == "__main__":
    main()
