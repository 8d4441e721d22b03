"""TRL's conversational files: whole conversations, or one prompt and completion per trained turn.

Chat templates write a tool call's arguments out themselves, so they stand here as objects: as text they would be encoded
twice and trained on that way. `tools` is JSON text, which TRL's trainers decode, so that one tool's schema is never padded
with the keys of another's. `datasets` 5 and later keeps objects of different keys apart; earlier ones pad them with null,
where `arguments="text"` keeps at least the arguments whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import ConfigError, Problem
from ..conversation import Conversation, Unfit
from ..maker import Maker
from . import formats

_ARGUMENTS = ("object", "text")


def turns_of(made: Conversation, arguments: str) -> list[dict[str, Any]]:
    """The messages as chat templates want them. Unfit when a part is no text or a number fits no column."""
    if any(not isinstance(turn.content, str) for turn in made.turns):
        raise Unfit("content_not_text")
    return made.messages(objects=arguments == "object", names=True)


def checked_arguments(arguments: str) -> None:
    if arguments not in _ARGUMENTS:
        raise ConfigError(Problem("arguments", f"{arguments!r} is not a form of arguments", f"use {' or '.join(_ARGUMENTS)}"))


def columns(made: Conversation, maker: Maker) -> dict[str, Any]:
    """The columns that every record ends with."""
    out: dict[str, Any] = {"task_id": made.task_id, "rollout_id": made.rollout_id, "reward": made.reward}
    return {"tools": maker.tools_text, **out} if maker.tools_text else out


@formats.register("trl")
@dataclass(frozen=True, slots=True)
class TRL:
    """`messages` and `tools`: one conversation per line, for a trainer that is told assistant_only_loss=True.

    That trainer sees every assistant turn or none, so a row whose loss mask says otherwise is left out.
    """

    arguments: str = "object"
    suffix: ClassVar[str] = ".jsonl"
    imitated: ClassVar[bool] = True
    trains: ClassVar[str] = "every assistant turn, with SFTConfig(assistant_only_loss=True); every token without it"

    def __post_init__(self) -> None:
        checked_arguments(self.arguments)

    def records(self, rows: Iterable[Mapping[str, Any]], maker: Maker) -> Iterator[Mapping[str, Any]]:
        for row in rows:
            made = maker.imitated(row)
            if made is None:
                continue
            if not made.whole_mask:
                maker.leave_out(row, "mask_not_expressible")
                continue
            try:
                messages = turns_of(made, self.arguments)
            except Unfit as error:
                maker.leave_out(row, str(error))
                continue
            yield {"messages": messages, **columns(made, maker)}

    def schema(self, arrow: Any) -> Any:
        return None


@formats.register("prompt_completion")
@dataclass(frozen=True, slots=True)
class PromptCompletion:
    """`prompt` and `completion`: one record per trained turn, the completion being that turn alone.

    So the loss sees exactly the trained turns with any chat template, and never a tool's answer.
    """

    arguments: str = "object"
    suffix: ClassVar[str] = ".jsonl"
    imitated: ClassVar[bool] = True
    trains: ClassVar[str] = "the completion: one trained turn per record"

    def __post_init__(self) -> None:
        checked_arguments(self.arguments)

    def records(self, rows: Iterable[Mapping[str, Any]], maker: Maker) -> Iterator[Mapping[str, Any]]:
        for row in rows:
            made = maker.imitated(row)
            if made is None:
                continue
            try:
                messages = turns_of(made, self.arguments)
            except Unfit as error:
                maker.leave_out(row, str(error))
                continue
            places = [place for place, turn in enumerate(made.turns) if turn.trained]
            if places[0] == 0:
                maker.leave_out(row, "no_prompt")
                continue
            for place in places:
                yield {
                    "prompt": messages[:place],
                    "completion": messages[place : place + 1],
                    "turn": place,
                    **columns(made, maker),
                }

    def schema(self, arrow: Any) -> Any:
        return None
