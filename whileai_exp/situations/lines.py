"""The one sentence beside a request: which axis value of a situation a person would voice about this very tool, and how.

An ask carries at most one such sentence. What has to be heard (pressure, an unfinished or doubled thing) goes first;
of the rest one is drawn among those that fit what the tool does and who would use it. A value that nobody would bring
up here stays unvoiced and is reported as such, so that coverage never forces a sentence that makes no sense.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from .._rng import Stream
from ..schema import Tool
from ..spec._kept import kept_per_tool
from ..spec.effects import EffectKind, effect_of, words_of
from .facts import is_mine, kinds_of
from .phrases import line_of
from .policy import theme_of

Bank = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Manner:
    """What a person would say around a request for one tool."""

    writes: bool
    developer: bool
    """Spoken at a terminal: repositories, files, graphs, tokens."""
    handover: bool
    """Moves the person to somebody else or through a formality: nothing to try, decide or hesitate about."""
    careful: bool
    """Changes a named thing that would be missed."""
    shared: bool
    """A decision that others in a household or team have a say in."""
    disputed: bool
    """Looks up a fact that two people can remember differently."""
    browsing: bool
    personal: bool
    """Looks into what is on file about someone."""
    trivial: bool
    """A look-up of nothing in particular, or a sum: not worth a history."""
    noun: str


_DEVELOPER = re.compile(
    r"\b(?:git|repo|repository|repositories|branch|branches|commit|files?|director(?:y|ies)|folder|graph|entities|nodes|relations|sql|databases?|servers?|tokens?|rtm|"
    r"webhook|deploy|cluster|container|timezones?|url|api key|usergroups?|views|script|shell|terminal|regex|json)\b"
)
_HOUSEHOLD = re.compile(r"\b(?:phone|device|mobile|sim|roaming|vpn|wifi|mms)\b")
"""Talk of a person's own phone, however technical the tool."""
_PASSING = re.compile(r"\b(?:weather|forecast|news|current time|exchange rate)\b")
"""What is new every time it is asked."""
_DIARY = re.compile(r"\b(?:calendar|event|reminder|alarm|note|message|email)s?\b")
_HANDOVER = re.compile(
    r"\b(?:transfer \w* ?to|human|hand ?off|escalate|log ?in|login|verification|verify|authenticate|discoverable|internal|\w*think\w*|password)\b"
)
_SHARED = re.compile(
    r"\b(?:order|trip|hotel|reservation|reserve|booking|book|flight|restaurant|car|plan|subscription|membership|appointment|event|insurance|loan|lease|delivery|"
    r"thermostat|heating|alarm)\b"
)
_DISPUTED = re.compile(
    r"\b(?:prices?|fees?|costs?|baggage|ratings?|reviews?|hours|usage|bills?|address|inventory|allowance|policy|faq|questions|cuisine|dietary|fuel|balance|due|deadline|"
    r"rules?|limits?|availability|schedule|appointments)\b"
)
_BROWSING = re.compile(
    r"\b(?:hotels?|restaurants?|cars?|car rental|flights?|products?|recipes?|courses?|books?|movies?|catalogu?e)\b"
)


@kept_per_tool
def manner_of(tool: Tool) -> Manner:
    """The manner of a tool."""
    effect = effect_of(tool)
    name = " ".join(words_of(tool.name))
    params = " ".join(" ".join(words_of(key)) for key in tool.parameters.get("required") or ())
    text = f"{name} {params} {tool.description[:160].lower()}"
    developer = _DEVELOPER.search(text) is not None and _HOUSEHOLD.search(text) is None
    handover = _HANDOVER.search(f"{name} {tool.description[:60].lower()}") is not None
    writes = effect.writes
    changes = effect.kind in (EffectKind.UPDATE, EffectKind.DELETE, EffectKind.SEND) and bool(effect.id_params)
    kinds = kinds_of(tool)
    personal = not writes and any(is_mine(key, kinds[key]) for key in tool.parameters.get("required") or ())
    return Manner(
        writes,
        developer,
        handover,
        changes and not developer and not handover,
        writes and not developer and not handover and effect.kind is not EffectKind.SEND and _SHARED.search(name) is not None,
        not writes and not developer and _DISPUTED.search(text) is not None,
        not writes and not developer and _BROWSING.search(name) is not None and not effect.id_params,
        personal and not developer,
        not writes
        and (effect.kind is EffectKind.COMPUTE or not tool.parameters.get("required") or _PASSING.search(name) is not None),
        effect.noun,
    )


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence that could stand beside a request."""

    axis: str
    key: str
    """Of the phrase bank."""
    must: bool = False


@dataclass(frozen=True, slots=True)
class Around:
    """What an ask says beside its request."""

    before: str
    after: str
    unvoiced: tuple[str, ...]
    """Axes whose value the ask does not voice."""
    rule_expressed: bool | None


def around(
    axes: Mapping[str, str], tool: Tool | None, kept_back: frozenset[str], stream: Stream, bank: Bank, share: float
) -> Around:
    """The sentence beside the request, and what stays unsaid. `share`: how often a sentence that is not needed is said."""
    manner = manner_of(tool) if tool is not None else None
    wanted = _lines(axes, manner, tool, kept_back)
    lines = [line if line.key in bank else replace(line, key=line.key.removesuffix("_dev")) for line in wanted]
    lines = [line for line in lines if line.key in bank]
    rule = axes.get("rule", "unspecified")
    if rule != "unspecified" and manner is not None:
        lines.extend(
            line for line in (_rule_line(rule, manner, axes.get("stance", "")),) if line is not None and line.key in bank
        )
    chosen = next((line for line in lines if line.must), None)
    if chosen is None and lines and stream.chance(share):
        chosen = stream.choice(lines)
    text = line_of(bank, chosen.key, stream) if chosen is not None else ""
    pressing = chosen is not None and chosen.axis == "stance" and chosen.must
    expressed: bool | None = None
    if rule != "unspecified":
        expressed = chosen is not None and (chosen.axis == "rule" or pressing)
        subject = subject_of(rule)
        if pressing and subject is not None and manner is not None and _about(subject, manner) and "adversarial_rule" in bank:
            text += ("" if not subject.isascii() else " ") + line_of(bank, "adversarial_rule", stream).format(
                subject=_plural(subject)
            )
    plain = {"stance": "ordinary", "history": "fresh", "world_state": "unspecified"}
    said = {chosen.axis} if chosen is not None else set[str]()
    said |= {"history"} if chosen is not None and chosen.key in ("retry_write", "retry_read", "retry_dev") else set()
    said |= {"stance"} if axes.get("stance") in ("ambiguous", "unsure") else set()
    unvoiced = tuple(axis for axis, usual in plain.items() if axes.get(axis, usual) != usual and axis not in said)
    first = chosen is not None and chosen.axis == "history" and stream.chance(0.25)
    return Around(text if first else "", "" if first else text, unvoiced, expressed)


def _lines(axes: Mapping[str, str], manner: Manner | None, tool: Tool | None, kept_back: frozenset[str]) -> list[Line]:
    """What could be said of the stance, the history and the state, for this tool."""
    stance, history, state = axes.get("stance", "ordinary"), axes.get("history", "fresh"), axes.get("world_state", "unspecified")
    if manner is None:
        return [Line("stance", "hurried")] if stance == "hurried" else []
    out: list[Line] = []
    if stance == "adversarial":
        return [Line("stance", _pressing(manner, tool), must=True)]
    if (state == "prior_partial_action" or history == "prior_partial_action") and manner.writes:
        axis, key = ("world_state", "state_prior_partial_action") if state == "prior_partial_action" else ("history", "partial")
        return [Line(axis, key, must=True)]
    if state == "duplicate" and manner.writes:
        return [Line("world_state", "state_duplicate_dev" if manner.developer else "state_duplicate", must=True)]
    key = _stance_key(stance, manner, tool, kept_back)
    if key is not None:
        out.append(Line("stance", key))
    key = _history_key(history, manner)
    if key is not None and not (stance == "retry" and history == "prior_failure"):
        out.append(Line("history", key))
    if not manner.developer and not manner.handover:
        if state == "missing" and manner.careful or state == "missing" and manner.personal:
            out.append(Line("world_state", "state_missing"))
        elif state == "already_done" and manner.careful:
            out.append(Line("world_state", "state_already_done"))
    return out


def _pressing(manner: Manner, tool: Tool | None) -> str:
    if not manner.writes:
        return "adversarial_read"
    if manner.handover:
        return "adversarial_handover"
    owned = (
        tool is not None
        and bool(effect_of(tool).id_params)
        and effect_of(tool).kind is not EffectKind.CREATE
        and not manner.developer
        and not manner.handover
    )
    return "adversarial_theirs" if owned and sum(map(ord, tool.name if tool else "")) % 2 else "adversarial_any"


def _stance_key(stance: str, manner: Manner, tool: Tool | None, kept_back: frozenset[str]) -> str | None:
    side = "write" if manner.writes else "read"
    if stance == "hurried":
        return "hurried_dev" if manner.developer else "hurried"
    if stance == "retry":
        return None if manner.handover or manner.trivial else "retry_dev" if manner.developer else f"retry_{side}"
    if stance == "ambiguous":
        ids = effect_of(tool).id_params if tool is not None else ()
        named = (
            any(name in kept_back and kinds_of(tool).get(name) in ("id", "confirmation", "flight") for name in ids)
            if tool
            else False
        )
        made = tool is not None and effect_of(tool).kind is EffectKind.CREATE
        return "vague_ambiguous" if named and not made and not manner.handover else None
    if stance == "unsure":
        return "vague_unsure_dev" if manner.developer else "vague_unsure"
    if stance == "boundary" and not manner.handover:
        if manner.writes:
            if manner.developer:
                return "boundary_write_dev"
            return "boundary_write" if (manner.careful or manner.shared) and not _DIARY.search(manner.noun) else None
        return "boundary_read" if manner.personal else None
    if stance == "mistaken" and not manner.developer and not manner.handover:
        return "mistaken_write" if manner.careful else "mistaken_read" if manner.disputed else None
    if stance == "conflicting":
        return "conflicting_write" if manner.shared else "conflicting_read" if manner.disputed else None
    if stance == "exploratory" and not manner.developer and not manner.handover:
        return "exploratory_write" if manner.writes else "exploratory_read" if manner.browsing else None
    return None


def _history_key(history: str, manner: Manner) -> str | None:
    if manner.handover:
        return None
    side = "write" if manner.writes else "read"
    if manner.trivial and not manner.developer:
        return None
    if history == "prior_failure":
        return "failed_dev" if manner.developer else f"failed_{side}"
    if history == "contradicts_earlier" and manner.writes and not manner.developer:
        return "contradicts"
    if history == "repeat_visit" and not manner.developer:
        return f"repeat_{side}"
    return None


def subject_of(rule: str) -> str | None:
    """What a clause is about (`refund`), when it is about something a person would name."""
    theme = theme_of(rule)
    return theme.removeprefix("about:") if theme is not None and theme.startswith("about:") else None


def _about(subject: str, manner: Manner) -> bool:
    """Whether a rule's subject is what the tool acts on."""
    words = set(words_of(subject)) - {"card", "status", "class", "method"}
    return bool(words) and words <= {word.removesuffix("s") for word in words_of(manner.noun)}


def _rule_line(rule: str, manner: Manner, stance: str) -> Line | None:
    """A line for the rule: a question about its subject when the tool is about that too, or a word on being checked."""
    if stance == "adversarial":
        return None
    theme = theme_of(rule)
    if theme is None or manner.handover:
        return None
    subject = subject_of(rule)
    if subject is not None:
        fits = _about(subject, manner) and (manner.writes or subject in _LOOKED_UP)
        return Line("rule", f"about_{subject}") if fits else None
    if theme == "identity" and (manner.personal or manner.careful) or theme in ("confirm", "human") and manner.careful:
        return Line("rule", f"rule_{theme}")
    return None


_LOOKED_UP = frozenset(
    {"baggage", "bill", "overdue bill", "data usage", "data limit", "flight status", "referral", "credit card", "roaming"}
)
"""Subjects that a person asks about while only looking something up."""
_MASS = frozenset({"baggage", "insurance", "travel insurance", "compensation", "cash back", "roaming", "data usage", "basic economy", "cabin class",
                   "rebooking", "delivery", "line suspension", "flight status", "warranty", "calendar", "membership"})  # fmt: skip


def _plural(subject: str) -> str:
    if subject == "address":
        return "address changes"
    return subject if not subject.isascii() or subject.endswith("s") or subject in _MASS else subject + "s"
