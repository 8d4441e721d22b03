"""OpenAI's fine-tuning file: `messages` and `tools`, nothing else, since uploads with other keys may be refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ..maker import Maker
from . import formats


@formats.register("openai")
@dataclass(frozen=True, slots=True)
class OpenAI:
    """One conversation per line. Arguments are JSON text; a turn that the loss must not see has `weight` 0."""

    suffix: ClassVar[str] = ".jsonl"
    imitated: ClassVar[bool] = True
    trains: ClassVar[str] = "every assistant turn without weight 0"

    def records(self, rows: Iterable[Mapping[str, Any]], maker: Maker) -> Iterator[Mapping[str, Any]]:
        for row in rows:
            made = maker.imitated(row)
            if made is None:
                continue
            messages = made.messages()
            for message, turn in zip(messages, made.turns):
                if turn.role == "assistant" and not turn.trained:
                    message["weight"] = 0
            yield {"messages": messages, "tools": maker.wired} if maker.wired else {"messages": messages}

    def schema(self, arrow: Any) -> Any:
        return None
