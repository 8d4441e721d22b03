"""Spec strings for models: `provider:model`, `provider:model@base_url`, or a bare URL."""

from __future__ import annotations

from .._text import did_you_mean
from ..errors import ConfigError, Problem
from .types import ModelRef

PROVIDERS: dict[str, str | None] = {
    "openai": "OPENAI_API_KEY",
    "responses": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "vllm": None,
    "ollama": None,
    "http": None,
    "local": None,
    "url": None,
}
"""Provider to the environment variable that holds its key unless another is named; None: no key is needed."""


def parse_ref(text: str, where: str = "agent") -> ModelRef:
    """The model a spec string names. ConfigError says what the string should look like."""
    text = text.strip()
    if text == "scripted":
        return ModelRef("scripted")
    if text.startswith(("http://", "https://")):
        return ModelRef("url", None, (text,))
    head, colon, rest = text.partition(":")
    if not colon:
        if "/" in text and text.split("/", 1)[0] in PROVIDERS:
            provider, model = text.split("/", 1)
            raise ConfigError(Problem(where, f"{text!r} is not a model", f"write {provider}:{model}"))
        if text in PROVIDERS:
            raise ConfigError(Problem(where, f"{text!r} names a provider but no model", f"write {text}:<model>"))
        raise ConfigError(
            Problem(where, f"{text!r} is not a model", "write provider:model, provider:model@base_url, a URL, or scripted")
        )
    if head not in PROVIDERS:
        raise ConfigError(Problem(where, f"{head!r} is not a provider", did_you_mean(head, PROVIDERS)))
    model, at, url = rest.partition("@http")
    if not model:
        raise ConfigError(Problem(where, f"{text!r} names no model", f"write {head}:<model>"))
    return ModelRef(head, model, (f"http{url}",) if at else (), PROVIDERS[head])
