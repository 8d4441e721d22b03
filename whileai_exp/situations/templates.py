"""The offline writer: the opening ask of a situation, in the words of the person who has it.

An ask is a request made from the tool (`voice_*`), the values that the person gives, and a few sentences for stance,
history and what they believe about the world, in a register. Everything is drawn from the stream handed in, so an ask
is a function of its coordinates. No sentence states something the situation denies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._rng import Stream
from ..schema import Tool
from .facts import attach, fact_sentences, kinds_of
from .phrases import phrases
from .policy import theme_of
from .voice_en import goal_of, said_values, say_goal


@dataclass(frozen=True, slots=True)
class AskPlan:
    """What an ask has to say."""

    axes: Mapping[str, str]
    tool: Tool | None
    arguments: Mapping[str, Any]
    keep_back: frozenset[str]
    """Arguments the person does not mention."""
    second: Tool | None = None
    second_arguments: Mapping[str, Any] | None = None
    careless: bool = False
    """Typed with slips."""


@dataclass(frozen=True, slots=True)
class Ask:
    text: str
    register: str
    rule_expressed: bool | None
    """None when the situation has no rule."""


def compose(plan: AskPlan, stream: Stream, texture: float) -> Ask:
    """An opening ask in English."""
    bank = phrases("en")
    register = "plain"
    if stream.chance(texture):
        register = stream.choice(("terse", "formal", "chatty", "terse"))
    if plan.axes.get("stance") == "hurried" and register in ("formal", "chatty"):
        register = "plain"
    if plan.tool is None:
        return Ask(_finish(off_topic(bank, stream), plan, register, stream, bank), register, None)
    body = _request(plan.tool, plan.arguments, plan.keep_back, plan.axes, register, stream, bank)
    if plan.second is not None:
        body += " " + _second(plan, stream, bank)
    lines, expressed = around(plan, stream, bank, writes=goal_of(plan.tool).writes)
    before = [line for line, first in lines if first and line]
    after = [line for line, first in lines if not first and line]
    text = " ".join([*before, body, *after])
    return Ask(_finish(text, plan, register, stream, bank), register, expressed)


def _request(
    tool: Tool,
    arguments: Mapping[str, Any],
    keep_back: frozenset[str],
    axes: Mapping[str, str],
    register: str,
    stream: Stream,
    bank: Mapping[str, tuple[str, ...]],
) -> str:
    goal = goal_of(tool)
    given = {name: value for name, value in arguments.items() if name not in keep_back}
    said = said_values(tool, given)
    kinds = kinds_of(tool)
    phrase = say_goal(goal, said) if all(name in said for name in goal.slots) else goal.plain
    rest = [name for name in said if name not in goal.slots or phrase is goal.plain and f"{{{name}}}" in goal.phrase]
    behind, told = attach(rest, kinds, said, phrase)
    if behind:
        phrase = f"{phrase} {behind}".replace(" :", ":")
    rest = [name for name in rest if name not in told]
    if register == "terse":
        request = phrase[:1].upper() + phrase[1:] + "."
    else:
        frames = bank["ask"] + (bank["ask_write"] if goal.writes and not re.search(r"\bme\b", phrase) else ())
        frame = stream.choice(frames)
        if " for me" in frame and re.search(r"\b(?:me|for|my)\b|[\":{]", phrase):
            frame = frame.replace(" for me, please", "").replace(" for me", "")
        request = frame.format(goal=phrase)
        if request.endswith(("??", ".?", "!?", "..", "?.")):
            request = request[:-1]
    facts = fact_sentences(rest, kinds, said, given, stream)
    return f"{request} {facts}".strip()


def _second(plan: AskPlan, stream: Stream, bank: Mapping[str, tuple[str, ...]]) -> str:
    assert plan.second is not None
    arguments = plan.second_arguments or {}
    shared = {name for name, value in arguments.items() if plan.arguments.get(name) == value}
    goal = goal_of(plan.second)
    said = said_values(plan.second, arguments)
    kinds = kinds_of(plan.second)
    phrase = say_goal(goal, said)
    rest = [name for name in said if name not in goal.slots and name not in shared]
    behind, told = attach(rest, kinds, said, phrase)
    line = stream.choice(bank["then"]).format(goal=f"{phrase} {behind}".strip().replace(" :", ":"))
    facts = fact_sentences([name for name in rest if name not in told], kinds, said, arguments, stream)
    return f"{line} {facts}".strip()


def around(
    plan: AskPlan, stream: Stream, bank: Mapping[str, tuple[str, ...]], *, writes: bool
) -> tuple[list[tuple[str, bool]], bool | None]:
    """Sentences around the request, each with whether it stands before it; and whether the rule was touched."""
    axes = plan.axes
    stance, history, state = axes.get("stance", "ordinary"), axes.get("history", "fresh"), axes.get("world_state", "unspecified")
    side = "write" if writes else "read"
    out: list[tuple[str, bool]] = []
    if history != "fresh" and not (stance == "retry" and history == "repeat_visit"):
        out.append((stream.choice(bank[f"history_{history}"]), stream.chance(0.5)))
    if stance == "retry":
        out.insert(0, (stream.choice(bank["retry"]), True))
    elif stance in ("ambiguous", "unsure"):
        out.append((stream.choice(bank[f"vague_{stance}"]), False))
    elif stance == "adversarial":
        out.append((stream.choice(bank["adversarial" if writes else "adversarial_read"]), False))
    elif f"{stance}_{side}" in bank:
        out.append((stream.choice(bank[f"{stance}_{side}"]), stance == "mistaken" and stream.chance(0.4)))
    elif stance in bank:
        out.append((stream.choice(bank[stance]), False))
    quiet = stance in ("ambiguous", "unsure", "adversarial") or (
        state == "prior_partial_action" and history == "prior_partial_action"
    )
    if f"state_{state}" in bank and not quiet:
        out.append((stream.choice(bank[f"state_{state}"]), False))
    expressed = None
    rule = axes.get("rule", "unspecified")
    if rule != "unspecified":
        line = _rule_line(rule, stance, stream, bank)
        expressed = line is not None
        if line:
            out.append((line, False))
    return out, expressed


def _rule_line(rule: str, stance: str, stream: Stream, bank: Mapping[str, tuple[str, ...]]) -> str | None:
    theme = theme_of(rule)
    if theme is None:
        return None
    if theme.startswith("about:"):
        subject = theme.removeprefix("about:")
        subject = "address changes" if subject == "address" else subject
        subject = subject if not subject.isascii() or subject.endswith("s") or subject in _MASS else subject + "s"
        return stream.choice(bank["adversarial_rule" if stance == "adversarial" else "rule_about"]).format(subject=subject)
    return "" if stance == "adversarial" else stream.choice(bank[f"rule_{theme}"])


_MASS = frozenset({"baggage", "insurance", "travel insurance", "compensation", "cash back", "roaming", "data usage", "basic economy", "cabin class",
                   "rebooking", "delivery", "line suspension", "flight status", "warranty", "calendar", "membership"})  # fmt: skip


def off_topic(bank: Mapping[str, tuple[str, ...]], stream: Stream) -> str:
    """An ask that no tool is for."""
    line = stream.choice(bank["unrelated"])
    for slot in "xyzwv":
        if f"{{{slot}}}" in line:
            line = line.replace(f"{{{slot}}}", stream.choice(bank[f"unrelated_{slot}"]))
    return line


def _finish(text: str, plan: AskPlan, register: str, stream: Stream, bank: Mapping[str, tuple[str, ...]]) -> str:
    """The ask in its register: greeting, thanks, small talk, or the slips of careless typing."""
    if "  " in text:
        text = re.sub(r" +", " ", text)
    if ".." in text or "?." in text or "!." in text:
        text = re.sub(r"([?!.])\.(?=\s|$)", r"\1", text)
    text = text.strip()
    pressing = plan.axes.get("stance") in ("adversarial", "hurried")
    if register == "formal" and not pressing:
        text = stream.choice(bank["formal_open"]) + text + " " + stream.choice(bank["formal_close"])
    elif register == "chatty" and not pressing:
        text = f"{stream.choice(bank['hello'])}{_lower(stream.choice(bank['chatty']))} {text}"
    elif register == "plain" and not pressing:
        roll = stream.random()
        if roll < 0.4:
            text = stream.choice(bank["hello"]) + _lower(text)
        if 0.25 < roll < 0.6:
            text = f"{text} {stream.choice(bank['thanks'])}"
    if plan.careless:
        text = _careless(text, plan, stream)
    return text


def _lower(text: str) -> str:
    first = text.split(" ", 1)[0]
    return (
        text
        if first in ("I", "I'm", "I'd", "I've", "It's") and first.startswith("I'") or first == "I" or first.isupper()
        else text[:1].lower() + text[1:]
    )


def _careless(text: str, plan: AskPlan, stream: Stream) -> str:
    """Lower case, and one swapped pair of letters in a word that carries no value."""
    values = " ".join(str(value) for value in plan.arguments.values()).casefold()
    words = text.split(" ")
    out = [
        word if any(c.isdigit() or c in "\"'@/#_" for c in word) or word.strip(".,!?").casefold() in values else word.lower()
        for word in words
    ]
    long = [
        i for i, word in enumerate(out) if len(word) > 5 and word.isalpha() and word.casefold() not in values and word.islower()
    ]
    if long:
        at = stream.choice(long)
        spot = stream.integer(1, len(out[at]) - 3)
        word = out[at]
        out[at] = word[:spot] + word[spot + 1] + word[spot] + word[spot + 2 :]
    return " ".join(out)
