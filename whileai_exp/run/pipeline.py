"""The line of an experiment, from a plan to a record. A newcomer reads this page first.

`wai.simulate` runs `play` and hands the stages after it out as methods; the command line runs all of it. Neither has
logic of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .._aio import seldom_collected
from .._clock import SystemClock
from .._rng import Rng
from ..errors import ConfigError, Problem
from ..gates import check_gates, refused
from ..journal import Journal
from ..judges import AsJudge, run_judges
from ..judges._said import said_of
from ..measures.hacks import hack_scan
from ..measures.passat import ADAPTIVE, PassAt, pass_at
from ..measures.trust import judge_trust
from ..models.meter import Meter
from ..plan import Plan
from ..plan.types import Limits
from ..ports import Evidence
from ..rollouts import Execution, drained_by_interrupt, execute, make_allocator
from ..rollouts.identity import group_id
from ..schema import GateResult, Judgment, Measure, Selection, Task, reward_of, to_row
from ..schema.row import write_judgment
from ..selection import select
from ..selection._hygiene import USABLE, leak_reason
from ..situations import Draw, DrawRequest, Emphasis, draw_tasks, for_run, tasks_from, write_with_model
from ..traces import load_traces, mine_traces
from .delivered import delivered, people, shortfalls
from .gold import read_labels, with_labels
from .ledger import Ledger
from .ports import Given, Ports, open_ports

AIMED = "failures"
"""The arm of tasks that were drawn where others failed."""


@dataclass(slots=True, repr=False)
class Played:
    """What a run has after its rollouts: tasks, rollouts, and the verdicts that allocation asked for on the way."""

    plan: Plan
    draw: Draw
    executions: list[Execution]
    """One per run of the task set (`counts.runs`); then that of the tasks drawn where the first ones failed."""
    rows: list[dict[str, Any]]
    """One per rollout, canonical order, with `privileged` for judges in memory."""
    ledger: Ledger
    meter: Meter
    judged: bool = False
    judging: Mapping[str, Any] = field(default_factory=dict)
    """What judges that are models said of themselves: rubric, self_judged, calls, usage."""

    @property
    def execution(self) -> Execution:
        """The first run, or the one that was cut short."""
        return next((execution for execution in self.executions if execution.incomplete), self.executions[0])


@dataclass(slots=True, repr=False)
class Concluded:
    """What was made of the rows."""

    passes: PassAt
    measures: tuple[Measure, ...]
    selection: Selection
    gates: tuple[GateResult, ...]
    reports: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def refused(self) -> tuple[GateResult, ...]:
        return refused(self.gates)


async def run_line(
    plan: Plan,
    given: Given | None = None,
    *,
    directory: Path | None = None,
    replay: bool = False,
    ledger: Ledger | None = None,
    claimed: Callable[[], None] | None = None,
) -> tuple[Played, Concluded]:
    """Everything up to the record: write situations, roll out, judge, measure, select, check gates."""
    played = await play(plan, given, directory=directory, replay=replay, ledger=ledger, judge=True, claimed=claimed)
    with played.ledger.stage("conclude"):
        concluded = conclude(played, given)
    return played, concluded


async def play(
    plan: Plan,
    given: Given | None = None,
    *,
    directory: Path | None = None,
    replay: bool = False,
    ledger: Ledger | None = None,
    judge: bool,
    claimed: Callable[[], None] | None = None,
) -> Played:
    """Situations and rollouts. With `judge`, rows are judged too; allocation that needs verdicts asks for them anyway.

    `claimed` is called once the run's directory is locked and nothing has been done in it yet.
    """
    given = given or Given()
    ledger = ledger or Ledger(given.clock or SystemClock())
    ledger.take(plan.notes, plan.degraded)
    async with AsyncExitStack() as stack:
        stack.enter_context(seldom_collected())
        journal = await stack.enter_async_context(open_journal(plan, directory, replay)) if directory is not None else None
        if claimed is not None:
            claimed()
        with ledger.stage("opening"):
            ports = await open_ports(plan, given, journal, stack)
        held = held_back(plan, given, ports)
        with ledger.stage("situations"):
            draw = await write_situations(plan, given, ports, held)
        ledger.take(draw.notes, draw.degraded)
        stop = stack.enter_context(drained_by_interrupt(asyncio.Event())) if given.drain else None
        with ledger.stage("rollouts"):
            began_s, limits = ports.clock.monotonic(), plan.limits
            waves = [(tasks, await roll_out(plan, given, tasks, ports, stop, limits)) for tasks in task_sets(plan, draw.tasks)]
            if held and (aimed := await second_wave(plan, ports, *waves[0], held)) is not None:
                ledger.take(aimed.notes, aimed.degraded)
                ledger.warn(
                    f"{held} of {plan.counts.situations} situations were drawn where the first ones failed (arm: failures); "
                    "pass@1 is over both, pass_at_1_unaimed over the first ones alone"
                )
                limits = left_of(limits, len(waves[0][1].rollouts), ports.clock.monotonic() - began_s)
                waves.append((aimed.tasks, await roll_out(plan, given, aimed.tasks, ports, stop, limits)))
                draw = replace(draw, tasks=(*draw.tasks, *aimed.tasks))
        executions = [execution for _, execution in waves]
        rows: list[dict[str, Any]] = []
        for tasks, execution in waves:
            ledger.take(execution.warnings, execution.degraded)
            if execution.failure is not None:
                ledger.warn(f"the run was cut short: {execution.failure}")
                ledger.degrade({"cut_short": str(execution.report["stopped_because"])})
            rows += rows_of(plan, tasks, execution)
        if plan.logprobs and not any("logprob" in row for row in rows):
            ledger.degrade({"logprobs": "asked for, and no reply carried any: this agent or endpoint does not give them"})
        played = Played(plan, draw, executions, rows, ledger, ports.meter)
        ledger.warn(*shortfalls(plan, delivered(plan, draw, rows), str(played.execution.report["stopped_because"])))
        if judge and ports.judge is not None:
            with ledger.stage("judging"):
                known = {key: verdict for execution in executions for key, verdict in execution.judgments.items()}
                await judge_rows(rows, ports.judge, plan.knobs.judge_concurrency, known)
            played.judged = True
            said = said_of(ports.judge, plan.spec, plan.knobs, rows)
            ledger.warn(*said.warnings)
            played.judging = said.notes
            if said.notes.get("self_judged"):
                ledger.degrade({"same_model": [*ledger.degraded.get("same_model", ()), "judge"]})
        if ports.pool.abandoned:
            ledger.degrade({"calls_abandoned": ports.pool.abandoned})
            ledger.warn(f"{ports.pool.abandoned} calls of your functions never returned; they were left behind in their threads")
    return played


def open_journal(plan: Plan, directory: Path, replay: bool) -> Journal:
    """The journal in a run's directory, reading through those of `record.share`."""
    return Journal.open(
        directory,
        commit_s=plan.knobs.journal_commit_s,
        sync_s=plan.knobs.journal_sync_s,
        replay=replay,
        shared=plan.record.get("share", ()),
    )


def held_back(plan: Plan, given: Given, ports: Ports) -> int:
    """How many situations wait until the first ones have shown where the agent fails. ConfigError where that cannot be."""
    share = plan.knobs.failure_wave_share
    if not share:
        return 0
    name, problems = "advanced.failure_wave_share", []
    if ports.judge is None:
        problems.append(Problem(name, "needs verdicts, and the run has no judge", "name a judge, or grader= in the library"))
    if plan.counts.runs > 1:
        problems.append(
            Problem(name, f"does not go with counts.runs={plan.counts.runs}", "play the runs of one task set without it")
        )
    if given.tasks is not None or plan.config["writer"].get("tasks") is not None:
        problems.append(Problem(name, "does not go with a given task set", "draw the tasks, or set it to 0"))
    if problems:
        raise ConfigError(problems)
    return min(round(share * plan.counts.situations), plan.counts.situations - 1)


async def write_situations(plan: Plan, given: Given, ports: Ports, held: int = 0) -> Draw:
    """The tasks of the run, but for `held` situations: replayed from another run, or drawn and worded."""
    source = given.tasks if given.tasks is not None else plan.config["writer"].get("tasks")
    if source is not None:
        tasks = tasks_from(source, plan.spec, plan.knobs)
        return Draw(tasks, {"tasks": len(tasks), "replayed": True})
    return await _drawn(plan, ports, plan.counts.situations - held, emphasis_of(plan, given), plan.writer.seeds, plan.seed)


async def second_wave(plan: Plan, ports: Ports, tasks: Sequence[Task], execution: Execution, held: int) -> Draw | None:
    """`held` situations drawn where the first ones failed, marked by their arm; None when the first wave was cut short.

    Nothing of a failed ask is copied: its tools and conditions pull on the draw, and near copies are drawn again.
    """
    if ports.judge is None or execution.report["stopped_because"] != "tasks_done":
        return None
    rows = rows_of(plan, tasks, execution)
    execution.judgments.update(await judge_rows(rows, ports.judge, plan.knobs.judge_concurrency, execution.judgments))
    emphasis = mine_traces(rows, plan.spec, plan.knobs).emphasis
    draw = await _drawn(plan, ports, held, emphasis, (), Rng(plan.seed).seed_of("second wave"))
    known = {task.task_id for task in tasks}
    aimed = tuple(replace(task, situation=replace(task.situation, arm=AIMED)) for task in draw.tasks if task.task_id not in known)
    return replace(draw, tasks=aimed)


async def _drawn(plan: Plan, ports: Ports, situations: int, emphasis: Emphasis | None, seeds: tuple[str, ...], seed: int) -> Draw:
    writer, counts = plan.writer, plan.counts
    request = DrawRequest(
        situations=situations,
        phrasings=counts.phrasings,
        unique=counts.unique,
        hard_share=writer.hard_share,
        fault_rate=writer.fault_rate,
        prefer_success=writer.prefer_success,
        dimensions=writer.dimensions,
        arm_weights=writer.arm_weights,
        strategy=writer.strategy,
        seeds=seeds,
        emphasis=emphasis,
    )
    draw = draw_tasks(plan.spec, request, plan.knobs, seed)
    if ports.writer is None:
        return draw
    return await write_with_model(draw, ports.writer, plan.spec, plan.knobs, seed, temperature=writer.temperature)


def emphasis_of(plan: Plan, given: Given) -> Emphasis | None:
    """Where the traces of a deployed agent say to look; None without traces."""
    source = given.traces if given.traces is not None else plan.config["writer"].get("traces")
    if source is None:
        return None
    return mine_traces(load_traces(source).rows, plan.spec, plan.knobs, strategy=plan.writer.strategy).emphasis


def task_sets(plan: Plan, tasks: Sequence[Task]) -> list[Sequence[Task]]:
    """The task set once, or once for each of `counts.runs` runs, marked with the run's index."""
    return [tasks] if plan.counts.runs == 1 else [for_run(tasks, run) for run in range(plan.counts.runs)]


async def roll_out(
    plan: Plan,
    given: Given,
    tasks: Sequence[Task],
    ports: Ports,
    stop: asyncio.Event | None,
    limits: Limits,
) -> Execution:
    """Play the tasks as the plan's allocation says."""
    adaptive = str(plan.policy) in ADAPTIVE
    allocator = make_allocator(
        str(plan.policy),
        task_ids=[group_id(task) for task in tasks],
        repeats=plan.counts.repeats,
        budget=limits.rollouts,
        rewards=adaptive and ports.judge is not None,
        knobs=plan.knobs,
        until=plan.until,
    )
    return await execute(
        tasks,
        ports.agent,
        allocator,
        seed=plan.seed,
        concurrency=plan.concurrency,
        limits=limits,
        judge=ports.judge if adaptive else None,
        on_progress=given.on_progress,
        clock=ports.clock,
        knobs=plan.knobs,
        stop=stop,
        meter=ports.meter,
    )


def left_of(limits: Limits, rollouts: int, seconds: float) -> Limits:
    """What an earlier wave left of the rollouts and of the time; tokens and money are counted over the whole run anyway."""
    return replace(
        limits,
        rollouts=None if limits.rollouts is None else max(limits.rollouts - rollouts, 0),
        time_s=None if limits.time_s is None else max(limits.time_s - seconds, 0.0),
    )


def rows_of(plan: Plan, tasks: Sequence[Task], execution: Execution) -> list[dict[str, Any]]:
    """Rows in canonical order, with the judge-only data of their tasks; an adaptive allocation is stamped on them."""
    by_id = {task.task_id: task for task in tasks}
    rows = [to_row(by_id[rollout.task_id], rollout, privileged=True) for rollout in execution.rollouts]
    if str(plan.policy) in ADAPTIVE and plan.counts.repeats > 1:
        probe = min(int(execution.report["probe"]), plan.counts.repeats)
        stamp = {"policy": str(plan.policy), "probe": probe, "k": plan.counts.repeats}
        for row in rows:
            row["allocation"] = stamp
    for row, rollout in zip(rows, execution.rollouts):
        if execution.cut and group_id(by_id[rollout.task_id]) in execution.cut:
            row["group_cut"] = True
    return rows


async def judge_rows(
    rows: Sequence[dict[str, Any]], judge: AsJudge, concurrency: int, known: Mapping[str, Judgment] | None = None
) -> Mapping[str, Judgment]:
    """Stamp a verdict on every row that can have one; verdicts already `known` by rollout id are not asked for again.

    Returns the verdicts by rollout id. A rollout that says nothing about the agent (an error, a failed person, a timeout) is left unjudged.
    """
    known = known or {}
    open_rows = [row for row in rows if row["status"] in USABLE and row["rollout_id"] not in known]
    fresh = await run_judges(open_rows, judge, concurrency=concurrency)
    verdicts = {**known, **{row["rollout_id"]: verdict for row, verdict in zip(open_rows, fresh)}}
    for row in rows:
        verdict = verdicts.get(row["rollout_id"])
        if verdict is not None:
            write_judgment(row, verdict)
    return verdicts


def conclude(played: Played, given: Given | None = None) -> Concluded:
    """Measures, selection and gates of judged rows. Pure; takes no time worth an interval."""
    plan, rows = played.plan, played.rows
    passes = pass_at(rows, k=plan.k, level=plan.level, knobs=plan.knobs)
    keyed = [row for row in rows if row.get("privileged") is not None]
    leaks = {"n_checked": len(keyed), "n_leaked": sum(leak_reason(row, plan.knobs.quote_chars) is not None for row in keyed)}
    measures = (*passes.measures(), *unaimed(plan, rows), *row_measures(rows))
    chosen = select(rows, plan.selection, plan.knobs)
    reports: dict[str, Mapping[str, Any]] = {
        "pass_at": passes.to_dict(),
        "selection": chosen.report,
        "leaks": leaks,
        "coverage": played.draw.coverage,
        "groups": played.execution.report,
        "runs": {"n": plan.counts.runs},
        "delivered": delivered(plan, played.draw, rows),
        "people": people(played.draw.tasks, rows),
        "usage": {**usage_of(rows), "calls": played.meter.table()},
    }
    if any(reward_of(row.get("reward")) is not None for row in rows):
        reports["hack_scan"] = hack_scan(rows, endorsed=plan.endorsed, knobs=plan.knobs).to_dict()
    if played.judging:
        reports["judge"] = played.judging
    labelled, unplayed = with_labels(rows, read_labels(plan.gold)) if plan.gold else (rows, [])
    if unplayed:
        played.ledger.warn(
            f"{len(unplayed)} of the labels in {plan.gold} are of rollouts this run did not play: {unplayed[0]}, …"
        )
    if any(row.get("gold_reward") is not None for row in labelled):
        reports["judge_trust"] = judge_trust(labelled, knobs=plan.knobs).to_dict()
    evidence = Evidence(
        str(plan.mode),
        rows,
        chosen.rows,
        {measure.name: measure for measure in measures},
        reports,
        given.resolver if given else None,
    )
    return Concluded(passes, measures, chosen, check_gates(plan.gates, evidence, plan.knobs), reports)


def unaimed(plan: Plan, rows: Sequence[Mapping[str, Any]]) -> tuple[Measure, ...]:
    """pass@1 without the tasks that were drawn where others failed; nothing when there are none."""
    plain = [row for row in rows if row.get("arm") != AIMED]
    if len(plain) == len(rows):
        return ()
    first = pass_at(plain, k=plan.k, level=plan.level, knobs=plan.knobs).measures()[0]
    return (replace(first, name="pass_at_1_unaimed"),)


def row_measures(rows: Sequence[Mapping[str, Any]]) -> tuple[Measure, ...]:
    """Shares over all rows: judged, cut, lost; and the mean of every marker."""
    n = len(rows)

    def share(name: str, count: int, of: int = n) -> Measure:
        return Measure(name, count / of if of else None, of, unit="share", note="" if of else "no rows")

    usable = [row for row in rows if row.get("status") in USABLE]
    out = [
        share("graded_share", sum(row.get("judge_status") == "ok" for row in usable), len(usable)),
        share("truncated_share", sum(row.get("status") == "truncated" for row in rows)),
        share("lost_share", sum(row.get("status") not in USABLE for row in rows)),
        share("faulted_share", sum(any(fault.get("fired") for fault in row.get("faults") or ()) for row in rows)),
    ]
    markers: dict[str, list[float]] = {}
    for row in rows:
        for name, value in (row.get("markers") or {}).items():
            markers.setdefault(name, []).append(float(value))
    out += [
        Measure(f"marker/{name}", sum(values) / len(values), len(values), unit="share")
        for name, values in sorted(markers.items())
    ]
    return tuple(out)


def objective_of(plan: Plan, concluded: Concluded) -> float | None:
    """The value a sweep maximises; None where it was not measured."""
    return next((measure.value for measure in concluded.measures if measure.name == plan.objective), None)


def usage_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Tokens over all rows, where servers counted them."""
    out: dict[str, int] = {}
    for row in rows:
        for name, value in (row.get("usage") or {}).items():
            out[name] = out.get(name, 0) + value
    return out


def n_passed(rows: Sequence[Mapping[str, Any]]) -> int:
    return sum(reward_of(row.get("reward")) == 1.0 for row in rows)
