"""Two boxes and a verdict: starts them, watches them, kills them, and reads one line.

Level 3: bubblewrap with every namespace, a read-only system, private temporary folders, no network, and the system-call
filter. Level 2: Landlock and a stricter filter, no new processes. Level 1: limits only, for trusted code. As root every
box runs as a user of its own that exists nowhere else.
"""

from __future__ import annotations

import atexit
import itertools
import os
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from ._tree import Tree

_TICK_S = 0.02
_UIDS = itertools.count(0)
_UID_BASE, _UID_SPAN = 1_870_000_000, 100_000
_TESTS_MEMORY_MB = 1024
_INODE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """What a candidate may use."""

    timeout_s: float
    cpu_s: float
    memory_mb: int
    processes: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the tests went. `reason` is one of a closed vocabulary; `total` 0 means that there was no test."""

    passed: int
    total: int
    reason: str
    level: int


class Box:
    """One process tree, closed."""

    def __init__(self, role: str, level: int, limits: Limits, channel: int, text: str, nonce: str, verdict: int | None) -> None:
        reader, writer = os.pipe()
        self.folder: str | None = None
        cpu = limits.cpu_s if role == "candidate" else limits.timeout_s + 5
        memory = limits.memory_mb if role == "candidate" else max(_TESTS_MEMORY_MB, limits.memory_mb)
        root = os.geteuid() == 0
        uid = _UID_BASE + next(_UIDS) % _UID_SPAN if root else None
        config: dict[str, Any] = {
            "level": level,
            "memory_mb": memory,
            "cpu_s": cpu,
            "processes": limits.processes,
            "file_mb": 64,
            "count_processes": level == 3 or (root and strangers_can_read()),
        }
        if role == "tests":
            config["nonce"] = nonce
        if level == 3:
            config |= {"cwd": "/tmp", "uid": uid}
        else:
            config["drop_capabilities"] = root and not strangers_can_read()
            self.folder = tempfile.mkdtemp(prefix="whileai-box-")
            if uid is not None and strangers_can_read():
                os.chown(self.folder, uid, uid)
            config |= {"cwd": self.folder, "readable": [*python_folders(), runner_folder()], "writable": [self.folder]}
        fds = [channel, reader] + ([verdict] if verdict is not None else [])
        inner = "/box/start.py" if level == 3 else f"{runner_folder()}/box/start.py"
        command = [
            boxed_python() if level == 3 else python(),
            "-I",
            "-S",
            "-B",
            inner,
            role,
            str(channel),
            str(reader),
            str(verdict if verdict is not None else -1),
        ]
        command.append(orjson.dumps(config).decode())
        if level == 3:
            command = [*bubblewrap(), *command]
        as_user: dict[str, Any] = (
            {"user": uid, "group": uid, "extra_groups": []} if uid is not None and level < 3 and strangers_can_read() else {}
        )
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=fds,
                env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TMPDIR": self.folder or "/tmp", "HOME": self.folder or "/tmp"},
                cwd="/",
                start_new_session=True,
                **as_user,
            )
        finally:
            os.close(reader)
        self.tree = Tree(self.process.pid)
        self._text, self._writer = text.encode("utf-8", "surrogatepass"), writer

    def feed(self) -> None:
        """Hand over the text; what a box does not read is dropped."""
        os.set_blocking(self._writer, False)
        data = memoryview(self._text)
        until = time.monotonic() + 5.0
        try:
            while data and time.monotonic() < until and select.select([], [self._writer], [], 1.0)[1]:
                data = data[os.write(self._writer, data) :]
        except (BrokenPipeError, BlockingIOError):
            return
        finally:
            os.close(self._writer)

    def crowded(self) -> bool:
        """Whether its folder holds too many entries, by the size of the folder itself."""
        try:
            return self.folder is not None and os.stat(self.folder).st_size > _INODE_BYTES
        except OSError:
            return False

    def end(self) -> None:
        """Kill the tree, wait until it is gone, remove its folder."""
        self.tree.kill(spare_root=self.folder is None)
        try:
            self.process.wait(0.0 if self.folder is not None else 0.5)
        except subprocess.TimeoutExpired:
            self.tree.kill()
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                self.process.kill()
            self.process.wait()
        self.tree.wait_gone(2.0)
        if self.folder is not None:
            remove(self.folder)


def remove(folder: str) -> None:
    """Remove a folder whatever is in it; links are not followed."""
    try:
        shutil.rmtree(folder)
    except (OSError, RecursionError):
        subprocess.run(["/bin/rm", "-rf", "--", folder], check=False, capture_output=True)


def run_boxes(source: str, tests: str, limits: Limits, level: int) -> Outcome:
    """Run hidden tests against a candidate at one level of containment. Never raises for what a candidate does."""
    nonce = secrets.token_hex(16)
    ours, theirs = socket.socketpair()
    verdict_read, verdict_write = os.pipe()
    boxes: list[Box] = []
    try:
        candidate = Box("candidate", level, limits, theirs.fileno(), source, nonce, None)
        boxes.append(candidate)
        judge = Box("tests", level, limits, ours.fileno(), tests, nonce, verdict_write)
        boxes.append(judge)
        for held in (ours, theirs):
            held.close()
        os.close(verdict_write)
        verdict_write = -1
        for box in boxes:
            box.feed()
        return _watched(candidate, judge, limits, verdict_read, nonce, level)
    finally:
        for box in boxes:
            box.end()
        for held in (ours, theirs):
            held.close()
        os.close(verdict_read)
        if verdict_write >= 0:
            os.close(verdict_write)


def _watched(candidate: Box, judge: Box, limits: Limits, verdict: int, nonce: str, level: int) -> Outcome:
    """Wait for the verdict, or for a limit."""
    start = time.monotonic()
    said = b""
    while True:
        if select.select([verdict], [], [], _TICK_S)[0]:
            part = os.read(verdict, 1 << 16)
            said += part
            if not part or said.endswith(b"\n"):
                return _read(said, nonce, level)
        used = candidate.tree.measure()
        if used.memory > limits.memory_mb << 20:
            return Outcome(0, 1, "memory_limit", level)
        if used.threads > limits.processes * 2:
            return Outcome(0, 1, "process_limit", level)
        if used.cpu_s > limits.cpu_s:
            return Outcome(0, 1, "timeout_cpu", level)
        if candidate.crowded():
            return Outcome(0, 1, "file_limit", level)
        if time.monotonic() - start > limits.timeout_s:
            waited = used.waited_s + judge.tree.measure().waited_s
            starved = waited > limits.timeout_s / 2 and used.cpu_s < limits.cpu_s / 4
            return Outcome(0, 1, "starved" if starved else "timeout", level)


def _read(said: bytes, nonce: str, level: int) -> Outcome:
    try:
        told = orjson.loads(said)
        if told["nonce"] == nonce:
            return Outcome(int(told["passed"]), int(told["total"]), str(told["reason"]), level)
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError):
        pass
    return Outcome(0, 0, "sandbox_broken", level)


@cache
def python() -> str:
    """The interpreter itself, past any virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


@cache
def boxed_python() -> str:
    """Where the interpreter stands inside a level 3 box: folders above its own may be closed to strangers."""
    return python() if python().startswith("/usr/") else "/python/" + os.path.relpath(python(), sys.base_prefix)


@cache
def strangers_can_read() -> bool:
    """Whether a user who owns nothing can start this interpreter where it lies."""
    for path in (python(), f"{sys.base_prefix}/lib"):
        for folder in (path, *map(str, Path(path).parents)):
            if not os.stat(folder).st_mode & 0o001:
                return False
    return True


@cache
def python_folders() -> tuple[str, ...]:
    """What an interpreter needs to read to start."""
    library = f"{sys.base_prefix}/lib"
    wanted = [
        library,
        *(["/usr/lib", "/lib", "/lib64", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo"]),
        os.path.dirname(python()),
    ]
    return tuple(dict.fromkeys(folder for folder in wanted if os.path.isdir(folder)))


@cache
def runner_folder() -> str:
    """A folder that any user can read, with the box's two programs."""
    folder = tempfile.mkdtemp(prefix="whileai-runner-")
    os.chmod(folder, 0o755)
    inner = Path(folder, "box")
    inner.mkdir(mode=0o755)
    for program in sorted(Path(__file__).with_name("box").glob("*.py")):
        target = inner / program.name
        target.write_bytes(program.read_bytes())
        target.chmod(0o644)
    inner.chmod(0o755)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def bubblewrap() -> tuple[str, ...]:
    """The bubblewrap command up to the program. As root it keeps the one power to become somebody else."""
    out = [
        shutil.which("bwrap") or "bwrap",
        "--unshare-ipc",
        "--unshare-pid",
        "--unshare-net",
        "--unshare-uts",
        "--unshare-cgroup-try",
    ]
    out += ["--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    out += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"] if os.geteuid() == 0 else ["--unshare-user"]
    out += ["--ro-bind", "/usr", "/usr"]
    for name in ("lib", "lib64", "bin", "sbin", "lib32"):
        path = f"/{name}"
        if os.path.islink(path):
            out += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            out += ["--ro-bind", path, path]
    if not python().startswith("/usr/"):
        out += ["--ro-bind", sys.base_prefix, "/python"]
    out += ["--proc", "/proc", "--dev", "/dev"]
    for folder, size in (("/dev/shm", 16 << 20), ("/tmp", 64 << 20)):
        out += ["--perms", "1777", "--size", str(size), "--tmpfs", folder]
    out += ["--ro-bind", f"{runner_folder()}/box", "/box", "--remount-ro", "/", "--chdir", "/tmp"]
    for name, value in (("PATH", "/usr/bin:/bin"), ("LANG", "C.UTF-8"), ("HOME", "/tmp"), ("TMPDIR", "/tmp")):
        out += ["--setenv", name, value]
    return (*out, "--")
