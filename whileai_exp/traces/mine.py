"""What traces say about where an agent fails, and the pull that this gives to the next draw.

A region is a tool with the condition it met. Its failure rate counts only from a few rows on (a knob), because one bad
conversation is not a region. Prompts of traces are never reused: only tools and conditions travel on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .._text import normalised
from ..knobs import RunKnobs
from ..schema import Spec, reward_of

SUCCESS = "success"
_ERROR_WORDS = (
    ("timeout", "timeout"), ("timed out", "timeout"), ("rate limit", "rate_limited"), ("too many requests", "rate_limited"), ("permission", "permission_denied"),
    ("forbidden", "permission_denied"), ("unauthorized", "permission_denied"), ("malformed", "malformed"), ("stale", "stale"), ("partial", "partial"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Emphasis:
    """Where traces failed: values of the tool and tool_condition axes with their weights."""

    tools: Mapping[str, float] = field(default_factory=dict)
    conditions: Mapping[str, float] = field(default_factory=dict)
    only: frozenset[str] = frozenset()
    """Tools to which a targeted draw keeps; empty is all."""
    sources: tuple[str, ...] = ()
    """Prompts of the traces: a new ask that comes close to one of them is drawn again."""


@dataclass(frozen=True, slots=True)
class Region:
    """A tool under a condition, as traces met it."""

    tool: str
    condition: str
    rows: int
    failures: int
    judged: int
    """Rows with a verdict; failure rates are over these."""

    @property
    def rate(self) -> float | None:
        return self.failures / self.judged if self.judged else None


@dataclass(frozen=True, slots=True)
class Mined:
    """Regions, the pull on the grid, and the asks that failed."""

    regions: tuple[Region, ...]
    emphasis: Emphasis
    failing_asks: tuple[str, ...]
    report: Mapping[str, Any]


def failed(row: Mapping[str, Any]) -> bool | None:
    """Whether a trace failed: by its reward, else by its status; None when it says neither."""
    reward = reward_of(row.get("reward"))
    if reward is not None:
        return reward < 0.5
    status = row.get("status")
    return None if status is None else status not in ("ok", "completed", "success")


def conditions_of(row: Mapping[str, Any]) -> dict[str, str]:
    """Tool to the worst condition it met in a trace: a planned fault, an error, or success."""
    out: dict[str, str] = {}
    for step in row.get("steps") or ():
        if isinstance(step, Mapping) and step.get("tool"):
            condition = _condition(step)
            name = str(step["tool"])
            if condition != SUCCESS or name not in out:
                out[name] = condition
    for fault in row.get("faults") or ():
        if isinstance(fault, Mapping) and fault.get("tool") in out and fault.get("mode"):
            out[str(fault["tool"])] = str(fault["mode"])
    return out


def _condition(step: Mapping[str, Any]) -> str:
    status = step.get("status", "ok")
    result = step.get("result")
    failing = status in ("fault", "error") or (
        isinstance(result, Mapping) and result.get("status") in ("error", "timeout", "failed")
    )
    if not failing:
        return SUCCESS
    text = str(result).lower()
    return next((mode for word, mode in _ERROR_WORDS if word in text), "error")


def mine_traces(rows: Iterable[Mapping[str, Any]], spec: Spec, knobs: RunKnobs | None = None, *, strategy: str = "auto") -> Mined:
    """Regions of the traces and the weights they put on the grid of an agent's situations.

    `spec`: the agent, as `load_spec(path).spec` gives it. Strategy `targeted` keeps to tools that the traces used.
    """
    knobs = knobs or RunKnobs()
    rows = list(rows)
    counts: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        verdict = failed(row)
        for tool, condition in conditions_of(row).items():
            entry = counts.setdefault((tool, condition), [0, 0, 0])
            entry[0] += 1
            entry[1] += verdict is True
            entry[2] += verdict is not None
    regions = tuple(Region(tool, condition, n, bad, judged) for (tool, condition), (n, bad, judged) in sorted(counts.items()))
    declared = {tool.name for tool in spec.tools}
    emphasis = _emphasis([region for region in regions if region.tool in declared], spec, knobs, targeted=strategy == "targeted")
    failing = tuple(dict.fromkeys(str(row["prompt"]) for row in rows if failed(row) and row.get("prompt")))
    prompts = tuple(dict.fromkeys(str(row["prompt"]) for row in rows if row.get("prompt")))
    report = trace_report(rows, spec)
    report["regions"] = [
        {"tool": r.tool, "condition": r.condition, "rows": r.rows, "failures": r.failures, "judged": r.judged, "rate": r.rate}
        for r in regions
    ]
    return Mined(regions, replace(emphasis, sources=prompts), failing[: knobs.failing_seeds_cap], report)


def _emphasis(regions: Sequence[Region], spec: Spec, knobs: RunKnobs, *, targeted: bool) -> Emphasis:
    hot = [region for region in regions if region.failures and region.judged >= knobs.gap_min_rows]
    total = sum(region.failures for region in hot)
    tools = {tool.name: 1.0 for tool in spec.tools}
    conditions: dict[str, float] = {}
    for region in hot:
        pull = knobs.allocation_gain * region.failures / total
        tools[region.tool] += pull * knobs.allocation_tool_weight
        if region.condition not in (SUCCESS, "error"):
            conditions[region.condition] = conditions.get(region.condition, 1.0) + pull * knobs.allocation_condition_weight
    seen = frozenset(region.tool for region in regions) if targeted else frozenset()
    return Emphasis(tools if hot else {}, conditions, seen)


def trace_report(rows: Iterable[Mapping[str, Any]], spec: Spec | None = None) -> dict[str, Any]:
    """Counts of traces: verdicts, tools, conditions, lengths, repeats of one prompt, tools the spec does not declare."""
    rows = list(rows)
    verdicts = [failed(row) for row in rows]
    tools: Counter[str] = Counter()
    met: Counter[str] = Counter()
    for row in rows:
        for tool, condition in conditions_of(row).items():
            tools[tool] += 1
            met[condition] += 1
    lengths = sorted(len(row.get("steps") or ()) for row in rows)
    prompts = Counter(normalised(str(row.get("prompt", ""))) for row in rows)
    declared = {tool.name for tool in spec.tools} if spec is not None else set(tools)
    judged = sum(verdict is not None for verdict in verdicts)
    return {
        "traces": len(rows),
        "judged": judged,
        "failed": sum(verdict is True for verdict in verdicts),
        "failure_rate": sum(verdict is True for verdict in verdicts) / judged if judged else None,
        "tools": dict(sorted(tools.items())),
        "unknown_tools": sorted(set(tools) - declared),
        "unused_tools": sorted(declared - set(tools)),
        "conditions": dict(sorted(met.items())),
        "steps_median": lengths[len(lengths) // 2] if lengths else None,
        "repeated_prompts": sum(count - 1 for count in prompts.values()),
    }
