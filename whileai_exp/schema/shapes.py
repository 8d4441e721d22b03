"""Which keys of a row from outside hold something of the wrong kind? Asked before a row is taken apart.

Only what would make the reading fail is named: a missing key is no problem, and what nothing reads may be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import Problem
from .types import JudgeStatus, RolloutStatus

_Test = Callable[[Any], bool]


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _objects(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(item, Mapping) for item in value)


def _texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value)


def _faults(value: Any) -> bool:
    return _objects(value) and all(
        isinstance(item.get("tool"), str)
        and isinstance(item.get("mode"), str)
        and isinstance(item.get("calls", []), (list, tuple))
        and all(_whole(call) for call in item.get("calls", []))
        and _objects(item.get("fired", []))
        for item in value
    )


_SHAPES: Mapping[str, tuple[_Test, str]] = {
    **dict.fromkeys(("world_seed", "phrasing", "rollout_index", "seed"), (_whole, "a whole number")),
    **dict.fromkeys(
        ("prompt", "world_state", "tier", "stance", "situation_id", "arm", "selection_reason", "writer_model", "final_text"),
        (_text, "text"),
    ),
    **dict.fromkeys(("task_id", "scenario_id"), (lambda value: _text(value) or _whole(value), "text or a number")),
    **dict.fromkeys(
        ("scenario_dimensions", "lineage", "tags", "usage", "markers", "judge_meta", "sampling", "privileged"),
        (_mapping, "an object"),
    ),
    **dict.fromkeys(("prefix", "steps", "changes"), (_objects, "a list of objects")),
    "seeded": (_texts, "a list of names"),
    "faults": (_faults, "a list of {tool, mode, calls}"),
    "status": (lambda value: _text(value) and value in set(RolloutStatus), f"one of {', '.join(RolloutStatus)}"),
    "judge_status": (lambda value: _text(value) and value in set(JudgeStatus), f"one of {', '.join(JudgeStatus)}"),
}


def shape_problems(row: Mapping[str, Any]) -> list[Problem]:
    """Every key of the row that cannot be read, with what belongs there; null counts as absent."""
    return [
        Problem(key, f"is {row[key]!r:.60}, not {wanted}")
        for key, (test, wanted) in _SHAPES.items()
        if row.get(key) is not None and not test(row[key])
    ]
