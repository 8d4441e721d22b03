"""An agent that needs no model: it reads the request like any model would, acts sensibly, and on a seeded share of rollouts errs on purpose.

It sees only the `ChatRequest`: messages, tools, address. It matches the ask to a tool by words, fills arguments from the
conversation, asks for what is missing, looks before it changes what may be half done, tries a failed call once more and
reports what came of it. Each erring rollout has exactly one labelled flaw, named in `Reply.meta["planted"]`, so that
judges, measures and selection have something true to find.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._rng import Rng, Stream
from ..plan.types import ModelRef
from ..ports import ChatRequest, Reply, ToolCall
from ._filling import Slots, required_missing
from ._hearing import Call, Talk, listen, presses, understood
from ._lexicon import Toolbox, ToolCard, language_in
from ._phrases import BY_LANGUAGE, Phrases
from ._telling import (
    blanks_for,
    candidates_of,
    facts_of,
    goal_of,
    id_of,
    label_of,
    message_of,
    outcome_of,
    spoiled,
    thing_of,
    topic_of,
)
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


@backends.register("scripted")
def scripted(ref: ModelRef, link: Link) -> ScriptedModel:
    """The offline agent by reference: `{kind: scripted, flaw_rate: 0.35, seed: 0}`."""
    return ScriptedModel(**options_of(ref, {"flaw_rate": (int, float), "seed": int}))


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
        talk = listen(request.messages)
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

    def __init__(self, box: Toolbox, slots: Mapping[str, Slots], talk: Talk, flaw: Stream | None) -> None:
        self.box, self.slots, self.talk = box, slots, talk
        self.language = language_in(talk.ask)
        self.phrases: Phrases = BY_LANGUAGE[self.language]
        heard = understood(box, slots, talk.ask, self.language)
        self.cards, self.opening, self.doubt = heard.cards, heard.opening, heard.doubt
        self.first = self.cards[0] if self.cards else None
        self.pressed = heard.pressed or (talk.turns > 1 and any(presses(line, self.language) for line in talk.later))
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
            if self.card.effect.writes and (self.doubt or self.box.must_look(self.talk.policy, self.card)):
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
            return _Move(call=(card.name, blanks_for(card)), planted=self.flaw)
        helps = self.phrases.joint.join(goal_of(card, self.language) for card in self.box.cards[:3]) or "-"
        return self._styled(_Move(self.phrases.elsewhere.format(topic=topic_of(self.talk.ask), help=helps)))

    def _ask(self, card: ToolCard) -> _Move:
        if self.flaw == "guess_missing":
            return _Move(call=(card.name, {**blanks_for(card), **self.found}), planted=self.flaw)
        if self.talk.questions >= 3 or (self.talk.questions >= 1 and self.phrases.unknown.search(self.talk.last)):
            return self._styled(_Move(self._words("stuck", labels=self._labels(self.missing))))
        return self._styled(_Move(self._words("ask", labels=self._labels(self.missing))))

    def _start(self, card: ToolCard) -> _Move:
        """The first call: a look where something may be half done or the policy wants one, else the call itself."""
        if self.flaw == "skip_read" or not card.effect.writes:
            return self._target(card)
        due = self.box.must_look(self.talk.policy, card)
        reader = self.box.reader_for(card, self.found) if due or self.doubt else None
        if reader is not None:
            return _Move(call=(reader[0].name, reader[1]))
        if self.doubt:
            if self.talk.questions == 0:
                return _Move(self._words("confirm"))
            if self.phrases.no.search(self.talk.last) and not self.phrases.yes.search(self.talk.last):
                return _Move(self._words("left"))
        return self._target(card)

    def _target(self, card: ToolCard) -> _Move:
        arguments: dict[str, Json] = dict(self.found)
        if self.flaw == "wrong_argument":
            arguments = spoiled(card, arguments)
            if arguments != self.found:
                return _Move(call=(card.name, arguments), planted=self.flaw)
        planted = self.flaw if self.flaw in ("skip_read", "comply_adversarial") else None
        return _Move(call=(card.name, arguments), planted=planted)

    # After a call

    def _after(self, card: ToolCard) -> _Move:
        last = self.talk.calls[-1]
        outcome = outcome_of(last.result)
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

    def _looked(self, card: ToolCard, last: Call, outcome: str) -> _Move:
        """After a look at the thing: decide whether the change still makes sense."""
        if self.flaw == "needless_call":
            return _Move(self.phrases.elsewhere.format(topic=topic_of(self.talk.ask), help=goal_of(card, self.language)))
        if outcome == "fault":
            same = [call for call in self.talk.calls if call.tool == last.tool]
            return _Move(call=(last.tool, last.arguments)) if len(same) < 2 else self._target(card)
        if outcome in ("missing", "denied"):
            return self._report(card, last, outcome)
        if isinstance(last.result, dict) and isinstance(last.result.get("matches"), list):
            return self._which_one(last.result["matches"], last)
        return self._target(card)

    def _which_one(self, matches: list[Json], last: Call) -> _Move:
        facts = self.phrases.joint.join(
            facts_of(match, self.phrases, 3) if isinstance(match, dict) else str(match) for match in matches
        )
        return self._styled(_Move(self._words("which", facts=facts, thing=thing_of(last.arguments))))

    def _again(self, card: ToolCard) -> _Move:
        """The person spoke after something was done: choose a candidate, try again, or say once more how things stand."""
        talk, phrases = self.talk, self.phrases
        last = talk.calls[-1]
        own = next((item for item in self.cards if item.name == last.tool), None)
        if own is not None and own is not card:
            self._turn_to(own)
            card = own
        candidates = candidates_of(last.result)
        if candidates and (phrases.first.search(talk.last) or phrases.yes.search(talk.last)) and card.effect.writes:
            handle = next((name for name in card.effect.id_params if name in self.found), None)
            if handle is not None:
                value = id_of(candidates[0], handle)
                return _Move(call=(card.name, {**self.found, handle: value}))
        outcome = outcome_of(last.result)
        if phrases.again.search(talk.last) and outcome == "fault":
            return _Move(call=(last.tool, last.arguments))
        if outcome == "invalid" and not self.missing and len(talk.calls) < 4 and dict(last.arguments) != self.found:
            return _Move(call=(card.name, self.found))
        return self._report(card, last, outcome)

    def _report(self, card: ToolCard, last: Call, outcome: str) -> _Move:
        """What came of it, in words that name the thing; what was done before it is told first."""
        earlier = [
            call
            for call in self.talk.calls[:-1]
            if any(own.name == call.tool and own is not card for own in self.cards) and outcome_of(call.result) == "ok"
        ]
        before = "".join(self._told(self.box.by_name[call.tool], call) + " " for call in earlier)
        move = self._final(card, last, outcome)
        return _Move(before + move.text, planted=move.planted) if before and move.call is None else move

    def _told(self, card: ToolCard, call: Call) -> str:
        facts = facts_of(call.result, self.phrases, 8)
        return self._words(
            "changed" if card.effect.writes else "found",
            thing=thing_of(call.arguments),
            facts=facts,
            goal=goal_of(card, self.language),
        )

    def _final(self, card: ToolCard, last: Call, outcome: str) -> _Move:
        """The report on the last call alone."""
        thing = thing_of(last.arguments)
        why = message_of(last.result)
        if outcome == "ambiguous":
            facts = self.phrases.joint.join(str(item) for item in candidates_of(last.result))
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
            return _Move(self.phrases.bare, planted=self.flaw)
        facts = facts_of(last.result, self.phrases, 8)
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
            "thing": thing_of(self.found) or topic_of(self.talk.ask),
            "goal": goal_of(card, self.language) if card else "",
            "why": "",
            "labels": "",
            "facts": "",
            **slots,
        }
        if not values["thing"]:
            values["thing"] = topic_of(self.talk.ask)
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
        return self.phrases.joint.join(label_of(self.card, name, self.language) for name in names)


__all__ = ["FLAWS", "ScriptedModel", "scripted"]
