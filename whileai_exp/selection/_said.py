"""What a row says, in whatever shape: how it opens, what follows, and the reference answers of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..schema import Privileged

Row = Mapping[str, Any]
ASKS = ("prompt", "question", "text", "instruction", "problem", "query", "input")
BESIDE = "input"
"""An ask where there is no other, else what an instruction is to be done to: often a word, which many rows share."""
ANSWERS = ("answer", "reference", "solution", "target", "expected", "canonical_solution", BESIDE)
_SPOKEN = ("user", "assistant")


class Text(NamedTuple):
    """One text and where it came from."""

    row: int
    field: str
    text: str
    opening: bool
    """Whether it is how the row begins. Of what follows (yes, go ahead) only long runs say anything."""


def asked_of(row: Row) -> Iterable[tuple[str, str]]:
    """(field, text) of how a row opens: its ask under any name, and the first thing the person says.

    A prompt that is a conversation asks in every turn of the person.
    """
    alone = True
    for name in ASKS:
        value = row.get(name)
        if isinstance(value, str) and (alone or name != BESIDE):
            alone = False
            yield name, value
        elif name == "prompt" and isinstance(value, (list, tuple)):
            for role, text in _spoken(value):
                if role == "user":
                    alone = False
                    yield "prompt", text
    first = next((text for role, text in _spoken(row.get("messages")) if role == "user"), None)
    if first is not None:
        yield "messages", first


def opening_of(row: Row) -> str | None:
    """How a row begins, under whatever name; None when it has no ask."""
    return next((text for _, text in asked_of(row) if text), None)


def _said(row: Row, fields: tuple[str, ...]) -> Iterable[tuple[str, str]]:
    """(field, text) of everything else that the person and the agent say, and of the `fields`."""
    for name in ("final_text", BESIDE, *fields):
        value = row.get(name)
        if isinstance(value, str):
            yield name, value
    yield from (("messages", text) for _, text in _spoken(row.get("messages")))
    yield from (("prompt", text) for _, text in _spoken(row.get("prompt")))


def texts_of(rows: Sequence[Row], fields: tuple[str, ...]) -> list[Text]:
    """Each text of each row once, the opening ones first."""
    out: list[Text] = []
    for at, row in enumerate(rows):
        seen: set[str] = set()
        for opening, found in ((True, asked_of(row)), (False, _said(row, fields))):
            for name, text in found:
                if text and text not in seen:
                    seen.add(text)
                    out.append(Text(at, name, text, opening))
    return out


def _spoken(messages: Any) -> Iterable[tuple[str, str]]:
    """(role, text) of what the person and the agent say."""
    for message in messages if isinstance(messages, (list, tuple)) else ():
        if not isinstance(message, Mapping) or message.get("role") not in _SPOKEN:
            continue
        content = message.get("content")
        if isinstance(content, str):
            yield message["role"], content
        elif isinstance(content, (list, tuple)):
            parts = [part.get("text") for part in content if isinstance(part, Mapping)]
            yield message["role"], " ".join(part for part in parts if isinstance(part, str))


def answers_of(rows: Sequence[Row]) -> Iterable[Text]:
    """The reference answers of evaluation rows. What a model replied there is no part of the evaluation."""
    for at, row in enumerate(rows):
        held = row.get("privileged")
        inside = held if isinstance(held, (Mapping, Privileged)) else {}
        for name in ANSWERS:
            for value in (row.get(name), inside.get(name)):
                if isinstance(value, str) and value:
                    yield Text(at, name, value, False)
