"""Checks that cannot be interrupted, in processes that can be killed: pattern matching, symbolic mathematics, schemas.

A worker is a Python of its own that answers one line of JSON per line, with limits on memory and without keys in its
environment. Past a check's time the worker is killed and the next check gets a new one.
"""

from __future__ import annotations

import atexit
import os
import select
import subprocess
import sys
import threading
import time
from functools import cache
from typing import Any

import orjson

from ..models.backend import child_environment

_START_S = 60.0
_MOST_IDLE = 4
_MOST_REPLY = 1 << 24


class Worker:
    """One child process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "whileai_exp.verify._work"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=child_environment(),
            start_new_session=True,
        )
        self._warm: set[str] = set()

    def call(self, op: str, arguments: Any, timeout_s: float) -> Any:
        """The answer. TimeoutError past `timeout_s`; RuntimeError with what went wrong inside. Loading is not counted."""
        if op not in self._warm:
            self._exchange({"op": "warm", "arguments": op}, _START_S)
            self._warm.add(op)
        return self._exchange({"op": op, "arguments": arguments}, timeout_s)

    def _exchange(self, message: Any, timeout_s: float) -> Any:
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(orjson.dumps(message) + b"\n")
            process.stdin.flush()
            line = self._line(process.stdout.fileno(), timeout_s)
        except TimeoutError:
            raise
        except OSError as error:
            raise RuntimeError("the checking process died") from error
        answer = orjson.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["value"]

    def _line(self, fd: int, timeout_s: float) -> bytes:
        until = time.monotonic() + timeout_s
        parts: list[bytes] = []
        size = 0
        while True:
            left = until - time.monotonic()
            if left <= 0 or not select.select([fd], [], [], left)[0]:
                raise TimeoutError(f"the check took over {timeout_s:g} s")
            part = os.read(fd, 1 << 16)
            size += len(part)
            if not part or size > _MOST_REPLY:
                raise RuntimeError("the checking process died" if not part else "the checking process said too much")
            parts.append(part)
            if part.endswith(b"\n"):
                return b"".join(parts)

    def kill(self) -> None:
        """End the process and everything it opened."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue


class Workers:
    """Workers on call, for any number of threads."""

    def __init__(self) -> None:
        self._idle: list[Worker] = []
        self._lock = threading.Lock()

    def call(self, op: str, arguments: Any, timeout_s: float) -> Any:
        """What a worker answers within `timeout_s`. TimeoutError and RuntimeError cost the worker its life or nothing."""
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        worker = worker or Worker()
        try:
            value = worker.call(op, arguments, timeout_s)
        except RuntimeError as error:
            if "process" in str(error):
                worker.kill()
            else:
                self._put_back(worker)
            raise
        except BaseException:
            worker.kill()
            raise
        self._put_back(worker)
        return value

    def _put_back(self, worker: Worker) -> None:
        with self._lock:
            if len(self._idle) < _MOST_IDLE:
                self._idle.append(worker)
                return
        worker.kill()

    def close(self) -> None:
        """End every idle worker."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.kill()


@cache
def workers() -> Workers:
    """The process's workers."""
    made = Workers()
    atexit.register(made.close)
    return made
