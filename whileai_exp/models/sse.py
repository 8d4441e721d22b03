"""A streamed answer put together: the body that the same endpoint would have sent in one piece.

Chunks without choices are passed over, a chunk that holds only usage gives its usage, and calls are joined by index.
A stream that breaks off is no answer: nothing of it is used, least of all half a tool call.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from ..errors import BackendError


def assembled(data: bytes) -> dict[str, Any]:
    """The chat-completions body in a server-sent event stream; an error that the stream tells is returned as it is.

    BackendError(kind="bad_response", retryable) when the stream ends before its answer does or holds something else.
    """
    body: dict[str, Any] = {}
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: list[dict[str, Any]] = []
    logprobs: list[Any] = []
    finish: str | None = None
    ended = False
    for text in _events(data):
        if text == b"[DONE]":
            ended = True
            break
        chunk = _chunk(text)
        if chunk.get("error"):
            return chunk
        for name in ("id", "model", "usage"):
            if chunk.get(name) is not None:
                body[name] = chunk[name]
        choice = _first_choice(chunk)
        if choice is None:
            continue
        finish = choice.get("finish_reason") or finish
        given = choice.get("logprobs")
        if isinstance(given, dict) and isinstance(given.get("content"), list):
            logprobs.extend(given["content"])
        delta = choice.get("delta", choice.get("message"))
        if isinstance(delta, dict):
            _say(message, delta)
            for part in delta.get("tool_calls") or ():
                if isinstance(part, dict):
                    _call(calls, part)
    if not ended and finish is None:
        raise _broken("the stream ended before the answer did")
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": finish}
    if logprobs:
        choice["logprobs"] = {"content": logprobs}
    return {**body, "choices": [choice]}


def _events(data: bytes) -> Iterator[bytes]:
    """The data of each event; comments and other fields are passed over."""
    lines: list[bytes] = []
    for line in (*data.splitlines(), b""):
        if line.startswith(b"data:"):
            lines.append(line[5:].removeprefix(b" "))
        elif not line and lines:
            yield b"\n".join(lines).strip()
            lines = []


def _chunk(text: bytes) -> dict[str, Any]:
    try:
        chunk = orjson.loads(text)
    except ValueError:
        raise _broken("an event of the stream is not JSON") from None
    if not isinstance(chunk, dict):
        raise _broken("an event of the stream is not an object")
    return chunk


def _first_choice(chunk: dict[str, Any]) -> dict[str, Any] | None:
    choices = chunk.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and choice.get("index", 0) == 0:
            return choice
    return None


def _say(message: dict[str, Any], delta: dict[str, Any]) -> None:
    for name in ("content", "refusal", "reasoning_content", "reasoning"):
        if isinstance(delta.get(name), str):
            message[name] = (message.get(name) or "") + delta[name]


def _call(calls: list[dict[str, Any]], part: dict[str, Any]) -> None:
    """Add one piece of a call. Without an index it belongs to the last call, unless it brings an id of its own."""
    index, named = part.get("index"), part.get("id")
    at = next((at for at, call in enumerate(calls) if index is not None and call["index"] == index), None)
    if at is None and index is None and calls and named in (None, "", calls[-1]["id"]):
        at = len(calls) - 1
    if at is None:
        calls.append({"index": index, "id": named or "", "type": "function", "function": {"name": "", "arguments": ""}})
        at = len(calls) - 1
    call, function = calls[at], part.get("function")
    call["id"] = call["id"] or named or ""
    if isinstance(function, dict):
        call["function"]["name"] = call["function"]["name"] or function.get("name") or ""
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            call["function"]["arguments"] += arguments


def _broken(said: str) -> BackendError:
    return BackendError(said, kind="bad_response", status=200, retryable=True)
