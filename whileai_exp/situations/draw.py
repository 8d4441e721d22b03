"""Which tasks a run plays: a pure function of spec, seed and request, and every prefix of it is the shorter draw.

Places of the draw get their kind from `schedule`, a combination of axis values from the covering array (then from the
same combinations again, with fresh facts), and an ask from the template writer. Asks never repeat within a draw.

`fault_rate` is the share of tasks about a real tool that carry a planned failure, under mode rl. With `prefer_success`
(every other mode) it is that share times the knob `prefer_success_keep`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._hash import sha
from .._rng import Rng
from .._text import did_you_mean
from ..errors import ConfigError, Problem
from ..knobs import RunKnobs
from ..schema import Spec, Task, TaskLineage
from ..traces import Emphasis
from .axes import HARD, MULTI_TOOL, SUCCESS, TIER_OF, UNRELATED, UNSPECIFIED, Grid, grid_of
from .cover import Coverer
from .novelty import NearCopies
from .schedule import Shares, Slot, slots
from .tasks import TaskMaker, new_world_seed, situation_id_of, task_id_of

ARMS = ("structured", "llm_guided", "open_ended", "mutation", "behavior_target")


@dataclass(frozen=True, slots=True)
class DrawRequest:
    """What to draw."""

    situations: int
    phrasings: int = 1
    hard_share: float = 0.4
    """Share of situations in the ambiguous, boundary and adversarial tiers."""
    fault_rate: float = 0.5
    prefer_success: bool = True
    """Every mode but rl: most failing-tool situations become successes."""
    dimensions: Mapping[str, Sequence[str]] | None = None
    strategy: str = "auto"
    unique: bool = False
    """Recorded: every situation of a draw is new anyway, in its combination or in its facts."""
    arm_weights: Mapping[str, float] | None = None
    emphasis: Emphasis | None = None
    seeds: tuple[str, ...] = ()
    """Opening asks that come first, word for word."""


@dataclass(frozen=True, slots=True)
class Draw:
    """The tasks, in order: phrasings of a situation stand together."""

    tasks: tuple[Task, ...]
    coverage: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    degraded: Mapping[str, Any] = field(default_factory=dict)


def draw_tasks(spec: Spec, request: DrawRequest, knobs: RunKnobs, seed: int) -> Draw:
    """The first `request.situations` situations of the spec's sequence, each in `request.phrasings` wordings.

    ConfigError names every value of the request that cannot be drawn. Shortfalls are notes and `degraded` flags.
    """
    _check(request)
    drawing = _Drawing(spec, request, knobs, seed)
    tasks: list[Task] = []
    for text in request.seeds:
        tasks.extend(drawing.seed_task(text, phrasing) for phrasing in range(1))
    wanted = max(request.situations - len(request.seeds), 0)
    produced = 0
    for group in drawing.situations():
        if produced >= wanted:
            break
        tasks.extend(group)
        produced += 1
    return drawing.result(tasks, produced, wanted)


def situations_to_cover(spec: Spec, request: DrawRequest, knobs: RunKnobs, share: float) -> tuple[int, int]:
    """How many situations a covering array of this grid has, and how many of a draw reach `share` of the feasible pairs."""
    _check(request)
    grid = grid_of(spec, knobs.rule_cap, request.dimensions)
    free = Coverer(grid, knobs.cover_strength)
    every = free.masks_for({})
    cells = 0
    while free.row(every) is not None:
        cells += 1
    drawing = _Drawing(spec, request, knobs, 0)
    count = stale = 0
    for place, slot in enumerate(slots(drawing.shares())):
        before = drawing.cover.covered
        drawing.combination(place, slot)
        count += 1
        if drawing.cover.covered >= share * drawing.cover.planned:
            break
        stale = stale + 1 if drawing.cover.covered == before else 0
        if stale > knobs.recommend_stale:
            break
    return cells, count


def _check(request: DrawRequest) -> None:
    problems: list[Problem] = []
    if request.situations < 1:
        problems.append(Problem("counts.situations", f"{request.situations} is below 1"))
    if request.phrasings < 1:
        problems.append(Problem("counts.phrasings", f"{request.phrasings} is below 1"))
    for name in ("hard_share", "fault_rate"):
        value = getattr(request, name)
        if not 0 <= value <= 1:
            problems.append(Problem(f"world.{name}", f"{value!r} is not a share in [0, 1]"))
    for arm, weight in (request.arm_weights or {}).items():
        if arm not in ARMS:
            problems.append(Problem("writer.arm_weights", f"{arm!r} is not an arm", did_you_mean(arm, ARMS)))
        elif not 0 <= weight < float("inf"):
            problems.append(Problem(f"writer.arm_weights.{arm}", f"{weight!r} is not a finite weight of at least 0"))
    if request.arm_weights is not None and not problems and sum(request.arm_weights.values()) <= 0:
        problems.append(Problem("writer.arm_weights", "all weights are 0"))
    if isinstance(request.seeds, str):
        problems.append(Problem("seeds", "is one text, not a list of opening asks", "put it in a list"))
    if problems:
        raise ConfigError(problems)


class _Drawing:
    """One draw in progress."""

    def __init__(self, spec: Spec, request: DrawRequest, knobs: RunKnobs, seed: int) -> None:
        self.spec, self.request, self.knobs, self.seed = spec, request, knobs, seed
        self.grid = grid_of(spec, knobs.rule_cap, request.dimensions)
        self.cover = Coverer(self.grid, knobs.cover_strength)
        self.maker = TaskMaker(spec, knobs)
        self.notes: list[str] = [*self.grid.notes, *self.maker.notes]
        self.degraded: dict[str, Any] = {}
        self._seen: set[str] = set()
        self._ids: set[str] = set()
        self._times: dict[str, int] = {}
        self._past: dict[tuple[Any, ...], list[dict[str, str]]] = {}
        self._turn: dict[tuple[Any, ...], int] = {}
        self._masks: dict[tuple[Any, ...], list[int]] = {}
        self._rng = Rng(seed)
        self._sources = NearCopies(knobs.trace_leak)
        for text in request.emphasis.sources if request.emphasis is not None else ():
            self._sources.add(text)
        self._leaks = 0

    def shares(self) -> Shares:
        """The shares of this draw, from knobs or from `arm_weights`."""
        knobs, request = self.knobs, self.request
        tools = self.grid.axes["tool"]
        unrelated, multi, careless = knobs.unrelated_share, knobs.multi_tool_share, knobs.mutation_share
        if request.arm_weights is not None:
            total = sum(request.arm_weights.values())
            unrelated = request.arm_weights.get("open_ended", 0.0) / total
            multi = request.arm_weights.get("behavior_target", 0.0) / total
            careless = request.arm_weights.get("mutation", 0.0) / total
        fault = request.fault_rate * (knobs.prefer_success_keep if request.prefer_success else 1.0)
        only_pseudo = not [tool for tool in tools if tool in self.grid.traits]
        return Shares(
            hard=0.0 if only_pseudo else request.hard_share,
            fault=fault if len(self.grid.axes["tool_condition"]) > 1 else 0.0,
            unrelated=1.0 if only_pseudo else unrelated if UNRELATED in tools else 0.0,
            multi_tool=0.0 if only_pseudo else multi if MULTI_TOOL in tools else 0.0,
            careless=careless,
        )

    def situations(self) -> Iterator[list[Task]]:
        """The endless sequence, one list of phrasings per situation; ends when no new ask can be made."""
        failures = 0
        for place, slot in enumerate(slots(self.shares())):
            axes, reason = self.combination(place, slot)
            group = self._worded(axes, slot, reason) if axes is not None else None
            if group is None:
                if axes is not None:
                    self.cover.give_back(axes)
                failures += 1
                if failures > self.knobs.exhausted_after:
                    return
                continue
            failures = 0
            yield group

    def combination(self, place: int, slot: Slot) -> tuple[dict[str, str] | None, str]:
        """The axis values at this place and why they were drawn; None when the grid has none of this kind."""
        tool, condition = self._aim(place, slot)
        for wanted in _relaxed(slot):
            key = (wanted.topic, wanted.hard, wanted.fault, tool, condition if wanted.fault else None)
            if key not in self._masks:
                self._masks[key] = self.cover.masks_for(self._allowed(wanted, tool, condition))
            row = self.cover.row(self._masks[key])
            if row is not None:
                self._past.setdefault(key, []).append(row)
                return row, "covers new combinations" if tool is None else "aimed at a region that failed in traces"
            self.cover.settle()
            past = self._past.get(key)
            if not past:
                found = self.cover.any_row(self._masks[key])
                if found is None:
                    continue
                past = self._past.setdefault(key, [found])
            turn = self._turn.get(key, 0)
            self._turn[key] = turn + 1
            return past[turn % len(past)], "the same combination with fresh facts"
        return None, ""

    def _aim(self, place: int, slot: Slot) -> tuple[str | None, str | None]:
        """The tool and failure that this place is aimed at by traces, if any."""
        emphasis = self.request.emphasis
        if emphasis is None or slot.topic != "tool" or self.request.strategy == "broad":
            return None, None
        stream = self._rng.at("aim", place)
        if not stream.chance(self.knobs.trace_share):
            return None, None
        kept = emphasis.only if self.request.strategy == "targeted" and emphasis.only else self.grid.traits
        tools = {
            name: weight for name, weight in emphasis.tools.items() if name in self.grid.traits and name in kept and weight > 0
        }
        conditions = {
            name: weight
            for name, weight in emphasis.conditions.items()
            if name in self.grid.axes["tool_condition"] and weight > 0
        }
        tool = stream.weighted({name: tools[name] for name in sorted(tools)}) if tools else None
        condition = stream.weighted({name: conditions[name] for name in sorted(conditions)}) if conditions else None
        return tool, condition

    def _allowed(self, slot: Slot, tool: str | None, condition: str | None) -> dict[str, Sequence[str]]:
        axes = self.grid.axes
        if slot.topic != "tool":
            return {"tool": (UNRELATED if slot.topic == "unrelated" else MULTI_TOOL,)}
        tools = [value for value in axes["tool"] if value in self.grid.traits]
        emphasis = self.request.emphasis
        if emphasis is not None and emphasis.only and self.request.strategy == "targeted":
            tools = [value for value in tools if value in emphasis.only] or tools
        conditions = [value for value in axes["tool_condition"] if (value != SUCCESS) == slot.fault]
        if condition in conditions:
            conditions = [condition]
        return {
            "tool": (tool,) if tool is not None else tools,
            "stance": [value for value in axes["stance"] if (TIER_OF.get(value, "ordinary") in HARD) == slot.hard],
            "tool_condition": conditions,
        }

    def _worded(self, axes: dict[str, str], slot: Slot, reason: str) -> list[Task] | None:
        """The situation in its phrasings, with facts that give asks not seen before; None after too many attempts."""
        situation_id = situation_id_of(axes)
        occurrence = self._times.get(situation_id, 0)
        self._times[situation_id] = occurrence + 1
        for attempt in range(self.knobs.distinct_attempts):
            world_seed = new_world_seed(self.seed, situation_id, occurrence, attempt)
            task_id = task_id_of(axes, world_seed, 0)
            if task_id in self._ids:
                continue
            group = self._phrasings(axes, situation_id, world_seed, task_id, slot, reason)
            if group is not None:
                self._ids.add(task_id)
                return group
        return None

    def _phrasings(
        self, axes: dict[str, str], situation_id: str, world_seed: int, task_id: str, slot: Slot, reason: str
    ) -> list[Task] | None:
        facts = self.maker.facts(axes, world_seed)
        asks: dict[str, Any] = {}
        for phrasing in range(self.request.phrasings):
            for variant in range(self.knobs.distinct_attempts):
                ask = self.maker.ask(axes, facts, world_seed, phrasing, variant, slot.careless)
                mark = " ".join(ask.text.casefold().split())
                if len(self._sources) and self._sources.similar(ask.text):
                    self._leaks += 1
                elif mark not in self._seen and mark not in asks:
                    asks[mark] = ask
                    break
                if phrasing == 0 and variant >= 2:
                    return None
            else:
                return None
        self._seen.update(asks)
        arm = {"unrelated": "open_ended", "multi_tool": "behavior_target"}.get(
            slot.topic, "mutation" if slot.careless else "structured"
        )
        out: list[Task] = []
        for phrasing, ask in enumerate(asks.values()):
            tags: dict[str, Any] = {"register": ask.register, "lang": self.maker.lang}
            if slot.careless:
                tags["texture"] = "careless"
            if ask.rule_expressed is not None:
                tags["rule_expressed"] = ask.rule_expressed
            if ask.unvoiced:
                tags["unvoiced"] = list(ask.unvoiced)
            out.append(
                self.maker.task(
                    axes,
                    world_seed,
                    ask.text,
                    phrasing=phrasing,
                    facts=facts,
                    situation_id=situation_id,
                    task_id=task_id if phrasing == 0 else f"{task_id}-p{phrasing}",
                    arm=arm,
                    reason=reason,
                    tags=tags,
                )
            )
        return out

    def seed_task(self, text: str, phrasing: int) -> Task:
        """An opening ask that was given, as it stands: no planned world, no target."""
        axes = dict.fromkeys(self.grid.axes, UNSPECIFIED) | {"stance": "ordinary", "tool_condition": SUCCESS, "history": "fresh"}
        world_seed = self._rng.seed_of("seed", text) & (2**53 - 1)
        self._seen.add(" ".join(text.casefold().split()))
        task_id = "sc-" + sha({"seed": text, "world": world_seed}, 10)
        return self.maker.task(
            axes,
            world_seed,
            text,
            phrasing=phrasing,
            task_id=task_id,
            arm="seed",
            reason="given as a seed",
            lineage=TaskLineage("seed"),
        )

    def result(self, tasks: list[Task], produced: int, wanted: int) -> Draw:
        shares = delivered_shares(tasks, self.grid)
        coverage = {
            **self.cover.coverage.to_dict(),
            "delivered": shares,
            "axes": {axis: len(values) for axis, values in self.grid.axes.items()},
        }
        requested = self.shares()
        coverage["requested"] = {"hard_share": requested.hard, "fault_share": requested.fault, "situations": wanted}
        if len(self._sources):
            coverage["trace_leakage"] = {
                "sources": len(self._sources),
                "redrawn": self._leaks,
                "kept": 0,
                "threshold": self.knobs.trace_leak,
            }
        if produced < wanted:
            self.degraded["situations_short"] = {"requested": wanted, "delivered": produced}
            self.notes.append(
                f"{produced} of {wanted} situations: the template writer has no further distinct asks; use simulator= for more"
            )
        silent = sum(1 for task in tasks if task.tags.get("rule_expressed") is False)
        if silent:
            self.notes.append(
                f"{silent} asks do not bring up the policy clause of their situation: it has no subject a person would mention"
            )
        self._warn_mix(shares, requested, len(tasks))
        return Draw(tuple(tasks), coverage, tuple(self.notes), self.degraded)

    def _warn_mix(self, shares: Mapping[str, float | None], requested: Shares, count: int) -> None:
        if count < self.knobs.tier_mix_min_rows:
            return
        for name, wanted in (("hard_share", requested.hard), ("fault_share", requested.fault)):
            got = shares[name]
            if got is not None and abs(got - wanted) > self.knobs.tier_mix_tolerance:
                self.degraded[f"{name}_off"] = {"requested": wanted, "delivered": got}
                self.notes.append(
                    f"{name} {got:.2f} was delivered where {wanted:.2f} was asked for: the tools leave no more such situations"
                )


def delivered_shares(tasks: Sequence[Task], grid: Grid | None = None) -> dict[str, float | None]:
    """Shares as delivered: hard ones of all, failing ones of those about a real tool, off-topic and two-tool ones of all."""
    count = len(tasks)
    about = [task for task in tasks if task.world.target is not None and task.situation.axes.get("tool") != MULTI_TOOL]
    return {
        "hard_share": sum(task.situation.tier in HARD for task in tasks) / count if count else None,
        "fault_share": sum(bool(task.world.faults) for task in about) / len(about) if about else None,
        "unrelated_share": sum(task.situation.axes.get("tool") == UNRELATED for task in tasks) / count if count else None,
        "multi_tool_share": sum(task.situation.axes.get("tool") == MULTI_TOOL for task in tasks) / count if count else None,
    }


def _relaxed(slot: Slot) -> Iterator[Slot]:
    """The slot, then what comes nearest to it when the grid has nothing of the kind."""
    yield slot
    if slot.topic != "tool":
        yield Slot("tool", False, False, slot.careless)
        return
    for hard, fault in ((slot.hard, not slot.fault), (not slot.hard, slot.fault), (not slot.hard, not slot.fault)):
        yield Slot("tool", hard, fault, slot.careless)
