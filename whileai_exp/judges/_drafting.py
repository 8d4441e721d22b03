"""Criteria for a task, drafted by a model and checked before anyone is judged by them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import BackendError, ConfigError
from ..knobs import JudgeKnobs
from ..ports import Address, ChatModel, ChatRequest
from ..schema import Sampling, Spec
from ._prompts import DATA
from ._reading import last_object
from ._rubric import Criterion, Rubric

_BAR = """You write the criteria by which one conversation of a tool-using agent will be judged. Write between {least} and {most} criteria that
are specific to this request, each checkable from the conversation alone, none of them about length or tone unless the request asks for it.
importance: "essential" when failing it fails the job, "important" or "optional" when it earns credit, "pitfall" for a mistake that costs credit
(worded as the mistake)."""
_FORM = 'Answer with one JSON object and nothing else: {"criteria": [{"title": "...", "description": "...", "importance": "essential"}]}.'
_KINDS = {
    "essential": ("hard", 1.0),
    "important": ("principle", 2.0),
    "optional": ("principle", 1.0),
    "pitfall": ("pitfall", 1.0),
}
_SCHEMA = {
    "type": "object",
    "properties": {
        "criteria": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "description": {"type": "string"},
                    "importance": {"type": "string", "enum": list(_KINDS)},
                },
                "required": ["title", "description", "importance"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["criteria"],
    "additionalProperties": False,
}
LEAST, MOST = 3, 8


async def drafted(
    prompt: str, place: int, chat: ChatModel, knobs: JudgeKnobs, *, spec: Spec | None, max_hard: int
) -> Rubric | str:
    """The rubric for one ask, or why there is none after `judge_retries` further tries."""
    policy = f"\n\nPOLICY OF THE AGENT\n{spec.system_prompt[: knobs.judge_policy_chars]}" if spec is not None else ""
    system = f"{_BAR.format(least=LEAST, most=MOST)}\n\n{DATA}{policy}\n\n{_FORM}"
    messages = ({"role": "system", "content": system}, {"role": "user", "content": prompt[: knobs.judge_situation_chars]})
    why = ""
    for attempt in range(knobs.judge_retries + 1):
        where = Address("judge", f"rubric-{place}", attempt, 0, "rubric")
        sampling = Sampling(temperature=knobs.judge_temperature, max_tokens=4 * knobs.judge_max_tokens)
        try:
            reply = await chat.complete(ChatRequest(messages, where, sampling=sampling, response_format=_SCHEMA))
        except BackendError as error:
            return str(error)[:300]
        found = rubric_in(reply.text, max_hard)
        if isinstance(found, Rubric):
            return found
        why = found
    return why


def rubric_in(text: str, max_hard: int) -> Rubric | str:
    """The rubric in a model's answer, or what is wrong with it. Past `max_hard`, further essentials become principles."""
    found = last_object(text)
    listed = found.get("criteria") if found is not None else None
    if not isinstance(listed, list):
        return "the answer holds no list of criteria"
    made: dict[str, Criterion] = {}
    hard = 0
    for item in listed:
        criterion = _criterion(item, hard < max_hard)
        if criterion is not None and criterion.slug not in made:
            made[criterion.slug] = criterion
            hard += criterion.kind == "hard"
    if len(made) < LEAST:
        return f"the answer holds {len(made)} usable criteria, fewer than {LEAST}"
    return Rubric(tuple(made.values())[:MOST])


def _criterion(item: Any, may_be_hard: bool) -> Criterion | None:
    if not isinstance(item, Mapping):
        return None
    kind, weight = _KINDS.get(str(item.get("importance", "")).strip().lower(), ("principle", 1.0))
    if kind == "hard" and not may_be_hard:
        kind, weight = "principle", 2.0
    try:
        return Criterion(str(item.get("title") or ""), str(item.get("description") or ""), weight, kind)
    except ConfigError:
        return None
