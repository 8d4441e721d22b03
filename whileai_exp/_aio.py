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


class Raised(Exception):
    """A user's function raised something that asyncio would take for a signal of its own, or that would end the process.

    A timeout, a cancellation, an exit or a StopIteration of theirs is their failure; its name and words are kept here.
    """


def ordinary(error: BaseException) -> Exception:
    """`error` as an exception that is safe to raise among our own."""
    if isinstance(error, Exception) and not isinstance(error, (TimeoutError, StopIteration, StopAsyncIteration)):
        return error
    return Raised(f"{type(error).__name__}: {error}")


def described(error: BaseException) -> str:
    """`ValueError: what it said`, cut to 2000 characters."""
    return (str(error) if isinstance(error, Raised) else f"{type(error).__name__}: {error}")[:2000]


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it gives a coroutine: an async function, or an object with an async `__call__`."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


_Outcome = tuple[Any, BaseException | None]


class CallPool:
    """Where user functions run: daemon threads for blocking ones, one loop on a thread of its own for async ones.

    What hangs cannot be killed, so it is left behind: it is replaced, counted in `abandoned`, and never keeps the process
    alive. Use as a context manager.
    """

    def __init__(self, size: int) -> None:
        self._size = max(1, size)
        self._jobs: queue.SimpleQueue[tuple[Future[_Outcome], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._threads = 0
        self._idle = 0
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.abandoned = 0

    def __enter__(self) -> CallPool:
        return self

    def __exit__(self, *_: object) -> None:
        for _index in range(self._threads):
            self._jobs.put(None)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            with self._lock:
                self._idle -= 1
            future, function = job
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result((function(), None))
                except BaseException as error:  # belongs to the caller, whatever it is
                    future.set_result((None, error))
            with self._lock:
                self._idle += 1

    def _submit(self, function: Callable[[], Any]) -> Future[_Outcome]:
        future: Future[_Outcome] = Future()
        with self._lock:
            if self._idle <= 0 and self._threads < self._size + self.abandoned:
                self._threads += 1
                self._idle += 1
                threading.Thread(target=self._work, name="whileai-call", daemon=True).start()
        self._jobs.put((future, function))
        return future

    async def call(self, function: Callable[..., Any], *args: Any, timeout: float | None = None) -> Any:
        """The function's value; an async function runs on the caller's loop. TimeoutError only past `timeout` seconds.

        What the function raises comes out as it is, or as `Raised`.
        """
        if is_async(function):
            return await _on_this_loop(function(*args), timeout)
        context = contextvars.copy_context()
        value = await self._outcome(self._submit(lambda: context.run(function, *args)), timeout)
        return await _on_this_loop(value, timeout) if inspect.isawaitable(value) else value

    async def call_apart(self, function: Callable[..., Any], *args: Any, timeout: float | None = None) -> Any:
        """The same, but an async function runs on the pool's own loop: one that never ends holds nothing else up."""
        if not is_async(function):
            return await self.call(function, *args, timeout=timeout)

        async def carried() -> _Outcome:
            try:
                return await function(*args), None
            except BaseException as error:  # belongs to the caller, whatever it is
                return None, error

        return await self._outcome(asyncio.run_coroutine_threadsafe(carried(), self._apart()), timeout)

    def _apart(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, name="whileai-call-loop", daemon=True).start()
        return self._loop

    async def _outcome(self, future: Future[_Outcome], timeout: float | None) -> Any:
        waiting = asyncio.wrap_future(future)
        try:
            done, _ = await asyncio.wait({waiting}, timeout=timeout)
        except asyncio.CancelledError:
            self._leave(future)
            raise
        if not done:
            self._leave(future)
            raise TimeoutError
        value, error = waiting.result()
        if error is not None:
            raise ordinary(error) from error
        return value

    def _leave(self, future: Future[_Outcome]) -> None:
        if not future.cancel() or self._loop is not None:
            with self._lock:
                self.abandoned += 1


async def _on_this_loop(awaitable: Awaitable[T], timeout: float | None) -> T:
    scope = asyncio.timeout(timeout)
    try:
        async with scope:
            return await awaitable
    except TimeoutError as error:
        if scope.expired():
            raise
        raise ordinary(error) from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise ordinary(error) from error
