"""What a run is going to take, before anything is spent: rollouts, calls, tokens, money, time, and what it can show.

Calls and tokens are not guessed from tables: a few rollouts of the embedded agent on this very spec are played offline,
and their turns and lengths are scaled up. A real agent talks more or less than it does; the figures are an order of
magnitude, and say so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil
from typing import Any

from ..measures.sizing import detectable_effect
from ..models.meter import Price
from ..plan import ModelRef, Plan
from ..plan.types import Limits, RepeatPolicy
from ..schema import Task
from ..schema.steps import dumps
from ..situations import tasks_from
from ..stats.intervals import wilson
from .pipeline import play
from .ports import Given
from .report.numbers import seconds

_CHARS_PER_TOKEN = 4.0
"""Of English text under the tokenizers in use; other languages take more tokens."""
_OFFLINE = frozenset({"scripted", "template"})


@dataclass(frozen=True, slots=True)
class RoleEstimate:
    """The calls of one role. Money is None where no price is given, tokens are None where nothing is known of the role."""

    role: str
    model: str
    calls: int
    input_tokens: int | None
    output_tokens: int | None
    money: float | None
    offline: bool


@dataclass(frozen=True, slots=True)
class Estimate:
    """A run as planned, at most: adaptive repeats and budgets can make it smaller."""

    situations: int
    tasks: int
    rollouts: int
    rollouts_least: int
    """What adaptive repeats start with; equal to `rollouts` where every task gets all of them."""
    roles: tuple[RoleEstimate, ...]
    seconds: float | None
    """At the plan's concurrency and `assumed_latency_s` per call; None when no endpoint is called."""
    half_width: float
    """Of the interval of pass@1 at the assumed base rate, as if repeats told nothing new."""
    effect: float | None
    """The smallest change of pass@1 against another run on these tasks that it can show; None under two tasks."""
    sample: int
    """Offline rollouts that turns and lengths were read from."""

    @property
    def calls(self) -> int:
        return sum(role.calls for role in self.roles if not role.offline)

    @property
    def money(self) -> float | None:
        """Dollars over roles with a price; None when an endpoint is called whose price is unknown."""
        paid = [role for role in self.roles if not role.offline and role.calls]
        if any(role.money is None for role in paid):
            return None
        return sum(role.money or 0.0 for role in paid)

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "calls": self.calls, "money": self.money}

    def lines(self) -> Iterable[str]:
        """For a terminal."""
        least = f"{self.rollouts_least} to " if self.rollouts_least < self.rollouts else ""
        yield f"plan     {self.situations} situations, {self.tasks} tasks, {least}{self.rollouts} rollouts"
        for role in self.roles:
            if role.offline:
                yield f"  {role.role:8s} {role.model}: no call to an endpoint"
                continue
            tokens = (
                "tokens unknown"
                if role.input_tokens is None
                else f"{_short(role.input_tokens)} tokens in, {_short(role.output_tokens or 0)} out"
            )
            money = "no price given" if role.money is None else f"${role.money:,.2f}"
            yield f"  {role.role:8s} {role.model}: about {_short(role.calls)} calls, {tokens}, {money}"
        if self.seconds is not None:
            yield f"  time     about {seconds(self.seconds)}"
        effect = "" if self.effect is None else f"; smallest change it can show {self.effect:.3f}"
        yield f"  pass@1   interval of about +-{self.half_width:.3f}{effect}"


def estimate(plan: Plan) -> Estimate:
    """What `plan` asks for. Plays a few rollouts offline; calls no model, runs nothing of the user's."""
    source, counts = plan.config["writer"].get("tasks"), plan.counts
    tasks = tasks_from(source, plan.spec, plan.knobs) if source is not None else None
    if tasks is not None:
        counts = replace(counts, situations=len(tasks), phrasings=1)
        plan = replace(plan, counts=counts)
    rows = rehearsal(plan, tasks)
    most = counts.rollouts * counts.runs
    adaptive = plan.policy is not RepeatPolicy.FIXED and counts.repeats > 1
    least = counts.tasks * counts.runs * min(plan.knobs.probe if plan.policy is RepeatPolicy.SUCCESSIVE else 1, counts.repeats)
    if plan.limits.rollouts is not None:
        most = min(most, plan.limits.rollouts * counts.runs)
    talk = _Talk.of(rows, plan)
    roles = tuple(_roles(plan, most, talk))
    calls = sum(role.calls for role in roles if not role.offline)
    chain_s = plan.knobs.assumed_latency_s * max(1.0, talk.agent_turns)
    time_s = max(calls * plan.knobs.assumed_latency_s / plan.concurrency, chain_s) if calls else None
    rate = plan.knobs.base_pass_rate
    interval = wilson(rate * counts.tasks, counts.tasks, plan.level)
    half = (interval.high - interval.low) / 2 if interval is not None else 0.5
    return Estimate(
        situations=counts.situations,
        tasks=counts.tasks,
        rollouts=most,
        rollouts_least=min(least, most) if adaptive else most,
        roles=roles,
        seconds=time_s,
        half_width=half,
        effect=detectable_effect(counts.tasks, k=counts.repeats, level=plan.level, knobs=plan.knobs),
        sample=len(rows),
    )


def rehearsal(plan: Plan, tasks: Sequence[Task] | None = None) -> list[dict[str, Any]]:
    """A few rollouts of the embedded agent in the mock world, on situations of this plan."""
    small = replace(
        plan,
        agent=ModelRef("scripted"),
        writer=replace(plan.writer, model=None),
        person=replace(plan.person, model=None),
        world_execute=None,
        judge=None,
        counts=replace(
            plan.counts, situations=min(plan.counts.situations, plan.knobs.rehearsal_situations), phrasings=1, repeats=1, runs=1
        ),
        limits=Limits(),
        policy=RepeatPolicy.FIXED,
        until="compute",
        knobs=plan.knobs.model_copy(update={"failure_wave_share": 0.0}),
        config={**plan.config, "writer": {**plan.config["writer"], "tasks": None}},
    )
    few = list(tasks[: plan.knobs.rehearsal_situations]) if tasks is not None else None
    return asyncio.run(play(small, Given(tasks=few), judge=False)).rows


@dataclass(frozen=True, slots=True)
class _Talk:
    """Means over the rehearsal's rollouts."""

    agent_turns: float
    person_turns: float
    input_tokens: float
    """Of all agent calls of a rollout: every call sends the conversation so far again."""
    output_tokens: float
    transcript_tokens: float

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]], plan: Plan) -> _Talk:
        fixed = len(plan.spec.system_prompt) + len(dumps([tool.wire() for tool in plan.spec.tools]))
        turns = persons = sent = said = whole = 0.0
        for row in rows:
            length = len(row["prompt"])
            for step in row["steps"]:
                size = len(dumps(step))
                if "user" in step:
                    persons += 1
                elif not step.get("parallel"):
                    turns += 1
                    sent += fixed + length
                    said += len(step.get("text") or "") + len(dumps(step.get("arguments") or {}))
                length += size
            whole += length
        n = max(len(rows), 1) * _CHARS_PER_TOKEN
        each = max(len(rows), 1)
        return cls(turns / each, persons / each, sent / n, said / n, whole / n)


def _roles(plan: Plan, rollouts: int, talk: _Talk) -> Iterable[RoleEstimate]:
    yield _role("agent", plan.agent, rollouts * talk.agent_turns, rollouts * talk.input_tokens, rollouts * talk.output_tokens)
    person = plan.person.model
    if person is not None:
        turns = rollouts * talk.person_turns
        yield _role("user", person, turns, turns * talk.transcript_tokens, turns * plan.knobs.person_max_tokens / 4)
    if plan.writer.model is not None:
        batches = ceil(plan.counts.tasks / plan.knobs.scenarios_per_request)
        written = plan.counts.tasks * plan.knobs.tokens_per_card
        yield _role("writer", plan.writer.model, batches, batches * plan.knobs.writer_policy_chars, written)
    if plan.judge is not None:
        yield _judge(plan, rollouts, talk)


def _judge(plan: Plan, rollouts: int, talk: _Talk) -> RoleEstimate:
    from ..judges._base import wanted_models

    asked = wanted_models(plan.judge, None)
    name = str((plan.judge or {}).get("kind") or (plan.judge or {}).get("target"))
    if not asked:
        return RoleEstimate("judge", name, 0, 0, 0, 0.0, offline=True)
    tokens = min(talk.transcript_tokens + len(plan.spec.system_prompt) / 4, plan.knobs.judge_payload_chars / 4)
    found = [_role("judge", ref, rollouts, rollouts * tokens, rollouts * plan.knobs.judge_max_tokens / 4) for ref, _ in asked]
    money = None if any(role.money is None for role in found) else sum(role.money or 0.0 for role in found)
    return RoleEstimate(
        "judge", ", ".join(role.model for role in found), sum(role.calls for role in found),
        sum(role.input_tokens or 0 for role in found), sum(role.output_tokens or 0 for role in found), money, offline=False,
    )  # fmt: skip


def _role(role: str, ref: ModelRef, calls: float, read: float, written: float) -> RoleEstimate:
    name = ref.model or ref.target or ref.kind
    if ref.kind in _OFFLINE:
        return RoleEstimate(role, name, 0, 0, 0, 0.0, offline=True)
    known = ref.kind != "target"
    price = ref.options.get("price")
    money = Price.of(price).cost(round(read), round(written), 0) if price is not None else None
    return RoleEstimate(
        role, name, round(calls), round(read) if known else None, round(written) if known else None, money, offline=False
    )


def _short(number: int) -> str:
    for size, mark in ((10**9, "G"), (10**6, "M"), (10**4, "k")):
        if number >= size:
            return f"{number / (1000 if mark == 'k' else size):.3g}{mark}"
    return str(number)
