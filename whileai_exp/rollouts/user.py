"""Who talks to the agent? The simulated person: what they answer, when they push back, when they are done or leave.

A template person answers from their brief alone, offline and deterministically. A model person plays the same brief
through a chat model. Both say only what they were asked, never speak first twice, and their patience is drawn per
(task, repeat). They see what the agent said, never its tool calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson

from .._rng import Rng
from .._text import without_reasoning
from ..errors import BackendError
from ..knobs import PeopleKnobs
from ..plan.types import PersonPlan
from ..ports import Address, ChatModel, ChatRequest, Message, Person, PersonFactory, PersonReply
from ..schema import Sampling, Spec, Task, Tool, UserBrief
from ..spec.effects import words_of
from ..spec.values import language_of, spoken
from .identity import group_id
from .user_lines import BY_LANGUAGE, EN, Lines

Json = Any
_PRESSING = frozenset({"conflicting", "mistaken", "boundary", "hurried"})
_ID_WORDS = frozenset(["id", "ids", "number", "no", "code", "reference", "ref", "key"])
_SYNONYMS = {
    "reason": ("why", "reason"), "date": ("date", "when", "day"), "time": ("time", "when"), "zip": ("zip", "postal"), "email": ("email", "e-mail", "mail"),
    "phone": ("phone", "number"), "amount": ("amount", "much"), "quantity": ("quantity", "many"), "city": ("city", "where"), "location": ("location", "where"),
    "query": ("query", "search", "looking"), "keyword": ("keyword", "search"), "expression": ("expression", "calculate"), "summary": ("summary", "issue", "problem"),
}  # fmt: skip
_GENERAL = re.compile(
    r"\b(?:more (?:details|information)|details|specifics|information)\b|更多|详细|信息|자세|정보", re.IGNORECASE
)
_ASSISTANT = re.compile(r"^\s*(?:assistant|agent)\s*:|\bas an ai\b|\bhow (?:can|may) i (?:help|assist)\b", re.IGNORECASE)
_MARKUP = re.compile(r"</?tool_call>|<\|[a-z_]+\|>|\"tool_calls\"|^\s*\{\s*\"name\"\s*:", re.IGNORECASE)
_TOKEN = re.compile(r"[A-Za-z0-9#@][\w#@.+:/-]*\d[\w#@.+:/-]*|[\w.+-]+@[\w-]+\.[\w.]+")


def make_person_factory(spec: Spec, plan: PersonPlan, *, model: ChatModel | None, knobs: PeopleKnobs, seed: int) -> PersonFactory:
    """People for the tasks of one spec: template people when `model` is None."""
    rng = Rng(seed)
    language = language_of(spec)

    def make(task: Task, repeat: int) -> Person:
        mood = _Mood(task, repeat, plan, knobs, rng)
        if model is None:
            return TemplatePerson(task, spec, mood, BY_LANGUAGE.get(language, EN), language)
        return ModelPerson(task, repeat, mood, model, language)

    return make


class _Mood:
    """Patience, insistence and length of one person, drawn by address so that repeats differ and replays agree."""

    def __init__(self, task: Task, repeat: int, plan: PersonPlan, knobs: PeopleKnobs, rng: Rng) -> None:
        self.task, self.repeat, self.plan, self.knobs, self._rng = task, repeat, plan, knobs, rng
        self.questions = 0

    def chance(self, share: float, *address: object) -> bool:
        return share > 0 and self._rng.at("person", self.task.task_id, self.repeat, *address).chance(share)

    def pick(self, options: Sequence[str], *address: object) -> str:
        return self._rng.at("person", self.task.task_id, self.repeat, *address).choice(options)

    def walks_away(self) -> bool:
        """Counts one more question of the agent; whether it was one too many. The first is always answered."""
        self.questions += 1
        if self.questions < 2:
            return False
        return self.chance(self.plan.patience[0 if self.questions == 2 else 1], "leave", self.questions)

    def stays(self, turn: int) -> bool:
        return turn <= self.knobs.min_user_turns


class TemplatePerson:
    """A person without a model: answers from the brief, in the language of the spec."""

    def __init__(self, task: Task, spec: Spec, mood: _Mood, lines: Lines, language: str) -> None:
        self._brief, self._mood, self._lines, self._language = task.user, mood, lines, language
        self._tool = spec.tool(task.world.target) if task.world.target else None
        self._told = set(task.user.volunteers)
        self._next_line = 0
        self._pushed = 0
        self._retried = False
        self._checked = False

    @property
    def model(self) -> str | None:
        return "template"

    async def reply(self, messages: Sequence[Message], turn: int) -> PersonReply:
        heard = _last_words(messages)
        lines = self._lines
        if _asks(heard, self._language):
            if self._mood.walks_away():
                return PersonReply(self._mood.pick(lines.leave, "bye"), done=True, left=True)
            return PersonReply(self._answer(heard, turn))
        if self._next_line < len(self._brief.lines):
            self._next_line += 1
            return PersonReply(self._brief.lines[self._next_line - 1])
        return self._react(heard, turn)

    def _react(self, heard: str, turn: int) -> PersonReply:
        """To a statement: push back, ask to try again, ask what came of it, or be done."""
        lines, mood = self._lines, self._mood
        failed, refuses = _tone(heard, self._language)
        if refuses and not failed:
            limit = mood.knobs.person_pushbacks if self._brief.stance == "adversarial" else int(self._brief.stance in _PRESSING)
            if self._pushed < limit:
                self._pushed += 1
                words = lines.insist if self._brief.stance == "adversarial" else lines.plead
                return PersonReply(words[(self._pushed - 1) % len(words)])
        if failed and self._brief.stance == "retry" and not self._retried:
            self._retried = True
            return PersonReply(mood.pick(lines.again, "again"))
        roomy = mood.plan.avg_turns >= 4 and not self._checked
        if mood.stays(turn) or (roomy and mood.chance(mood.knobs.person_followup_share, "check")):
            self._checked = True
            return PersonReply(mood.pick(lines.check, "check", turn))
        return PersonReply("", done=True)

    def _answer(self, heard: str, turn: int) -> str:
        """What was asked for, and nothing else."""
        lines, brief, mood = self._lines, self._brief, self._mood
        asked = [name for name in (*brief.knows, *brief.unknown) if asks_for(heard, name, self._tool)]
        known = [name for name in asked if name in brief.knows and name not in brief.unknown]
        fresh = [name for name in known if name not in self._told]
        if lines.which.search(heard) and not fresh:
            return mood.pick(lines.first, "which")
        if lines.confirms.search(heard) and not fresh:
            return mood.pick(lines.yes if brief.confirms else lines.no, "confirm", turn)
        if not known and not any(name in brief.unknown for name in asked):
            untold = [name for name in brief.knows if name not in self._told and name not in brief.unknown]
            if not untold or not _GENERAL.search(heard):
                return mood.pick(lines.nothing, "nothing", turn) if not untold or brief.unknown else self._facts(untold)
            known = untold
        if not known:
            return mood.pick(lines.unknown, "unknown").format(label=label_of(asked[0], self._tool, self._language))
        return self._facts(known)

    def _facts(self, names: Sequence[str]) -> str:
        self._told.update(names)
        said = [self._lines.fact.format(label=label_of(n, self._tool, self._language), value=self._value(n)) for n in names]
        text = self._lines.joint.join(said)
        end = "。" if self._language == "zh" else "."
        return text[:1].upper() + text[1:] + end

    def _value(self, name: str) -> str:
        value = self._brief.knows[name]
        schema = _schema(self._tool, name)
        text = spoken(value, name, schema, self._language)
        free = (
            isinstance(value, str) and "enum" not in schema and (" " in value or not value.isascii()) and "format" not in schema
        )
        return f'"{text}"' if free and '"' not in text else text


class ModelPerson:
    """A person played by a chat model from a private brief."""

    def __init__(self, task: Task, repeat: int, mood: _Mood, model: ChatModel, language: str) -> None:
        self._task, self._repeat, self._mood, self._model = task, repeat, mood, model
        self._system = {"role": "system", "content": private_prompt(task.user, task.prompt)}
        self._lines = BY_LANGUAGE.get(language, EN)
        temperature = mood.plan.temperature
        self._sampling = Sampling(
            temperature=mood.knobs.person_temperature if temperature is None else temperature,
            max_tokens=mood.knobs.person_max_tokens,
        )

    @property
    def model(self) -> str | None:
        return self._model.model

    async def reply(self, messages: Sequence[Message], turn: int) -> PersonReply:
        heard = _last_words(messages)
        if self._lines.asks.search(heard) and self._mood.walks_away():
            return PersonReply(self._mood.pick(self._lines.leave, "bye"), done=True, left=True)
        said = [self._system, *_swapped(messages)]
        why = "nothing"
        for attempt in range(self._mood.knobs.person_retries + 1):
            address = Address("user", group_id(self._task), self._repeat, turn, "again" if attempt else "")
            answer = await self._model.complete(ChatRequest(said, address, sampling=self._sampling))
            made = read_line(answer.text, self._mood.knobs.person_line_chars)
            if isinstance(made, PersonReply):
                if made.done and not made.left and self._mood.stays(turn):
                    return PersonReply(made.text or self._mood.pick(self._lines.check, "check", turn))
                return made
            why = made
        raise BackendError(f"the simulated person ({self._model.model}) gave no usable line: {why}", kind="user_error")


def private_prompt(brief: UserBrief, opening: str) -> str:
    """The person's own instructions. The agent never sees them."""
    knows = "\n".join(f"- {' '.join(words_of(name))}: {_plain(value)}" for name, value in brief.knows.items()) or "- nothing more"
    unknown = ", ".join(" ".join(words_of(name)) for name in brief.unknown) or "none"
    further = "".join(f"\n- {line}" for line in brief.lines)
    return (
        "You play a person who talks to a service agent. Stay that person; you are not the assistant.\n"
        f"What you want: {brief.goal}\n"
        f"Who you are: {brief.persona or 'an ordinary customer'}; your manner is {brief.stance}.\n"
        f"What you know:\n{knows}\n"
        f"What you do not know, and say so when asked: {unknown}.\n"
        f"When asked to confirm, you {'agree' if brief.confirms else 'decline'}.\n"
        + (f"Later you also say:{further}\n" if further else "")
        + f"You opened with: {opening}\n"
        "Answer the agent's last message with your next line only, one to three sentences, in the language of your opening. "
        "Give a fact only when it is asked for; never invent one. When your goal is met, or it is clear that it cannot be, "
        "write exactly [DONE]. If you lose patience and walk away, write exactly [LEAVE]."
    )


def read_line(raw: str, limit: int) -> PersonReply | str:
    """A model's output as a line, or why it cannot be one."""
    text, unclosed = without_reasoning(raw)
    text = _from_json(text.strip()).strip().strip('"“”').strip()
    text = re.sub(r"^\s*(?:user|customer|me|person)\s*:\s*", "", text, flags=re.IGNORECASE).strip().strip('"“”').strip()
    if unclosed and not text:
        return "only reasoning"
    left, done = "[LEAVE]" in text, "[DONE]" in text
    text = text.replace("[LEAVE]", "").replace("[DONE]", "").strip()
    if left:
        return PersonReply(text[:limit], done=True, left=True)
    if done:
        return PersonReply("", done=True)
    if not text:
        return "an empty reply"
    if _MARKUP.search(text):
        return "tool markup"
    if _ASSISTANT.search(text):
        return "it spoke as the assistant"
    return PersonReply(text[:limit])


def fidelity(brief: UserBrief, user_lines: Iterable[str], *, left: bool = False) -> dict[str, Json]:
    """How well a person kept to their brief: facts told, invented and contradicted, and whether they left early.

    Invented: an identifier, number or address in their lines that the brief does not hold. Contradicted: an invented
    one in a line that names a fact the brief does hold. `faithful` is True when there is neither.
    """
    known = " ".join(_plain(value) for value in brief.knows.values())
    spoken_known = " ".join(spoken(value, name) for name, value in brief.knows.items())
    allowed = " ".join((known, spoken_known, brief.goal, brief.persona, *brief.lines)).casefold()
    told: list[str] = []
    invented: list[str] = []
    contradicted: list[str] = []
    for line in user_lines:
        low = line.casefold()
        told += [
            n for n, v in brief.knows.items() if n not in told and (_plain(v).casefold() in low or spoken(v, n).casefold() in low)
        ]
        strange = [token.rstrip(".,!?") for token in _TOKEN.findall(line) if token.rstrip(".,!?").casefold() not in allowed]
        invented += strange
        contradicted += [name for name in brief.knows if strange and asks_for(line, name, None) and name not in contradicted]
    return {
        "facts_told": told,
        "facts_invented": invented,
        "facts_contradicted": contradicted,
        "left_early": left,
        "faithful": not invented and not contradicted,
    }


@lru_cache(maxsize=4096)
def _asks(heard: str, language: str) -> bool:
    return BY_LANGUAGE.get(language, EN).asks.search(heard) is not None


@lru_cache(maxsize=4096)
def _tone(heard: str, language: str) -> tuple[bool, bool]:
    """Whether a statement tells of a failure, and whether it refuses."""
    lines = BY_LANGUAGE.get(language, EN)
    return lines.failed.search(heard) is not None, lines.refuses.search(heard) is not None


def asks_for(text: str, name: str, tool: Tool | None) -> bool:
    """Whether a question asks for the argument `name`: by the words of its name, or by its description in other scripts."""
    words, marks = _listens(name, _description(tool, name))
    low = text.casefold()
    if marks and sum(mark in low for mark in marks) * 2 >= len(marks):
        return True
    if not words:
        return False
    hits = sum(any(form in low for form in forms) for forms in words)
    return hits == len(words) if len(words) <= 2 else hits * 3 >= len(words) * 2


@lru_cache(maxsize=8192)
def _listens(name: str, description: str) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """The words of a name with their synonyms, and the two-character marks of a description in Chinese or Korean."""
    words = [word for word in words_of(name) if len(word) > 1]
    forms = tuple(
        (word, "id", "number", "code", "reference") if word in _ID_WORDS else _SYNONYMS.get(word, (word.rstrip("s") or word,))
        for word in words
    )
    label = _foreign_label(description)
    return forms, tuple(label[i : i + 2] for i in range(len(label) - 1))


@lru_cache(maxsize=8192)
def _foreign_label(description: str) -> str:
    """The naming part of a Chinese or Korean description: `要删除的消息的 ID。` says 消息ID."""
    if description.isascii():
        return ""
    head = re.split(r"[。．.，,（(；;:：\n]", description.strip())[0]
    head = re.sub(r"\s+", "", head)
    tail = head.rsplit("的", 2)
    label = "".join(tail[-2:]) if len(tail) > 2 else tail[-1] if len(tail[-1]) > 1 else head
    return label[-12:]


def label_of(name: str, tool: Tool | None, language: str) -> str:
    """How a person calls an argument: `order id`, or the naming part of its description in Chinese and Korean."""
    if language in ("zh", "ko"):
        label = _foreign_label(_description(tool, name))
        if label:
            return label
    return " ".join(words_of(name)) or name


def _schema(tool: Tool | None, name: str) -> Mapping[str, Json]:
    found = tool.parameters.get("properties", {}).get(name, {}) if tool is not None else {}
    return found if isinstance(found, Mapping) else {}


def _description(tool: Tool | None, name: str) -> str:
    return str(_schema(tool, name).get("description") or "")


def _last_words(messages: Sequence[Message]) -> str:
    for message in reversed(messages):
        if message.get("role") == "assistant" and message.get("content"):
            return str(message["content"])
    return ""


def _swapped(messages: Sequence[Message]) -> list[dict[str, str]]:
    """The conversation from the person's side: spoken lines only, roles swapped, strictly alternating."""
    out: list[dict[str, str]] = []
    for message in messages:
        role, text = message.get("role"), message.get("content")
        if role not in ("user", "assistant") or not isinstance(text, str) or not text.strip():
            continue
        mine = "assistant" if role == "user" else "user"
        if out and out[-1]["role"] == mine:
            out[-1]["content"] += "\n" + text
        else:
            out.append({"role": mine, "content": text})
    return out


def _from_json(text: str) -> str:
    """The line inside `{"message": …}` when a model wraps it; the text as it is otherwise."""
    if not text.startswith("{"):
        return text
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    if not isinstance(value, dict) or "name" in value:
        return text
    return next(
        (str(value[key]) for key in ("message", "text", "reply", "content", "line") if isinstance(value.get(key), str)), text
    )


def _plain(value: Json) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
