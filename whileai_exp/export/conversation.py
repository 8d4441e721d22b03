"""One rollout as a conversation that a trainer can imitate, or the reason why it is none.

Knows chat messages, tool calls and which turns the loss should see; knows no file and no trainer. A conversation comes out
whole: one system message at most and first, text contents never null, every call with an id of its own, answered once and
in its own turn, and arguments that parse back to the object they were. What cannot be brought to that form is left out
with its reason, since a repaired guess would be trained on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from .._text import without_reasoning
from ..schema import from_row, task_key
from ..schema.privileged import without_privileged
from ..schema.steps import dumps, messages_of
from .checks import holds_secret

MASKS = ("assistant", "final")
"""Which turns are trained on: every turn of the agent in this rollout, or its last one."""
_UNWRAPS = 3
"""How often arguments may be JSON text of JSON text."""
_LONG_NUMBER = re.compile(r"\d{19}")
"""Where a number might not fit the 64 bits that table formats have."""
_SYSTEM = ("system", "developer")


class Unfit(Exception):
    """The row is no conversation to train on; the argument is the reason, one word."""


class Call(NamedTuple):
    """One tool call: its id within the conversation, the tool, and its arguments as the text of a JSON object."""

    id: str
    name: str
    arguments: str

    def wire(self, *, objects: bool) -> dict[str, Any]:
        """OpenAI's envelope; `objects` puts the arguments in as an object, as chat templates want them."""
        given = json.loads(self.arguments) if objects else self.arguments
        if objects and _LONG_NUMBER.search(self.arguments):
            try:
                orjson.dumps(given)
            except TypeError:
                raise Unfit("huge_number") from None
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": given}}


@dataclass(slots=True)
class Turn:
    """One message."""

    role: str
    content: Any
    """Text; a list only where a part of it is no text (an image)."""
    calls: tuple[Call, ...] = ()
    answers: str = ""
    """The id of the call that a tool's message answers."""
    name: str = ""
    """The tool that a tool's message comes from."""
    trained: bool = False
    """Whether the loss sees it."""

    def wire(self, *, objects: bool = False, names: bool = False) -> dict[str, Any]:
        """The message with only the keys that it has; `names` keeps the tool's name beside its answer."""
        out: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.calls:
            out["tool_calls"] = [call.wire(objects=objects) for call in self.calls]
        if self.role == "tool":
            out["tool_call_id"] = self.answers
            if names and self.name:
                out["name"] = self.name
        return out


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns of one rollout, and which task and rollout they are."""

    turns: tuple[Turn, ...]
    task_id: str
    rollout_id: str
    reward: float | None
    opening: int
    """How many messages stand before the agent's first turn of this rollout: the prompt."""

    def messages(self, *, objects: bool = False, names: bool = False) -> list[dict[str, Any]]:
        return [turn.wire(objects=objects, names=names) for turn in self.turns]

    @property
    def whole_mask(self) -> bool:
        """Whether the loss sees every assistant turn, so that a trainer's own assistant mask says the same."""
        return all(turn.trained for turn in self.turns if turn.role == "assistant")


def conversation_of(
    row: Mapping[str, Any],
    reward: float | None,
    *,
    system_prompt: str = "",
    tools: frozenset[str] = frozenset(),
    mask: str = "assistant",
    reasoning: str = "drop",
    imitated: bool = True,
) -> Conversation:
    """The row's conversation. Unfit with the reason when it cannot be one.

    `system_prompt` stands first and replaces what the row opens with; without it the row's own system and developer
    messages become one. `tools`: the declared names, empty when unknown. `imitated=False`: only what precedes the agent's
    turns must be whole. `reasoning`: `drop` takes closed think blocks out of the agent's turns, `keep` leaves them.
    """
    messages = [message for message in _said(row) if isinstance(message, Mapping)]
    if _may_hide(messages):
        messages = list(without_privileged([dict(message) for message in messages]))
    own, rest = _system_of(messages)
    told = system_prompt or own
    n_before = _opening(row, rest)
    if not imitated:
        rest = rest[:n_before]
    turns = _turns(rest, n_before, reasoning)
    if imitated:
        _mark(turns, n_before, mask)
        _check(turns, tools)
    elif not turns:
        raise Unfit("no_prompt")
    head = (Turn("system", told),) if told else ()
    return Conversation((*head, *turns), task_key(row), str(row.get("rollout_id") or ""), reward, len(head) + n_before)


def _said(row: Mapping[str, Any]) -> Iterable[Any]:
    """The row's messages; rows that hold only steps are put into that form."""
    if row.get("messages") or not row.get("steps"):
        return row.get("messages") or ()
    task, rollout, _, _ = from_row(row)
    return messages_of(task.prompt, rollout.steps, task.prefix)


def _may_hide(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a privileged block may stand somewhere in the messages. Unfit when somebody's key does."""
    try:
        text = dumps(list(messages))
    except TypeError:
        raise Unfit("not_json") from None
    if holds_secret(text):
        raise Unfit("holds_a_secret")
    return b"privileged" in text


def _system_of(messages: Sequence[Mapping[str, Any]]) -> tuple[str, list[Mapping[str, Any]]]:
    """The text of the leading system and developer messages, and the others."""
    n = 0
    while n < len(messages) and messages[n].get("role") in _SYSTEM:
        n += 1
    texts = [_content(message.get("content")) for message in messages[:n]]
    if not all(isinstance(text, str) for text in texts):
        raise Unfit("system_not_text")
    return "\n\n".join(text for text in texts if text), list(messages[n:])


def _opening(row: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> int:
    """How many of the messages are given to the agent before its first own turn: the history it was given and the ask."""
    given = sum(1 for message in row.get("prefix") or () if isinstance(message, Mapping) and message.get("role") not in _SYSTEM)
    n = min(given, len(messages))
    while n < len(messages) and messages[n].get("role") != "assistant":
        n += 1
    return n


def _turns(messages: Iterable[Mapping[str, Any]], n_before: int, reasoning: str) -> list[Turn]:
    turns: list[Turn] = []
    ids: set[str] = set()
    open_calls: list[tuple[str, Call]] = []  # the calls of the last turn without an answer: the id given, and the call
    for place, message in enumerate(messages):
        role = str(message.get("role") or "")
        if role == "tool":
            turns.append(_answer(message, open_calls))
            continue
        if open_calls:
            raise Unfit("call_without_result")
        if role in _SYSTEM:
            turns.append(Turn("system", _content(message.get("content"))))
        elif role == "user":
            turns.append(Turn("user", _content(message.get("content"))))
        elif role == "assistant":
            turn, open_calls = _agent_turn(message, ids, reasoning, own=place >= n_before)
            turns.append(turn)
        else:
            raise Unfit("unknown_role")
    if open_calls and turns[-1].role == "tool":
        raise Unfit("call_without_result")
    return turns


def _agent_turn(message: Mapping[str, Any], ids: set[str], reasoning: str, *, own: bool) -> tuple[Turn, list[tuple[str, Call]]]:
    content = _content(message.get("content"))
    if isinstance(content, str) and "<" in content:
        spoken, unclosed = without_reasoning(content)
        if unclosed and own:
            raise Unfit("unclosed_reasoning")
        content = spoken if reasoning == "drop" else content
    calls: list[tuple[str, Call]] = []
    for raw in message.get("tool_calls") or ():
        function = raw.get("function") if isinstance(raw, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str) or not function["name"]:
            raise Unfit("broken_call")
        given = str(raw.get("id") or "")
        call = Call(_fresh(given, ids), function["name"], _arguments(function.get("arguments")))
        calls.append((given, call))
    return Turn("assistant", content, tuple(call for _, call in calls)), calls


def _fresh(given: str, ids: set[str]) -> str:
    """The id given when no earlier call has it, else one of ours: small servers count from zero in every turn."""
    made, n = given, len(ids)
    while not made or made in ids:
        made = f"call_{n:04d}"
        n += 1
    ids.add(made)
    return made


def _arguments(raw: Any) -> str:
    """Arguments as the text of one JSON object that parses back to what the model meant."""
    if isinstance(raw, Mapping):
        return dumps(dict(raw)).decode()
    text, value = raw, raw
    for _ in range(_UNWRAPS):
        if not isinstance(value, str):
            break
        text = value
        try:
            value = json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            raise Unfit("broken_arguments") from None
    if not isinstance(value, dict):
        raise Unfit("broken_arguments")
    return text if _encodes(text) else dumps(value).decode()


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _encodes(text: str) -> bool:
    """Whether the text can stand in a file: no lone surrogate, and strict readers take it."""
    try:
        orjson.loads(text)
    except ValueError:
        return False
    return True


def _answer(message: Mapping[str, Any], open_calls: list[tuple[str, Call]]) -> Turn:
    """A tool's message with the call of the same turn that it answers: by id, or the first open one when it has none."""
    given = str(message.get("tool_call_id") or "")
    place = next((n for n, (old, _) in enumerate(open_calls) if old == given), None) if given else None
    if place is None and not given and open_calls:
        place = 0
    if place is None:
        raise Unfit("result_without_call")
    _, call = open_calls.pop(place)
    return Turn("tool", _content(message.get("content")), answers=call.id, name=call.name)


def _content(raw: Any) -> Any:
    """Text of a message; a list of parts stays one only when a part is no text."""
    if raw is None:
        return ""
    if isinstance(raw, str):
        return _clean(raw)
    if isinstance(raw, Sequence) and not isinstance(raw, (bytes, bytearray)):
        texts = [_part_text(part) for part in raw]
        if all(text is not None for text in texts):
            return _clean("".join(text for text in texts if text is not None))
        if all(isinstance(part, (str, Mapping)) for part in raw):
            return [{"type": "text", "text": part} if isinstance(part, str) else dict(part) for part in raw]
    raise Unfit("content_not_text")


def _clean(text: str) -> str:
    """Text that UTF-8 can hold: a lone surrogate becomes a question mark, as in rows on disk."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _part_text(part: Any) -> str | None:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping) and part.get("type") in ("text", "input_text", "output_text"):
        text = part.get("text")
        return text if isinstance(text, str) else None
    return None


def _mark(turns: Sequence[Turn], n_before: int, mask: str) -> None:
    own = [turn for turn in turns[n_before:] if turn.role == "assistant"]
    for turn in own[-1:] if mask == "final" else own:
        turn.trained = True


def _check(turns: Sequence[Turn], tools: frozenset[str]) -> None:
    trained = [turn for turn in turns if turn.trained]
    if not trained:
        raise Unfit("no_agent_turn")
    if any(
        not turn.calls and (not turn.content or (isinstance(turn.content, str) and not turn.content.strip())) for turn in trained
    ):
        raise Unfit("empty_turn")
    if tools and any(call.name not in tools for turn in trained for call in turn.calls):
        raise Unfit("undeclared_tool")
