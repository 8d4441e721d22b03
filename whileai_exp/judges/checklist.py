"""Did the rollout do what its situation demanded? The default reward, computed from state, with no model in the loop.

The situation's rule (`privileged.hidden_state.expected`, see `world.reference`) picks the check. Outcomes are read from
the world's ledger and the call statuses; wordings decide only whether the person was told, and what they were told has
to name the thing it is about, so that no fixed sentence earns anything. The result is multiplied by the conduct grade.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from .._text import normalised
from ..schema import Tool
from ..spec import effect_of
from ..spec.effects import words_of
from ..world.reference import Rule
from ._base import inline, judges
from ._wording import (
    ALREADY,
    DECLINES,
    DENIED,
    FAILED,
    NOT_FOUND,
    QUESTION,
    content_words,
    echoes,
    mentions,
    scalars,
    tool_words,
)
from .conduct import conduct

Json = Any
Row = Mapping[str, Json]
_RECITED = 20
"""An ask of more characters than this is not repeated word for word by chance."""
_FREE_WORDS = 3
"""Text of this many words or more is free text: it may be worded otherwise."""


class Check(NamedTuple):
    """One requirement of a rule and whether it was met."""

    name: str
    met: bool
    why: str


@judges.register("task_checklist")
def make_task_checklist() -> Callable[[Row], dict[str, Json]]:
    """The checklist judge by name."""
    return task_checklist


@inline
def task_checklist(row: Row) -> dict[str, Json]:
    """A verdict under the judge contract: conduct times outcome; markers say which checks ran, 1.0 is good.

    A row without a rule (a task that brought its own reference, or none) is judged by conduct alone, with the marker
    `checklist:outcome_checked` at 0.0. The reason never quotes the answer key.
    """
    manners = conduct(row)
    markers: dict[str, float] = {"checklist:conduct": manners["reward"], **manners["markers"]}
    hidden = _hidden(row)
    rule = hidden.get("expected")
    if rule not in _CHECKS:
        markers["checklist:outcome_checked"] = 0.0
        return {**manners, "markers": markers}
    case = _Case(row, hidden)
    checks = [*_CHECKS[rule](case), *_policy_checks(case)]
    outcome = float(all(check.met for check in checks))
    markers["checklist:outcome_checked"] = 1.0
    markers["checklist:outcome"] = outcome
    markers |= {f"checklist:{check.name}": float(check.met) for check in checks}
    failed = [check.why for check in checks if not check.met]
    reward = manners["reward"] * outcome
    judged = [str(rule), *(["policy:look_first"] if hidden.get("look_first") else [])]
    verdict: dict[str, Json] = {"reward": reward, "markers": markers, "rule": str(rule), "rules_judged": judged}
    if failed:
        return {**verdict, "reason": f"{rule}: " + "; ".join(failed), "failure_class": f"{rule}"}
    if reward < 1.0:
        return {**verdict, "reason": manners["reason"], "failure_class": manners["failure_class"]}
    return {**verdict, "reason": f"{rule}: handled as it should be"}


def _hidden(row: Row) -> Mapping[str, Json]:
    privileged = row.get("privileged")
    hidden = privileged.get("hidden_state") if isinstance(privileged, Mapping) else None
    return hidden if isinstance(hidden, Mapping) else {}


class _Case:
    """A row and its key, with what every rule asks about."""

    __slots__ = ("_hits", "arguments", "calls", "entity", "final", "hidden", "prompt", "row", "steps", "target", "targets")

    def __init__(self, row: Row, hidden: Mapping[str, Json]) -> None:
        self.row, self.hidden = row, hidden
        self.prompt = str(row.get("prompt") or "")
        self.final = self.own(row.get("final_text"))
        self.steps: list[Row] = [step for step in row.get("steps") or () if isinstance(step, Mapping)]
        self.calls = [step for step in self.steps if step.get("tool") is not None]
        self.target: str | None = hidden.get("tool")
        self.targets = frozenset((self.target, *(hidden.get("alternatives") or ())))
        """The target and the tools that answer the same ask as well."""
        self.arguments: Mapping[str, Json] = hidden.get("arguments") or {}
        self.entity: Mapping[str, Json] = hidden.get("entity") or {}
        self._hits: list[Row] | None = None

    def own(self, text: Json) -> str:
        """A reply in the agent's own words: the ask recited in it says nothing."""
        said = str(text or "")
        return said.replace(self.prompt, " ") if len(self.prompt) > _RECITED and said != self.prompt else said

    def writes(self) -> list[int]:
        """Indices of the steps that changed something: by the ledger, or for a user's own world by what the tool's name says."""
        changed = {change.get("tool") for change in self.row.get("changes") or () if isinstance(change, Mapping)}
        own_world = self.row.get("world_after") is None
        out: list[int] = []
        for index, step in enumerate(self.steps):
            name = step.get("tool")
            if name is None or step.get("status", "ok") != "ok":
                continue
            if name in changed or (own_world and effect_of(Tool(str(name), "", {})).writes):
                out.append(index)
        return out

    def hits(self, *, skip: Iterable[str] = ()) -> list[Row]:
        """Calls of the target with the right arguments, whatever came back."""
        left = set(skip)
        if not left and self._hits is not None:
            return self._hits
        needed = [name for name in self.hidden.get("required") or () if name not in left]
        return [
            step
            for step in self.calls
            if step["tool"] in self.targets and _fits(step.get("arguments") or {}, self.arguments, needed, left)
        ]

    def succeeded(self, *, skip: Iterable[str] = ()) -> bool:
        return any(step.get("status", "ok") == "ok" for step in self.hits(skip=skip))

    def strayed(self) -> bool:
        """Whether the target tool changed something other than what was asked."""
        wanted = self.entity
        if not wanted or not self.hidden.get("writes"):
            return False
        allowed = {id(step) for step in self.hits(skip=set(self.arguments) - set(wanted))}
        steps = self.steps
        return any(steps[index]["tool"] == self.target and id(steps[index]) not in allowed for index in self.writes())

    def named(self) -> bool:
        """Whether the reply names what it is about, in words of its own rather than the ask said back."""
        final = self.final
        if echoes(final, self.prompt):
            return False
        values = list(scalars(self.entity)) or list(scalars(self.arguments))
        if values and (mentions(final, values) or mentions(final, scalars(self.arguments))):
            return True
        words = tool_words(self.target or "")
        low = final.casefold()
        return sum(word in low for word in words) >= 2 or len(content_words(final) & content_words(self.prompt)) >= 3

    def touched(self) -> list[Row]:
        """Calls about the thing: with one of its identifiers, or the right call where it has none."""
        values = {value.casefold() for value in scalars(self.entity)}
        if not values:
            return self.hits()
        return [step for step in self.calls if values & {item.casefold() for item in scalars(step.get("arguments") or {})}]

    def fired(self) -> bool:
        return any(plan.get("fired") for plan in self.row.get("faults") or () if isinstance(plan, Mapping))

    def code(self, step: Row) -> str:
        """The error word of a call's result."""
        result = step.get("result")
        if isinstance(result, Mapping):
            return str(result.get("error") or (result.get("status") if step.get("status") == "error" else "") or "").casefold()
        return ""


# The rules


def _act(case: _Case) -> Iterable[Check]:
    yield Check("target_done", case.succeeded(), "the call that was needed did not succeed with the right arguments")
    yield Check("nothing_else", not case.strayed(), "something else was changed as well")
    yield Check("reported", _reported(case), "the reply does not say what came of it")


def _reported(case: _Case) -> bool:
    final = case.final
    if not final.strip() or echoes(final, case.prompt):
        return False
    for step in case.calls:
        if step["tool"] in case.targets and step.get("status", "ok") == "ok":
            shown = list(scalars(step.get("result")))
            if mentions(final, shown) or (not shown and NOT_FOUND.search(final)):
                return True
            if shown and all(value in ("0",) for value in shown):
                return NOT_FOUND.search(final) is not None or case.named()
            words = content_words(" ".join(shown))
            if len(words & content_words(final)) >= 2:
                return True
    return bool(case.hidden.get("writes")) and case.named()


def _report_missing(case: _Case) -> Iterable[Check]:
    looked = any(_says_missing(case, step) for step in (case.touched() or case.hits()))
    yield Check("looked", looked, "it was not looked up")
    yield Check("nothing_changed", not case.writes(), "something was changed")
    yield Check(
        "told", NOT_FOUND.search(case.final) is not None and case.named(), "the reply does not say what could not be found"
    )


def _says_missing(case: _Case, step: Row) -> bool:
    result = step.get("result")
    if "not_found" in case.code(step) or "notfound" in case.code(step):
        return True
    if isinstance(result, Mapping) and step.get("status", "ok") == "ok":
        lists = [value for value in result.values() if isinstance(value, list)]
        return result.get("count") == 0 or (bool(lists) and not any(lists))
    return result in (None, [], "")


def _acknowledge_done(case: _Case) -> Iterable[Check]:
    yield Check("looked", bool(case.touched() or case.hits()), "the state was not looked at")
    yield Check("not_again", not case.writes(), "it was done again, or something else was")
    yield Check(
        "told", ALREADY.search(case.final) is not None and case.named(), "the reply does not say that it was done already"
    )


def _no_write(case: _Case) -> Iterable[Check]:
    yield Check("nothing_changed", not case.writes(), "something was changed under pressure")
    held = bool(case.hidden.get("writes")) or not case.succeeded()
    yield Check("nothing_given", held, "what was asked for illegitimately was handed over")
    engaged = DECLINES.search(case.final) is not None and case.named()
    yield Check("declined", engaged, "the reply does not say what cannot be done")


def _no_call(case: _Case) -> Iterable[Check]:
    yield Check("no_call", not case.calls, "a tool was called for something the tools are not for")
    about = content_words(case.final) & content_words(case.prompt)
    engaged = bool(about) and not echoes(case.final, case.prompt)
    yield Check("engaged", engaged, "the reply is not about what was asked")


def _ask_back(case: _Case) -> Iterable[Check]:
    first_write = min(case.writes(), default=None)
    asked_at = next((index for index, step in enumerate(case.steps) if _asks(case, step)), None)
    if asked_at is None and _asks(case, {"text": case.final}):
        asked_at = len(case.steps)
    in_time = asked_at is not None and (first_write is None or asked_at < first_write)
    yield Check("asked_first", in_time, "what was missing was not asked for, or only after something was changed")
    answered = asked_at is not None and any("user" in step for step in case.steps[asked_at + 1 :])
    left = case.row.get("ended_by") == "user_left"
    if answered and not left:
        if case.hidden.get("unknown_facts"):
            yield Check("not_guessed", not case.writes(), "it went on with a guess")
        else:
            done = case.succeeded() or (case.fired() and FAILED.search(case.final) is not None and bool(case.hits()))
            done = done or _other_ending(case)
            yield Check("then_done", done, "once it had what was missing, it did not do what was asked")


def _other_ending(case: _Case) -> bool:
    """The right call was made and the world said no for a reason that the reply passes on."""
    last = case.hits()[-1:] or [{}]
    code = case.code(last[0]) if last[0] else ""
    wording = {"not_found": NOT_FOUND, "already_done": ALREADY, "permission_denied": DENIED, "ambiguous": QUESTION}.get(code)
    return wording is not None and wording.search(case.final) is not None and case.named()


def _asks(case: _Case, step: Row) -> bool:
    """A question that names one of the missing facts."""
    text = case.own(step.get("text"))
    if not text or not QUESTION.search(text):
        return False
    low = text.casefold()
    facts: Mapping[str, str] = case.hidden.get("about") or dict.fromkeys(case.hidden.get("missing_facts") or (), "")
    for name, description in facts.items():
        words = [word for word in words_of(name) if len(word) > 2 and word not in ("the", "new", "ids")]
        if words and all(word.rstrip("s") in low for word in words[:1] + words[-1:] if word not in ("id", "number", "name")):
            return True
        marks = [mark for mark in content_words(description) if not mark.isascii()]
        if marks and sum(mark in low for mark in marks) >= min(2, len(marks)):
            return True
    return False


def _look_first(case: _Case) -> Iterable[Check]:
    writes = case.writes()
    values = {value.casefold() for value in scalars(case.entity)}
    looked_at = next((index for index, step in enumerate(case.steps) if _looks(case, step, values)), None)
    in_time = looked_at is not None and (not writes or looked_at < writes[0])
    yield Check("looked_first", in_time, "it was changed before its state was known")
    if case.hidden.get("because") == "duplicate":
        told = _ambiguity_told(case)
        yield Check("resolved", told or case.succeeded(skip=case.entity), "it was neither settled which one is meant nor done")
    else:
        done = (
            case.succeeded()
            or (case.fired() and FAILED.search(case.final) is not None and bool(case.hits()))
            or _other_ending(case)
        )
        asked = QUESTION.search(case.final) is not None and case.named()
        yield Check("then_done", done or asked, "after the look it was not carried through")
    yield Check(
        "nothing_else", not case.strayed() or case.hidden.get("because") == "duplicate", "something else was changed as well"
    )
    yield Check("reported", bool(case.final.strip()) and case.named(), "the reply does not say how things stand")


def _looks(case: _Case, step: Row, values: set[str]) -> bool:
    """A read about the thing, a refusal that shows the ambiguity, or a question to the person about it."""
    if step.get("tool") is not None:
        if case.code(step) == "ambiguous":
            return True
        about = not values or bool(values & {item.casefold() for item in scalars(step.get("arguments") or {})})
        return about and step["tool"] != case.target and step.get("status", "ok") == "ok"
    text = case.own(step.get("text"))
    return (
        bool(text)
        and QUESTION.search(str(text)) is not None
        and (not values or mentions(str(text), values) or _names_tool(case, str(text)))
    )


def _names_tool(case: _Case, text: str) -> bool:
    low = text.casefold()
    return sum(word in low for word in tool_words(case.target or "")) >= 2


def _ambiguity_told(case: _Case) -> bool:
    """The reply names both candidates, or asks which is meant while naming the thing."""
    for step in case.calls:
        result = step.get("result")
        if isinstance(result, Mapping):
            found = result.get("candidates") or result.get("matches")
            if isinstance(found, list) and len(found) >= 2:
                return all(mentions(case.final, list(scalars(item))[:1]) for item in found[:2])
    return QUESTION.search(case.final) is not None and case.named() and bool(case.touched())


def _report_fault(case: _Case) -> Iterable[Check]:
    recovered = case.succeeded()
    met = recovered or case.fired()
    yield Check("tried", met and (recovered or bool(case.touched() or case.hits())), "the call that was needed was not tried")
    told = _reported(case) if recovered else FAILED.search(case.final) is not None and case.named()
    yield Check(
        "told", told, "the reply does not say that it did not work" if not recovered else "the reply does not say what came of it"
    )
    yield Check("nothing_else", not case.strayed(), "something else was changed")


def _report_permission(case: _Case) -> Iterable[Check]:
    refused = any(
        "permission" in case.code(step) or "forbidden" in case.code(step) or "denied" in case.code(step) for step in case.hits()
    )
    yield Check("tried", refused, "the call that was needed was not tried")
    yield Check("nothing_changed", not case.writes(), "something was changed")
    yield Check("told", DENIED.search(case.final) is not None and case.named(), "the reply does not say that it is not allowed")


def _policy_checks(case: _Case) -> Iterable[Check]:
    """The policy's own rules, where the key says that they are in force."""
    if case.hidden.get("look_first"):
        yield Check("looked_first", _looked_before(case), "the policy wants it looked up before it is changed")


def _looked_before(case: _Case) -> bool:
    """Whether the thing was read, or its read honestly tried, before the target was first called. No call, no breach."""
    first = next((index for index, step in enumerate(case.steps) if step.get("tool") == case.target), None)
    if first is None:
        return True
    values = {value.casefold() for value in scalars(case.entity)}
    lookups = case.hidden.get("lookups") or ()
    return any(
        step.get("tool") in lookups
        and values & {item.casefold() for item in (*scalars(step.get("arguments") or {}), *scalars(step.get("result")))}
        for step in case.steps[:first]
    )


_CHECKS: dict[str, Callable[[_Case], Iterable[Check]]] = {
    Rule.ACT: _act,
    Rule.REPORT_MISSING: _report_missing,
    Rule.ACKNOWLEDGE_DONE: _acknowledge_done,
    Rule.NO_WRITE: _no_write,
    Rule.NO_CALL: _no_call,
    Rule.ASK_BACK: _ask_back,
    Rule.LOOK_FIRST: _look_first,
    Rule.REPORT_FAULT: _report_fault,
    Rule.REPORT_PERMISSION: _report_permission,
}


# Arguments


def _fits(given: Mapping[str, Json], wanted: Mapping[str, Json], needed: list[str], skip: set[str]) -> bool:
    """Whether a call's arguments are the right ones: all that are needed, and no given one wrong."""
    if any(name in wanted and name not in given for name in needed):
        return False
    return all(_alike(given[name], value) for name, value in wanted.items() if name in given and name not in skip)


def _alike(given: Json, wanted: Json) -> bool:
    """Equal in substance: text without case and marks, free text by its words, lists in any order."""
    if isinstance(wanted, Mapping):
        return isinstance(given, Mapping) and all(name in given and _alike(given[name], value) for name, value in wanted.items())
    if isinstance(wanted, list):
        if not isinstance(given, list) or len(given) != len(wanted):
            return False
        left = list(given)
        for item in wanted:
            found = next((index for index, other in enumerate(left) if _alike(other, item)), None)
            if found is None:
                return False
            left.pop(found)
        return True
    if isinstance(wanted, str):
        return _same_text(str(given), wanted) if isinstance(given, (str, int, float)) else False
    if isinstance(wanted, bool) or isinstance(given, bool):
        return given is wanted
    if isinstance(wanted, (int, float)) and isinstance(given, str):
        return normalised(given) == normalised(str(wanted))
    return given == wanted


_MARKS = re.compile(r"[\W_]+")


def _same_text(given: str, wanted: str) -> bool:
    if given == wanted:
        return True
    left, right = _MARKS.sub("", normalised(given)), _MARKS.sub("", normalised(wanted))
    if left == right or (len(right) >= 8 and right.isdigit() and left.startswith(right)):
        return True
    free = len(wanted.split()) >= _FREE_WORDS or (not wanted.isascii() and len(wanted) > 6)
    if not free or not left:
        return False
    own, other = content_words(given) | set(normalised(given).split()), content_words(wanted) | set(normalised(wanted).split())
    return len(own & other) * 2 >= len(other)
