"""Rows to a file and back, with what they need to be read alone beside them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from .._hash import plain
from ..export.files import iter_rows as _iter_rows
from ..export.files import read_all, sidecar_path, write_lines, write_rows, write_table
from ..export.formats.parquet import Parquet
from ..export.maker import Maker
from ..schema import Tool

_PRETTY = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS | orjson.OPT_APPEND_NEWLINE
"""Keys in the order given: a tool's properties are shown to models in the order they were declared."""


def save_rows(
    rows: Iterable[Mapping[str, Any]], path: str | os.PathLike[str], *, sidecar: Mapping[str, Any] | None = None
) -> Path:
    """Write rows whole or not at all, privileged data removed; JSON lines, or a table when the name ends in `.parquet`.

    Rows are taken one at a time, so an iterator larger than memory can be written. NaN becomes null, bytes become text, a lone
    surrogate a question mark, a number past 64 bits its digits as text. `sidecar` goes to `<name>.meta.json` beside it.
    ConfigError names a row that holds something that is no JSON value; DiskError when the disk refuses.

    >>> save_rows(rows, "rows.jsonl")  # doctest: +SKIP
    """
    target = Path(path)
    if target.suffix == ".parquet":
        table = Parquet()
        write_table(target, table.records(rows, Maker()), table.schema, empty=True)
    else:
        write_rows(target, rows)
    if sidecar is not None:
        write_lines(sidecar_path(target), [orjson.dumps(plain(sidecar), option=_PRETTY)])
    return target


def load_rows(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """The rows of a file that `save` wrote, or of anybody's JSON lines. ConfigError names every line that holds no row.

    >>> rows = load_rows("rows.jsonl")  # doctest: +SKIP
    """
    return read_all(path)


def iter_rows(path: str | os.PathLike[str], *, skip: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """The same one at a time, so that a file of any size can be read.

    The first line that holds no row is a ConfigError that names it; with `skip`, a list, its sentence is put there and the
    next line is read.

    >>> kept = [row for row in iter_rows("rows.jsonl") if row["reward"] == 1.0]  # doctest: +SKIP
    """
    return _iter_rows(path, skip=skip)


def agent_sidecar(system_prompt: str, tools: Sequence[Tool], prompt_sha: str) -> dict[str, Any]:
    """The part of a sidecar that says which agent the rows are of."""
    return {
        "schema_version": "1",
        "system_prompts": {prompt_sha: system_prompt} if system_prompt else {},
        "tools": [tool.wire() for tool in tools],
    }
