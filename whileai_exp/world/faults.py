"""How does a planned failure look to the agent? One function per mode; users add their own by decorator.

A fault stands on the task (`WorldSeed.faults`) with the call indices it hits; a later call of the same tool succeeds,
so that trying again can help. Only `slow` lets the call through; every other mode leaves the state as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from .._rng import Stream
from ..knobs import WorldKnobs
from ..registry import Registry

Json = Any


@dataclass(frozen=True, slots=True)
class FaultCall:
    """What a fault mode may look at."""

    tool: str
    arguments: Mapping[str, Json]
    writes: bool
    stream: Stream
    knobs: WorldKnobs
    answer: Callable[[], Json]
    """What the tool would have said, for modes that spoil an answer. State is not changed by asking."""


FaultMode = Callable[[FaultCall], Json]
fault_modes: Registry[Json] = Registry("fault mode", "whileai_exp.world")
"""Modes by name. `@fault_mode("maintenance")` on a function of a FaultCall adds one."""


def fault_mode(name: str) -> Callable[[FaultMode], FaultMode]:
    """Decorator that registers a fault mode: a function of a `FaultCall` that returns what the agent sees."""
    return fault_modes.register(name)


@fault_mode("timeout")
def timeout(call: FaultCall) -> Json:
    return {"error": "timeout", "message": f"{call.tool} did not answer within {call.knobs.world_timeout_s:g} seconds"}


@fault_mode("permission_denied")
def permission_denied(call: FaultCall) -> Json:
    return {"error": "permission_denied", "message": f"this session may not use {call.tool} right now"}


@fault_mode("rate_limited")
def rate_limited(call: FaultCall) -> Json:
    wait = call.knobs.world_retry_after_s
    return {"error": "rate_limited", "message": f"too many requests; try again in {wait} seconds", "retry_after_s": wait}


@fault_mode("malformed")
def malformed(call: FaultCall) -> Json:
    """The answer's JSON, cut in the middle."""
    text = orjson.dumps(call.answer(), option=orjson.OPT_NON_STR_KEYS).decode() if not call.writes else '{"success": tr'
    return text[: max(8, len(text) * 2 // 5)]


@fault_mode("stale")
def stale(call: FaultCall) -> Json:
    """Reads show an old copy and say when it was made; writes are refused because the record has moved on."""
    if call.writes:
        return {"error": "stale_version", "message": "the record changed since it was read; nothing was written"}
    answer = call.answer()
    days = call.stream.integer(2, 9)
    old = dict(answer) if isinstance(answer, dict) else {"data": answer}
    return {**old, "stale": True, "as_of_days_ago": days, "warning": f"cached copy, {days} days old; live data was not reachable"}


@fault_mode("partial")
def partial(call: FaultCall) -> Json:
    """Reads lose half of their fields; writes are not confirmed."""
    if call.writes:
        return {"error": "incomplete", "message": "the request was cut off before it was confirmed; nothing was written"}
    answer = call.answer()
    if isinstance(answer, dict):
        kept = dict(list(answer.items())[: max(1, len(answer) // 2)])
        return {**kept, "incomplete": True, "warning": "the upstream service returned only part of the record"}
    if isinstance(answer, list):
        return {"data": answer[: len(answer) // 2], "incomplete": True, "warning": "only part of the list was returned"}
    return {"incomplete": True, "warning": "the upstream service returned only part of the answer"}


@fault_mode("wrong_type")
def wrong_type(call: FaultCall) -> Json:
    """Values of the wrong type where a record belongs."""
    if call.writes:
        return [None]
    answer = call.answer()
    if isinstance(answer, dict):
        return {key: _spoiled(value) for key, value in answer.items()}
    return [None]


def _spoiled(value: Json) -> Json:
    if isinstance(value, str):
        return None
    if isinstance(value, bool):
        return "?"
    if isinstance(value, (int, float)):
        return "NaN"
    return []


SLOW = "slow"


@fault_mode(SLOW)
def slow(call: FaultCall) -> Json:
    """The right answer, late. The world carries the call out itself; this says what it adds."""
    return {"elapsed_s": round(call.knobs.world_timeout_s * call.stream.uniform(0.6, 0.95), 1)}
