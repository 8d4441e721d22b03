"""The offline writer: the opening ask of a situation, in the words of the person who has it.

An ask is a request made from the tool (`voice_*`), the values that the person gives, and a few sentences for stance,
history and what they believe about the world, in a register. Everything is drawn from the stream handed in, so an ask
is a function of its coordinates. No sentence states something the situation denies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .._rng import Stream
from ..schema import Tool
from .facts import attach, capital, fact_sentences, kinds_of, quoted
from .idioms import Wording, wordings_of
from .lines import Manner, around, manner_of
from .lint import faults_of
from .phrases import line_of, phrases, said
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

    def values(self) -> tuple[Any, ...]:
        """Everything that may stand verbatim in the ask."""
        return (*self.arguments.values(), *(self.second_arguments or {}).values())


@dataclass(frozen=True, slots=True)
class Ask:
    text: str
    register: str
    rule_expressed: bool | None
    """None when the situation has no rule."""
    unvoiced: tuple[str, ...] = ()
    """Axes whose value the ask does not bring up, because nobody would for this tool."""


Bank = Mapping[str, tuple[str, ...]]
_TRIES = 4


def compose(plan: AskPlan, stream: Stream, texture: float, share: float) -> Ask:
    """An opening ask in English; worded anew when it reads wrong, at last in the plainest form."""
    made = _composed(plan, stream, texture, share, plain=False)
    for attempt in range(_TRIES):
        if not faults_of(made.text, plan.values(), "en"):
            return made
        made = _composed(plan, stream, texture, share, plain=attempt == _TRIES - 2)
    return made


def _composed(plan: AskPlan, stream: Stream, texture: float, share: float, *, plain: bool) -> Ask:
    bank = phrases("en")
    register = "plain"
    if stream.chance(texture):
        register = stream.choice(("terse", "formal", "chatty", "terse"))
    if plan.axes.get("stance") == "hurried" and register in ("formal", "chatty"):
        register = "plain"
    beside = around(plan.axes, plan.tool, plan.keep_back, stream, bank, 0.0 if plain else share)
    if plan.tool is None:
        return Ask(_finish(off_topic(bank, stream), plan, register, stream, bank, beside.after), register, None, beside.unvoiced)
    body = _request(plan, register, stream, bank, plain)
    if plan.second is not None:
        body += " " + _second(plan, stream, bank)
    text = f"{beside.before} {body}".strip()
    text = _finish(text, plan, register, stream, bank, beside.after)
    return Ask(text, register, beside.rule_expressed, beside.unvoiced)


def _request(plan: AskPlan, register: str, stream: Stream, bank: Bank, plain: bool) -> str:
    tool = plan.tool
    assert tool is not None
    given = {name: value for name, value in plan.arguments.items() if name not in plan.keep_back}
    values = said_values(tool, given)
    kinds = kinds_of(tool)
    manner = manner_of(tool)
    pressing = plan.axes.get("stance") == "adversarial"
    fitting = [] if plain else [item for item in wordings_of(tool) if set(item.slots) <= values.keys()]
    if plan.keep_back:
        fitting = [
            item
            for item in fitting
            if item.slots or not (plan.keep_back & set(tool.parameters.get("required") or ()) - _credentials(kinds))
        ]
    if pressing and any(not item.own for item in fitting):
        fitting = [item for item in fitting if not item.own]
    wording = stream.choice(fitting) if fitting else None
    if wording is not None:
        if pressing and not manner.developer:
            wording = replace(wording, text=_anybody(wording.text))
        phrase, whole, used = _filled(wording, values, kinds, given, stream), wording.whole, set(wording.slots)
    else:
        goal = goal_of(tool)
        whole = False
        slotted = all(name in values for name in goal.slots)
        if pressing and not manner.developer:
            goal = replace(goal, phrase=_anybody(goal.phrase), plain=_anybody(goal.plain))
        phrase, used = (say_goal(goal, values), set(goal.slots)) if slotted else (goal.plain, set[str]())
    rest = [name for name in values if name not in used]
    if not whole:
        behind, told = attach(rest, kinds, values, phrase)
        if behind:
            phrase = f"{phrase} {behind}".replace(" :", ":")
        rest = [name for name in rest if name not in told]
        phrase = _framed(phrase, manner, register, stream, bank)
    facts = fact_sentences(rest, kinds, values, given, stream, own=not pressing)
    return f"{phrase} {facts}".strip()


def _anybody(text: str) -> str:
    """The words without claiming the thing for oneself."""
    return re.sub(r"\bmy\b", "the", re.sub(r"\bMy\b", "The", text))


def _credentials(kinds: Mapping[str, str]) -> set[str]:
    return {name for name, kind in kinds.items() if kind in ("token", "password")}


_TAIL = re.compile(r"[,;] (?=(?:my |the )?(?:\w+ ID|confirmation number|email) (?:is )?\S)")
"""Where a phrase goes on to say who is speaking: a sentence of its own behind a request."""


def _framed(phrase: str, manner: Manner, register: str, stream: Stream, bank: Bank) -> str:
    """The phrase as a request."""
    phrase, tail = (*_TAIL.split(phrase, maxsplit=1), "")[:2]
    tail = f" {capital(tail)}." if tail else ""
    if register == "terse":
        return capital(phrase) + "." + tail
    frames = bank["ask_dev" if manner.developer else "ask"]
    if manner.writes and not manner.developer and not re.search(r"\b(?:me|I|you|please)\b|,", phrase):
        frames = frames + bank["ask_write"]
    frame = said(stream.choice(frames), stream)
    if "please" in phrase:
        frame = stream.choice(("{Goal}.", "I'd like you to {goal}."))
    if phrase.startswith("help me "):
        frame = stream.choice(("Please {goal}.", "Can you {goal}?", "Could you {goal}?"))
    request = frame.format(goal=phrase, Goal=capital(phrase))
    if request.endswith(("??", ".?", "!?", "..", "?.", '".?')):
        request = request[:-1]
    return request + tail


_QUOTED = frozenset({"commit", "title", "message", "text", "thought", "query", "topic", "pattern", "view"})


def _filled(wording: Wording, values: Mapping[str, str], kinds: Mapping[str, str], raw: Mapping[str, Any], stream: Stream) -> str:
    text = said(wording.text, stream)
    for name in wording.slots:
        value = values[name]
        value = value.rstrip(".")
        if kinds.get(name) in _QUOTED and (" " in value or kinds[name] != "query"):
            value = quoted(value)
        if value.endswith("?"):
            text = text.replace(f"{{{name}}}?", f"{{{name}}}").replace(f"{{{name}}}.", f"{{{name}}}")
        if re.search(rf"[.?!] \{{{name}\}}", text):
            value = capital(value)
        noun = wording.nouns.get(name)
        if noun is not None:
            many = isinstance(raw.get(name), (list, tuple)) and len(raw[name]) > 1
            value = f"{noun}{'s' if many else ''} {value}"
        text = text.replace(f"{{{name}}}", value)
    return text if not wording.whole else capital(text)


def _second(plan: AskPlan, stream: Stream, bank: Bank) -> str:
    assert plan.second is not None
    arguments = plan.second_arguments or {}
    goal = goal_of(plan.second)
    values = said_values(plan.second, arguments)
    kinds = kinds_of(plan.second)
    fitting = [
        item for item in wordings_of(plan.second) if not item.whole and set(item.slots) <= values.keys() and "?" not in item.text
    ]
    if fitting:
        wording = stream.choice(fitting)
        phrase, used = _filled(wording, values, kinds, arguments, stream), set(wording.slots)
    else:
        phrase, used = say_goal(goal, values), set(goal.slots)
    told = [value for value in plan.arguments.values() if isinstance(value, (str, list))]
    rest = [name for name in values if name not in used and arguments.get(name) not in told]
    behind, attached = attach(rest, kinds, values, phrase)
    phrase, tail = (*_TAIL.split(phrase, maxsplit=1), "")[:2]
    line = line_of(bank, "then", stream).format(goal=f"{phrase} {behind}".strip().replace(" :", ":"))
    if tail and not any(text in tail for text in told if isinstance(text, str)):
        line += f" {capital(tail)}."
    line = re.sub(r"\?(?:, please)?\.$", "?", line)
    facts = fact_sentences([name for name in rest if name not in attached], kinds, values, arguments, stream)
    return f"{line} {facts}".strip()


def off_topic(bank: Mapping[str, tuple[str, ...]], stream: Stream) -> str:
    """An ask that no tool is for."""
    line = line_of(bank, "unrelated", stream)
    for slot in "xyzwv":
        if f"{{{slot}}}" in line:
            line = line.replace(f"{{{slot}}}", stream.choice(bank[f"unrelated_{slot}"]))
    return line


def _finish(text: str, plan: AskPlan, register: str, stream: Stream, bank: Bank, beside: str) -> str:
    """The ask in its register: greeting, thanks, small talk, or the slips of careless typing; `beside` is what else it says."""
    text = " ".join(text.split())
    pressing = plan.axes.get("stance") in ("adversarial", "hurried")
    developer = plan.tool is not None and manner_of(plan.tool).developer
    if beside:
        text = f"{text} {beside}"
    if register == "formal" and not pressing and not developer:
        text = stream.choice(bank["formal_open"]) + text + " " + line_of(bank, "formal_close", stream)
    elif register == "chatty" and not pressing and not developer and not beside:
        text = f"{stream.choice(bank['hello'])}{_lower(line_of(bank, 'chatty', stream))} {text}"
    elif register != "terse" and not pressing:
        roll = stream.random()
        if roll < (0.15 if developer else 0.35):
            text = stream.choice(bank["hello"]) + _lower(text)
        if 0.1 < roll < (0.25 if developer else 0.5):
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
