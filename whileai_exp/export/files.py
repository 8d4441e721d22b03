"""Files of rows and of training data: written whole or not at all, read one line at a time.

JSON lines are strict JSON in UTF-8 that end at newlines only. Parquet is for tables whose columns are declared beforehand, so
that no row decides the type of another's column; it needs pyarrow.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ..errors import ConfigError, DiskError, ExportError, Problem
from ..schema.row import row_line

_GROUP = 1000
"""Records per row group of a Parquet file: about 4 MB of conversations, what a reader holds at once."""
_SHOWN = 20
"""Broken lines named in one error."""
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_LONG = b"0" * 19
"""With every digit made a zero, this is in a line that may hold a number past 64 bits; a pattern takes as long as parsing."""
_BOM = b"\xef\xbb\xbf"


class Written(NamedTuple):
    """A file that now stands under its name."""

    n: int
    sha256: str


def write_whole(path: Path, write: Callable[[Path], int], *, empty: bool = False) -> Written:
    """Let `write` fill a file beside `path`, then put it in its place; nothing stays when it raises or, unless `empty`, when it
    writes no record."""
    partial = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DiskError(f"{path.parent}: {error.strerror or error}; nothing was written") from error
    try:
        n = write(partial)
        if n == 0 and not empty:
            return Written(0, "")
        digest = _digest(partial)
        os.replace(partial, path)
        return Written(n, digest)
    except OSError as error:
        raise DiskError(f"{path}: {error.strerror or error}; nothing was written") from error
    finally:
        partial.unlink(missing_ok=True)


def write_lines(path: Path, lines: Iterable[bytes], *, empty: bool = False) -> Written:
    """A file of the given lines."""

    def write(partial: Path) -> int:
        n = 0
        with open(partial, "wb") as file:
            for line in lines:
                file.write(line)
                n += 1
            file.flush()
            os.fsync(file.fileno())
        return n

    return write_whole(path, write, empty=empty)


def record_line(record: Mapping[str, Any]) -> bytes:
    """One line of training data: strict JSON, keys in the order given."""
    try:
        return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
    except (TypeError, orjson.JSONEncodeError):
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8", "replace") + b"\n"


def write_table(
    path: Path, records: Iterable[Mapping[str, Any]], schema: Callable[[Any], Any], *, empty: bool = False
) -> Written:
    """A Parquet file of the columns that `schema(pyarrow)` declares, a group of records at a time."""
    arrow, parquet = _pyarrow()
    columns = schema(arrow)

    def write(partial: Path) -> int:
        n, left = 0, iter(records)
        with parquet.ParquetWriter(str(partial), columns, compression="zstd") as writer:
            while group := list(islice(left, _GROUP)):
                writer.write_table(arrow.Table.from_pylist(group, schema=columns))
                n += len(group)
        return n

    return write_whole(path, write, empty=empty)


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ExportError("Parquet files need pyarrow, which is not installed: pip install pyarrow") from error
    return pyarrow, pyarrow.parquet


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> Written:
    """Rows as JSON lines in their one byte form, privileged data removed. ConfigError names a row that is not JSON."""

    def lines() -> Iterator[bytes]:
        for n, row in enumerate(rows):
            with naming(n, row):
                line = row_line(row)
            yield line

    return write_lines(path, lines(), empty=True)


@contextmanager
def naming(n: int, row: Any) -> Iterator[None]:
    """Within it, a thing that is no row or that JSON cannot say is a ConfigError with the row's name."""
    if not isinstance(row, Mapping):
        raise ConfigError(Problem(f"row {n}", f"is {type(row).__name__}, not a row", "give dictionaries"))
    try:
        yield
    except (TypeError, RecursionError, orjson.JSONEncodeError) as error:
        name = row.get("rollout_id") or n
        raise ConfigError(Problem(f"row {name}", f"cannot be written: {error}", "use JSON values only")) from error


def iter_rows(path: str | os.PathLike[str], *, skip: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """Rows of a JSON-lines or Parquet file one at a time, so that a file of any size can be read.

    A line that holds no row is a ConfigError that names it; with `skip` its sentence goes into that list instead and reading
    goes on. A last line that was cut off says so.
    """
    if Path(path).suffix == ".parquet":
        from .formats.parquet import rows_of_table

        yield from rows_of_table(Path(path), _pyarrow()[1])
        return
    with _opened(path) as file:
        for number, line in enumerate(file, 1):
            if number == 1:
                line = line.removeprefix(_BOM)
            if not line.strip():
                continue
            row, fault = read_line(line)
            if row is not None:
                yield row
                continue
            problem = Problem(f"{path} line {number}", _cut(fault) if not line.endswith(b"\n") else fault, _FIX)
            if skip is None:
                raise ConfigError(problem)
            skip.append(f"{problem.where}: {problem.what}")


_FIX = "mend the line, or pass skip=[] to read the others"


def _cut(fault: str) -> str:
    return f"is cut off: the file ends in the middle of a row ({fault})"


def _opened(path: str | os.PathLike[str]) -> Any:
    try:
        return open(path, "rb")
    except OSError as error:
        what = (error.strerror or "cannot be read").lower()
        raise ConfigError(Problem(os.fspath(path), f"cannot be read: {what}", "give a file of rows")) from error


def read_line(line: bytes) -> tuple[dict[str, Any] | None, str]:
    """The object of a line, or None and what is wrong.

    NaN and infinity, which others write though JSON has none, are read as null; numbers past 64 bits and lone surrogates
    as they stand.
    """
    try:
        value = orjson.loads(line)
        if type(value) is dict and _LONG not in line.translate(_ZEROS):
            return value, ""
        exact = json.loads(line, parse_constant=_nothing)
    except RecursionError:
        return None, "is nested too deeply"
    except ValueError:
        try:
            exact = json.loads(line.decode("utf-8"), parse_constant=_nothing)
        except UnicodeDecodeError as error:
            return None, f"is not UTF-8: byte {error.start + 1}"
        except RecursionError:
            return None, "is nested too deeply"
        except json.JSONDecodeError as error:
            return None, f"is not JSON: {error.msg.lower()} at column {error.colno}"
    if isinstance(exact, dict):
        return exact, ""
    return None, f"is {_KINDS.get(type(exact), 'a value')}, not an object"


_KINDS: Mapping[type, str] = {list: "a list", str: "text", int: "a number", float: "a number", bool: "true or false"}


def _nothing(name: str) -> None:
    return None


def read_all(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Every row of a file. ConfigError names every line that holds none, at once."""
    faults: list[str] = []
    rows = list(iter_rows(path, skip=faults))
    if faults:
        shown = [Problem("", sentence) for sentence in faults[:_SHOWN]]
        more = [Problem(str(path), f"{len(faults) - _SHOWN} more lines hold no row")] if len(faults) > _SHOWN else []
        raise ConfigError([*shown, *more, Problem(str(path), f"{len(rows)} lines are rows", _FIX)])
    return rows


def sidecar_path(path: Path) -> Path:
    """Where what the rows need to be read alone stands: `rows.jsonl` has `rows.meta.json`."""
    return path.with_name(path.name.removesuffix(path.suffix) + ".meta.json")


def read_sidecar(path: Path) -> dict[str, Any]:
    """The sidecar of a file of rows; empty when there is none. ConfigError when it is something else."""
    beside = sidecar_path(path)
    if not beside.is_file():
        return {}
    value, fault = read_line(beside.read_bytes())
    if value is None:
        raise ConfigError(Problem(str(beside), fault, "mend it or delete it"))
    return value


def _digest(path: Path) -> str:
    digest = sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
