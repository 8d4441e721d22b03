"""Asks written by a model: batches of cards out, messages back, each checked before a rollout is spent on it.

A situation whose message cannot be used keeps its template ask, says so on its lineage, and is counted in
`degraded["generator_fallback"]`. A writer that returns nothing usable several batches in a row is given up; what it had
been asked for meanwhile is not used, so that the tasks do not depend on how many calls were in flight.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._rng import Rng
from ..errors import BackendError
from ..knobs import RunKnobs
from ..ports import Address, ChatModel, ChatRequest
from ..schema import Sampling, Spec, Task
from .cards import card_of, complaint
from .draw import Draw
from .novelty import NearCopies
from .tasks import TaskMaker

_CONTRACT = (
    "You write the opening messages that real people send to an assistant. For every card write one message, in the person's own words, as they would type it. "
    "Be the person: never answer, never explain, never mention cards, tools, parameters or rules of this exercise. State identifiers, names, dates and quoted text exactly as "
    "given. Vary length, tone and wording from card to card."
)
_FORMAT: dict[str, Any] = {
    "type": "json_schema",
    "json_schema": {
        "name": "messages",
        "schema": {
            "type": "object",
            "properties": {
                "messages": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"card": {"type": "integer"}, "text": {"type": "string"}},
                        "required": ["card", "text"],
                        "additionalProperties": False,
                    },
                }
            },
            "required": ["messages"],
            "additionalProperties": False,
        },
    },
}


@dataclass(frozen=True, slots=True)
class _Written:
    """What one batch gave: usable text per task, and why the others were refused."""

    texts: dict[str, str]
    refused: dict[str, str]
    calls: int


async def write_with_model(
    draw: Draw, model: ChatModel, spec: Spec, knobs: RunKnobs, seed: int, *, temperature: tuple[float, float] | None = None
) -> Draw:
    """The draw with its asks written by `model`. Same tasks, worlds and ids; only prompts and what they tell change.

    `temperature`: the band that each call's sampling temperature is drawn from; None takes it from the knobs.

    Never raises for a failing writer: the template asks stand in, counted in `notes` and `degraded`.
    """
    maker = TaskMaker(spec, knobs)
    open_tasks = [task for task in draw.tasks if task.situation.arm != "seed"]
    size = knobs.scenarios_per_request
    batches = [open_tasks[start : start + size] for start in range(0, len(open_tasks), size)]
    band = temperature or (knobs.writer_temperature_low, max(knobs.writer_temperature_low, knobs.writer_temperature_high))
    results: list[_Written] = []
    dead = 0
    for start in range(0, len(batches), knobs.scenario_concurrency):
        wave = batches[start : start + knobs.scenario_concurrency]
        written = await asyncio.gather(
            *(_batch(start + i, batch, model, spec, maker.lang, knobs, seed, band) for i, batch in enumerate(wave))
        )
        for result in written:
            results.append(result)
            dead = 0 if result.texts else dead + 1
            if dead >= knobs.writer_dead_batches:
                break
        if dead >= knobs.writer_dead_batches:
            break
    return _merged(draw, results, maker, model.model, knobs, given_up=dead >= knobs.writer_dead_batches)


async def _batch(
    index: int,
    tasks: Sequence[Task],
    model: ChatModel,
    spec: Spec,
    lang: str,
    knobs: RunKnobs,
    seed: int,
    band: tuple[float, float],
) -> _Written:
    texts: dict[str, str] = {}
    refused: dict[str, str] = {}
    waiting = list(tasks)
    calls = 0
    for attempt in range(1 + knobs.writer_retries):
        temperature = Rng(seed).at("writer", index, attempt).uniform(*band)
        request = _request(waiting, spec, lang, knobs, temperature, f"batch {index} attempt {attempt}")
        calls += 1
        try:
            reply = await model.complete(request)
        except BackendError as error:
            refused.update({task.task_id: f"call failed ({error.kind})" for task in waiting})
            if not error.retryable:
                break
            continue
        found = read_messages(reply.text, len(waiting))
        for place, task in enumerate(waiting):
            text = found.get(place)
            reason = "no message" if text is None else complaint(text, task, spec, lang)
            if text is not None and reason is None:
                texts[task.task_id] = text
                refused.pop(task.task_id, None)
            else:
                refused[task.task_id] = str(reason)
        waiting = [task for task in waiting if task.task_id not in texts]
        if not waiting:
            break
    return _Written(texts, refused, calls)


def _request(tasks: Sequence[Task], spec: Spec, lang: str, knobs: RunKnobs, temperature: float, purpose: str) -> ChatRequest:
    about = "; ".join(tool.description.split("\n")[0][:90] for tool in spec.tools[:40])
    policy = spec.system_prompt[: knobs.writer_policy_chars]
    cards = "\n".join(f"Card {number}: {card_of(task, spec, lang)}" for number, task in enumerate(tasks, 1))
    user = (
        f"The assistant can do this: {about}\n"
        + (f"Its policy begins: {policy}\n" if policy else "")
        + f'\n{cards}\n\nReply with JSON only: {{"messages": [{{"card": 1, "text": "..."}}, ...]}} with exactly {len(tasks)} messages.'
    )
    budget = max(knobs.wave_tokens_floor, min(knobs.wave_tokens_cap, knobs.tokens_per_card * len(tasks) + knobs.wave_tokens_base))
    return ChatRequest(
        [{"role": "system", "content": _CONTRACT}, {"role": "user", "content": user}],
        Address("writer", task_id=tasks[0].task_id, purpose=purpose),
        sampling=Sampling(temperature=round(temperature, 3), max_tokens=budget),
        response_format=_FORMAT,
    )


_FENCE = re.compile(r"^```\w*\n?|\n?```$")


def read_messages(text: str, count: int) -> dict[int, str]:
    """Place of the card (from 0) to its message, from whatever shape of JSON the model replied with; empty when none is there."""
    value = _json_in(_FENCE.sub("", text.strip()))
    if isinstance(value, dict):
        inner = next(
            (value[key] for key in ("messages", "items", "cards", "results", "asks") if isinstance(value.get(key), (list, dict))),
            None,
        )
        value = inner if inner is not None else value
    out: dict[int, str] = {}
    if isinstance(value, dict):
        for key, item in value.items():
            digits = re.sub(r"\D", "", str(key))
            message = _message_in(item)
            if digits and message and 1 <= int(digits) <= count:
                out[int(digits) - 1] = message
        return out
    for place, item in enumerate(value if isinstance(value, list) else ()):
        message = _message_in(item)
        number = item.get("card", item.get("id", item.get("number"))) if isinstance(item, dict) else None
        at = int(number) - 1 if isinstance(number, int) or (isinstance(number, str) and number.isdigit()) else place
        if message and 0 <= at < count:
            out.setdefault(at, message)
    return out


def _message_in(item: Any) -> str | None:
    if isinstance(item, dict):
        item = next(
            (item[key] for key in ("text", "message", "content", "ask", "prompt") if isinstance(item.get(key), str)), None
        )
    if not isinstance(item, str):
        return None
    return " ".join(item.replace("\u2014", ", ").split()) or None


def _json_in(text: str) -> Any:
    """The first JSON object or list of a text; None when there is none."""
    decoder = json.JSONDecoder(strict=False)
    starts = sorted(start for start in (text.find("{"), text.find("[")) if start >= 0)
    for start in starts:
        try:
            return decoder.raw_decode(text[start:])[0]
        except (ValueError, RecursionError):
            continue
    return None


def _merged(draw: Draw, results: Sequence[_Written], maker: TaskMaker, name: str, knobs: RunKnobs, *, given_up: bool) -> Draw:
    texts: dict[str, str] = {}
    reasons: dict[str, str] = {}
    for result in results:
        texts.update(result.texts)
        reasons.update(result.refused)
    copies = NearCopies(knobs.near_duplicate)
    seen: set[str] = set()
    tasks: list[Task] = []
    why: Counter[str] = Counter()
    for task in draw.tasks:
        text = texts.get(task.task_id)
        if text is not None and (text.casefold() in seen or copies.similar(text)):
            reasons[task.task_id], text = "near-copy", None
        if text is None:
            if task.situation.arm != "seed":
                why[reasons.get(task.task_id, "writer given up")] += 1
            tasks.append(task)
            seen.add(task.prompt.casefold())
            continue
        copies.add(text)
        seen.add(text.casefold())
        tasks.append(_rewritten(task, text, maker, name))
    notes, degraded = list(draw.notes), dict(draw.degraded)
    asked = sum(task.situation.arm != "seed" for task in draw.tasks)
    fallen = sum(why.values())
    if fallen:
        listed = ", ".join(f"{count} {reason}" for reason, count in sorted(why.items(), key=lambda item: (-item[1], item[0])))
        degraded["generator_fallback"] = {
            "template": fallen,
            "of": asked,
            "reasons": dict(sorted(why.items())),
            "given_up": given_up,
        }
        notes.append(f"{fallen} of {asked} asks are from the template writer, because {name} gave no usable message ({listed})")
    coverage = {
        **draw.coverage,
        "writer": {"model": name, "written": asked - fallen, "calls": sum(result.calls for result in results)},
    }
    return Draw(tuple(tasks), coverage, tuple(notes), degraded)


def _rewritten(task: Task, text: str, maker: TaskMaker, name: str) -> Task:
    tags = {
        **{key: value for key, value in task.tags.items() if key not in ("register", "texture", "rule_expressed")},
        "register": "model",
    }
    return maker.task(
        task.situation.axes,
        task.world.seed,
        text,
        phrasing=task.phrasing,
        situation_id=task.situation.situation_id,
        task_id=task.task_id,
        arm=task.situation.arm,
        reason=task.situation.reason,
        tags=tags,
        lineage=replace(task.lineage, writer_model=name),
        faults=task.world.faults,
        prefix=task.prefix,
    )
