"""The grid: which axes a spec has, which values, and which values can stand together.

Axes come from the agent's own tools and policy. Two values exclude each other when no sensible ask has both (a missing
thing for a tool that names no thing; a planned fault for a tool that will not be called). All exclusions are between
pairs of values, so a combination is feasible exactly when all its pairs are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .._text import did_you_mean
from ..errors import ConfigError, Problem
from ..schema import Spec, Tool
from ..spec.effects import EffectKind, effect_of
from .lines import manner_of
from .policy import clauses_of

UNRELATED = "unrelated"
MULTI_TOOL = "multi_tool"
UNSPECIFIED = "unspecified"
SUCCESS = "success"
FRESH = "fresh"
STANCES = (
    "ordinary", "ambiguous", "boundary", "adversarial", "hurried", "unsure", "retry", "mistaken", "exploratory", "conflicting",
)  # fmt: skip
WORLD_STATES = (UNSPECIFIED, "exists", "missing", "already_done", "duplicate", "prior_partial_action", "permission")
FAULT_MODES = ("timeout", "malformed", "stale", "permission_denied", "rate_limited", "partial", "wrong_type", "slow")
HISTORIES = (FRESH, "prior_failure", "prior_partial_action", "contradicts_earlier", "repeat_visit")
TIER_OF = {
    "ambiguous": "ambiguous",
    "unsure": "ambiguous",
    "boundary": "boundary",
    "conflicting": "boundary",
    "adversarial": "adversarial",
}
HARD = frozenset({"ambiguous", "boundary", "adversarial"})
OWN_AXES = ("tool", "rule", "stance", "world_state", "tool_condition", "history")
_READ_FAULTS = frozenset({"stale", "partial", "wrong_type"})


def tier_of(axes: Mapping[str, str]) -> str:
    """The difficulty tier: a projection of the stance."""
    return TIER_OF.get(axes.get("stance", ""), "ordinary")


@dataclass(frozen=True, slots=True)
class ToolTraits:
    """What the grid needs to know of a tool."""

    writes: bool
    kind: EffectKind
    names_thing: bool
    """Has a required argument that names an existing thing."""
    needs_facts: bool
    """Has a required argument, so that an ask can leave one out."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Axes in order with their values, and the feasibility between them."""

    axes: Mapping[str, tuple[str, ...]]
    tools: Mapping[str, str]
    """Value of the tool axis to tool name; differs only for a tool whose name collides with a pseudo-tool."""
    traits: Mapping[str, ToolTraits]
    notes: tuple[str, ...] = ()
    rules_left_out: int = 0
    extra: tuple[str, ...] = ()
    """Axes that `dimensions=` added."""
    rule_tools: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Rule to the tool-axis values it can be asked about with; absent means all."""

    def allows(self, axis_a: str, a: str, axis_b: str, b: str) -> bool:
        """Whether two values can stand in one situation."""
        if axis_b == "tool" or (axis_a, axis_b) in _SWAPPED:
            axis_a, a, axis_b, b = axis_b, b, axis_a, a
        if axis_a == "tool":
            return self._tool_allows(a, axis_b, b)
        return _values_allow(axis_a, a, axis_b, b)

    def _tool_allows(self, tool: str, axis: str, value: str) -> bool:
        if axis in self.extra:
            return True
        if tool in (UNRELATED, MULTI_TOOL) and tool not in self.traits:
            return _pseudo_allows(tool, axis, value)
        traits = self.traits[tool]
        if axis == "rule":
            return value == UNSPECIFIED or tool in self.rule_tools.get(value, frozenset((tool,)))
        if axis == "stance":
            if value in ("ambiguous", "unsure"):
                return traits.needs_facts
            return value != "adversarial" or traits.writes or traits.names_thing
        if axis == "world_state":
            if value == UNSPECIFIED:
                return True
            if value in ("already_done", "duplicate", "prior_partial_action"):
                return traits.names_thing and traits.kind in (EffectKind.UPDATE, EffectKind.DELETE)
            if value == "missing":
                return traits.names_thing and traits.kind not in (EffectKind.CREATE, EffectKind.SEARCH, EffectKind.COMPUTE)
            return traits.names_thing
        if axis == "tool_condition":
            return value not in _READ_FAULTS or not traits.writes
        if axis == "history":
            if value == "prior_partial_action":
                return traits.writes and traits.names_thing
            return value != "contradicts_earlier" or traits.writes
        return True


_SWAPPED = frozenset(
    {
        ("stance", "rule"),
        ("tool_condition", "world_state"),
        ("tool_condition", "stance"),
        ("history", "stance"),
        ("world_state", "stance"),
    }
)
_VAGUE = frozenset({"ambiguous", "unsure"})


def _pseudo_allows(tool: str, axis: str, value: str) -> bool:
    plain = {"rule": (UNSPECIFIED,), "world_state": (UNSPECIFIED,), "tool_condition": (SUCCESS,)}
    if axis in plain:
        return value in plain[axis]
    if axis == "stance":
        return value in ("ordinary", "hurried", "exploratory")
    if axis == "history":
        return value in (FRESH, "repeat_visit")
    return True


def _values_allow(axis_a: str, a: str, axis_b: str, b: str) -> bool:
    pair = (axis_a, axis_b)
    if pair in (("world_state", "tool_condition"), ("stance", "tool_condition")):
        if b == SUCCESS:
            return True
        return a in (UNSPECIFIED, "exists") if axis_a == "world_state" else a not in ("adversarial", *_VAGUE)
    if pair == ("stance", "world_state"):
        if a == "adversarial":
            return b in (UNSPECIFIED, "exists", "permission")
        if a in _VAGUE:
            return b in (UNSPECIFIED, "exists")
        return a != "retry" or b not in ("already_done", "duplicate")
    if pair == ("stance", "history"):
        if a == "retry":
            return b in ("prior_failure", "repeat_visit", "prior_partial_action")
        if a in _VAGUE or a == "adversarial":
            return b in (FRESH, "repeat_visit")
        return not (a in ("mistaken", "conflicting") and b == "contradicts_earlier")
    if pair == ("world_state", "history"):
        if a == "prior_partial_action":
            return b in (FRESH, "prior_partial_action", "repeat_visit")
        if b == "prior_partial_action":
            return a in (UNSPECIFIED, "exists", "prior_partial_action")
        return not (a in ("already_done", "missing", "duplicate") and b == "contradicts_earlier")
    if pair == ("tool_condition", "history"):
        return a == SUCCESS or b != "prior_partial_action"
    if pair == ("rule", "stance"):
        return a == UNSPECIFIED or b not in _VAGUE
    return True


_INWARD = re.compile(r"discoverable|^log_verification|^audit_|_audit_log$", re.IGNORECASE)
"""Tools for the agent's own housekeeping: no person would ask for one."""


def traits_of(tool: Tool) -> ToolTraits:
    effect = effect_of(tool)
    names_thing = bool(effect.id_params) and not manner_of(tool).handover
    return ToolTraits(effect.writes, effect.kind, names_thing, bool(tool.parameters.get("required")))


def grid_of(
    spec: Spec,
    rule_cap: int,
    dimensions: Mapping[str, Sequence[str]] | None = None,
    fault_modes: Iterable[str] = FAULT_MODES,
) -> Grid:
    """The grid of a spec. `dimensions` replaces the named axes and may add new ones; ConfigError carries every problem."""
    values = {_tool_value(tool.name): tool.name for tool in spec.tools}
    traits = {_tool_value(tool.name): traits_of(tool) for tool in spec.tools}
    clauses = clauses_of(spec.system_prompt)
    chosen = _rules(clauses, spec, rule_cap)
    notes: list[str] = []
    left_out = len(clauses) - len(chosen)
    if left_out:
        notes.append(f"the rule axis holds {len(chosen)} of {len(clauses)} policy clauses; advanced.rule_cap sets how many")
    asked = [value for value, name in values.items() if not _INWARD.search(name)] or list(values)
    if len(asked) < len(values):
        hidden = [name for value, name in values.items() if value not in asked]
        notes.append(f"tools that nobody outside asks for get no situations of their own: {', '.join(hidden)}")
    names_any = any(item.names_thing for item in traits.values())
    axes: dict[str, tuple[str, ...]] = {
        "tool": (*asked, UNRELATED, *((MULTI_TOOL,) if len(asked) > 1 else ())),
        "rule": (UNSPECIFIED, *chosen),
        "stance": STANCES,
        "world_state": WORLD_STATES if names_any else (UNSPECIFIED,),
        "tool_condition": (SUCCESS, *fault_modes),
        "history": HISTORIES,
    }
    problems = list(_override(axes, dimensions or {}, values, clauses))
    if problems:
        raise ConfigError(problems)
    extra = tuple(axis for axis in axes if axis not in OWN_AXES)
    traits = {value: item for value, item in traits.items() if value in axes["tool"]}
    related = {rule: tools for rule, tools in chosen.items() if tools is not None}
    return Grid(axes, values, traits, tuple(notes), left_out, extra, related)


def _tool_value(name: str) -> str:
    """The axis value of a tool: its name, escaped when it is the name of a pseudo-tool."""
    return f"tool:{name}" if name in (UNRELATED, MULTI_TOOL) or name.startswith("tool:") else name


def _rules(clauses: Sequence[str], spec: Spec, cap: int) -> dict[str, frozenset[str] | None]:
    """The clauses that become rule values, with the tools that each can be asked about with (None: any)."""
    from .policy import touches

    reach = {clause: touches(clause, spec) for clause in clauses}
    expressible = [clause for clause in clauses if reach[clause] is None or reach[clause]]
    rest = [clause for clause in clauses if clause not in expressible]
    kept = set((expressible + rest)[:cap])
    return {clause: reach[clause] if reach[clause] is not None else None for clause in clauses if clause in kept}


_AXIS_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}$")


def _override(
    axes: dict[str, tuple[str, ...]], dimensions: Mapping[str, Sequence[str]], tools: Mapping[str, str], clauses: Sequence[str]
) -> Iterable[Problem]:
    known = {"stance": STANCES, "world_state": WORLD_STATES, "tool_condition": axes["tool_condition"], "history": HISTORIES}
    for axis, given in dimensions.items():
        where = f"dimensions.{axis}"
        if isinstance(given, str) or not given or not all(isinstance(value, str) and value for value in given):
            yield Problem(where, f"{given!r:.80} is not a non-empty list of names")
            continue
        wanted = tuple(dict.fromkeys(given))
        if axis == "tool":
            allowed: Sequence[str] = (*tools, UNRELATED, MULTI_TOOL)
        elif axis in known:
            allowed = known[axis]
        elif axis == "rule":
            axes["rule"] = tuple(dict.fromkeys((UNSPECIFIED, *wanted)))
            continue
        else:
            from .._text import nearest

            close = nearest(axis, OWN_AXES)
            if not _AXIS_NAME.match(axis) or close:
                yield Problem("dimensions", f"{axis!r} is not an axis", did_you_mean(axis, OWN_AXES))
                continue
            axes[axis] = wanted
            continue
        unknown = [value for value in wanted if value not in allowed]
        for value in unknown:
            yield Problem(where, f"{value!r} is not a value of this axis", did_you_mean(value, allowed))
        if not unknown:
            axes[axis] = wanted
