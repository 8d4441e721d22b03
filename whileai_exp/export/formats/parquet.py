"""Rows as a table for notebooks and query engines, and back: every row, one column per plain value.

The columns are those of version 1 rows, whatever the rows hold, so no row decides another's types: objects and lists are
JSON text, and what has no column, or does not fit its column's type, stands in `extra` as JSON text. Nothing is lost:
reading the table gives the rows back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

import orjson

from ...schema.privileged import is_privileged, without_privileged
from ...schema.row import Row
from ...schema.steps import dumps
from ..files import naming
from ..maker import Maker
from . import formats

_BATCH = 500
"""Records decoded at a time when reading: about 2 MB of rows."""
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
    imitated: ClassVar[bool] = False
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
    out: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, value in row.items():
        if is_privileged(key, value):
            continue
        kind = COLUMNS.get(key)
        if kind is list and type(value) in (dict, list):
            out[key] = _json(value)
        elif kind is not None and kind is not list and _fits(value, kind):
            out[key] = value
        elif kind is float and type(value) is int and abs(value) <= _EXACT:
            out[key] = float(value)
        else:
            extra[key] = value
    if extra:
        out["extra"] = _json(extra)
    return out


def _json(value: Any) -> str:
    text = dumps(value)
    return dumps(without_privileged(value)).decode() if b"privileged" in text else text.decode()


def _fits(value: Any, kind: type) -> bool:
    """Whether a value can stand in its column as it is: of the very type, finite, encodable, hiding nothing."""
    if type(value) is not kind:
        return False
    if kind is int:
        return -_INT64 <= value < _INT64
    if kind is float:
        return isfinite(value)
    return value.isascii() and "privileged" not in value or _encodable(value)


def _encodable(text: str) -> bool:
    if '"privileged"' in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def rows_of_table(path: Path, parquet: Any) -> Iterator[dict[str, Any]]:
    """The rows of a table that `Parquet` wrote, a group at a time."""
    with parquet.ParquetFile(str(path)) as table:
        for batch in table.iter_batches(batch_size=_BATCH):
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
