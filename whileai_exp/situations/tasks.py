"""A task from its coordinates: spec, axes, world seed and phrasing. What `draw` builds and `rebuild` restores.

Nothing here depends on when or in which run the task is made; the prompt of a saved row is taken as it stands, because
a model may have written it, and everything else is computed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .._hash import sha
from .._rng import Rng
from ..knobs import RunKnobs
from ..schema import Fault, Situation, Spec, Task, TaskLineage, Tool, UserBrief, WorldSeed
from ..spec.effects import effect_of, words_of
from ..spec.values import draw_arguments, language_of
from ..world.reference import expected_handling
from .axes import MULTI_TOOL, SUCCESS, UNRELATED, UNSPECIFIED, tier_of
from .facts import is_address, kinds_of, told_in
from .lines import manner_of
from .phrases import phrases
from .templates import Ask, AskPlan, compose
from .templates_cjk import compose_ko, compose_zh
from .voice_en import goal_of

_SEED_LIMIT = 2**53 - 1


@lru_cache(maxsize=65536)
def _situation_id(items: tuple[tuple[str, str], ...]) -> str:
    return "si-" + sha(dict(items), 10)


def situation_id_of(axes: Mapping[str, str]) -> str:
    """`si-` and 10 hex of the sorted axes."""
    return _situation_id(tuple(sorted(axes.items())))


def task_id_of(axes: Mapping[str, str], world_seed: int, phrasing: int) -> str:
    """`sc-` and 10 hex of the axes and the world seed; further phrasings carry `-p1`, `-p2`, …"""
    base = "sc-" + sha(f"{situation_id_of(axes)}/{world_seed}", 10)
    return base if phrasing == 0 else f"{base}-p{phrasing}"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a situation is about, before anybody words it."""

    tool: Tool | None
    arguments: Mapping[str, Any]
    keep_back: frozenset[str]
    second: Tool | None
    second_arguments: Mapping[str, Any]
    faults: tuple[Fault, ...]
    unknown: tuple[str, ...]
    persona: str


class TaskMaker:
    """Makes the tasks of one spec."""

    def __init__(self, spec: Spec, knobs: RunKnobs) -> None:
        self.spec = spec
        self.knobs = knobs
        found = language_of(spec)
        self.lang = found if found in WRITTEN else "en"
        self.notes: tuple[str, ...] = ()
        if found not in WRITTEN:
            self.notes = (
                f"the spec is in a language ({found}) that the template writer does not write: its asks are in English",
            )
        self._tools = {tool.name: tool for tool in spec.tools}
        self._partners: dict[str, list[Tool]] = {}

    def tool_of(self, axes: Mapping[str, str]) -> Tool | None:
        """The tool of the tool axis; None for an off-topic ask, a two-tool ask, or a name the spec does not have."""
        value = axes.get("tool", "")
        if value in (UNRELATED, MULTI_TOOL):
            return None
        return self._tools.get(value.removeprefix("tool:")) if value.startswith("tool:") else self._tools.get(value)

    def facts(self, axes: Mapping[str, str], world_seed: int) -> Facts:
        """Arguments, faults and person of a situation."""
        rng = Rng(world_seed)
        tool, second = self.tool_of(axes), None
        if axes.get("tool") == MULTI_TOOL:
            tool, second = self._pair(rng)
        share = self.knobs.optional_argument_share
        arguments = draw_arguments(tool, rng.at("arguments"), optional_share=share, lang=self.lang) if tool is not None else {}
        others: dict[str, Any] = {}
        if second is not None:
            drawn = draw_arguments(second, rng.at("second"), optional_share=0.0, lang=self.lang)
            others = _shared(drawn, second, arguments, tool)
        stream = rng.at("person")
        keep_back = self._kept_back(axes, tool, rng)
        unknown = tuple(sorted(keep_back)[:1]) if keep_back and stream.chance(self.knobs.unknown_fact_share) else ()
        persona = stream.choice(phrases(self.lang)["personas"])
        return Facts(tool, arguments, keep_back, second, others, self._faults(axes, tool, rng), unknown, persona)

    def _kept_back(self, axes: Mapping[str, str], tool: Tool | None, rng: Rng) -> frozenset[str]:
        """What a vague ask leaves out: the fact that names the thing, and perhaps others."""
        if tool is None or axes.get("stance") not in ("ambiguous", "unsure"):
            return frozenset()
        required = [name for name in tool.parameters.get("required") or () if not _is_flag(tool, name)]
        if not required:
            return frozenset()
        ids = [name for name in effect_of(tool).id_params if name in required]
        stream = rng.at("kept back")
        first = (ids or required)[0]
        kept = {first, *(name for name in required if name != first and stream.chance(0.75))}
        parts = {name for name in required if is_address(kinds_of(tool).get(name, "")) or name.startswith("new_")}
        return frozenset(kept | parts) if kept & (parts | set(ids)) else frozenset(kept)

    def _faults(self, axes: Mapping[str, str], tool: Tool | None, rng: Rng) -> tuple[Fault, ...]:
        mode = axes.get("tool_condition", SUCCESS)
        if tool is None or mode == SUCCESS:
            return ()
        calls = (0, 1, 2, 3) if mode == "permission_denied" else (0,) if rng.at("fault").chance(0.7) else (0, 1)
        return (Fault(tool.name, mode, calls),)

    def _pair(self, rng: Rng) -> tuple[Tool, Tool]:
        """Two tools that one person could want together: they share an argument or a noun where that exists."""
        stream = rng.at("pair")
        tools = [tool for tool in self._tools.values() if not manner_of(tool).handover]
        tools = sorted(tools if len(tools) > 1 else self._tools.values(), key=lambda tool: sha(tool.name, 16))
        first = stream.choice(tools)
        if first.name not in self._partners:
            mine = _topics(first)
            said = goal_of(first).plain
            others = [tool for tool in tools if tool is not first and goal_of(tool).plain != said] or [
                t for t in tools if t is not first
            ]
            self._partners[first.name] = [tool for tool in others if mine & _topics(tool)] or others
        return first, stream.choice(self._partners[first.name])

    def ask(self, axes: Mapping[str, str], facts: Facts, world_seed: int, phrasing: int, variant: int, careless: bool) -> Ask:
        """The opening ask in one phrasing; `variant` words it again when a draw has had the same text."""
        plan = AskPlan(axes, facts.tool, facts.arguments, facts.keep_back, facts.second, facts.second_arguments, careless)
        stream = Rng(world_seed).at("ask", phrasing, variant)
        return WRITTEN[self.lang](plan, stream, self.knobs.texture, self.knobs.extra_line_share)

    def task(
        self,
        axes: Mapping[str, str],
        world_seed: int,
        prompt: str,
        *,
        phrasing: int = 0,
        facts: Facts | None = None,
        situation_id: str | None = None,
        task_id: str | None = None,
        arm: str = "structured",
        reason: str = "",
        tags: Mapping[str, Any] | None = None,
        lineage: TaskLineage | None = None,
        faults: tuple[Fault, ...] | None = None,
        prefix: tuple[Mapping[str, Any], ...] = (),
    ) -> Task:
        """The whole task around a prompt."""
        facts = facts if facts is not None else self.facts(axes, world_seed)
        situation = Situation(situation_id or situation_id_of(axes), axes, tier_of(axes), arm, reason)
        properties = facts.tool.parameters.get("properties") or {} if facts.tool is not None else {}
        told = told_in(prompt, facts.arguments, properties, self.lang)
        knows = {name: value for name, value in facts.arguments.items() if name not in facts.unknown or name in told}
        knows.update({name: value for name, value in facts.second_arguments.items() if name not in knows})
        user = UserBrief(
            goal=self._goal(facts, prompt),
            persona=facts.persona,
            stance=axes.get("stance", "ordinary"),
            knows=knows,
            volunteers=told,
            unknown=tuple(name for name in facts.unknown if name not in told),
        )
        target = facts.tool.name if facts.tool is not None else None
        world = WorldSeed(
            world_seed,
            axes.get("world_state", UNSPECIFIED),
            facts.faults if faults is None else faults,
            target,
            dict(facts.arguments),
        )
        task = Task(
            task_id or task_id_of(axes, world_seed, phrasing),
            prompt,
            situation,
            user,
            world,
            phrasing,
            prefix,
            None,
            lineage or TaskLineage(),
            tags or {},
        )
        key = expected_handling(self.spec, task)
        return Task(task.task_id, prompt, situation, user, world, phrasing, prefix, key, task.lineage, task.tags)

    def _goal(self, facts: Facts, prompt: str) -> str:
        """What the person wants, without particulars; an off-topic ask is its own goal."""
        if facts.tool is None:
            return prompt
        text = goal_of(facts.tool).plain
        return text if facts.second is None else f"{text}, then {goal_of(facts.second).plain}"


WRITTEN = {"en": compose, "zh": compose_zh, "ko": compose_ko}
"""Template writers by language."""


def new_world_seed(seed: int, situation_id: str, occurrence: int, attempt: int) -> int:
    return Rng(seed).seed_of("world", situation_id, occurrence, attempt) & _SEED_LIMIT


_SHARED_KINDS = frozenset({"city", "hotel", "restaurant", "car_rental", "merchant", "repo", "app", "company", "token"})


def _shared(drawn: Mapping[str, Any], second: Tool, arguments: Mapping[str, Any], first: Tool | None) -> dict[str, Any]:
    """The second tool's arguments, taken over from the first where both name the same thing."""
    mine = kinds_of(first) if first is not None else {}
    theirs = kinds_of(second)
    out: dict[str, Any] = {}
    for name, value in drawn.items():
        kind = theirs.get(name, "")
        same = name if name in arguments and mine.get(name, kind) == kind else None
        if same is None and kind in _SHARED_KINDS:
            same = next((key for key in arguments if mine.get(key) == kind), None)
        given = arguments[same] if same is not None else value
        if isinstance(value, list) and isinstance(given, str):
            given = [given]
        elif isinstance(value, str) and isinstance(given, list) and given:
            given = given[0]
        out[name] = given if isinstance(given, type(value)) else value
    return out


def _is_flag(tool: Tool, name: str) -> bool:
    schema = (tool.parameters.get("properties") or {}).get(name)
    return isinstance(schema, Mapping) and schema.get("type") == "boolean"


def _topics(tool: Tool) -> frozenset[str]:
    params = set(tool.parameters.get("required") or ())
    return frozenset(params | {word for word in words_of(effect_of(tool).noun) if len(word) > 3})
