"""Row-level checks that both selections share. Language-neutral: statuses and structure, never phrase lists."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from .._text import normalised
from ..measures._table import items_of
from ..schema import Privileged, reward_of

USABLE = frozenset({"ok", "truncated", "empty_reply"})


def leak_reason(row: Mapping[str, Any], quote_chars: int) -> str | None:
    """`privileged_leak` when the agent's words hold a stretch of the row's own answer key that the person never said."""
    held = row.get("privileged")
    if not isinstance(held, Mapping):
        return None
    secrets = _secrets(held if isinstance(held, Privileged) else Privileged(held), quote_chars)
    if not secrets:
        return None
    spoken = normalised(
        " ".join([str(row.get("final_text", "")), *(str(s["text"]) for s in items_of(row, "steps") if s.get("text"))])
    )
    return "privileged_leak" if any(secret in spoken for secret in secrets) else None


def _secrets(held: Privileged, quote_chars: int) -> list[str]:
    texts = [held.get(name) for name in ("reference", "principle", "rubric")]
    return [short for text in texts if isinstance(text, str) and len(short := normalised(text)) >= quote_chars]


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
