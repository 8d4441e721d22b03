"""A process with all its descendants: what they use together, and killing them to the last."""

from __future__ import annotations

import os
import signal
import time
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Used(NamedTuple):
    """Sums over a tree."""

    memory: int = 0
    threads: int = 0
    cpu_s: float = 0.0
    waited_s: float = 0.0
    """Time ready to run and not running."""


class Tree:
    """The descendants of a process, as far as they were ever seen."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._seen: dict[int, float] = {}
        """Process to the CPU seconds it had when last seen: the dead keep counting."""

    def members(self) -> list[int]:
        """The root and every descendant that is alive."""
        out, queue = [], [self._root]
        while queue:
            pid = queue.pop()
            out.append(pid)
            queue += _children(pid)
        return out

    def measure(self) -> Used:
        """What the tree uses now."""
        memory = threads = 0
        waited = 0.0
        for pid in self.members():
            stat = _read(f"/proc/{pid}/stat")
            if stat is None:
                continue
            fields = stat.rsplit(")", 1)[-1].split()
            self._seen[pid] = (int(fields[11]) + int(fields[12])) / _TICKS
            threads += int(fields[17])
            memory += max(0, int(fields[21])) * _PAGE
            schedule = (_read(f"/proc/{pid}/schedstat") or "0 0 0").split()
            waited += int(schedule[1]) / 1e9
        return Used(memory, threads, sum(self._seen.values()), waited)

    def kill(self, *, spare_root: bool = False) -> None:
        """SIGKILL to all, until nobody new appears. A spared root is left to bury its children."""
        for _ in range(20):
            members = [pid for pid in self.members() if not (spare_root and pid == self._root)]
            for pid in members:
                try:
                    os.kill(pid, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    continue
            if len(members) <= 1:
                return

    def wait_gone(self, timeout_s: float) -> None:
        """Until no process ever seen here runs any more, or the time is over."""
        until = time.monotonic() + timeout_s
        while time.monotonic() < until and any(_runs(pid) for pid in self._seen):
            time.sleep(0.005)


def _runs(pid: int) -> bool:
    stat = _read(f"/proc/{pid}/stat")
    return stat is not None and stat.rsplit(")", 1)[-1].split()[0] not in "ZX"


def _children(pid: int) -> list[int]:
    out: list[int] = []
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return out
    for task in tasks[:64]:
        told = _read(f"/proc/{pid}/task/{task}/children")
        out += [int(child) for child in told.split()] if told else []
    return out


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return None
