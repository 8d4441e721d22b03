"""What a judging model is shown of a rollout: one JSON record that fits, made smaller by leaving structure out.

JSON is never sliced. When the record is too long, middle steps go first, then long strings are shortened, then whole
fields; `reduced` names what was left out, and the verdict carries it. Strings of the transcript cannot break out: they
are JSON, `<` is escaped so that no chat-template token survives, and the record stands between two marks made of a hash
of itself, which a text inside it cannot foresee.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from .._hash import plain, sha
from ..knobs import JudgeKnobs
from ..schema import Privileged, Spec
from ..schema.privileged import without_privileged

Json = Any
_STRING_CAPS = (800, 300, 80)


class Shown(NamedTuple):
    """A record ready to be put into a prompt."""

    text: str
    """The record between its marks."""
    chars: int
    reduced: tuple[str, ...]
    """What was left out, in order; empty when everything is shown."""
    mark: str


def shown(row: Mapping[str, Json], knobs: JudgeKnobs, *, spec: Spec | None = None, privileged: bool = False) -> Shown:
    """The record of a row within `judge_payload_chars`. `privileged` adds the answer key, for judges that may read it."""
    record = _record(row, knobs, spec, privileged)
    reduced: list[str] = []
    text = _dumped(record)
    for name, smaller in _ways(record, row):
        if len(text) <= knobs.judge_payload_chars:
            break
        if smaller():
            reduced.append(name)
            text = _dumped(record)
    mark = "record-" + sha(text, 16)
    return Shown(f"<<<{mark}\n{text}\n{mark}>>>", len(text), tuple(reduced), mark)


def _record(row: Mapping[str, Json], knobs: JudgeKnobs, spec: Spec | None, privileged: bool) -> dict[str, Json]:
    steps = [_step(step) for step in row.get("steps") or () if isinstance(step, Mapping)]
    called = list(dict.fromkeys(str(step["tool"]) for step in steps if "tool" in step))
    declared = [tool.name for tool in spec.tools] if spec else []
    fired = [event for fault in row.get("faults") or () if isinstance(fault, Mapping) for event in fault.get("fired") or ()]
    policy = spec.system_prompt if spec and spec.system_prompt else ""
    fields: dict[str, Json] = {
        "tools": [{"name": tool.name, "description": cut(tool.description, 300)} for tool in spec.tools] if spec else None,
        "tools_called": called,
        "tools_not_called": [name for name in declared if name not in called],
        "situation": cut(str(row.get("prompt") or ""), knobs.judge_situation_chars),
        "world_state": row.get("world_state"),
        "injected_faults": fired,
        "final_text": cut(str(row.get("final_text") or ""), knobs.judge_reply_chars),
        "agent_policy": cut(policy, knobs.judge_policy_chars),
        "judge_only": _key(row.get("privileged")) if privileged else None,
        "steps": steps,
    }
    if not steps and row.get("messages"):
        fields["messages"] = [dict(message) for message in row["messages"] if isinstance(message, Mapping)]
    return plain(without_privileged({name: value for name, value in fields.items() if value not in (None, "", [], {})}))


def _key(held: Json) -> Json:
    if not isinstance(held, (Privileged, Mapping)):
        return None
    return {name: held[name] for name in ("principle", "reference", "hidden_state") if held.get(name) is not None}


def _step(step: Mapping[str, Json]) -> dict[str, Json]:
    kept = ("tool", "arguments", "result", "status", "text", "user", "truncated")
    return {name: step[name] for name in kept if step.get(name) not in (None, "")}


def _ways(record: dict[str, Json], row: Mapping[str, Json]) -> list[tuple[str, Any]]:
    """Ways to make a record smaller, mildest first: each returns whether it changed anything."""

    def fewer_steps(name: str) -> bool:
        steps: list[Json] = record.get(name) or []
        if len(steps) <= 4:
            return False
        keep = [i for i, step in enumerate(steps) if i == 0 or i >= len(steps) - 2 or _failing(step)][:40]
        record[name] = _with_gaps(steps, keep)
        return len(keep) < len(steps)

    def shorter(name: str, cap: int) -> bool:
        before = record.get(name)
        record[name] = _capped(before, cap) if before is not None else None
        if before is None:
            del record[name]
        return before is not None and record[name] != before

    def without(name: str) -> bool:
        return record.pop(name, None) is not None

    ways: list[tuple[str, Any]] = [
        ("middle steps", lambda: fewer_steps("steps")),
        ("middle messages", lambda: fewer_steps("messages")),
    ]
    for cap in _STRING_CAPS:
        ways += [
            (f"{name} over {cap} characters", lambda name=name, cap=cap: shorter(name, cap)) for name in ("steps", "messages")
        ]
    for name in ("tools", "world_state", "injected_faults", "judge_only"):
        ways.append((f"{name} over 300 characters", lambda name=name: shorter(name, 300)))
    ways += [
        (f"{name} over 600 characters", lambda name=name: shorter(name, 600))
        for name in ("agent_policy", "situation", "final_text")
    ]
    ways += [(name, lambda name=name: without(name)) for name in ("tools", "judge_only", "injected_faults", "agent_policy")]
    ways += [
        (name, lambda name=name: without(name))
        for name in ("steps", "messages", "tools_called", "tools_not_called", "world_state")
    ]
    ways += [(f"{name} over 120 characters", lambda name=name: shorter(name, 120)) for name in ("situation", "final_text")]
    return ways


def _failing(step: Json) -> bool:
    return isinstance(step, Mapping) and step.get("status") not in (None, "ok")


def _with_gaps(steps: Sequence[Json], keep: Sequence[int]) -> list[Json]:
    out: list[Json] = []
    last = -1
    for index in keep:
        if index > last + 1:
            out.append({"steps_left_out": index - last - 1})
        out.append(steps[index])
        last = index
    if last < len(steps) - 1:
        out.append({"steps_left_out": len(steps) - 1 - last})
    return out


def _capped(value: Json, cap: int) -> Json:
    if isinstance(value, str):
        return cut(value, cap)
    if isinstance(value, Mapping):
        return {name: _capped(item, cap) for name, item in list(value.items())[:50]}
    if isinstance(value, list):
        return [_capped(item, cap) for item in value[:50]]
    return value


def cut(text: str, cap: int) -> str:
    """Head and tail of a text, with the number of characters left out between them."""
    if len(text) <= cap:
        return text
    head = cap * 2 // 3
    tail = cap - head
    return f"{text[:head]} [{len(text) - cap} characters left out] {text[-tail:]}"


def _dumped(record: Json) -> str:
    return orjson.dumps(record).decode().replace("<", "\\u003c")
