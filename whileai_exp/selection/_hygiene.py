"""Row-level checks that both selections share. Language-neutral: statuses and structure, never phrase lists."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from .._text import normalised
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
        " ".join([str(row.get("final_text", "")), *(str(s["text"]) for s in row.get("steps") or () if s.get("text"))])
    )
    return "privileged_leak" if any(secret in spoken for secret in secrets) else None


def _secrets(held: Privileged, quote_chars: int) -> list[str]:
    texts = [held.get(name) for name in ("reference", "principle", "rubric")]
    return [short for text in texts if isinstance(text, str) and len(short := normalised(text)) >= quote_chars]


def label_reason(row: Mapping[str, Any]) -> str | None:
    """Why the row's verdict cannot be used, or None."""
    status = row.get("status", "ok")
    if status not in USABLE:
        return f"rollout_{status}"
    if row.get("judge_status", "ok") != "ok" or reward_of(row.get("reward")) is None:
        return "unjudged"
    return None


def junk_reason(row: Mapping[str, Any]) -> str | None:
    """`no_final_reply` when the agent said nothing in the end; `truncated` when it was cut (by status, not by looks)."""
    if row.get("finish_reason") == "length" or row.get("status") == "truncated":
        return "truncated"
    if not str(row.get("final_text", "")).strip():
        return "no_final_reply"
    return None


@lru_cache(maxsize=65536)
def reply_key(text: str) -> str:
    """Two replies with one key say the same."""
    return normalised(text)
