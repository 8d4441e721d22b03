"""The row: one rollout, flat, as it is written to disk and handed to judges.

`to_row` flattens the four objects (task, rollout, judgment, markers), `from_row` splits them again, and on rows of
this version the two are inverse. Keys this module does not know ride in `Rollout.extra` and come back out unchanged.
What never goes on a row: privileged data (only `to_row(..., privileged=True)`, for judges in memory, puts the
unserialisable `Privileged` object there), latency, wall time, the person's brief, the right arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any, NamedTuple, TypedDict

import orjson

from .._hash import plain, sha
from .privileged import Privileged, without_privileged
from .steps import messages_of, steps_from, wire_steps, wire_usage
from .types import (
    AgentStep,
    Fault,
    JudgeIdentity,
    JudgeStatus,
    Judgment,
    Marker,
    PolicyIdentity,
    Rollout,
    RolloutStatus,
    Sampling,
    Situation,
    Task,
    TaskLineage,
    ToolStep,
    Usage,
    UserBrief,
    WorldSeed,
)

SCHEMA_VERSION = "1"


class Row(TypedDict, total=False):
    """The wire keys of schema version 1. Everything but the first five may be absent."""

    schema_version: str
    prompt: str
    messages: list[dict[str, Any]]
    steps: list[dict[str, Any]]
    final_text: str
    scenario_id: str
    task_id: str
    situation_id: str
    phrasing: int
    rollout_id: str
    rollout_index: int
    scenario_dimensions: dict[str, str]
    tier: str
    arm: str
    selection_reason: str
    seed: int
    world_seed: int
    world_state: str
    world_before: str
    world_after: str
    changes: list[dict[str, Any]]
    faults: list[dict[str, Any]]
    stance: str
    status: str
    finish_reason: str
    ended_by: str
    error: str
    tools_used: list[str]
    behavior_signature: str
    sampling: dict[str, Any] | None
    usage: dict[str, int]
    logprob: float
    n_tokens: int
    model_version: str
    policy_version: str
    writer_model: str
    user_model: str
    lineage: dict[str, Any]
    seeded: list[str]
    reward: float
    reason: str
    judge_name: str
    judge_status: str
    judge_meta: dict[str, Any]
    failure_class: str
    label_source: str
    markers: dict[str, float]
    privileged: Privileged


class RowParts(NamedTuple):
    """What a row is made of; `to_row(*parts)` puts it together again."""

    task: Task
    rollout: Rollout
    judgment: Judgment | None
    markers: tuple[Marker, ...]


def task_key(row: Mapping[str, Any]) -> str:
    """The one grouping key: `scenario_id`, else `task_id`, else the prompt. Absent means None, so an id of 0 counts.

    A row with none of the three gets a key of its own, by content, so that strangers never share a group.
    """
    for name in ("scenario_id", "task_id", "prompt"):
        value = row.get(name)
        if value is not None and value != "":
            return str(value)
    return "row:" + sha(plain(without_privileged({k: v for k, v in row.items() if k != "privileged"})), 16)


def reward_of(value: Any) -> float | None:
    """A reward as a float in [0, 1]; None for anything that is not one.

    bool, int, float, numpy scalars and 0-d arrays, Decimal and Fraction are numbers; text is not. NaN, infinity and
    values outside [0, 1] are not rewards and are never clamped.
    """
    if isinstance(value, (str, bytes)) or value is None:
        return None
    if not isinstance(value, (bool, int, float, Decimal, Fraction)):
        if not hasattr(value, "dtype") and not hasattr(value, "item"):
            return None
        if getattr(value, "ndim", 0) != 0:
            return None
        value = value.item()
        if not isinstance(value, (bool, int, float)):
            return None
    number = float(value)
    return number if isfinite(number) and 0.0 <= number <= 1.0 else None


def to_row(
    task: Task, rollout: Rollout, judgment: Judgment | None = None, markers: Iterable[Marker] = (), *, privileged: bool = False
) -> dict[str, Any]:
    """The flat row of one rollout. `privileged=True` adds the judge-only object, for use in memory only."""
    steps = list(wire_steps(rollout.steps))
    row: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "prompt": task.prompt,
        "messages": messages_of(task.prompt, rollout.steps, task.prefix),
        "steps": steps,
        "final_text": rollout.final_text,
        "scenario_id": task.task_id,
        "task_id": task.task_id,
        "situation_id": task.situation.situation_id,
        "phrasing": task.phrasing,
        "rollout_id": rollout.rollout_id,
        "rollout_index": rollout.repeat,
        "scenario_dimensions": dict(task.situation.axes),
        "tier": task.situation.tier,
        "arm": task.situation.arm,
        "seed": rollout.seed,
        "world_seed": task.world.seed,
        "world_state": task.world.state,
        "faults": _wire_faults(task.world.faults, rollout.fired),
        "status": str(rollout.status),
        "finish_reason": rollout.finish_reason,
        "tools_used": list(dict.fromkeys(step.tool for step in rollout.steps if isinstance(step, ToolStep))),
        "behavior_signature": behavior_signature(rollout),
        "sampling": rollout.sampling.wire() if rollout.sampling else None,
        "model_version": rollout.policy.model,
        "policy_version": rollout.policy.version,
        "writer_model": task.lineage.writer_model,
        "lineage": _wire_lineage(task.lineage, rollout.policy),
    }
    optional: dict[str, Any] = {
        "selection_reason": task.situation.reason,
        "stance": task.situation.axes.get("stance"),
        "prefix": [dict(message) for message in task.prefix],
        "tags": dict(task.tags),
        "ended_by": rollout.ended_by,
        "error": rollout.error,
        "user_model": rollout.user_model,
        "world_before": rollout.world_before,
        "world_after": rollout.world_after,
        "changes": [dict(change) for change in rollout.changes],
        "seeded": list(rollout.planted),
        "usage": wire_usage(rollout.usage),
    }
    row.update({key: value for key, value in optional.items() if value not in (None, "", [], {})})
    logprobs = [s for s in rollout.steps if isinstance(s, AgentStep) and s.logprob is not None]
    if logprobs:
        row["logprob"] = sum(s.logprob or 0.0 for s in logprobs)
        row["n_tokens"] = sum(s.n_tokens or 0 for s in logprobs)
    for key, value in rollout.extra.items():
        row.setdefault(key, value)
    if judgment is not None:
        write_judgment(row, judgment)
    marks = {**(judgment.markers if judgment else {}), **{marker.name: marker.value for marker in markers}}
    if marks:
        row["markers"] = marks
    if privileged and task.privileged is not None:
        row["privileged"] = task.privileged
    return row


def write_judgment(row: dict[str, Any], judgment: Judgment) -> None:
    """Stamp a verdict on a row, replacing whatever an earlier judge left there."""
    for stale in ("reward", "reason", "failure_class"):
        row.pop(stale, None)
    row["reward"] = judgment.reward
    row["judge_name"] = judgment.judge.name
    row["judge_status"] = str(judgment.status)
    meta = dict(judgment.meta)
    for key in ("kind", "model", "prompt_sha", "version"):
        value = getattr(judgment.judge, key)
        if value is not None:
            meta[key] = value
    row["judge_meta"] = meta
    if judgment.reason:
        row["reason"] = judgment.reason
    if judgment.failure_class:
        row["failure_class"] = judgment.failure_class
    if judgment.markers:
        row["markers"] = {**row.get("markers", {}), **judgment.markers}


def behavior_signature(rollout: Rollout) -> str:
    """12 hex over what was done: tools in order with their status, how it ended, and the reply's length bucket."""
    done = [f"{step.tool}:{step.status}" for step in rollout.steps if isinstance(step, ToolStep)]
    length = len(rollout.final_text)
    bucket = 0 if not length else 1 if length < 120 else 2 if length < 600 else 3
    return sha("|".join((*done, str(rollout.status), str(bucket))), 12)


def row_line(row: Mapping[str, Any], *, ordered: bool = False) -> bytes:
    """The one byte form of a row on disk: sorted keys, one line, privileged data removed wherever it stands.

    `ordered` keeps the keys as they are, for a row that is going to be worded again: a tool's result is told in its own order.
    Encoding comes first because it is cheap: only a row that cannot be encoded, or whose bytes name the word, is walked.
    """
    options = orjson.OPT_APPEND_NEWLINE if ordered else _LINE
    if "privileged" in row:
        row = {key: value for key, value in row.items() if key != "privileged"}
    try:
        line = orjson.dumps(row, option=options)
        if b"privileged" not in line:
            return line
    except (TypeError, orjson.JSONEncodeError):
        pass
    return orjson.dumps(plain(without_privileged(dict(row))), option=options)


_LINE = orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE


def _wire_lineage(lineage: TaskLineage, policy: PolicyIdentity) -> dict[str, Any]:
    out: dict[str, Any] = {
        "system_prompt_sha": policy.prompt_sha,
        "system_prompt_head": policy.prompt_head,
        "system_prompt_chars": policy.prompt_chars,
    }
    if lineage.parent is not None:
        out["parent"] = lineage.parent
    if lineage.replayed:
        out["replayed"] = True
    if lineage.replayed_from_run is not None:
        out["replayed_from_run"] = lineage.replayed_from_run
    if lineage.eval_run is not None:
        out["eval_run"] = lineage.eval_run
    return out


def _wire_faults(planned: tuple[Fault, ...], fired: tuple[Mapping[str, Any], ...]) -> list[dict[str, Any]]:
    """Each planned fault with the calls it really hit, then any that fired without a plan (a user's world)."""
    left = [dict(event) for event in fired]
    out: list[dict[str, Any]] = []
    for fault in planned:
        hits = [e for e in left if e["mode"] == fault.mode and fault.tool in ("*", e["tool"])]
        left = [e for e in left if e not in hits]
        out.append({"tool": fault.tool, "mode": fault.mode, "calls": list(fault.calls), "fired": hits})
    out.extend({"tool": e["tool"], "mode": e["mode"], "calls": [], "fired": [e]} for e in left)
    return out


_CONSUMED = frozenset(Row.__annotations__) | {"prefix", "tags"}
_DERIVED_META = ("kind", "model", "prompt_sha", "version")


def from_row(row: Mapping[str, Any]) -> RowParts:
    """Split a row into task, rollout, judgment and markers. Older and foreign rows load by their shape.

    SchemaError-free by design: what cannot be read as one of the known shapes raises ConfigError naming the keys seen.
    """
    if str(row.get("schema_version", "0")) != SCHEMA_VERSION:
        from .legacy import modernised

        row = modernised(row)
    dims = {str(k): str(v) for k, v in (row.get("scenario_dimensions") or {}).items()}
    task_id = task_key(row)
    lineage = dict(row.get("lineage") or {})
    planned = tuple(
        Fault(str(f["tool"]), str(f["mode"]), tuple(f.get("calls", (0,)))) for f in row.get("faults") or () if f.get("calls")
    )
    fired = tuple(dict(event) for f in row.get("faults") or () for event in f.get("fired", ()))
    held = row.get("privileged")
    privileged = held if isinstance(held, Privileged) else Privileged(held) if isinstance(held, Mapping) else None
    task = Task(
        task_id=task_id,
        prompt=str(row.get("prompt") or ""),
        situation=Situation(
            situation_id=str(row.get("situation_id", task_id)),
            axes=dims,
            tier=str(row.get("tier", "ordinary")),
            arm=str(row.get("arm", "structured")),
            reason=str(row.get("selection_reason", "")),
        ),
        user=UserBrief(goal=str(row.get("prompt") or ""), stance=str(row.get("stance", "ordinary"))),
        world=WorldSeed(int(row.get("world_seed") or 0), str(row.get("world_state", "unspecified")), planned, dims.get("tool")),
        phrasing=int(row.get("phrasing") or 0),
        prefix=tuple(dict(message) for message in row.get("prefix") or ()),
        privileged=privileged,
        lineage=TaskLineage(
            writer_model=str(row.get("writer_model", "unknown")),
            parent=lineage.get("parent"),
            replayed=bool(lineage.get("replayed", False)),
            replayed_from_run=lineage.get("replayed_from_run"),
            eval_run=lineage.get("eval_run"),
        ),
        tags=dict(row.get("tags") or {}),
    )
    rollout = _rollout_from(row, task_id, lineage, fired)
    judgment = _judgment_from(row, rollout.rollout_id)
    own = judgment.markers if judgment is not None else {}
    markers = tuple(
        Marker(rollout.rollout_id, name, value) for name, value in (row.get("markers") or {}).items() if name not in own
    )
    return RowParts(task, rollout, judgment, markers)


def _rollout_from(
    row: Mapping[str, Any], task_id: str, lineage: Mapping[str, Any], fired: tuple[Mapping[str, Any], ...]
) -> Rollout:
    repeat = int(row.get("rollout_index") or 0)
    sampling = row.get("sampling")
    usage = row.get("usage") or {}
    return Rollout(
        rollout_id=str(row.get("rollout_id", f"{task_id}/{repeat}")),
        task_id=task_id,
        repeat=repeat,
        steps=tuple(steps_from(row.get("steps") or ())),
        final_text=str(row.get("final_text") or ""),
        status=RolloutStatus(row.get("status") or "ok"),
        policy=PolicyIdentity(
            str(row.get("model_version", "unknown")),
            str(lineage.get("system_prompt_sha", "")),
            str(lineage.get("system_prompt_head", "")),
            int(lineage.get("system_prompt_chars", 0)),
        ),
        sampling=_sampling_from(sampling) if isinstance(sampling, Mapping) else None,
        usage=Usage(usage.get("input_tokens"), usage.get("output_tokens"), usage.get("cached_tokens")),
        seed=int(row.get("seed") or 0),
        finish_reason=str(row.get("finish_reason", "stop")),
        ended_by=row.get("ended_by"),
        error=row.get("error"),
        user_model=row.get("user_model"),
        fired=fired,
        world_before=row.get("world_before"),
        world_after=row.get("world_after"),
        changes=tuple(dict(change) for change in row.get("changes") or ()),
        planted=tuple(row.get("seeded") or ()),
        extra={key: value for key, value in row.items() if key not in _CONSUMED},
    )


def _sampling_from(wire: Mapping[str, Any]) -> Sampling:
    return Sampling(
        temperature=wire.get("temperature"),
        max_tokens=wire.get("max_tokens"),
        model=wire.get("model"),
        top_p=wire.get("top_p"),
        seed=wire.get("seed"),
        stop=tuple(wire.get("stop") or ()),
    )


def _judgment_from(row: Mapping[str, Any], rollout_id: str) -> Judgment | None:
    if row.get("judge_status") is None and row.get("reward") is None:
        return None
    reward = reward_of(row.get("reward"))
    meta = dict(row.get("judge_meta") or {})
    own = {key: meta.pop(key, None) for key in _DERIVED_META}
    given = row.get("judge_status")
    status = JudgeStatus(given) if given is not None else JudgeStatus.OK if reward is not None else JudgeStatus.INVALID_RESULT
    return Judgment(
        rollout_id=rollout_id,
        judge=JudgeIdentity(
            str(row.get("judge_name", "unknown")), own["kind"] or "callable", own["model"], own["prompt_sha"], own["version"]
        ),
        reward=reward if status is JudgeStatus.OK else None,
        status=status,
        reason=str(row.get("reason", "")),
        markers=dict(row.get("markers") or {}),
        failure_class=row.get("failure_class"),
        meta=meta,
    )
