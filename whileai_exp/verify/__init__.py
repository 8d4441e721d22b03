"""Verifiers: rewards computed by a program, under the judge contract.

    from whileai_exp.verify import MathEqual, CodeExec, JSONSchema, Regex, All

The candidate is the rollout's final text. The reference is read from `privileged.reference`, from flat fields of the
row, or from the column that `field=` names, and no reason quotes it. Every name loads when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING
from typing import Any as Anything

if TYPE_CHECKING:
    from ._base import Verifier, as_verifier, verifier
    from .calls import ToolCalls, WorldState
    from .choice import MultipleChoice
    from .code import CodeExec
    from .compose import All, Weighted
    from .compose import Any_ as Any
    from .jsons import JSONField, JSONSchema, JSONValid
    from .maths import MathEqual
    from .numeric import Numeric
    from .text import ExactMatch, Includes, Regex

_HOMES = {
    "All": "compose",
    "Any": "compose",
    "CodeExec": "code",
    "ExactMatch": "text",
    "Includes": "text",
    "JSONField": "jsons",
    "JSONSchema": "jsons",
    "JSONValid": "jsons",
    "MathEqual": "maths",
    "MultipleChoice": "choice",
    "Numeric": "numeric",
    "Regex": "text",
    "ToolCalls": "calls",
    "Verifier": "_base",
    "Weighted": "compose",
    "WorldState": "calls",
    "as_verifier": "_base",
    "verifier": "_base",
}

__all__ = [
    "All",
    "Any",
    "CodeExec",
    "ExactMatch",
    "Includes",
    "JSONField",
    "JSONSchema",
    "JSONValid",
    "MathEqual",
    "MultipleChoice",
    "Numeric",
    "Regex",
    "ToolCalls",
    "Verifier",
    "Weighted",
    "WorldState",
    "as_verifier",
    "verifier",
]


def __getattr__(name: str) -> Anything:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    attribute = "Any_" if name == "Any" else name
    return getattr(import_module(f".{_HOMES[name]}", __name__), attribute)


def __dir__() -> list[str]:
    return __all__
