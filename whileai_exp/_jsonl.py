"""JSON lines that somebody else wrote: every object, and what is wrong with each line that holds none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import orjson


class Objects(NamedTuple):
    """What lines hold."""

    found: list[dict[str, Any]]
    faults: list[tuple[int, str]]
    """Line number from 1, and what is wrong with it: `is not JSON: …`, `is list, not an object`."""


def objects(lines: Iterable[bytes]) -> Objects:
    """Every object of JSON lines; empty lines do not count. Never raises for what stands in them."""
    out = Objects([], [])
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            out.faults.append((number, f"is not JSON: {error}"))
            continue
        if isinstance(value, dict):
            out.found.append(value)
        else:
            out.faults.append((number, f"is {type(value).__name__}, not an object"))
    return out
