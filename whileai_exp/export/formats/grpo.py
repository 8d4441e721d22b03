"""Prompts for TRL's GRPO trainer: each task once, with what its reward function is handed.

The trainer rolls out itself, so nothing here is imitated and failures count. Columns beside `prompt` reach the reward function
by name; `pass_rate` and `n` say how the logged policy did, for a curriculum or as a baseline.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ..conversation import Unfit
from ..maker import Maker
from . import formats
from ._tasks import as_text, task_prompts
from .trl import turns_of


@formats.register("grpo")
@dataclass(frozen=True, slots=True)
class GRPO:
    """`prompt`, `task_id`, `info` (JSON text), `pass_rate`, `n`, and `answer` where a key of the rows is named for it."""

    suffix: ClassVar[str] = ".jsonl"
    imitated: ClassVar[bool] = False
    trains: ClassVar[str] = "nothing by itself: prompts to roll out, rewarded by your function"

    def records(self, rows: Iterable[Mapping[str, Any]], maker: Maker) -> Iterator[Mapping[str, Any]]:
        for task in task_prompts(rows, maker):
            try:
                prompt = turns_of(task.made, "object")
            except Unfit as error:
                maker.leave_out({"rollout_id": task.made.rollout_id}, str(error))
                continue
            out = {"prompt": prompt, "task_id": task.made.task_id, "pass_rate": task.pass_rate, "n": task.n, "info": task.info}
            if maker.tools_text:
                out["tools"] = maker.tools_text
            if maker.answer:
                out["answer"] = as_text(task.answer)
            yield out

    def schema(self, arrow: Any) -> Any:
        return None
