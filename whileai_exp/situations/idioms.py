"""Everyday ways to ask for what a tool does, where its description says it in a builder's words.

`wordings_of(tool)` gives phrases to put behind "could you …" and whole sentences, each with slots for arguments. They
come from a table of things that agents are commonly built for (matched on name and description, slots by argument name
or by kind), and, for anything that looks something up, from the goal's own noun: "What's the …?", "Can I see …?".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from ..schema import Tool
from ..spec._kept import kept_per_tool
from ..spec.effects import words_of
from .facts import kinds_of
from .voice_en import goal_of


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to ask."""

    text: str
    """With `{argument}` slots and `[this|that]` choices."""
    slots: tuple[str, ...]
    whole: bool
    """A sentence of its own, not a phrase for a frame."""
    own: bool
    """Speaks of the person's own affairs (`my`, `I`)."""
    nouns: Mapping[str, str]
    """Slot to the noun that its value needs in front."""


@lru_cache(maxsize=1)
def _table() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    text = resources.files("whileai_exp.situations.phrases").joinpath("idioms_en.json").read_text("utf-8")
    return tuple((re.compile(rule), tuple(lines)) for rule, lines in json.loads(text))


@kept_per_tool
def wordings_of(tool: Tool) -> tuple[Wording, ...]:
    """The everyday wordings of a tool; empty when only its goal phrase is known."""
    text = " ".join(words_of(tool.name)) + " | " + " ".join(tool.description[:120].lower().split())
    for rule, lines in _table():
        if rule.search(text):
            made = tuple(item for item in (_wording(line, tool) for line in lines) if item is not None)
            if made:
                return made
    return tuple(item for item in (_wording(line, tool) for line in _questions(tool)) if item is not None)


_SLOT = re.compile(r"\{(\w+)(?::([\w ]+))?\}")


def _wording(line: str, tool: Tool) -> Wording | None:
    """The line with its slots tied to arguments of the tool; None when it has one that the tool does not take."""
    kinds = kinds_of(tool)
    required = tuple(tool.parameters.get("required") or ())
    slots: list[str] = []
    nouns: dict[str, str] = {}

    def tied(found: re.Match[str]) -> str:
        wanted, noun = found[1], found[2]
        name = (
            wanted
            if wanted in kinds
            else next((key for key in (*required, *kinds) if kinds[key] == wanted and key not in slots), "")
        )
        slots.append(name)
        if noun:
            nouns[name] = noun
        return f"{{{name}}}"

    text = _SLOT.sub(tied, line)
    if "" in slots:
        return None
    whole = (
        text[-1:] in "?.!"
        or text[:1].isupper()
        and slots[:1] != []
        and text.startswith(("Commit in", "I have", "Quick", "One", "Just", "Here's"))
    )
    return Wording(text, tuple(slots), whole, re.search(r"\b(?:I|I'm|I'd|I've|my|me)\b", text) is not None, nouns)


_READS = re.compile(
    r"^(?:get|pull up|show me|look up|give me|check|tell me|list|find|see|view) (?!if |whether |out |me |that |about )(.+)$"
)


def _questions(tool: Tool) -> list[str]:
    """The goal of a tool that looks something up as questions about its noun; nothing for one that changes things."""
    goal = goal_of(tool)
    found = None if goal.writes else _READS.match(goal.phrase)
    if found is None:
        return []
    thing = found[1]
    if re.match(r"(?:the|my|this) ", thing):
        head = re.split(r" (?:of|for|in|on|at|from|about|to|by|with)\b| \{", thing)[0]
        are = head.endswith("s") and not head.endswith(("ss", "us", "is", "news"))
        return [
            f"What {'are' if are else 'is'} {thing}?" if are else f"What's {thing}?",
            f"tell me {thing}",
            f"check {thing}",
            f"look up {thing}",
        ]
    if re.match(r"(?:all|a|an) |\w+s\b", thing):
        return [goal.phrase, f"show me {thing}", f"[Can|Could] I see {thing}?", f"I'd like to see {thing}."]
    return []
