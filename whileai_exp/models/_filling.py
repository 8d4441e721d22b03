"""Which arguments did the person give? Values found in the conversation, dealt out to a tool's arguments.

Arguments named in the text take the value behind their name first; the rest share what is left, those with fewer
candidates before the others. What is not there stays open, for a question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..spec.effects import words_of
from ._finding import Found, Slot, longest
from ._lexicon import ToolCard

Json = Any
_JOIN = re.compile(r"^(?:\s*(?:,|;|、|，|and|&|和|及|以及|및|그리고|또|plus)\s*)+$", re.IGNORECASE)
_TAIL = re.compile(r"[.!?。！？;；\n]|, (?:and|but|please|because|so|then)\b|，")


class Slots:
    """All arguments of one tool."""

    def __init__(self, card: ToolCard) -> None:
        owner = " ".join(words_of(card.name)) + " " + card.description[:120]
        slots = [
            Slot(name, schema, name in card.required, owner)
            for name, schema in card.params.items()
            if isinstance(schema, Mapping)
        ]
        self.all = sorted(slots, key=lambda slot: not slot.required)
        self._marks: dict[str, dict[str, list[int]]] = {}
        self._filled: dict[tuple[str, str, tuple[str, ...]], dict[str, Json]] = {}

    def named(self, text: str) -> int:
        """How many of the required arguments the text names."""
        marks = self._marked(text)
        return sum(slot.required and slot.name in marks for slot in self.all)

    def _marked(self, text: str) -> dict[str, list[int]]:
        known = self._marks.get(text)
        if known is None:
            if len(self._marks) > 2048:
                self._marks.clear()
            known = self._marks[text] = _marks(self.all, text)
        return known

    def fill(self, text: str, lang: str, pending: tuple[str, ...] = (), answer: str = "") -> dict[str, Json]:
        """The arguments found. `pending` were asked for, and `answer` is what the person said to that."""
        key = (text, answer, pending)
        known = self._filled.get(key)
        if known is None:
            if len(self._filled) > 4096:
                self._filled.clear()
            known = self._filled[key] = self._fill(text, lang, pending, answer)
        return known

    def _fill(self, text: str, lang: str, pending: tuple[str, ...], answer: str) -> dict[str, Json]:
        out: dict[str, Json] = {}
        used: list[tuple[int, int]] = []
        marks = self._marked(text)
        heard: list[tuple[Slot, list[Found], int]] = []
        for slot in self.all:
            if slot.type == "object" or slot.type == "boolean":
                continue
            found = slot.find(text, lang)
            at = next((end for end in marks.get(slot.name, ()) if not any(f.start < end <= f.end for f in found)), -1)
            heard.append((slot, found, at))
        # Labelled arguments choose first, then those with few candidates: the rest take what is left.
        for slot, found, at in sorted(heard, key=lambda item: (not item[0].required, item[2] < 0, len(item[1]))):
            free = [item for item in found if item.end == 0 or all(item.end <= s or item.start >= e for s, e in used)]
            value = _chosen(slot, free, at, text, used)
            if value is not None:
                out[slot.name] = value
        for slot in self.all:
            if slot.name in out:
                continue
            if slot.parts:
                value = _objects(slot, text, lang) if slot.many else _object(slot, text, lang)
                if value is not None and (slot.required or slot.name in marks):
                    out[slot.name] = value
            elif slot.type == "boolean" and (slot.required or slot.name in marks):
                out[slot.name] = _yes(slot, text)
            elif slot.required and slot.name in pending and answer:
                value = _whole(slot, answer, len(pending) == 1)
                if value is not None:
                    out[slot.name] = value
        return {slot.name: out[slot.name] for slot in self.all if slot.name in out}


def _marks(slots: Sequence[Slot], text: str) -> dict[str, list[int]]:
    """Where each argument is named: ends of its labels, a longer label (`new item ids`) hiding the shorter inside it."""
    low = text.casefold()
    spans: list[tuple[int, int, str]] = []
    for slot in slots:
        for label in slot.labels:
            want = label.casefold()
            at = low.find(want)
            while at >= 0:
                end = at + len(want)
                bounded = not want.isascii() or (
                    (at == 0 or not low[at - 1].isalnum()) and (end == len(low) or not low[end].isalnum())
                )
                if bounded:
                    spans.append((at, end, slot.name))
                at = low.find(want, end)
    spans.sort(key=lambda span: span[0] - span[1])
    kept: list[tuple[int, int, str]] = []
    for span in spans:
        if all(span[1] <= other[0] or span[0] >= other[1] or (span[0], span[1]) == (other[0], other[1]) for other in kept):
            kept.append(span)
    out: dict[str, list[int]] = {}
    for _, end, name in sorted(kept):
        out.setdefault(name, []).append(end)
    return out


def _label_at(slot: Slot, text: str) -> int:
    """Where the argument is named in the text: the end of its label, or -1."""
    low = text.casefold()
    for label in slot.labels:
        at = low.find(label.casefold())
        if at >= 0:
            return at + len(label)
    return -1


def _chosen(slot: Slot, free: list[Found], at: int, text: str, used: list[tuple[int, int]]) -> Json | None:
    if not slot.required and at < 0:
        return None
    if not free:
        return (
            _after_label(slot, text, at, used)
            if at >= 0 and slot.type == "string" and "enum" not in slot.schema and slot.shape is None and not slot.many
            else None
        )
    best = min(free, key=lambda item: item.start - at if item.start >= at else 400 + at - item.start) if at >= 0 else free[0]
    if not slot.many:
        used.append((best.start, best.end))
        return best.value
    run = [best]
    for item in free:
        if item.start > run[-1].end and (_JOIN.match(text[run[-1].end : item.start]) is not None):
            run.append(item)
    used.extend((item.start, item.end) for item in run)
    return [item.value for item in run]


def _after_label(slot: Slot, text: str, at: int, used: list[tuple[int, int]]) -> str | None:
    """`… with the reason found a better price.`: the words behind a label, to the end of the clause."""
    rest = text[at:]
    opened = re.match(r"\s*(?:(?:is|are|should be|to|as|of|named|called|:|：|=|是|为|叫|은|는|이|가)\s*)+", rest)
    if opened is None:
        return None
    body = rest[opened.end() :]
    end = _TAIL.search(body)
    value = body[: end.start() if end else len(body)].strip(" \"'“”")
    if not value or len(value) > 300:
        return None
    start = at + opened.end()
    used.append((start, start + len(value)))
    return value


def _whole(slot: Slot, answer: str, alone: bool) -> Json | None:
    """An answer that is nothing but the value asked for."""
    if not alone or slot.many or slot.type != "string" or "enum" in slot.schema or answer.rstrip().endswith(("?", "？")):
        return None
    value = re.sub(
        r"^(?:it'?s|it is|that'?s|the [\w ]{2,40} is|my [\w ]{2,40} is)\s+", "", answer.strip(), flags=re.IGNORECASE
    ).strip(" .\"'“”。")
    return value if value and len(value) < 300 else None


def _object(slot: Slot, text: str, lang: str) -> Json | None:
    """A nested value from the same text, part by part; None when a required part is missing."""
    out: dict[str, Json] = {}
    used: list[tuple[int, int]] = []
    for part in slot.parts:
        if part.parts:
            value = _object(part, text, lang)
        elif part.type == "boolean":
            value = _yes(part, text) if part.required else None
        else:
            free = [item for item in part.find(text, lang) if all(item.end <= s or item.start >= e for s, e in used)]
            value = _chosen(part, free, _label_at(part, text), text, used)
        if value is not None:
            out[part.name] = value
        elif part.required:
            return None
    if not out:
        return None
    return [out] if slot.many else out


def _objects(slot: Slot, text: str, lang: str) -> list[Json] | None:
    """A list of nested values: the candidates of each part side by side (`2 x tea, 1 x cake`; `"a" becomes "b"`)."""
    columns = {part.name: longest(part.find(text, lang)) for part in slot.parts if not part.parts and part.type != "boolean"}
    needed = [part.name for part in slot.parts if part.required]
    if any(name in columns and not columns[name] for name in needed) or any(part.parts for part in slot.parts):
        one = _object(slot, text, lang)
        return one if isinstance(one, list) else None
    groups: dict[tuple[Found, ...], list[str]] = {}
    for name, found in columns.items():
        if found and (name in needed or not needed):
            groups.setdefault(tuple(found), []).append(name)
    lists = {part.name for part in slot.parts if part.many}
    rows = min((len(found) // len(names) for found, names in groups.items()), default=0)
    out: list[Json] = [{} for _ in range(rows)]
    for found, names in groups.items():
        for index, name in enumerate(names):
            for row in range(rows):
                value = found[row * len(names) + index].value
                out[row][name] = [value] if name in lists else value
    return out or None


def _yes(slot: Slot, text: str) -> bool:
    at = _label_at(slot, text)
    before = text[max(0, at - 40) : at].casefold() if at >= 0 else ""
    if re.search(r"\b(?:no|not|without|don't|off|disable)\b|不|关", before):
        return False
    return bool(slot.schema.get("default", True))


def required_missing(card: ToolCard, found: Iterable[str]) -> list[str]:
    have = set(found)
    return [name for name in card.required if name not in have]
