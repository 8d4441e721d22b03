"""Verifiers by name: `{kind: math_equal}`, `{kind: json_schema, schema: …}`, `{kind: all, parts: [{kind: …}, …]}`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from ._base import Bench, judges, made

Row = Mapping[str, Any]

_KINDS = {
    "code_exec": ("code", "CodeExec"),
    "exact_match": ("text", "ExactMatch"),
    "includes": ("text", "Includes"),
    "json_field": ("jsons", "JSONField"),
    "json_schema": ("jsons", "JSONSchema"),
    "json_valid": ("jsons", "JSONValid"),
    "math_equal": ("maths", "MathEqual"),
    "multiple_choice": ("choice", "MultipleChoice"),
    "numeric": ("numeric", "Numeric"),
    "regex": ("text", "Regex"),
    "tool_calls": ("calls", "ToolCalls"),
    "world_match": ("calls", "WorldState"),
}


def _loader(module: str, attribute: str) -> Callable[..., Any]:
    def load(**settings: Any) -> Any:
        return getattr(import_module(f"..verify.{module}", __package__), attribute)(**settings)

    return load


for _name, (_module, _attribute) in _KINDS.items():
    judges.register(_name)(_loader(_module, _attribute))


class Composed:
    """A composition named in configuration: its parts are made when it is bound."""

    def __init__(self, attribute: str, parts: list[Any], weights: list[float] | None = None) -> None:
        self._attribute, self._parts, self._weights = attribute, parts, weights

    def bind(self, bench: Bench) -> Callable[[Row], Any]:
        """The composition with its parts made. Parts must be synchronous: verifiers and functions of a row."""
        parts = [made(part, bench)[0] for part in self._parts]
        factory = getattr(import_module("..verify.compose", __package__), self._attribute)
        return factory(*zip(parts, self._weights)) if self._weights is not None else factory(*parts)

    def __call__(self, row: Row) -> Any:
        return self.bind(Bench())(row)


@judges.register("all")
def make_all(parts: list[Any]) -> Composed:
    """The least reward of the parts."""
    return Composed("All", parts)


@judges.register("any")
def make_any(parts: list[Any]) -> Composed:
    """The best reward of the parts."""
    return Composed("Any_", parts)


@judges.register("weighted")
def make_weighted(parts: list[Any], weights: list[float]) -> Composed:
    """The weighted mean of the parts."""
    return Composed("Weighted", parts, weights)
