"""Measuring one piece of work in a fresh process: CPU, wall and memory, beside what the mock server and the machine did.

CPU seconds on a shared machine stretch with what the neighbours do, so only ratios within a round mean anything. A
calibration loop beside each figure made the ratios noisier here, not quieter, so there is none.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
_CORES = sorted(os.sched_getaffinity(0))
CLIENT_CORE, SERVER_CORE = (_CORES[0], _CORES[1]) if len(_CORES) > 1 else (None, None)


@contextmanager
def mock_server(**options: Any) -> Iterator[int]:
    """A mock server on a core of its own, where there are two; gives its port."""
    command = [sys.executable, str(HERE / "mock_server.py")]
    if SERVER_CORE is not None:
        command += ["--core", str(SERVER_CORE)]
    for name, value in options.items():
        command += ["--" + name.replace("_", "-"), str(value)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.terminate()
        process.wait(10)


def ask(port: int, path: str) -> Any:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as response:
        return json.load(response)


def busy_s() -> float:
    """CPU seconds that all processes of the machine have used."""
    numbers = [int(part) for part in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    return (sum(numbers[:3]) + sum(numbers[5:8])) / os.sysconf("SC_CLK_TCK")


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(port: int, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What `work` returns, with its CPU, wall, peak memory and the server's counts."""
    ask(port, "/reset")
    busy, cpu, wall = busy_s(), time.process_time(), time.perf_counter()
    out = work()
    wall_s, cpu_s, busy = time.perf_counter() - wall, time.process_time() - cpu, busy_s() - busy
    stats = ask(port, "/stats")
    foreign = max(0.0, (busy - cpu_s - stats["cpu_s"]) / wall_s) if wall_s else 0.0
    return {**out, "peak_mb": peak_mb(), "cpu_s": cpu_s, "wall_s": wall_s, "foreign": foreign, "server": stats}


def in_process(script: str, *arguments: Any) -> dict[str, Any]:
    """Run a benchmark script's `--one` in a fresh process on the client's core; the JSON line it printed last."""
    command = [sys.executable, script, "--one", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def pin() -> None:
    if CLIENT_CORE is not None:
        os.sched_setaffinity(0, {CLIENT_CORE})


def spread(ratios: list[float]) -> str:
    """Median and range of the rounds."""
    return f"{statistics.median(ratios):5.2f}x  ({min(ratios):.2f} to {max(ratios):.2f})"
