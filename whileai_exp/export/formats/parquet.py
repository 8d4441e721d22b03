"""Rows as a table for notebooks and query engines, and back: every row, one column per plain value.

The columns are those of version 1 rows, whatever the rows hold, so no row decides another's types: objects and lists are
JSON text, and what has no column, or does not fit its column's type, stands in `extra` as JSON text. Nothing is lost:
reading the table gives the rows back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

import orjson

from ...schema.privileged import without_privileged
from ...schema.row import Row
from ...schema.steps import dumps
from ..files import naming
from ..maker import Maker
from . import formats

_INT64 = 1 << 63
_EXACT = 1 << 53
"""Whole numbers up to here are the same as floats."""


def _kind(hint: Any) -> type:
    """The column type of an annotation: str, int, float, or list for everything that is JSON text."""
    if hint in (str, int, float):
        return hint
    options = [option for option in get_args(hint) if option is not type(None)] if get_origin(hint) else []
    return options[0] if len(options) == 1 and options[0] in (str, int, float) else list


COLUMNS: Mapping[str, type] = {
    name: _kind(hint) for name, hint in sorted(get_type_hints(Row).items()) if name not in ("privileged", "extra")
}
"""Every wire key of a row and the type of its column; list means JSON text."""


@formats.register("parquet")
@dataclass(frozen=True, slots=True)
class Parquet:
    """The rows themselves, failures too: a table to look into, not a file to imitate."""

    suffix: ClassVar[str] = ".parquet"
    trains: ClassVar[str] = "nothing: a table of all rows"

    def records(self, rows: Iterable[Mapping[str, Any]], maker: Maker) -> Iterator[Mapping[str, Any]]:
        for n, row in enumerate(rows):
            maker.n += 1
            with naming(n, row):
                record = record_of(row)
            yield record

    def schema(self, arrow: Any) -> Any:
        kinds = {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), list: arrow.string()}
        return arrow.schema([*((name, kinds[kind]) for name, kind in COLUMNS.items()), ("extra", arrow.string())])


def record_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """One record; privileged data stays behind."""
    clean = orjson.loads(dumps(without_privileged({key: value for key, value in row.items() if key != "privileged"})))
    out: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, value in clean.items():
        kind = COLUMNS.get(key)
        if kind is list and isinstance(value, (dict, list)):
            out[key] = dumps(value).decode()
        elif kind is float and type(value) is int and abs(value) <= _EXACT:
            out[key] = float(value)
        elif kind not in (None, list) and _fits(value, kind):
            out[key] = value
        else:
            extra[key] = value
    if extra:
        out["extra"] = dumps(extra).decode()
    return out


def _fits(value: Any, kind: type | None) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    if kind is int:
        return isinstance(value, int) and -_INT64 <= value < _INT64
    return isinstance(value, kind) if kind is not None else False


def rows_of_table(path: Path, parquet: Any) -> Iterator[dict[str, Any]]:
    """The rows of a table that `Parquet` wrote, a group at a time."""
    with parquet.ParquetFile(str(path)) as table:
        for batch in table.iter_batches():
            for record in batch.to_pylist():
                yield row_of(record)


def row_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """The row of one record: the twin of `record_of`."""
    row: dict[str, Any] = {}
    for key, value in record.items():
        if value is not None and key != "extra":
            row[key] = orjson.loads(value) if COLUMNS.get(key) is list else value
    extra = record.get("extra")
    return {**row, **orjson.loads(extra)} if extra else row
