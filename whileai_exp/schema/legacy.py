"""Rows from before the version stamp, and other people's: told apart by shape, turned into version 1.

Known shapes: our own without a stamp (`steps` + `final_text`), chat messages (OpenAI or Anthropic blocks), and a
platform's `tool_trace`. Nothing is guessed: a row without a prompt, messages or final text is refused.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from typing import Any

from ..errors import ConfigError, Problem

_PROMPT_KEYS = ("prompt", "question", "input", "ask", "task")
_FINAL_KEYS = ("final_text", "final", "output", "response", "answer", "completion")


def modernised(row: Mapping[str, Any]) -> dict[str, Any]:
    """A version 1 row with the same content. ConfigError when the shape is not one of the known ones."""
    out: dict[str, Any] = {"schema_version": "1", **{k: v for k, v in row.items() if k != "schema_version"}}
    messages = row.get("messages")
    if "steps" not in row and isinstance(messages, (list, tuple)):
        prompt, steps, final = _from_messages(messages)
        out.setdefault("prompt", prompt)
        out["steps"] = steps
        out.setdefault("final_text", final)
    elif "steps" not in row:
        trace = row.get("tool_trace", row.get("trace"))
        if isinstance(trace, (list, tuple)):
            out["steps"] = [_trace_step(step) for step in trace if isinstance(step, Mapping)]
    if "prompt" not in out:
        out["prompt"] = _first_text(row, _PROMPT_KEYS)
    if "final_text" not in out:
        steps = out.get("steps") or []
        spoken = [step["text"] for step in steps if isinstance(step, Mapping) and step.get("text")]
        out["final_text"] = _first_text(row, _FINAL_KEYS) or (spoken[-1] if spoken else "")
    if not out["prompt"] and not out["final_text"] and not out.get("steps"):
        raise ConfigError(
            Problem(
                "row", f"no prompt, messages, steps or final text among the keys {sorted(map(str, row))}", "see the row schema"
            )
        )
    out.setdefault("steps", [{"text": out["final_text"]}] if out["final_text"] else [])
    faults = row.get("faults")
    if isinstance(faults, Mapping):
        out["faults"] = [
            {"tool": tool, "mode": plan.get("mode", "unknown"), "calls": [0], "fired": []}
            for tool, plan in faults.items()
            if isinstance(plan, Mapping)
        ]
    return out


def _first_text(row: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((str(row[key]) for key in keys if isinstance(row.get(key), str) and row[key]), "")


def _trace_step(step: Mapping[str, Any]) -> dict[str, Any]:
    if "tool" in step or "name" in step:
        return {
            "tool": str(step.get("tool", step.get("name"))),
            "arguments": _object(step.get("arguments", step.get("args", step.get("input")))),
            "result": step.get("result", step.get("output")),
        }
    return dict(step)


def _object(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return dict(value) if isinstance(value, Mapping) else {}


def text_of(content: Any) -> str:
    """The text of a message's content: a string, or the text blocks of a list."""
    if isinstance(content, str):
        return content
    if isinstance(content, (list, tuple)):
        return "".join(
            str(part.get("text", ""))
            for part in content
            if isinstance(part, Mapping) and part.get("type") in (None, "text", "input_text", "output_text")
        )
    return ""


def _from_messages(messages: list[Any] | tuple[Any, ...]) -> tuple[str, list[dict[str, Any]], str]:
    prompt: str | None = None
    steps: list[dict[str, Any]] = []
    waiting: dict[str, dict[str, Any]] = {}
    final = ""
    for message in messages:
        if not isinstance(message, Mapping):
            continue
        role, content = message.get("role"), message.get("content")
        text = text_of(content)
        blocks = content if isinstance(content, (list, tuple)) else ()
        for block in blocks:
            if isinstance(block, Mapping) and block.get("type") == "tool_result":
                _answer(
                    waiting, steps, str(block.get("tool_use_id", "")), None, text_of(block.get("content")) or block.get("content")
                )
        if role == "user" and text:
            if prompt is None:
                prompt = text
            else:
                steps.append({"user": text})
        elif role == "assistant":
            calls = [_call(call) for call in message.get("tool_calls") or () if isinstance(call, Mapping)]
            calls += [
                (str(b.get("id", "")), str(b.get("name", "")), _object(b.get("input")))
                for b in blocks
                if isinstance(b, Mapping) and b.get("type") == "tool_use"
            ]
            if not calls and text:
                steps.append({"text": text})
            for index, (call_id, name, arguments) in enumerate(calls):
                step: dict[str, Any] = {
                    "tool": name,
                    "arguments": arguments,
                    "result": None,
                    "status": "unanswered",
                    "call_id": call_id,
                }
                if index:
                    step["parallel"] = True
                elif text:
                    step["text"] = text
                steps.append(step)
                waiting[call_id or f"#{len(steps)}"] = step
            final = text or final
        elif role == "tool":
            _answer(
                waiting,
                steps,
                str(message.get("tool_call_id", "")),
                message.get("name"),
                content if isinstance(content, str) else text_of(content),
            )
    return prompt or "", steps, final


def _call(call: Mapping[str, Any]) -> tuple[str, str, dict[str, Any]]:
    function = call.get("function") if isinstance(call.get("function"), Mapping) else call
    assert isinstance(function, Mapping)
    return str(call.get("id", "")), str(function.get("name", "")), _object(function.get("arguments"))


def _answer(waiting: dict[str, dict[str, Any]], steps: list[dict[str, Any]], call_id: str, name: Any, result: Any) -> None:
    """Bind a result to its call: by id, else the oldest waiting call of that name, else the oldest waiting call."""
    step = waiting.pop(call_id, None)
    if step is None:
        key = next((k for k, s in waiting.items() if name is None or s["tool"] == name), None)
        step = waiting.pop(key) if key is not None else None
    if step is None:
        return
    if isinstance(result, str):
        with contextlib.suppress(ValueError):
            result = json.loads(result)
    step["result"], step["status"] = result, "ok"
