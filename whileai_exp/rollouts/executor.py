"""Keeps rollouts in flight until the allocator is done, and turns every way to stop into a reason.

Rows do not depend on anything here: what is played is the allocator's, how it comes out is the task's and the seed's.
Every rollout that was started is in the result with a status. What stops a run early (a clock, a budget, a dead agent, a
refused key, an interrupt) is named in the report; rollouts in flight get `stop_grace_s` to finish.
"""

from __future__ import annotations

import asyncio
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from .._clock import Clock, SystemClock
from ..errors import BackendError, DiskError, KeyRefused, ReplayMismatch, WhileaiError
from ..knobs import RolloutKnobs
from ..models.meter import Meter
from ..plan.types import Limits
from ..ports import Agent, Allocator, Judge, Outcome
from ..schema import Judgment, PolicyIdentity, Rollout, RolloutStatus, Task, Usage, to_row
from ..schema.row import behavior_signature
from ..schema.types import USABLE
from .identity import group_id, rollout_id

_NO_USAGE = Usage()
_YIELD_S = 0.02
"""A worker whose agent never waits gives the event loop a turn at least this often."""


@dataclass(slots=True)
class Progress:
    """Where a run stands."""

    started: int = 0
    done: int = 0
    statuses: dict[str, int] = field(default_factory=dict)
    first_judged: int = 0
    """First rollouts of their task with a verdict: one per task, and whoever gets more repeats changes nothing about them."""
    first_passed: int = 0
    """Of those, the ones with a reward of at least the knob `pass_threshold`."""
    usage: Usage = Usage()

    def to_dict(self) -> dict[str, Any]:
        """What `on_progress` is called with after every rollout."""
        return {
            "rollouts": self.done,
            "in_flight": self.started - self.done,
            "statuses": dict(self.statuses),
            "first_judged": self.first_judged,
            "first_passed": self.first_passed,
            "input_tokens": self.usage.input_tokens,
            "output_tokens": self.usage.output_tokens,
        }


@dataclass(frozen=True, slots=True)
class Execution:
    """What was played."""

    rollouts: list[Rollout] = field(repr=False)  # asyncio.run takes the repr of what it returns
    """In task order, then repeat."""
    judgments: dict[str, Judgment] = field(repr=False)
    """By rollout id; empty when no judge ran in the loop."""
    report: dict[str, Any]
    """The allocator's report of its groups, with stopped_because, statuses, usage and first_error beside it."""
    warnings: tuple[str, ...] = ()
    degraded: dict[str, Any] = field(default_factory=dict)
    cut: frozenset[str] = frozenset()
    """Groups that the end of the run left without repeats they were to have."""
    failure: WhileaiError | None = None
    """What made it impossible to go on: a refused key, a full disk, a replay that differs, a fault of ours."""

    @property
    def incomplete(self) -> bool:
        """Whether something stopped the run before all that was asked for was played; a resume can go on."""
        return self.report["stopped_because"] in _CUT_SHORT


_CUT_SHORT = frozenset({"interrupted", "key_refused", "disk", "replay_differs", "failed", "agent_failed"})


async def execute(
    tasks: Sequence[Task],
    agent: Agent,
    allocator: Allocator,
    *,
    seed: int,
    concurrency: int,
    limits: Limits,
    knobs: RolloutKnobs,
    timeout_s: float | None = None,
    judge: Judge | None = None,
    on_progress: Callable[[dict[str, Any]], Any] | None = None,
    clock: Clock | None = None,
    stop: asyncio.Event | None = None,
    meter: Meter | None = None,
) -> Execution:
    """Play what `allocator` asks for and return it in canonical order; never raises for anything an agent does.

    `timeout_s` is a backstop over a whole rollout; None leaves that to the agent. `judge`, when given, judges usable
    rollouts in the loop, so that the allocator hears rewards. Setting `stop` drains and returns. `meter` is what the
    limits on tokens and money are read from; without one, tokens are those on the rollouts and money is unknown.
    """
    run = _Run(
        tasks,
        agent,
        allocator,
        seed,
        concurrency,
        limits,
        knobs,
        timeout_s,
        judge,
        on_progress,
        clock or SystemClock(),
        stop,
        meter,
    )
    return await run.play()


@contextmanager
def drained_by_interrupt(stop: asyncio.Event) -> Iterator[asyncio.Event]:
    """While open, the first SIGINT or SIGTERM sets `stop`; a second one acts as it always does."""
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)

    def drain() -> None:
        stop.set()
        for number in signals:
            with suppress(ValueError, RuntimeError):
                loop.remove_signal_handler(number)

    with suppress(NotImplementedError, ValueError, RuntimeError):
        for number in signals:
            loop.add_signal_handler(number, drain)
    try:
        yield stop
    finally:
        for number in signals:
            with suppress(NotImplementedError, ValueError, RuntimeError):
                loop.remove_signal_handler(number)


class _Run:
    """One execution's state. Workers exit when there is nothing to do and are started again when there is."""

    def __init__(
        self,
        tasks: Sequence[Task],
        agent: Agent,
        allocator: Allocator,
        seed: int,
        concurrency: int,
        limits: Limits,
        knobs: RolloutKnobs,
        timeout_s: float | None,
        judge: Judge | None,
        on_progress: Callable[[dict[str, Any]], Any] | None,
        clock: Clock,
        stop: asyncio.Event | None,
        meter: Meter | None,
    ) -> None:
        self._tasks = {group_id(task): (index, task) for index, task in enumerate(tasks)}
        self._agent = agent
        self._allocator = allocator
        self._seed = seed
        self._concurrency = max(1, concurrency)
        self._limits = limits
        self._knobs = knobs
        self._timeout_s = timeout_s
        self._judge = judge
        self._on_progress = on_progress
        self._clock = clock
        self._stop = stop
        self._meter = meter
        self._finished: list[tuple[int, int, Rollout]] = []
        self._judgments: dict[str, Judgment] = {}
        self._progress = Progress()
        self._workers: set[asyncio.Task[None]] = set()
        self._idle = asyncio.Event()
        self._stopping: str | None = None
        self._failure: WhileaiError | None = None
        self._opened: set[str] = set()
        self._durations: deque[float] = deque(maxlen=knobs.closing_window_rollouts)
        self._began_s = clock.monotonic()
        self._usable = 0
        self._failed = 0
        self._first_error: str | None = None
        self._warnings: list[str] = []
        self._yielded_s = 0.0

    async def play(self) -> Execution:
        watchers = [asyncio.ensure_future(watch) for watch in (self._on_stop(), self._on_clock())]
        try:
            self._dispatch(self._concurrency)
            if self._workers:
                await self._idle.wait()
        except asyncio.CancelledError:
            self._end("interrupted")
            await self._cancel_workers()
            raise
        finally:
            for watcher in watchers:
                watcher.cancel()
            await asyncio.gather(*watchers, return_exceptions=True)
        return self._execution()

    def _next_jobs(self, room: int) -> list[tuple[str, int]]:
        if self._stopping is not None or room <= 0:
            return []
        jobs = self._allocator.ask(room)
        if self._limits.time_s is None:
            return jobs
        if self._closing(self._limits.time_s):
            kept = [job for job in jobs if job[0] in self._opened]
            if len(kept) < len(jobs):
                self._end("time_budget")
            jobs = kept
        self._opened.update(group for group, _ in jobs)
        return jobs

    def _closing(self, time_s: float) -> bool:
        """Whether so little time is left that a new group could not be completed."""
        if not self._durations:
            return False
        left_s = time_s - (self._clock.monotonic() - self._began_s)
        return left_s < self._knobs.closing_margin * median(self._durations)

    def _dispatch(self, room: int) -> None:
        for job in self._next_jobs(room):
            worker = asyncio.get_running_loop().create_task(self._work(job))
            self._workers.add(worker)
            worker.add_done_callback(self._left)

    def _left(self, worker: asyncio.Task[None]) -> None:
        self._workers.discard(worker)
        if not worker.cancelled() and (error := worker.exception()) is not None:
            self._end("failed")
            self._failure = self._failure or (
                error if isinstance(error, WhileaiError) else WhileaiError(f"{type(error).__name__}: {error}")
            )
        if not self._workers:
            self._idle.set()

    async def _work(self, job: tuple[str, int]) -> None:
        """Play jobs until there is none for this worker; hand further ones to new workers."""
        while True:
            await self._one(*job)
            jobs = self._next_jobs(self._concurrency - len(self._workers) + 1)
            if not jobs:
                return
            job = jobs[0]
            for other in jobs[1:]:
                worker = asyncio.get_running_loop().create_task(self._work(other))
                self._workers.add(worker)
                worker.add_done_callback(self._left)
            now_s = self._clock.monotonic()
            if now_s - self._yielded_s > _YIELD_S:
                self._yielded_s = now_s
                await asyncio.sleep(0)

    async def _one(self, group: str, repeat: int) -> None:
        index, task = self._tasks[group]
        self._progress.started += 1
        timed = self._limits.time_s is not None
        began_s = self._clock.monotonic() if timed else 0.0
        rollout = await self._played(task, repeat)
        judgment = None
        if self._judge is not None and rollout.status in USABLE and self._failure is None:
            try:
                judgment = await self._judge.judge(to_row(task, rollout, privileged=True))
                self._judgments[rollout.rollout_id] = judgment
            except (KeyRefused, DiskError, ReplayMismatch) as error:
                self._fail(error)
            except asyncio.CancelledError:
                if self._stopping is None:
                    raise
            except Exception as error:  # a judge that breaks its contract leaves the row unjudged, for the judging stage
                self._warnings.append(f"the judge raised {type(error).__name__} on {rollout.rollout_id}: {error}"[:500])
        if timed:
            self._durations.append(self._clock.monotonic() - began_s)
        self._finished.append((index, repeat, rollout))
        self._count(rollout, judgment)
        if rollout.status is not RolloutStatus.CANCELLED:
            self._allocator.tell([self._outcome(group, rollout, judgment)])

    async def _played(self, task: Task, repeat: int) -> Rollout:
        """The agent's rollout, or one that says what happened instead."""
        try:
            if self._timeout_s is None:
                return await self._agent.play(task, repeat, self._seed)
            async with asyncio.timeout(self._timeout_s):
                return await self._agent.play(task, repeat, self._seed)
        except (KeyRefused, DiskError, ReplayMismatch) as error:
            self._fail(error)
            return self._instead(task, repeat, RolloutStatus.CANCELLED, str(error))
        except TimeoutError:
            return self._instead(task, repeat, RolloutStatus.TIMEOUT, f"the rollout did not finish within {self._timeout_s} s")
        except asyncio.CancelledError:
            if self._stopping is None:
                raise
            return self._instead(task, repeat, RolloutStatus.CANCELLED, f"cancelled: {self._stopping}")
        except Exception as error:  # an agent that breaks its contract is data like any other failure
            return self._instead(task, repeat, RolloutStatus.AGENT_ERROR, f"{type(error).__name__}: {error}"[:2000])

    def _instead(self, task: Task, repeat: int, status: RolloutStatus, why: str) -> Rollout:
        return Rollout(
            rollout_id=rollout_id(task, repeat),
            task_id=task.task_id,
            repeat=repeat,
            steps=(),
            final_text="",
            status=status,
            policy=PolicyIdentity(self._agent.model, ""),
            seed=self._seed,
            finish_reason="error",
            error=why,
        )

    def _outcome(self, group: str, rollout: Rollout, judgment: Judgment | None) -> Outcome:
        reward = judgment.reward if judgment is not None else None
        return Outcome(group, rollout.repeat, str(rollout.status), reward, behavior_signature(rollout), bool(rollout.fired))

    def _count(self, rollout: Rollout, judgment: Judgment | None) -> None:
        progress = self._progress
        progress.done += 1
        status = str(rollout.status)
        progress.statuses[status] = progress.statuses.get(status, 0) + 1
        if rollout.usage != _NO_USAGE:
            progress.usage = progress.usage + rollout.usage
        if judgment is not None and judgment.reward is not None and rollout.repeat == 0:
            progress.first_judged += 1
            progress.first_passed += judgment.reward >= self._knobs.pass_threshold
        self._check(rollout)
        if self._on_progress is not None:
            try:
                self._on_progress(progress.to_dict())
            except Exception as error:  # a display that fails must not cost rows
                self._on_progress = None
                self._warnings.append(f"on_progress raised {type(error).__name__}: {error}; it is not called any more")

    def _check(self, rollout: Rollout) -> None:
        """Whether this rollout was the one that ends the run."""
        if rollout.status in USABLE or rollout.status is RolloutStatus.USER_ERROR:
            self._usable += 1
        elif rollout.status is not RolloutStatus.CANCELLED:
            self._failed += 1
            self._first_error = self._first_error or rollout.error
            if not self._usable and self._failed >= self._knobs.dead_agent_errors:
                self._end("agent_failed")
        usage, meter = self._progress.usage, self._meter
        tokens = meter.tokens if meter is not None else (usage.input_tokens or 0) + (usage.output_tokens or 0)
        if self._limits.tokens is not None and tokens >= self._limits.tokens:
            self._end("token_budget")
        if self._limits.money is not None and meter is not None and (meter.money or 0.0) >= self._limits.money:
            self._end("money_budget")

    def _fail(self, error: BackendError | WhileaiError) -> None:
        self._failure = self._failure or error
        reason = "key_refused" if isinstance(error, KeyRefused) else "disk" if isinstance(error, DiskError) else "replay_differs"
        self._end(reason)

    def _end(self, reason: str) -> None:
        """Start nothing more; the first reason stands."""
        self._stopping = self._stopping or reason

    async def _on_stop(self) -> None:
        if self._stop is not None:
            await self._stop.wait()
            self._end("interrupted")
            await self._clock.sleep(self._knobs.stop_grace_s)
            await self._cancel_workers()

    async def _on_clock(self) -> None:
        if self._limits.time_s is not None:
            await self._clock.sleep(self._limits.time_s)
            self._end("time_budget")
            await self._clock.sleep(self._knobs.stop_grace_s)
            await self._cancel_workers()

    async def _cancel_workers(self) -> None:
        for worker in list(self._workers):
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)

    def _execution(self) -> Execution:
        self._finished.sort(key=lambda item: (item[0], item[1]))
        progress, groups = self._progress, dict(self._allocator.report())
        reason = self._stopping
        if reason is None and progress.done and not self._usable and self._failed:
            reason = "agent_failed"
        if reason is None:
            reason = "saturation" if groups.get("saturated") else "budget" if groups.get("unopened") else "tasks_done"
        report = {**groups, "stopped_because": reason, "statuses": dict(sorted(progress.statuses.items()))}
        if self._first_error is not None:
            report["first_error"] = self._first_error
        rollouts = [rollout for _, _, rollout in self._finished]
        cut = frozenset(self._allocator.cut())
        return Execution(rollouts, self._judgments, report, tuple(self._said(reason)), self._degraded(), cut, self._failure)

    def _degraded(self) -> dict[str, Any]:
        lost = {name: n for name, n in sorted(self._progress.statuses.items()) if name not in USABLE}
        return {"rollouts_lost": lost} if lost else {}

    def _said(self, reason: str) -> Iterator[str]:
        """Warnings, each with what to do."""
        yield from self._warnings
        lost, done = self._failed, self._progress.done
        first = f"; the first said: {self._first_error}" if self._first_error else ""
        if reason == "agent_failed":
            yield f"the agent failed all of its {lost} rollouts and the run was stopped{first}"
        elif lost:
            yield f"{lost} of {done} rollouts failed and are kept with their status{first}"
        timeouts = self._progress.statuses.get("timeout", 0)
        if timeouts:
            yield f"{timeouts} rollouts ran into their deadline; raise allocation.timeout_s if the model was only slow to start"
        if reason == "time_budget":
            yield f"the time was up after {done} rollouts; raise budget.time_s or ask for fewer situations"
        if reason == "token_budget":
            yield f"the token budget was used up after {done} rollouts; raise budget.tokens"
        if reason == "money_budget":
            yield f"the money budget was used up after {done} rollouts; raise budget.money"
        if self._limits.money is not None and (self._meter is None or self._meter.money is None):
            yield "budget.money was not enforced: no model has a price; give one as price: {input, output} in dollars per million tokens"
        if reason == "key_refused":
            yield f"the endpoint refused the key ({self._failure}); resume with another"
