"""Preference data: the same prompt with a better and a worse next turn.

Both sides come from one task and share every message up to the turn where the agent first did something else; that turn
of each side is what the trainer compares. What came after it was not said to the same history, and tools' answers are no choice
of the agent's. Pairs whose histories part outside the agent's turns (a person or a tool said something else) have no such
turn and are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import ExportError
from ...selection import build_preference_pairs
from ..conversation import Conversation, Turn, Unfit
from ..maker import Maker
from . import formats
from .trl import checked_arguments, turns_of


def pairs_of(rows: Iterable[Mapping[str, Any]], maker: Maker) -> Iterator[Mapping[str, Any]]:
    """The pairs given, or those that `build_preference_pairs` makes of rows. ExportError when both are mixed."""
    given = list(rows)
    paired = [item for item in given if isinstance(item.get("chosen"), Mapping) and isinstance(item.get("rejected"), Mapping)]
    if paired and len(paired) < len(given):
        raise ExportError(f"{len(given) - len(paired)} of {len(given)} items are no pairs; give pairs only, or rows only")
    if paired:
        maker.n += len(given)
        yield from paired
        return
    maker.n += len(given)
    pairs, report = build_preference_pairs(given)
    for reason, dropped in report.dropped.items():
        for row in dropped:
            maker.leave_out(row, reason)
    yield from pairs


def divergence(chosen: Conversation, rejected: Conversation) -> int:
    """The place of the turn where the agent first did something else. Unfit when the sides part anywhere else."""
    place = 0
    for one, other in zip(chosen.turns, rejected.turns):
        if _same(one, other):
            place += 1
            continue
        if one.trained and other.trained and place:
            return place
        break
    raise Unfit("no_turn_to_compare")


def _same(one: Turn, other: Turn) -> bool:
    """Whether two messages say the same; ids of calls are names and do not count."""
    calls = [(call.name, call.arguments) for call in one.calls] == [(call.name, call.arguments) for call in other.calls]
    return calls and one.role == other.role and one.content == other.content


@formats.register("preference")
@dataclass(frozen=True, slots=True)
class Preference:
    """`prompt`, `chosen`, `rejected` as TRL's preference trainers read them, one pair per line, from pairs or from rows."""

    arguments: str = "object"
    suffix: ClassVar[str] = ".jsonl"
    imitated: ClassVar[bool] = True
    trains: ClassVar[str] = "one turn of each side, after the same prompt"

    def __post_init__(self) -> None:
        checked_arguments(self.arguments)

    def records(self, rows: Iterable[Mapping[str, Any]], maker: Maker) -> Iterator[Mapping[str, Any]]:
        for pair in pairs_of(rows, maker):
            chosen, rejected = (maker.either_side(pair[side]) for side in ("chosen", "rejected"))
            if chosen is None or rejected is None:
                continue
            try:
                place = divergence(chosen, rejected)
                better, worse = turns_of(chosen, self.arguments), turns_of(rejected, self.arguments)
            except Unfit as error:
                maker.leave_out(pair["chosen"], str(error))
                continue
            out = {
                "prompt": better[:place],
                "chosen": better[place : place + 1],
                "rejected": worse[place : place + 1],
                "task_id": chosen.task_id,
                "chosen_id": chosen.rollout_id,
                "rejected_id": rejected.rollout_id,
                "score_chosen": chosen.reward,
                "score_rejected": rejected.reward,
            }
            yield {**out, "tools": maker.tools_text} if maker.tools_text else out

    def schema(self, arrow: Any) -> Any:
        return None
