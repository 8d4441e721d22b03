"""What is derived from a tool, kept for as long as the tool is the same object."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from ..schema import Tool

P = ParamSpec("P")
T = TypeVar("T")
KEPT = 4096
"""Entries after which a table starts anew: far above any agent's tools, so that a service of many agents stays bounded."""


def kept_per_tool(function: Callable[Concatenate[Tool, P], T]) -> Callable[Concatenate[Tool, P], T]:
    """The function with its results kept per tool object and further positional arguments.

    By identity, since a tool's schema is a dict and cannot be hashed; the tool is held, so its id is not given away.
    """
    held: dict[tuple[Any, ...], tuple[Tool, T]] = {}

    @wraps(function)
    def get(tool: Tool, /, *rest: P.args, **named: P.kwargs) -> T:
        assert not named, "give the arguments by position: they are the key"
        key = (id(tool), *rest)
        found = held.get(key)
        if found is not None and found[0] is tool:
            return found[1]
        made = function(tool, *rest, **named)
        if len(held) >= KEPT:
            held.clear()
        held[key] = (tool, made)
        return made

    return get
