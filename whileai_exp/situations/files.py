"""Rows from a JSONL or JSON file, with every bad line named at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from ..errors import ConfigError, Problem

_SHOWN = 20


def read_rows(path: Path, where: str = "tasks") -> list[Mapping[str, Any]]:
    """Every object of a JSONL file (or of the list in a JSON file). ConfigError names the lines that cannot be read."""
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
        items = (
            value
            if isinstance(value, list)
            else value.get("rows", value.get("traces", [value]))
            if isinstance(value, dict)
            else []
        )
        return [item for item in items if isinstance(item, Mapping)]
    rows: list[Mapping[str, Any]] = []
    problems: list[Problem] = []
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            problems.append(Problem(where, f"{path.name} line {number} is not JSON: {error}"))
            continue
        if isinstance(value, Mapping):
            rows.append(value)
        else:
            problems.append(Problem(where, f"{path.name} line {number} is {type(value).__name__}, not an object"))
    if problems:
        raise ConfigError(problems[:_SHOWN])
    return rows
