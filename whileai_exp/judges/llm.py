"""A model as the judge: a rubric where there is one, the conduct floor where there is none.

The bar is the judge's own `rubric`, else the spec's, else the conduct floor (nothing invented, nothing skipped), and
the report says which. The rollout is shown as data that cannot give orders. An answer that holds no verdict is asked
for again and then leaves the row unjudged with the reason: never a zero.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._hash import sha
from ..errors import BackendError, ConfigError, JudgeError, Problem
from ..knobs import JudgeKnobs
from ..plan.refs import parse_ref
from ..plan.types import ModelRef
from ..ports import Address, ChatModel, ChatRequest, Reply
from ..schema import Sampling, Spec, Usage
from ._base import READS_ONLY, Bench, judges
from ._identity import judges_itself
from ._payload import Shown, shown
from ._prompts import answer_schema, criteria_text, system_text
from ._reading import allowed_score, last_object, read_grade, read_label, read_verdict, score_of
from ._rubric import Rubric

Json = Any
Row = Mapping[str, Json]
_FLOOR_SUFFIX = "conduct_floor"
_HINTS = (
    ("fabrication", ("invent", "fabricat", "made up", "not returned", "did not return", "hallucinat")),
    ("fault_dishonesty", ("claimed success", "despite the fault", "although the tool failed", "hid the failure")),
    ("unconfirmed_write", ("without confirm", "without asking", "unconfirmed", "before confirming")),
    ("incompleteness", ("incomplete", "did not finish", "unfinished", "only part")),
    ("no_attempt", ("no attempt", "did nothing", "did not try", "refused")),
)


@dataclass(frozen=True)
class LLMJudge:
    """A model that judges rows. Nothing is connected until a run or `run_judge` binds it.

    `model`: a spec string, `{kind, model, base_urls, …}`, a ChatModel, or None for WHILEAI_EXP_JUDGE. `rubric`: prose, or
    criteria (`[{title, description, weight, kind}]`) that are answered one by one. `scale`: (lo, hi) for ratings instead
    of 0 or 1. `labels`: names to rewards, for a judge that classifies. `prompt` replaces the bar whole.
    `votes`: answers per row, the majority decides and a tie is unjudged. `use_privileged` shows the answer key to the
    judging model; its reasons are then redacted and only verdicts are recorded.
    """

    model: Any = None
    rubric: Any = None
    scale: Sequence[float] | None = None
    labels: Mapping[str, float] | None = None
    prompt: str | None = None
    votes: int = 1
    temperature: float | None = None
    max_tokens: int | None = None
    use_privileged: bool = False
    structured: bool = True
    """Ask for JSON of a given schema where the endpoint can enforce it."""
    name: str | None = None

    def __post_init__(self) -> None:
        problems = []
        if self.votes < 1:
            problems.append(Problem("judge.votes", f"{self.votes!r} is not 1 or more"))
        if self.scale is not None and (len(self.scale) != 2 or not self.scale[0] < self.scale[1]):
            problems.append(Problem("judge.scale", f"{self.scale!r} is not (lowest, highest)", "for example [1, 5]"))
        if self.labels is not None and any(score_of(v) is None or not 0 <= float(v) <= 1 for v in self.labels.values()):
            problems.append(Problem("judge.labels", f"{dict(self.labels)!r} does not map names to rewards in [0, 1]"))
        if self.scale is not None and self.labels is not None:
            problems.append(Problem("judge.scale", "cannot be combined with labels", "a verdict has one form"))
        if problems:
            raise ConfigError(problems)

    def bind(self, bench: Bench) -> ModelJudge:
        """The judge, ready to be called. JudgeError when no model is named anywhere."""
        return ModelJudge(self, bench, self._model(bench))

    def __call__(self, row: Row) -> Json:
        raise JudgeError("an LLMJudge is called through run_judge, grade or an experiment, which connect its model")

    def wanted(self, default_model: str | None) -> list[tuple[ModelRef, bool]]:
        """The model this judge calls, and whether it sees answer keys."""
        given = self.model if self.model is not None else default_model
        if given is None:
            raise JudgeError("no judging model is named: pass LLMJudge('provider:model'), or set WHILEAI_EXP_JUDGE")
        return [] if isinstance(given, ChatModel) else [(_ref(given), self.use_privileged)]

    def _model(self, bench: Bench) -> ChatModel:
        wanted = self.wanted(bench.default_model)
        if not wanted:
            return self.model
        if bench.open_model is None:
            raise JudgeError("this judge needs a model, and none can be connected here")
        return bench.open_model(*wanted[0])


def _ref(given: Any) -> ModelRef:
    if isinstance(given, ModelRef):
        return given
    if isinstance(given, str):
        return parse_ref(given, "judge.model")
    if isinstance(given, Mapping):
        known = {"kind", "model", "base_urls", "base_url", "api_key_env", "options"}
        unknown = sorted(set(given) - known)
        if unknown or not given.get("kind"):
            said = f"unknown: {', '.join(unknown)}" if unknown else "names no kind"
            raise ConfigError(Problem("judge.model", said, "give kind, model, base_urls, api_key_env and options"))
        urls = given.get("base_urls") or ([given["base_url"]] if given.get("base_url") else ())
        return ModelRef(
            str(given["kind"]),
            given.get("model"),
            tuple(urls),
            given.get("api_key_env"),
            options=dict(given.get("options") or {}),
        )
    raise ConfigError(Problem("judge.model", f"is {type(given).__name__}", "a spec string, a mapping, or a ChatModel"))


class ModelJudge:
    """A bound LLMJudge: a row in, a verdict under the judge contract out. Raises BackendError when the endpoint fails."""

    kind = "llm"

    def __init__(self, settings: LLMJudge, bench: Bench, chat: ChatModel) -> None:
        spec_rubric = bench.spec.rubric if bench.spec is not None else None
        given = settings.rubric if settings.rubric is not None else spec_rubric
        self._criteria = Rubric.of(given) if given is not None and not isinstance(given, str) else None
        prose = given if isinstance(given, str) and given.strip() else None
        self.bar = (
            "prompt" if settings.prompt else "rubric" if settings.rubric is not None else "spec" if prose else _FLOOR_SUFFIX
        )
        self._settings, self._knobs, self._spec = settings, bench.knobs, bench.spec
        self._chat = chat
        labels = list(settings.labels or ())
        scale = (float(settings.scale[0]), float(settings.scale[1])) if settings.scale is not None else None
        self._system = (
            criteria_text(self._criteria)
            if self._criteria is not None
            else system_text(prose, scale=scale, labels=labels, prompt=settings.prompt)
        )
        self._format = answer_schema(scale, labels, self._criteria) if settings.structured else None
        self._scale, self._labels = scale, dict(settings.labels or {})
        self.model = chat.model
        self.prompt_sha = sha(self._system, 16)
        self.version = f"{chat.model}@{sha([self._system, settings.use_privileged, settings.votes], 12)}"
        floor = ":conduct_floor" if self.bar == _FLOOR_SUFFIX else ""
        self.name = settings.name or f"llm:{chat.model}{floor}"
        self.self_judged, self.same_family = judges_itself(chat.model, bench.policies)
        temperature = settings.temperature if settings.temperature is not None else bench.knobs.judge_temperature
        self._sampling = Sampling(temperature=temperature, max_tokens=settings.max_tokens or bench.knobs.judge_max_tokens)
        self.journals_itself = not settings.use_privileged
        self.usage = Usage()
        """Tokens of all calls so far."""
        self.calls = 0

    async def __call__(self, row: Row) -> dict[str, Json]:
        record = shown(row, self._knobs, spec=self._spec, privileged=self._settings.use_privileged)
        votes = [self._vote(row, record, n) for n in range(self._settings.votes)]
        told = list(await asyncio.gather(*votes)) if len(votes) > 1 else [await votes[0]]
        verdict = told[0] if len(told) == 1 else majority(told)
        meta: dict[str, Json] = {
            "model": self.model,
            "temperature": self._sampling.temperature,
            "max_tokens": self._sampling.max_tokens,
            "rubric": self.bar,
            "payload_chars": record.chars,
        }
        if record.reduced:
            meta["payload_reduced"] = list(record.reduced)
        if self.self_judged:
            meta["self_judged"] = True
        return {**verdict, "judge_meta": meta}

    async def _vote(self, row: Row, record: Shown, vote: int) -> dict[str, Json]:
        verdict: dict[str, Json] = {}
        for attempt in range(self._knobs.judge_retries + 1):
            reply = await self._ask(row, record, vote, attempt)
            verdict = self._read(reply)
            if verdict.get("judge_status") != "invalid_result" or reply.finish_reason == "length":
                break
            if self._sampling.temperature == 0 and attempt >= 1:
                break
        return verdict

    async def _ask(self, row: Row, record: Shown, vote: int, attempt: int) -> Reply:
        asked = f"The record is between the marks {record.mark}.\n{record.text}\nJudge the record by the bar above."
        if attempt:
            asked += "\nYour last answer could not be read. Answer with the JSON object alone."
        where = Address("judge", str(row.get("rollout_id", "")), vote, attempt, self.prompt_sha)
        messages = ({"role": "system", "content": self._system}, {"role": "user", "content": asked})
        reply = await self._chat.complete(ChatRequest(messages, where, sampling=self._sampling, response_format=self._format))
        self.calls += 1
        self.usage += reply.usage
        if reply.finish_reason == "content_filter":
            raise BackendError("the judging model refused to answer", kind="content_filter")
        return reply

    def _read(self, reply: Reply) -> dict[str, Json]:
        cut = reply.finish_reason == "length"
        if self._criteria is not None and not cut:
            return self._criteria_verdict(reply.text)
        if self._labels and not cut:
            return self._label_verdict(reply.text)
        keys = ("rating", "score", "reward") if self._scale else ("reward", "score")
        told = read_verdict(reply.text, finish_reason=reply.finish_reason, max_tokens=self._sampling.max_tokens, keys=keys)
        out: dict[str, Json] = {"reason": str(told.body.get("reason") or told.body.get("explanation") or "")}
        if isinstance(told.body.get("markers"), Mapping):
            out["markers"] = told.body["markers"]
        reward = self._reward(told.score)
        if reward is None and told.problem == "the answer holds no verdict" and not self._scale:
            grade = read_grade(reply.text)
            reward = {"C": 1.0, "I": 0.0}.get(grade or "")
        if reward is not None:
            rating = {"rating": told.score} if self._scale else {}
            return {**out, **rating, "reward": reward, **({"failure_class": hinted(out["reason"])} if reward == 0 else {})}
        if told.problem == "declined":
            return {**out, "reward": None}
        return _unread(told.problem or f"{told.score:g} is no allowed score", out["reason"])

    def _reward(self, score: float | None) -> float | None:
        if score is None:
            return None
        if self._scale is None:
            return allowed_score(score, (0.0, 1.0))
        low, high = self._scale
        return round((score - low) / (high - low), 6) if low <= score <= high else None

    def _label_verdict(self, text: str) -> dict[str, Json]:
        body = last_object(text)
        named = str(body["label"]) if body is not None and isinstance(body.get("label"), str) else text
        label = read_label(named, self._labels)
        if label is None:
            return _unread("the answer names no single label")
        reason = str(body.get("reason") or "") if body else ""
        return {"reward": float(self._labels[label]), "reason": reason, "label": label}

    def _criteria_verdict(self, text: str) -> dict[str, Json]:
        assert self._criteria is not None
        body = last_object(text)
        listed = body.get("criteria") if body is not None else None
        if not isinstance(listed, list):
            return _unread("the answer lists no criteria")
        answers: dict[str, str] = {}
        evidence: dict[str, int] = {}
        for item in listed:
            number = item.get("n") if isinstance(item, Mapping) else None
            if not isinstance(number, int) or not 1 <= number <= len(self._criteria.criteria):
                continue
            slug = self._criteria.criteria[number - 1].slug
            said = str(item.get("verdict"))
            answers[slug] = said if answers.get(slug, said) == said else "cannot_tell"
            if isinstance(item.get("step"), int):
                evidence[slug] = item["step"]
        out = {**self._criteria.score(answers), "reason": str((body or {}).get("reason") or "")}
        return {**out, "evidence": evidence} if evidence else out


def _unread(why: str, reason: str = "") -> dict[str, Json]:
    return {"judge_status": "invalid_result", "reason": reason or why, "problem": why}


def majority(verdicts: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """One verdict from several: the reward that more than half of the readable ones give, with every vote kept.

    Without such a reward: their median on graded votes is not taken, the row is unjudged. Reason and markers are those
    of the first vote that agrees.
    """
    rewards = [score_of(verdict.get("reward")) for verdict in verdicts]
    counted = [reward for reward in rewards if reward is not None]
    votes = {"votes": rewards, "agreed": max((counted.count(r) for r in counted), default=0) / len(verdicts)}
    winner = next((reward for reward in counted if counted.count(reward) * 2 > len(counted)), None)
    if winner is None:
        problem = "the votes are tied" if counted else "no vote could be read"
        return {"reward": None, "reason": problem, **votes} if counted else {**_unread(problem), **votes}
    return {**next(dict(v) for v, reward in zip(verdicts, rewards) if reward == winner), **votes}


def hinted(reason: str) -> str | None:
    """The failure class that a judge's reason speaks of, from its words; None when it speaks of none."""
    low = reason.lower()
    return next((name for name, words in _HINTS if any(word in low for word in words)), None)


setattr(ModelJudge, READS_ONLY, True)
judges.register("llm")(LLMJudge)


def floor_note(spec: Spec | None, knobs: JudgeKnobs) -> str:
    """What a report says when a judge had no rubric."""
    name = spec.name if spec is not None else "the agent"
    return f"no rubric was given for {name}: only the conduct floor was judged (nothing invented, nothing skipped); pass rubric= (up to {knobs.judge_policy_chars} characters read well)"
