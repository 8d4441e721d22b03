"""Rows counted by task: what trainers that roll out themselves need of a task, its opening and how often it was passed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...schema import reward_of, task_key
from ...schema.privileged import without_privileged
from ...schema.steps import dumps
from ..conversation import Conversation
from ..maker import Maker

_CARRIED = (
    "scenario_id",
    "situation_id",
    "scenario_dimensions",
    "world_seed",
    "world_state",
    "stance",
    "tier",
    "arm",
    "tags",
    "schema_version",
)
"""What a reward function needs to know which task it is; no key to it."""


@dataclass(slots=True)
class TaskPrompt:
    """A task's opening and its rewards so far."""

    made: Conversation
    info: str
    answer: Any
    n: int = 0
    """Rollouts with a verdict."""
    total: float = 0.0

    @property
    def pass_rate(self) -> float | None:
        """Mean reward; None without a verdict."""
        return self.total / self.n if self.n else None


def task_prompts(rows: Iterable[Mapping[str, Any]], maker: Maker) -> list[TaskPrompt]:
    """Every task of the rows once, by its key and never by its words, in the order of first sight."""
    found: dict[str, TaskPrompt] = {}
    for row in rows:
        maker.n += 1
        key = task_key(row)
        task = found.get(key)
        if task is None:
            made = maker.prompt(row)
            if made is None:
                continue
            found[key] = task = TaskPrompt(made, _info(row, key), row.get(maker.answer) if maker.answer else None)
        reward = reward_of(row.get("reward")) if row.get("judge_status", "ok") == "ok" else None
        if reward is not None:
            task.n += 1
            task.total += reward
    return list(found.values())


def _info(row: Mapping[str, Any], key: str) -> str:
    """One JSON text, so that rows with other axes get no empty ones in a table."""
    carried = {name: row[name] for name in _CARRIED if row.get(name) not in (None, "", {}, [])}
    planned = [
        {"tool": fault.get("tool"), "mode": fault.get("mode"), "calls": fault.get("calls")} for fault in row.get("faults") or ()
    ]
    return dumps(without_privileged({"task_id": key, **carried, **({"faults": planned} if planned else {})})).decode()


def as_text(value: Any) -> str:
    """A value of any type as one text: text as it stands, everything else as JSON."""
    return value if isinstance(value, str) else dumps(without_privileged(value)).decode()
