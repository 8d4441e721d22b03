"""Judging many rows: bounded in flight, in input order, and never losing one.

Judges of ours that are pure run on the loop. A user's synchronous function runs in a few daemon threads that each take
row after row, so a row costs no hop between threads; the loop only watches the clock, and a call past its deadline is
marked and its thread replaced. Async judges run on the loop under a deadline each.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..schema import Judgment
from ._base import AsJudge, transient

_BURST = 64
"""Rows that an inline judge does between two looks at the loop."""


async def run_judges(rows: Sequence[Mapping[str, Any]], judge: AsJudge, *, concurrency: int) -> list[Judgment]:
    """One judgment per row, in the order of `rows`. A failing judge is a status, never an exception."""
    if judge.inline:
        out = []
        for index, row in enumerate(rows):
            if index % _BURST == 0:
                await asyncio.sleep(0)
            out.append(await judge.judge(row))
        return out
    if judge.journal is not None or judge.asynchronous:
        return await _each(rows, judge, concurrency)
    return await _Threads(rows, judge, concurrency).run()


async def _each(rows: Sequence[Mapping[str, Any]], judge: AsJudge, concurrency: int) -> list[Judgment]:
    out: list[Judgment | None] = [None] * len(rows)
    waiting = iter(range(len(rows)))

    async def work() -> None:
        for index in waiting:
            out[index] = await judge.judge(rows[index])

    async with asyncio.TaskGroup() as group:
        for _ in range(min(concurrency, len(rows))):
            group.create_task(work())
    return [judgment for judgment in out if judgment is not None]


class _Threads:
    """The rows of one synchronous judge, done by threads that are watched and replaced when they hang."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], judge: AsJudge, concurrency: int) -> None:
        self._rows, self._judge = rows, judge
        self._size = max(1, min(concurrency, len(rows)))
        self._next: Iterator[int] = iter(range(len(rows)))
        self._started: dict[int, tuple[int, float]] = {}
        """Thread number to the row it is at, and since when."""
        self._done: list[Any] = [None] * len(rows)
        """Per row: (True, value) or (False, exception), or None while open."""
        self._left = len(rows)
        self._lock = threading.Lock()
        self._threads = 0

    async def run(self) -> list[Judgment]:
        self._loop = asyncio.get_running_loop()
        self._finished = asyncio.Event()
        if not self._rows:
            return []
        for _ in range(self._size):
            self._start_thread()
        try:
            while not self._finished.is_set():
                try:
                    await asyncio.wait_for(self._finished.wait(), min(0.5, self._judge.deadline_s / 4))
                except TimeoutError:
                    self._give_up_late_ones()
        finally:
            self._next = iter(())
        return [await self._verdict(index) for index in range(len(self._rows))]

    def _start_thread(self) -> None:
        self._threads += 1
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(self._work, self._threads), name="whileai-judge", daemon=True).start()

    def _work(self, thread: int) -> None:
        judge, function = self._judge, self._judge.function
        while True:
            with self._lock:
                index = next(self._next, None)
                if index is None:
                    self._started.pop(thread, None)
                    return
                self._started[thread] = (index, time.monotonic())
            try:
                outcome: tuple[bool, Any] = (True, function(judge.own(self._rows[index])))
            except BaseException as error:  # a judge may raise anything; its row says so
                outcome = (False, error)
            with self._lock:
                if self._started.get(thread, (None,))[0] != index:
                    return  # given up meanwhile: another thread goes on
                self._settle(index, outcome)

    def _settle(self, index: int, outcome: tuple[bool, Any]) -> None:
        self._done[index] = outcome
        self._left -= 1
        if self._left == 0:
            try:
                self._loop.call_soon_threadsafe(self._finished.set)
            except RuntimeError:  # the loop is gone: the caller was interrupted
                return

    def _give_up_late_ones(self) -> None:
        now = time.monotonic()
        with self._lock:
            late = [(thread, index) for thread, (index, since) in self._started.items() if now - since > self._judge.deadline_s]
            for thread, index in late:
                del self._started[thread]
                self._settle(index, (False, TimeoutError()))
        for _ in late:
            self._judge.pool.abandoned += 1
            self._start_thread()

    async def _verdict(self, index: int) -> Judgment:
        row, judge = self._rows[index], self._judge
        returned, value = self._done[index]
        if not returned:
            if transient(value) and judge.retries:
                return await judge.judge(row)
            return judge.failure(row, value)
        if inspect.isawaitable(value):
            try:
                value = await asyncio.wait_for(_whole(value), judge.deadline_s)
            except (Exception, SystemExit) as error:
                return judge.failure(row, error)
        return judge.verdict(row, value)


async def _whole(value: Any) -> Any:
    return await value
