"""When a model judges itself: names of one model, however providers and servers spell it."""

from __future__ import annotations

import re
from collections.abc import Iterable

_DATE = re.compile(r"[-@:](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest|preview|instruct|chat)$")
_SPLIT = re.compile(r"[-_.:\s]+")


def model_identity(name: str) -> str:
    """One spelling of a model's name: without provider, policy hash, address and date; lower case."""
    bare = name.strip().split("@", 1)[0].rsplit("/", 1)[-1].lower()
    head, colon, rest = bare.partition(":")
    if colon and head in ("openai", "responses", "anthropic", "vllm", "ollama", "http", "local", "url", "azure", "bedrock"):
        bare = rest
    before = ""
    while before != bare:
        before, bare = bare, _DATE.sub("", bare)
    return bare


def model_family(name: str) -> str:
    """The first word of a model's name: gpt, claude, llama, qwen3 as qwen."""
    first = next((part for part in _SPLIT.split(model_identity(name)) if part), "")
    return re.sub(r"\d+$", "", first) or first


def judges_itself(judge: str | None, policies: Iterable[str]) -> tuple[bool, bool]:
    """Whether the judge is one of the models judged, and whether it is of one family with one of them."""
    if not judge:
        return False, False
    known = [policy for policy in policies if policy]
    same = any(model_identity(judge) == model_identity(policy) for policy in known)
    return same, same or any(model_family(judge) == model_family(policy) for policy in known)
