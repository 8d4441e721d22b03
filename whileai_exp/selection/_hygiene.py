"""Row-level checks that both selections share. Language-neutral: statuses and structure, never phrase lists."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from .._text import normalised
from ..measures._table import items_of
from ..schema import reward_of
from ._recital import recital, texts_of

USABLE = frozenset({"ok", "truncated", "empty_reply"})


def leak_reason(row: Mapping[str, Any], quote_chars: int) -> str | None:
    """`privileged_leak` when the agent's words or arguments recite the row's own answer key (see `_recital`)."""
    return "privileged_leak" if recital(row, _spoken(row), lambda: _told(row), quote_chars).found else None


def _spoken(row: Mapping[str, Any]) -> str:
    steps = items_of(row, "steps")
    return " ".join(
        texts_of([row.get("final_text"), *(step.get("text") for step in steps), *(step.get("arguments") for step in steps)])
    )


def _told(row: Mapping[str, Any]) -> str:
    others = (message.get("content") for message in items_of(row, "messages") if message.get("role") != "assistant")
    return " ".join(texts_of([row.get("prompt"), *others]))


def label_reason(row: Mapping[str, Any]) -> str | None:
    """Why the row's verdict cannot be used, or None."""
    status = str(row.get("status") or "ok")
    if status not in USABLE:
        return f"rollout_{status}"
    if row.get("judge_status", "ok") != "ok" or reward_of(row.get("reward")) is None:
        return "unjudged"
    return None


def is_truncated(row: Mapping[str, Any]) -> bool:
    """Whether the rollout was cut at a cap: by its status or finish reason, never by how its text looks."""
    return row.get("finish_reason") == "length" or row.get("status") == "truncated"


def silent_reason(row: Mapping[str, Any]) -> str | None:
    """`no_final_reply` when the agent said nothing in the end."""
    return None if str(row.get("final_text") or "").strip() else "no_final_reply"


def from_eval(row: Mapping[str, Any]) -> bool:
    """Whether the row was graded as an evaluation: training on it spends the evaluation."""
    lineage = row.get("lineage")
    return isinstance(lineage, Mapping) and lineage.get("source") == "eval"


@lru_cache(maxsize=65536)
def reply_key(text: str) -> str:
    """Two replies with one key say the same."""
    return normalised(text)
