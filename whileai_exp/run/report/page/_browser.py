"""The rollouts of a run, packed for the page's browser: a small index to filter by, and whole rollouts in blocks.

A block is compressed and in base64, so nothing a model wrote can act as markup, and a page of thousands of rollouts
opens at once: a block is unpacked when one of its rollouts is looked at. Fields are taken by name, so nothing that is
not in this list reaches the page.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ....schema import reward_of
from ....schema.row import row_line
from ....schema.steps import dumps
from ....schema.types import USABLE

_BLOCK = 100
_PROMPT_CHARS = 140
_TEXT_CHARS = 8000
_AXES = ("tool", "rule", "stance", "world_state", "tool_condition", "history")
_WHOLE = ("rollout_id", "task_id", "status", "finish_reason", "ended_by", "error", "reward", "reason", "failure_class", "judge_name",
          "judge_status", "markers", "faults", "scenario_dimensions", "tier", "arm", "group_cut", "model_version", "user_model",
          "writer_model", "prompt", "prefix", "usage")  # fmt: skip
"""Fields of a row that the page shows; `steps` beside them."""


def outcome_of(row: Mapping[str, Any]) -> str:
    """passed, failed, partial, unjudged or lost."""
    if row.get("status") not in USABLE:
        return "lost"
    reward = reward_of(row.get("reward"))
    if reward is None:
        return "unjudged"
    return "passed" if reward >= 1 else "failed" if reward <= 0 else "partial"


def packed(rows: Sequence[Mapping[str, Any]], dropped: Mapping[str, str], most: int) -> dict[str, Any]:
    """`{n, shown, facets, index, blocks}` for the page; of more than `most` rows, evenly spaced ones in order."""
    shown = rows if len(rows) <= most else [rows[at * len(rows) // most] for at in range(most)]
    facets: dict[str, dict[str, int]] = {}
    index = []
    for row in shown:
        line = {name: [_code(facets.setdefault(name, {}), value) for value in values] for name, values in _facets(row, dropped)}
        index.append([str(row.get("rollout_id")), _clipped(str(row.get("prompt") or ""), _PROMPT_CHARS), line])
    blocks = [
        b64encode(
            zlib.compress(b"[%s]" % b",".join(row_line(shown_row(row, dropped)).strip() for row in shown[at : at + _BLOCK]), 6)
        ).decode()
        for at in range(0, len(shown), _BLOCK)
    ]
    values = {name: list(codes) for name, codes in facets.items()}
    return {"n": len(rows), "shown": len(shown), "per_block": _BLOCK, "facets": values, "index": index, "blocks": blocks}


def _facets(row: Mapping[str, Any], dropped: Mapping[str, str]) -> Iterable[tuple[str, list[str]]]:
    """What a rollout can be found by; some facets have several values."""
    axes = row.get("scenario_dimensions") or {}
    yield "outcome", [outcome_of(row)]
    yield "selection", [dropped.get(str(row.get("rollout_id")), "kept")]
    yield "task", [str(row.get("task_id"))]
    for name in _AXES:
        if axes.get(name) not in (None, "unspecified"):
            yield name, [str(axes[name])]
    yield "tier", [str(row.get("tier"))]
    yield "arm", [str(row.get("arm"))]
    yield "status", [str(row.get("status"))]
    missed = sorted(name for name, value in (row.get("markers") or {}).items() if reward_of(value) not in (None, 1.0))
    if missed:
        yield "marker missed", missed
    fired = sorted({str(event.get("mode")) for fault in row.get("faults") or () for event in fault.get("fired") or ()})
    if fired:
        yield "fault fired", fired
    if row.get("failure_class"):
        yield "failure class", [str(row["failure_class"])]


def _code(codes: dict[str, int], value: str) -> int:
    return codes.setdefault(value, len(codes))


def shown_row(row: Mapping[str, Any], dropped: Mapping[str, str] | None = None, *, without: Sequence[str] = ()) -> dict[str, Any]:
    """What a page shows of a rollout: fields by name, long ones cut; `without`: fields that are left out."""
    out = {name: _clip(row[name]) for name in _WHOLE if row.get(name) not in (None, "", [], {}) and name not in without}
    if dropped is not None:
        out["dropped"] = dropped.get(str(row.get("rollout_id")))
    out["steps"] = [
        {
            name: _clip(step[name])
            for name in ("user", "text", "reasoning", "tool", "arguments", "raw_arguments", "result", "status", "truncated")
            if name in step
        }
        for step in row.get("steps") or ()
        if isinstance(step, Mapping)
    ]
    return out


def _clip(value: Any) -> Any:
    """`value`, or its beginning as text when it is very long."""
    if isinstance(value, str):
        return _clipped(value, _TEXT_CHARS)
    if isinstance(value, (Mapping, list)) and len(text := dumps(value).decode()) > _TEXT_CHARS:
        return _clipped(text, _TEXT_CHARS)
    return value


def _clipped(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text)} characters)"
