"""Rows as chat training data: one conversation per line, with the tools and the system prompt it ran under.

Two checks come before anything is written: every tool call's arguments parse back to an object, and no row recites
privileged text. Failures are left out unless asked for, and said so.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from .._hash import plain
from .._text import without_reasoning
from ..errors import ExportError
from ..schema import Tool, reward_of, task_key
from ..selection._hygiene import leak_reason
from ..spec import as_tools

QUOTE_CHARS = 12


def training_rows(
    rows: Iterable[Mapping[str, Any]], *, system_prompt: str = "", tools: Sequence[Any] = ()
) -> list[dict[str, Any]]:
    """Conversations in OpenAI's fine-tuning shape: `messages`, `tools`, and what a trainer may filter by."""
    made, problems, _ = as_tools(tools)
    if problems:
        raise ExportError("; ".join(map(str, problems)))
    declared = [tool.wire() for tool in made if isinstance(tool, Tool)]
    return [_training_row(row, system_prompt, declared) for row in rows]


def _training_row(row: Mapping[str, Any], system_prompt: str, tools: list[dict[str, Any]]) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": system_prompt}] if system_prompt else []
    for message in row.get("messages") or ():
        if message.get("role") in ("system", "developer"):
            continue
        clean = {key: value for key, value in message.items() if key != "name"}
        if message["role"] == "assistant" and isinstance(message.get("content"), str):
            clean["content"] = without_reasoning(message["content"])[0]
        messages.append(clean)
    out: dict[str, Any] = {
        "messages": messages,
        "task_id": task_key(row),
        "rollout_id": row.get("rollout_id"),
        "reward": reward_of(row.get("reward")),
    }
    if tools:
        out["tools"] = tools
    return out


def export_dataset(
    source: Any, output: str | os.PathLike[str], *, system_prompt: str = "", tools: Sequence[Any] = (), failures: bool = False
) -> dict[str, Any]:
    """Write training data; the report says how many rows went in and out, and why.

    `failures=True` keeps rows that did not pass. ExportError, with nothing written: a tool call that does not parse
    back, a row that recites its answer key, or no row left.
    """
    rows = list(getattr(source, "rows", source))
    passed = [row for row in rows if failures or reward_of(row.get("reward")) == 1.0]
    leaks = [str(row.get("rollout_id")) for row in passed if leak_reason(row, QUOTE_CHARS)]
    broken = [str(row.get("rollout_id")) for row in passed if not _round_trips(row)]
    if leaks:
        raise ExportError(f"{len(leaks)} rows recite their answer key (first: {leaks[0]}); drop them before exporting")
    if broken:
        raise ExportError(f"{len(broken)} rows hold a tool call whose arguments are not a JSON object (first: {broken[0]})")
    if not passed:
        raise ExportError(f"none of {len(rows)} rows passed: there is nothing to export; failures=True keeps the others")
    lines = [
        orjson.dumps(plain(row), option=orjson.OPT_APPEND_NEWLINE)
        for row in training_rows(passed, system_prompt=system_prompt, tools=tools)
    ]
    path = Path(output)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    partial.write_bytes(b"".join(lines))
    os.replace(partial, path)
    return {
        "path": str(path),
        "n": len(rows),
        "n_written": len(lines),
        "n_failures_left_out": len(rows) - len(passed),
        "format": "openai",
    }


def _round_trips(row: Mapping[str, Any]) -> bool:
    for message in row.get("messages") or ():
        for call in message.get("tool_calls") or ():
            try:
                if not isinstance(json.loads(call["function"]["arguments"]), dict):
                    return False
            except (KeyError, TypeError, ValueError):
                return False
    return True
