"""Which containment does this machine really give? Asked by trying to get out, once per process."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from functools import cache
from pathlib import Path

from ._sandbox import Limits, run_boxes

_PROBE = """
import os, socket
def breaches(canary, port, parent, secret):
    out = []
    try:
        open(canary).read(); out.append("read")
    except OSError: pass
    try:
        socket.create_connection(("127.0.0.1", port), 1).close(); out.append("network")
    except OSError: pass
    try:
        open(os.path.join(os.path.dirname(canary), "planted"), "w").close(); out.append("wrote")
    except OSError: pass
    try:
        os.kill(parent, 0); out.append("signal")
    except OSError: pass
    if secret in os.environ: out.append("environment")
    n = 0
    try:
        for _ in range(200):
            pid = os.fork()
            if pid == 0:
                import time; time.sleep(30); os._exit(0)
            n += 1
    except OSError: pass
    if n >= 200: out.append("processes")
    return out
"""
_LIMITS = Limits(timeout_s=20.0, cpu_s=5.0, memory_mb=512, processes=32)


@cache
def level_of_this_machine() -> tuple[int, str]:
    """The strongest level whose box holds, and why the one above it does not (empty at 3)."""
    why = "bubblewrap is not installed"
    if shutil.which("bwrap") is not None:
        why = held(3)
        if not why:
            return 3, ""
    below = held(2)
    return (2, why) if not below else (1, f"{why}; Landlock and seccomp: {below}")


@cache
def held(level: int) -> str:
    """Empty when a hostile probe got nowhere at this level; else what it reached."""
    folder = tempfile.mkdtemp(prefix="whileai-canary-")
    listener = socket.socket()
    try:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        os.chmod(folder, 0o777)
        canary = Path(folder, "canary")
        canary.write_text("canary")
        canary.chmod(0o644)
        asked = f"{str(canary)!r}, {listener.getsockname()[1]}, {os.getpid()}, 'HOME_OF_GRADER'"
        found = run_boxes(_PROBE, f"assert breaches({asked}) == []", _LIMITS, level)
        if found.reason == "pass":
            return ""
        return (
            "a box does not start"
            if found.reason in ("sandbox_broken", "candidate_ended", "tests_error")
            else f"a probe got out or broke ({found.reason})"
        )
    except OSError as error:
        return str(error)
    finally:
        listener.close()
        shutil.rmtree(folder, ignore_errors=True)
