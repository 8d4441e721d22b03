"""One way from synchronous callers into the async core, and one bounded place for their blocking functions."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import inspect
import queue
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


def run_sync(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, also from inside a running loop (notebooks), where a fresh thread carries it."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    context = contextvars.copy_context()
    box: dict[str, Any] = {}

    def carry() -> None:
        try:
            box["value"] = context.run(asyncio.run, coroutine)
        except BaseException as error:  # handed to the caller's thread
            box["error"] = error

    thread = threading.Thread(target=carry, name="whileai-run-sync")
    thread.start()
    thread.join()
    if "error" in box:
        raise box["error"]
    return box["value"]


@contextmanager
def seldom_collected() -> Iterator[None]:
    """While many rows are being made, look for garbage cycles less often, and put the setting back.

    Rows are trees: the collector walks all that exist so far, again and again, and finds nothing. Left at its default
    that alone makes the cost of a row grow with their number (31 against 19 microseconds per row at 100,000).
    """
    before = gc.get_threshold()
    gc.set_threshold(50_000, 50, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class CallPool:
    """Daemon threads for blocking user functions.

    A thread that hangs cannot be killed, so it is abandoned: it is replaced, counted in `abandoned`, and never keeps
    the process alive. Use as a context manager.
    """

    def __init__(self, size: int) -> None:
        self._size = max(1, size)
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._threads = 0
        self._idle = 0
        self._lock = threading.Lock()
        self.abandoned = 0

    def __enter__(self) -> CallPool:
        return self

    def __exit__(self, *_: object) -> None:
        for _index in range(self._threads):
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            with self._lock:
                self._idle -= 1
            future, function = job
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function())
                except BaseException as error:  # belongs to the caller, whatever it is
                    future.set_exception(error)
            with self._lock:
                self._idle += 1

    def _submit(self, function: Callable[[], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        with self._lock:
            if self._idle <= 0 and self._threads < self._size + self.abandoned:
                self._threads += 1
                self._idle += 1
                threading.Thread(target=self._work, name="whileai-call", daemon=True).start()
        self._jobs.put((future, function))
        return future

    async def call(self, function: Callable[..., Any], *args: Any, timeout: float | None = None) -> Any:
        """The function's value. Async functions run on this loop. TimeoutError past `timeout` seconds."""
        if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004
            return await asyncio.wait_for(_as_coroutine(function(*args)), timeout)
        context = contextvars.copy_context()
        future = self._submit(lambda: context.run(function, *args))
        try:
            value = await asyncio.wait_for(asyncio.wrap_future(future), timeout)
        except (TimeoutError, asyncio.CancelledError):
            if future.running():
                with self._lock:
                    self.abandoned += 1
            raise
        if inspect.isawaitable(value):
            value = await asyncio.wait_for(_as_coroutine(value), timeout)
        return value


async def _as_coroutine(awaitable: Awaitable[T]) -> T:
    return await awaitable
