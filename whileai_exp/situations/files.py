"""Rows from a JSONL or JSON file, with every bad line named at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from .._jsonl import objects
from ..errors import ConfigError, Problem

_SHOWN = 20


def rows_in(path: Path, where: str = "tasks") -> list[dict[str, Any]]:
    """Every object of a JSONL file (or of the list in a JSON file). ConfigError names what holds none."""
    try:
        data = path.expanduser().read_bytes()
    except OSError as error:
        raise ConfigError(Problem(where, f"{str(path)!r} cannot be read: {error.strerror or error}")) from error
    text = data.strip()
    if text.startswith(b"[") or path.suffix == ".json":
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise ConfigError(Problem(where, f"{str(path)!r} is not JSON: {error}")) from error
        items = value.get("rows", value.get("traces", [value])) if isinstance(value, dict) else value
        if not isinstance(items, list):
            raise ConfigError(Problem(where, f"{str(path)!r} holds {type(items).__name__}, not rows"))
        found = [item for item in items if isinstance(item, dict)]
        faults = [(at, f"is {type(item).__name__}, not an object") for at, item in enumerate(items) if not isinstance(item, dict)]
        place = "item"
    else:
        found, faults = objects(data.splitlines())
        place = "line"
    if faults:
        raise ConfigError([Problem(where, f"{path.name} {place} {number} {fault}") for number, fault in faults[:_SHOWN]])
    return found
