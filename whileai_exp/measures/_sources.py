"""Rows from wherever they are: objects, a JSON-lines file, a run directory, or a tracked run by its id.

This package does not know the tracking store: `mlflow:<run id>` and `runs:/<run id>` are handed to the caller's resolver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from .._jsonl import objects
from ..errors import ConfigError, Problem

Row = Mapping[str, Any]
Source = Any
"""Rows, an object with `rows` or `trajectories`, a path, or a tracked run's id."""
Resolver = Callable[[str], "str | PathLike[str] | Iterable[Row]"]
"""From a tracked run's id to where its rows are."""
_SHOWN = 20
"""Broken lines named in one error."""
_TRACKED = ("mlflow:", "runs:/")


def rows_of(source: Source, resolver: Resolver | None = None, name: str = "rows") -> Sequence[Row]:
    """The rows of a source. ConfigError when there are none to be had: no such file, a broken line, no resolver."""
    for attribute in ("rows", "trajectories"):
        found: Any = getattr(source, attribute, None)
        if found is not None and not isinstance(source, Mapping):
            return list(found() if callable(found) else found)  # pyright: ignore[reportArgumentType]
    if isinstance(source, (str, PathLike)):
        return _from_text(fspath(source), resolver, name)
    if isinstance(source, Mapping):
        raise ConfigError(Problem(name, "is one row; rows are wanted", "wrap it in a list"))
    rows = list(source)
    strangers = sum(not isinstance(row, Mapping) for row in rows)
    if strangers:
        raise ConfigError(Problem(name, f"holds {strangers} things that are not rows", "give dictionaries"))
    return rows


def _from_text(text: str, resolver: Resolver | None, name: str) -> Sequence[Row]:
    for prefix in _TRACKED:
        if text.startswith(prefix):
            if resolver is None:
                what = f"{text!r} names a tracked run and no resolver was given"
                raise ConfigError(Problem(name, what, "pass resolver=, a function from run id to the path of its rows"))
            return rows_of(resolver(text.removeprefix(prefix).split("/")[0]), None, name)
    path = Path(text)
    if path.is_dir():
        path = path / "rows.jsonl"
    if not path.is_file():
        raise ConfigError(Problem(name, f"there is no file {path}", "give a JSON-lines file of rows or a run directory"))
    with path.open("rb") as lines:
        found, faults = objects(lines)
    if faults:
        raise ConfigError([Problem(f"{path}:{number}", fault) for number, fault in faults[:_SHOWN]])
    return found
