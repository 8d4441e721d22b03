"""Rows from wherever they are: objects, a JSON-lines file, a run directory, or a tracked run by its id.

This package does not know the tracking store: `mlflow:<run id>`, `runs:/<run id>` and a bare run id are handed to the
caller's resolver, and `is_tracked` says what would be.
"""

from __future__ import annotations

import re
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
_RUN_ID = re.compile(r"[0-9a-f]{32}")


def is_tracked(source: Any) -> bool:
    """Whether a source names a run of the tracking store: `mlflow:<id>`, `runs:/<id>`, or an id that is no file here."""
    if not isinstance(source, str):
        return False
    return source.startswith(_TRACKED) or (_RUN_ID.fullmatch(source) is not None and not Path(source).exists())


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
    if is_tracked(text):
        if resolver is None:
            what = f"{text!r} names a tracked run and no resolver was given"
            raise ConfigError(Problem(name, what, "pass resolver=, a function from run id to the path of its rows"))
        run_id = text.removeprefix(_TRACKED[0]).removeprefix(_TRACKED[1]).split("/")[0]
        return rows_of(resolver(run_id), None, name)
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
