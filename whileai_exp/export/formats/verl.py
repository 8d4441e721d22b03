"""verl's RL dataset: a Parquet file of prompts with its five columns, each of one declared type.

`reward_model.ground_truth` is what verl hands its reward function. The answer key is not exported, so it is the key of the
row that `answer` names, and without one the task id, by which a reward function of ours finds the task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ..maker import Maker
from . import formats
from ._tasks import as_text, task_prompts


@formats.register("verl")
@dataclass(frozen=True, slots=True)
class Verl:
    """`data_source`, `prompt`, `ability`, `reward_model {style, ground_truth}`, `extra_info {index, split, …}`.

    verl's prompts are texts by role: a task that begins with tool calls already made is left out.
    """

    data_source: str = "whileai_exp"
    """What verl's reward function tells data sets apart by."""
    ability: str = "tool_use"
    split: str = "train"
    suffix: ClassVar[str] = ".parquet"
    imitated: ClassVar[bool] = False
    trains: ClassVar[str] = "nothing by itself: prompts to roll out, rewarded by your function"

    def records(self, rows: Iterable[Mapping[str, Any]], maker: Maker) -> Iterator[Mapping[str, Any]]:
        index = 0
        for task in task_prompts(rows, maker):
            turns = task.made.turns
            if any(turn.calls or turn.role == "tool" or not isinstance(turn.content, str) for turn in turns):
                maker.leave_out({"rollout_id": task.made.rollout_id}, "prompt_not_text")
                continue
            yield {
                "data_source": self.data_source,
                "prompt": [{"role": turn.role, "content": turn.content} for turn in turns],
                "ability": self.ability,
                "reward_model": {
                    "style": "rule",
                    "ground_truth": as_text(task.answer) if maker.answer else task.made.task_id,
                },
                "extra_info": {
                    "index": index,
                    "split": self.split,
                    "task_id": task.made.task_id,
                    "info": task.info,
                    "tools": maker.tools_text,
                    "pass_rate": task.pass_rate,
                    "n": task.n,
                },
            }
            index += 1

    def schema(self, arrow: Any) -> Any:
        text = arrow.string()
        return arrow.schema(
            [
                ("data_source", text),
                ("prompt", arrow.list_(arrow.struct([("role", text), ("content", text)]))),
                ("ability", text),
                ("reward_model", arrow.struct([("style", text), ("ground_truth", text)])),
                (
                    "extra_info",
                    arrow.struct(
                        [
                            ("index", arrow.int64()),
                            ("split", text),
                            ("task_id", text),
                            ("info", text),
                            ("tools", text),
                            ("pass_rate", arrow.float64()),
                            ("n", arrow.int64()),
                        ]
                    ),
                ),
            ]
        )
