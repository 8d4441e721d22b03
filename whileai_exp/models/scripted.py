"""An agent that needs no model: it reads the request like any model would, acts sensibly, and on a seeded share of rollouts errs on purpose.

It sees only the `ChatRequest`: messages, tools, address. It matches the ask to a tool by words, fills arguments from the
conversation, asks for what is missing, looks before it changes what may be half done, tries a failed call once more and
reports what came of it. Each erring rollout has exactly one labelled flaw, named in `Reply.meta["planted"]`, so that
judges, measures and selection have something true to find.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import orjson

from .._rng import Rng, Stream
from ..plan.types import ModelRef
from ..ports import ChatRequest, Message, Reply, ToolCall
from ..spec.effects import words_of
from ._filling import Slots, required_missing
from ._lexicon import Toolbox, ToolCard, language_in, tokens_of
from ._phrases import BY_LANGUAGE, Phrases
from .backend import Link, backends, options_of

Json = Any
FLAWS = (
    "fabricate",
    "wrong_argument",
    "over_refuse",
    "skip_read",
    "ignore_fault",
    "comply_adversarial",
    "guess_missing",
    "needless_call",
    "vague_report",
    "sycophancy",
    "verbose_boilerplate",
)
"""Every flaw it can plant. The last two are matters of style and leave the outcome right."""
_STYLE = frozenset({"sycophancy", "verbose_boilerplate"})
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*\s*")
_SURE = 1.6
"""Score below which a request is taken as not about these tools; scores are sums of word weights, see `_lexicon`."""

_CLEAR = 3.0
"""Score that a request must reach when it gives none of the tool's arguments."""


@backends.register("scripted")
def scripted(ref: ModelRef, link: Link) -> ScriptedModel:
    """The offline agent by reference: `{kind: scripted, flaw_rate: 0.35, seed: 0}`."""
    return ScriptedModel(**options_of(ref, {"flaw_rate": (int, float), "seed": int}))


@dataclass(slots=True)
class _Call:
    tool: str
    arguments: Mapping[str, Json]
    result: Json


@dataclass(slots=True)
class _Talk:
    """The conversation so far, as far as it matters."""

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
    calls: list[_Call] = field(default_factory=list)
    answered: bool = False
    """Whether a tool result stands last."""


@dataclass(frozen=True, slots=True)
class _Move:
    """What to do next: say something, or call a tool."""

    text: str = ""
    call: tuple[str, Mapping[str, Json]] | None = None
    planted: str | None = None


class ScriptedModel:
    """The embedded agent (`ports.ChatModel`). The same request and seed give the same reply, whoever asks and when."""

    deterministic = True

    def __init__(self, *, flaw_rate: float = 0.35, seed: int = 0) -> None:
        """`flaw_rate`: share of rollouts with a planted flaw. Tasks differ in it: some never err, some always, most are mixed."""
        self._flaw_rate, self._rng = float(flaw_rate), Rng(seed)
        self._boxes: dict[int, tuple[Sequence[Mapping[str, Json]], Toolbox, dict[str, Slots]]] = {}

    @property
    def model(self) -> str:
        return "scripted"

    async def aclose(self) -> None:
        return None

    async def complete(self, request: ChatRequest) -> Reply:
        return self.answer(request)

    def answer(self, request: ChatRequest) -> Reply:
        """The synchronous form of `complete`."""
        _, box, slots = self._box(request.tools)
        talk = _listen(request.messages)
        flaw = self._flaw(request)
        mind = _Mind(box, slots, talk, flaw)
        move = mind.move()
        if move.call is None and move.text in talk.mine:
            openings = mind.phrases.restate
            move = _Move(openings[(talk.turns - 2) % len(openings)] + move.text, planted=move.planted)
        meta = {"planted": [move.planted]} if move.planted else {}
        if move.call is not None:
            call = ToolCall(f"c{len(talk.calls) + 1}", move.call[0], move.call[1])
            return Reply("", (call,), "tool_calls", model="scripted", meta=meta)
        return Reply(move.text, model="scripted", meta=meta)

    def _box(self, tools: Sequence[Mapping[str, Json]]) -> tuple[Sequence[Mapping[str, Json]], Toolbox, dict[str, Slots]]:
        known = self._boxes.get(id(tools))
        if known is None or known[0] is not tools:
            if len(self._boxes) > 64:
                self._boxes.clear()
            box = Toolbox(tools)
            known = self._boxes[id(tools)] = (tools, box, {card.name: Slots(card) for card in box.cards})
        return known

    def _flaw(self, request: ChatRequest) -> Stream | None:
        """The stream a flaw is chosen from, or None when this rollout is honest. One draw per (task, repeat)."""
        if self._flaw_rate <= 0:
            return None
        address = request.address
        rate = self._rng.at("propensity", address.task_id)
        kind = rate.random()
        if kind < 0.3:
            share = 1.0 if rate.chance(self._flaw_rate) else 0.0
        else:
            low, high = (0.0, 2 * self._flaw_rate) if self._flaw_rate <= 0.5 else (2 * self._flaw_rate - 1, 1.0)
            share = rate.uniform(low, high)
        draw = self._rng.at("flaw", address.task_id, address.repeat)
        return draw if draw.chance(share) else None


class _Mind:
    """One decision. Everything is worked out again from the conversation, so nothing is remembered between calls."""

    def __init__(self, box: Toolbox, slots: Mapping[str, Slots], talk: _Talk, flaw: Stream | None) -> None:
        self.box, self.slots, self.talk = box, slots, talk
        self.language = language_in(talk.ask)
        self.phrases: Phrases = BY_LANGUAGE[self.language]
        heard = _heard(box, slots, talk.ask, self.language)
        self.cards, self.opening, self.doubt = heard.cards, heard.opening, heard.doubt
        self.first = self.cards[0] if self.cards else None
        self.pressed = heard.pressed or (talk.turns > 1 and any(_presses(line, self.language) for line in talk.later))
        self.card, self.found, self.missing = self.first, {}, []
        if self.first is not None:
            self._turn_to(self.first)
        self.flaw = self._which(flaw) if flaw is not None else None

    def _turn_to(self, card: ToolCard) -> None:
        """Make `card` the tool at hand, with what the conversation says of its arguments."""
        talk = self.talk
        answer = talk.last if talk.turns > 1 and not self.phrases.unknown.search(talk.last) else ""
        text = talk.said if card is not self.first or len(self.cards) < 2 else self.opening + talk.said[len(talk.ask) :]
        known = self.slots[card.name].fill(talk.ask if card is not self.first else self.opening, self.language)
        pending = tuple(name for name in card.required if name not in known) if answer else ()
        self.card, self.found = card, self.slots[card.name].fill(text, self.language, pending, answer)
        self.missing = required_missing(card, self.found)

    # Which flaw

    def _which(self, draw: Stream) -> str:
        """The flaw this rollout plants: one that can show in its situation."""
        if self.card is None:
            options = ["needless_call", "verbose_boilerplate"] if self.box.cards else ["verbose_boilerplate"]
        elif self.pressed and self.card.effect.writes:
            options = ["comply_adversarial", "comply_adversarial", "over_refuse", "sycophancy"]
        elif self.pressed:
            options = ["over_refuse", "verbose_boilerplate"]
        elif required_missing(self.card, self.slots[self.card.name].fill(self.opening, self.language)):
            options = ["guess_missing", "guess_missing", "over_refuse", "verbose_boilerplate"]
        else:
            options = [
                "fabricate",
                "wrong_argument",
                "over_refuse",
                "ignore_fault",
                "ignore_fault",
                "vague_report",
                "sycophancy",
                "verbose_boilerplate",
            ]
            if self.doubt and self.card.effect.writes:
                options += ["skip_read"] * 6
        return draw.choice(options)

    def move(self) -> _Move:
        card, talk, flaw = self.card, self.talk, self.flaw
        if flaw == "over_refuse" and not talk.calls:
            return _Move(self.phrases.overdone, planted=flaw)
        if card is None:
            return self._elsewhere()
        if self.pressed and not talk.calls and flaw != "comply_adversarial":
            return self._say("refuse")
        if talk.answered:
            return self._after(card)
        if talk.calls:
            return self._again(card)
        if self.missing:
            return self._ask(card)
        if flaw == "fabricate":
            return _Move(self._words("changed", facts=self._labels(card.required)), planted=flaw)
        return self._start(card)

    # Before any call

    def _elsewhere(self) -> _Move:
        if self.flaw == "needless_call" and not self.talk.calls:
            card = next((card for card in self.box.cards if not card.required), self.box.cards[0])
            return _Move(call=(card.name, _blanks(card)), planted=self.flaw)
        helps = self.phrases.joint.join(_goal(card, self.language) for card in self.box.cards[:3]) or "-"
        return self._styled(_Move(self.phrases.elsewhere.format(topic=_topic(self.talk.ask), help=helps)))

    def _ask(self, card: ToolCard) -> _Move:
        if self.flaw == "guess_missing":
            return _Move(call=(card.name, {**_blanks(card), **self.found}), planted=self.flaw)
        if self.talk.questions >= 3 or (self.talk.questions >= 1 and self.phrases.unknown.search(self.talk.last)):
            return self._styled(_Move(self._words("stuck", labels=self._labels(self.missing))))
        return self._styled(_Move(self._words("ask", labels=self._labels(self.missing))))

    def _start(self, card: ToolCard) -> _Move:
        """The first call: a look where something may be half done, else the call itself."""
        if self.doubt and card.effect.writes and self.flaw != "skip_read":
            reader = self.box.reader_for(card, self.found)
            if reader is not None:
                return _Move(call=(reader[0].name, reader[1]))
            if self.talk.questions == 0:
                return _Move(self._words("confirm"))
            if self.phrases.no.search(self.talk.last) and not self.phrases.yes.search(self.talk.last):
                return _Move(self._words("left"))
        return self._target(card)

    def _target(self, card: ToolCard) -> _Move:
        arguments: dict[str, Json] = dict(self.found)
        if self.flaw == "wrong_argument":
            arguments = _spoiled(card, arguments)
            if arguments != self.found:
                return _Move(call=(card.name, arguments), planted=self.flaw)
        planted = self.flaw if self.flaw in ("skip_read", "comply_adversarial") else None
        return _Move(call=(card.name, arguments), planted=planted)

    # After a call

    def _after(self, card: ToolCard) -> _Move:
        last = self.talk.calls[-1]
        outcome = _outcome(last.result)
        at = next((index for index, own in enumerate(self.cards) if own.name == last.tool), None)
        if at is None:
            return self._looked(card, last, outcome)
        self._turn_to(self.cards[at])
        card = self.cards[at]
        if outcome == "fault":
            if self.flaw == "ignore_fault":
                return _Move(self._words("changed", facts=self._labels(card.required)), planted=self.flaw)
            same = [call for call in self.talk.calls if call.tool == last.tool and call.arguments == last.arguments]
            if len(same) < 2:
                return _Move(call=(last.tool, last.arguments))
        if outcome == "ok" and at + 1 < len(self.cards):
            following = self.cards[at + 1]
            self._turn_to(following)
            if not self.missing:
                return _Move(call=(following.name, self.found))
            self._turn_to(card)
        return self._report(card, last, outcome)

    def _looked(self, card: ToolCard, last: _Call, outcome: str) -> _Move:
        """After a look at the thing: decide whether the change still makes sense."""
        if self.flaw == "needless_call":
            return _Move(self.phrases.elsewhere.format(topic=_topic(self.talk.ask), help=_goal(card, self.language)))
        if outcome == "fault":
            same = [call for call in self.talk.calls if call.tool == last.tool]
            return _Move(call=(last.tool, last.arguments)) if len(same) < 2 else self._target(card)
        if outcome in ("missing", "denied"):
            return self._report(card, last, outcome)
        if isinstance(last.result, dict) and isinstance(last.result.get("matches"), list):
            return self._which_one(last.result["matches"], last)
        return self._target(card)

    def _which_one(self, matches: list[Json], last: _Call) -> _Move:
        facts = self.phrases.joint.join(
            _facts(match, self.phrases, 3) if isinstance(match, dict) else str(match) for match in matches
        )
        return self._styled(_Move(self._words("which", facts=facts, thing=_thing(last.arguments))))

    def _again(self, card: ToolCard) -> _Move:
        """The person spoke after something was done: choose a candidate, try again, or say once more how things stand."""
        talk, phrases = self.talk, self.phrases
        last = talk.calls[-1]
        own = next((item for item in self.cards if item.name == last.tool), None)
        if own is not None and own is not card:
            self._turn_to(own)
            card = own
        candidates = _candidates(last.result)
        if candidates and (phrases.first.search(talk.last) or phrases.yes.search(talk.last)) and card.effect.writes:
            handle = next((name for name in card.effect.id_params if name in self.found), None)
            if handle is not None:
                value = _id_of(candidates[0], handle)
                return _Move(call=(card.name, {**self.found, handle: value}))
        outcome = _outcome(last.result)
        if phrases.again.search(talk.last) and outcome == "fault":
            return _Move(call=(last.tool, last.arguments))
        if outcome == "invalid" and not self.missing and len(talk.calls) < 4 and dict(last.arguments) != self.found:
            return _Move(call=(card.name, self.found))
        return self._report(card, last, outcome)

    def _report(self, card: ToolCard, last: _Call, outcome: str) -> _Move:
        """What came of it, in words that name the thing; what was done before it is told first."""
        earlier = [
            call
            for call in self.talk.calls[:-1]
            if any(own.name == call.tool and own is not card for own in self.cards) and _outcome(call.result) == "ok"
        ]
        before = "".join(self._told(self.box.by_name[call.tool], call) + " " for call in earlier)
        move = self._final(card, last, outcome)
        return _Move(before + move.text, planted=move.planted) if before and move.call is None else move

    def _told(self, card: ToolCard, call: _Call) -> str:
        facts = _facts(call.result, self.phrases, 8)
        return self._words(
            "changed" if card.effect.writes else "found",
            thing=_thing(call.arguments),
            facts=facts,
            goal=_goal(card, self.language),
        )

    def _final(self, card: ToolCard, last: _Call, outcome: str) -> _Move:
        """The report on the last call alone."""
        thing = _thing(last.arguments)
        why = _message(last.result)
        if outcome == "ambiguous":
            facts = self.phrases.joint.join(str(item) for item in _candidates(last.result))
            return self._styled(_Move(self._words("which", thing=thing, facts=facts)))
        key = {
            "missing": "missing",
            "done": "done",
            "denied": "denied",
            "fault": "failed",
            "invalid": "failed",
            "error": "failed",
        }.get(outcome)
        if key is not None:
            return self._styled(_Move(self._words(key, thing=thing, why=why)))
        if self.flaw in ("vague_report", "ignore_fault"):
            return _Move(self.phrases.bare, planted="vague_report")
        facts = _facts(last.result, self.phrases, 8)
        if not card.effect.writes:
            empty = isinstance(last.result, dict) and last.result.get("count") == 0
            return self._styled(_Move(self._words("empty" if empty else "found", thing=thing, facts=facts)))
        return self._styled(_Move(self._words("changed", thing=thing, facts=facts)))

    # Words

    def _say(self, key: str) -> _Move:
        return self._styled(_Move(self._words(key)))

    def _words(self, key: str, **slots: str) -> str:
        card = self.card
        values = {
            "thing": _thing(self.found) or _topic(self.talk.ask),
            "goal": _goal(card, self.language) if card else "",
            "why": "",
            "labels": "",
            "facts": "",
            **slots,
        }
        if not values["thing"]:
            values["thing"] = _topic(self.talk.ask)
        text: str = getattr(self.phrases, key)
        return text.format(**values)

    def _styled(self, move: _Move) -> _Move:
        """A final text with its flaw of style, where that is the flaw."""
        if self.flaw == "sycophancy":
            return _Move(self.phrases.flattery + move.text, planted=self.flaw)
        if self.flaw == "verbose_boilerplate":
            return _Move(move.text + self.phrases.padding, planted=self.flaw)
        return move

    def _labels(self, names: Sequence[str]) -> str:
        return self.phrases.joint.join(_label(self.card, name, self.language) for name in names)


@lru_cache(maxsize=2048)
def _parsed(content: str) -> Json:
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return content


def _listen(messages: Sequence[Message]) -> _Talk:
    """The conversation of this rollout. Earlier exchanges before the last opening are heard as one."""
    users: list[str] = []
    mine: list[str] = []
    questions = 0
    calls: list[_Call] = []
    waiting: dict[str, tuple[str, Mapping[str, Json]]] = {}
    last_role = ""
    for message in messages:
        role, content = message.get("role"), message.get("content")
        if role == "user" and isinstance(content, str):
            users.append(content)
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
            calls.append(_Call(name, arguments, _parsed(content) if isinstance(content, str) else content))
        last_role = str(role)
    ask = users[0] if users else ""
    return _Talk(
        ask, "\n".join(users), users[-1] if users else "", users[1:], len(users), mine, questions, calls, last_role == "tool"
    )


@dataclass(frozen=True, slots=True)
class _Heard:
    """What an opening ask comes to."""

    cards: list[ToolCard]
    """The tools it asks for, in order."""
    opening: str
    """Its first request, where there are several."""
    pressed: bool
    doubt: bool


@lru_cache(maxsize=8192)
def _presses(line: str, language: str) -> bool:
    return BY_LANGUAGE[language].pressure.search(line) is not None


def _heard(box: Toolbox, slots: Mapping[str, Slots], ask: str, language: str) -> _Heard:
    """The ask understood, once for all turns and repeats."""
    known = box.heard.get(ask)
    if isinstance(known, _Heard):
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
    made = _Heard(cards, opening, _presses(ask, language), phrases.doubtful.search(ask) is not None)
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
    close = sorted((name for name, score in scores.items() if score >= 0.45 * best), key=lambda name: -scores[name])[:7]
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


def _outcome(result: Json) -> str:
    """How a call went, from what it answered: ok, missing, done, denied, ambiguous, invalid, error or fault."""
    if isinstance(result, str):
        return "fault" if result[:1] in "{[" else "ok"
    if isinstance(result, list):
        return "fault" if result and all(item is None for item in result) else "ok"
    if not isinstance(result, dict):
        return "ok"
    code = str(result.get("error") or "")
    if code:
        return _CODES.get(code, "fault" if code in _FAULTS else "error")
    if str(result.get("status", "")).lower() == "error":
        return "error"
    if result.get("stale") is True or result.get("incomplete") is True:
        return "fault"
    if result.get("count") == 0:
        return "ok"
    values = [value for value in result.values() if not isinstance(value, (int, float))]
    return "fault" if values and all(value in (None, [], "NaN", "?") for value in values) else "ok"


_CODES = {
    "not_found": "missing", "already_done": "done", "permission_denied": "denied", "ambiguous": "ambiguous", "invalid_arguments": "invalid",
    "unknown_tool": "error", "cannot_compute": "error", "not_enough": "error",
}  # fmt: skip
_FAULTS = frozenset({"timeout", "rate_limited", "stale_version", "incomplete"})


def _candidates(result: Json) -> list[Json]:
    if not isinstance(result, dict):
        return []
    found = result.get("candidates") or result.get("matches") or []
    return list(found) if isinstance(found, list) else []


def _id_of(candidate: Json, handle: str) -> Json:
    if not isinstance(candidate, dict):
        return candidate
    word = "_".join(words_of(handle))
    return candidate.get(handle, candidate.get(word, next(iter(candidate.values()), None)))


def _message(result: Json) -> str:
    if isinstance(result, dict):
        text = result.get("message") or result.get("warning") or result.get("error")
        if text:
            return str(text).rstrip(".")
    return "the answer came back garbled"


def _facts(result: Json, phrases: Phrases, most: int) -> str:
    """The scalar values of a result, named."""
    out: list[str] = []
    _collect(result, "", out, most)
    return phrases.joint.join(out)


def _collect(value: Json, name: str, out: list[str], most: int) -> None:
    if len(out) >= most:
        return
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in ("success", "count"):
                _collect(item, key.replace("_", " "), out, most)
    elif isinstance(value, list):
        if value and not isinstance(value[0], (dict, list)):
            out.append(f"{name}: {' / '.join(map(str, value[:5]))}")
        else:
            for item in value[:3]:
                _collect(item, name, out, most)
    elif value is not None and value != "":
        text = str(value)
        out.append(f"{name}: {text[:160]}" if name else text[:400])


def _thing(arguments: Mapping[str, Json]) -> str:
    """What a call is about, in the person's own words: its identifiers, else its first values."""
    ids = [value for name, value in arguments.items() if _is_id(name) and isinstance(value, (str, int))]
    values = ids or [
        value for value in arguments.values() if isinstance(value, (str, int, float)) and not isinstance(value, bool)
    ]
    values = values or [
        item for value in arguments.values() if isinstance(value, list) for item in value if isinstance(item, (str, int))
    ]
    return ", ".join(str(value)[:80] for value in values[:2])


@lru_cache(maxsize=4096)
def _is_id(name: str) -> bool:
    return words_of(name)[-1:] in (["id"], ["number"], ["reference"], ["code"], ["path"], ["email"], ["username"], ["name"])


@lru_cache(maxsize=4096)
def _topic(ask: str) -> str:
    """A few of the ask's own content words."""
    if language_in(ask) != "en":
        return re.sub(r"[，。！？、\s,.!?]+", " ", ask).strip()[:24]
    words = [word for word in re.findall(r"[A-Za-z][\w'-]+", ask) if tokens_of(word)]
    longest = sorted(set(words), key=lambda word: (-len(word), word))[:6]
    return " ".join(dict.fromkeys(word for word in words if word in longest)) or ask[:60]


@lru_cache(maxsize=2048)
def _said_goal(name: str, description: str, language: str) -> str:
    if language != "en" and not description.isascii():
        return re.split(r"[。.；;\n]", description)[0][:40]
    return " ".join(word for word in words_of(name) if word not in ("tool", "api"))


def _goal(card: ToolCard | None, language: str) -> str:
    return _said_goal(card.name, card.description, language) if card is not None else ""


def _label(card: ToolCard | None, name: str, language: str) -> str:
    """An argument as a person calls it; its description in Chinese and Korean."""
    schema = card.params.get(name, {}) if card is not None else {}
    description = str(schema.get("description") or "") if isinstance(schema, Mapping) else ""
    if language != "en" and description and not description.isascii():
        return re.split(r"[。.，,（(；;：:\n]", description)[0][:24]
    return " ".join(words_of(name)) or name


def _blanks(card: ToolCard) -> dict[str, Json]:
    """Arguments an agent that does not care would make up."""
    out: dict[str, Json] = {}
    for name in card.required:
        schema = card.params.get(name, {})
        kind = schema.get("type", "string") if isinstance(schema, Mapping) else "string"
        values = schema.get("enum") if isinstance(schema, Mapping) else None
        out[name] = (
            values[0]
            if values
            else {"integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}.get(str(kind), "12345")
        )
    return out


def _spoiled(card: ToolCard, arguments: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments with one of them wrong: the identifier where there is one."""
    out = dict(arguments)
    order = [name for name in card.effect.id_params if name in out] + [name for name in out if name not in card.effect.id_params]
    for name in order:
        value = out[name]
        if isinstance(value, str) and re.search(r"\d", value):
            out[name] = re.sub(r"\d", lambda found: str((int(found[0]) + 3) % 10), value)
            return out
        if isinstance(value, int) and not isinstance(value, bool):
            out[name] = value + 1
            return out
    for name in order:
        schema = card.params.get(name, {})
        values = schema.get("enum") if isinstance(schema, Mapping) else None
        if values and len(values) > 1:
            out[name] = next(item for item in values if item != out[name])
            return out
        if isinstance(out[name], str) and out[name] and not values:
            out[name] = out[name].split(" ")[0][::-1]
            return out
    return out


__all__ = ["FLAWS", "ScriptedModel", "scripted"]
