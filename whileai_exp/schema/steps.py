"""Steps on the wire and as messages: what happened in a rollout, in the two shapes that readers want."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from .._hash import plain
from .types import AgentStep, Step, ToolStep, Usage, UserStep


def dumps(value: Any) -> bytes:
    """Compact strict JSON. NaN becomes null, lone surrogates are replaced, an unserialisable object raises."""
    try:
        return orjson.dumps(value)
    except (TypeError, orjson.JSONEncodeError):
        return orjson.dumps(plain(value))


def messages_of(prompt: str, steps: Iterable[Step], prefix: Iterable[Mapping[str, Any]] = ()) -> list[dict[str, Any]]:
    """The conversation in OpenAI's message shape, system prompt excluded, tool results as JSON text."""
    out: list[dict[str, Any]] = [dict(message) for message in prefix]
    if prompt:
        out.append({"role": "user", "content": prompt})
    for step in steps:
        if isinstance(step, UserStep):
            out.append({"role": "user", "content": step.text})
        elif isinstance(step, AgentStep):
            out.append({"role": "assistant", "content": step.text})
        else:
            if not out or out[-1]["role"] not in ("assistant", "tool"):
                out.append({"role": "assistant", "content": ""})
            owner = next(message for message in reversed(out) if message["role"] == "assistant")
            call_id = step.call_id or f"call_{len(out)}"
            arguments = step.raw_arguments if step.raw_arguments is not None else dumps(step.arguments).decode()
            owner.setdefault("tool_calls", []).append(
                {"id": call_id, "type": "function", "function": {"name": step.tool, "arguments": arguments}}
            )
            content = step.result if isinstance(step.result, str) else dumps(step.result).decode()
            out.append({"role": "tool", "tool_call_id": call_id, "name": step.tool, "content": content})
    return out


def wire_usage(usage: Usage) -> dict[str, int]:
    names = ("input_tokens", "output_tokens", "cached_tokens")
    return {name: value for name in names if (value := getattr(usage, name)) is not None}


def wire_steps(steps: tuple[Step, ...]) -> Iterable[dict[str, Any]]:
    """The seeds' step shape: `{user}`, `{text}` or `{tool, arguments, result, text?}`.

    A model turn that calls tools has no step of its own: what it said and cost stands on its first call; the further
    calls of the same turn say `parallel`.
    """
    turn: dict[str, Any] | None = None
    called = False
    for step in steps:
        if isinstance(step, UserStep):
            if turn is not None and not called:
                yield turn
            turn, called = None, False
            yield {"user": step.text}
        elif isinstance(step, AgentStep):
            if turn is not None and not called:
                yield turn
            turn, called = _wire_turn(step), False
        else:
            call: dict[str, Any] = {
                "tool": step.tool,
                "arguments": dict(step.arguments),
                "result": step.result,
                "status": step.status,
            }
            if step.call_id:
                call["call_id"] = step.call_id
            if step.raw_arguments is not None:
                call["raw_arguments"] = step.raw_arguments
            if turn is None or called:
                if called:
                    call["parallel"] = True
            else:
                call.update({key: value for key, value in turn.items() if key != "text" or value})
            called = True
            yield call
    if turn is not None and not called:
        yield turn


def _wire_turn(step: AgentStep) -> dict[str, Any]:
    out: dict[str, Any] = {"text": step.text}
    if step.logprob is not None:
        out["logprob"] = step.logprob
    if step.n_tokens is not None:
        out["n_tokens"] = step.n_tokens
    if step.token_logprobs is not None:
        out["token_logprobs"] = list(step.token_logprobs)
    out.update(wire_usage(step.usage))
    if step.truncated:
        out["truncated"] = True
    if step.reasoning:
        out["reasoning"] = step.reasoning
    return out


def steps_from(wire: Iterable[Mapping[str, Any]]) -> Iterable[Step]:
    for step in wire:
        if step.get("tool") is not None:
            if not step.get("parallel"):
                yield _turn_from(step)
            arguments = step.get("arguments")
            yield ToolStep(
                tool=str(step["tool"]),
                arguments=arguments if isinstance(arguments, Mapping) else {},
                result=step.get("result"),
                status=str(step.get("status", "ok")),
                call_id=str(step.get("call_id", "")),
                raw_arguments=step.get("raw_arguments"),
            )
        elif "user" in step:
            yield UserStep(str(step["user"]))
        else:
            yield _turn_from(step)


def _turn_from(step: Mapping[str, Any]) -> AgentStep:
    logps = step.get("token_logprobs")
    return AgentStep(
        text=str(step.get("text") or ""),
        logprob=step.get("logprob"),
        n_tokens=step.get("n_tokens"),
        token_logprobs=tuple(logps) if logps is not None else None,
        usage=Usage(step.get("input_tokens"), step.get("output_tokens"), step.get("cached_tokens")),
        truncated=bool(step.get("truncated", False)),
        reasoning=step.get("reasoning"),
    )
