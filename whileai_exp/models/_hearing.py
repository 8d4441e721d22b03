"""What was said so far, and which tools does the person ask for? The offline agent's understanding of a conversation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import orjson

from ..ports import Message
from ._filling import Slots
from ._lexicon import Toolbox, ToolCard
from ._phrases import BY_LANGUAGE

Json = Any
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*\s*")
_SURE = 1.6
"""Score below which a request is taken as not about these tools; scores are sums of word weights, see `_lexicon`."""
_CLEAR = 3.0
"""Score that a request must reach when it gives none of the tool's arguments."""


@dataclass(slots=True)
class Call:
    tool: str
    arguments: Mapping[str, Json]
    result: Json


@dataclass(slots=True)
class Talk:
    """The conversation so far, as far as it matters."""

    policy: str
    """The system prompt."""
    ask: str
    said: str
    """Everything the person said, joined."""
    last: str
    """What they said last."""
    later: list[str]
    """What they said after the ask."""
    turns: int
    """How often they spoke."""
    mine: list[str]
    """What the agent said, in order."""
    questions: int
    """How often the agent asked."""
    calls: list[Call] = field(default_factory=list)
    answered: bool = False
    """Whether a tool result stands last."""


@lru_cache(maxsize=2048)
def _parsed(content: str) -> Json:
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return content


def listen(messages: Sequence[Message]) -> Talk:
    """The conversation of this rollout. Earlier exchanges before the last opening are heard as one."""
    users: list[str] = []
    mine: list[str] = []
    questions = 0
    calls: list[Call] = []
    waiting: dict[str, tuple[str, Mapping[str, Json]]] = {}
    last_role = policy = ""
    for message in messages:
        role, content = message.get("role"), message.get("content")
        if role == "user" and isinstance(content, str):
            users.append(content)
        elif role == "system" and isinstance(content, str):
            policy = content
        elif role == "assistant":
            if content:
                said = str(content)
                mine.append(said)
                questions += "?" in said or "？" in said or "请提供" in said or "알려 주세요" in said
            for call in message.get("tool_calls") or ():
                function = call["function"]
                arguments = _parsed(function["arguments"]) if isinstance(function["arguments"], str) else function["arguments"]
                waiting[call.get("id", "")] = (function["name"], arguments if isinstance(arguments, dict) else {})
        elif role == "tool":
            name, arguments = waiting.pop(message.get("tool_call_id", ""), (str(message.get("name", "")), {}))
            calls.append(Call(name, arguments, _parsed(content) if isinstance(content, str) else content))
        last_role = str(role)
    ask = users[0] if users else ""
    return Talk(
        policy,
        ask,
        "\n".join(users),
        users[-1] if users else "",
        users[1:],
        len(users),
        mine,
        questions,
        calls,
        last_role == "tool",
    )


@dataclass(frozen=True, slots=True)
class Heard:
    """What an opening ask comes to."""

    cards: list[ToolCard]
    """The tools it asks for, in order."""
    opening: str
    """Its first request, where there are several."""
    pressed: bool
    doubt: bool


@lru_cache(maxsize=8192)
def presses(line: str, language: str) -> bool:
    return BY_LANGUAGE[language].pressure.search(line) is not None


def understood(box: Toolbox, slots: Mapping[str, Slots], ask: str, language: str) -> Heard:
    """The ask understood, once for all turns and repeats."""
    known = box.heard.get(ask)
    if isinstance(known, Heard):
        return known
    if len(box.heard) > 8192:
        box.heard.clear()
    phrases = BY_LANGUAGE[language]
    parts = phrases.then.split(ask)
    chosen = [_choose(box, slots, part, language) for part in parts]
    cards = list({card.name: card for card in chosen if card is not None}.values())
    if len(parts) > 1 and (chosen[0] is None or len(cards) < len(parts)):
        whole = _choose(box, slots, parts[0] if chosen[0] is not None else ask, language)
        cards = [whole] if whole is not None else []
    opening = parts[0] if len(cards) > 1 else ask
    made = Heard(cards, opening, presses(ask, language), phrases.doubtful.search(ask) is not None)
    box.heard[ask] = made
    return made


def _choose(box: Toolbox, slots: Mapping[str, Slots], ask: str, language: str) -> ToolCard | None:
    """The tool a request is about: the best fit of one of its sentences, then of its values to the tool's arguments."""
    scores: dict[str, float] = {}
    for found in _SENTENCE.finditer(ask):
        for score, card in box.ranked(found[0]):
            if score <= 0:
                break
            scores[card.name] = max(scores.get(card.name, 0.0), score)
    best = max(scores.values(), default=0.0)
    if best < _SURE:
        return _by_values(box, slots, ask, language)
    for score, card in box.ranked(ask):
        if card.name in scores:
            scores[card.name] += 0.3 * score
    best = max(scores.values())
    close = sorted((name for name, score in scores.items() if score >= 0.45 * best), key=lambda name: -scores[name])[:3]
    reads = _reads(ask)
    fit = {name: scores[name] * _fit(box.by_name[name], slots[name], ask, language, reads) for name in close}
    card = box.by_name[max(close, key=lambda name: fit[name])]
    vague = bool(card.required) and not slots[card.name].fill(ask, language)
    return None if vague and best < _CLEAR else card


_LOOKS = re.compile(
    r"\b(?:(?P<read>show|tell|get|find|look up|list|check|see|pull up|search|read|view|describe|display|know|explain)|"
    r"(?P<write>cancel|delete|remove|change|update|set|book|reserve|create|add|send|make|return|exchange|turn|enable|disable|transfer|issue|open|complete|mark|log|"
    r"move|write|edit|pay|suspend|resume|refund|give|push|publish|connect|switch|stage|unstage|commit|reset|grant|start|unlock|call|buy|order|schedule))\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def _reads(ask: str) -> bool | None:
    """Whether the request is to look (True) or to change (False), by its first telling verb; None when there is none."""
    found = _LOOKS.search(ask)
    return None if found is None else found["read"] is not None


def _fit(card: ToolCard, slots: Slots, ask: str, language: str, reads: bool | None) -> float:
    """How well a tool's effect and its required arguments fit the ask."""
    side = 0.75 if reads is not None and reads is card.effect.writes else 1.0
    if not card.required:
        return side
    found = slots.fill(ask, language)
    filled = sum(name in found for name in card.required)
    return side * (0.6 + 0.7 * filled / len(card.required) + 0.06 * min(filled, 4) + 0.08 * slots.named(ask))


def _by_values(box: Toolbox, slots: Mapping[str, Slots], ask: str, language: str) -> ToolCard | None:
    """A tool whose identifiers the ask gives in full, where its words alone say too little (`get my details`)."""
    for score, card in box.ranked(ask)[:4]:
        own = slots[card.name]
        if score >= _SURE / 2 and card.required and own.named(ask) and set(card.required) <= set(own.fill(ask, language)):
            return card
    return None
