"""The run directory: what is in it, and writing it so that a reader never sees half a file.

rows.jsonl           every rollout, canonical order; the digest is its SHA-256
selected.jsonl       what selection kept
dropped.jsonl        what it left out: rollout id and reason
rows.meta.json       the sidecar: prompts by sha, tools, roles, coverage, pass numbers, warnings
config.yaml          the resolved configuration; `replay` reads it
overrides.json       the command that was given
record.json          the whole record
report.json/.md      the same for machines and for people
report.html          the same as a page, with the rollouts to read; figures/ holds its pictures
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from .._hash import plain
from ..errors import DiskError
from ..export.files import iter_rows
from ..schema.row import row_line

_PRETTY = orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS


class RunDirectory:
    """One run's folder. Files are written beside their name, synced, and renamed; `files` holds their hashes."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.files: dict[str, str] = {}
        self._guard(lambda: self.path.mkdir(parents=True, exist_ok=True))

    def write_bytes(self, name: str, chunks: Iterable[bytes]) -> str:
        """Write a file from chunks; its SHA-256."""
        target = self.path / name
        partial = target.with_name(target.name + ".part")
        digest = sha256()

        def write() -> None:
            target.parent.mkdir(parents=True, exist_ok=True)
            with open(partial, "wb") as file:
                for chunk in chunks:
                    digest.update(chunk)
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            os.replace(partial, target)

        self._guard(write)
        self.files[name] = digest.hexdigest()
        return self.files[name]

    def adopt(self, name: str) -> None:
        """Take a file that somebody else wrote into the record."""
        self.files[name] = sha256((self.path / name).read_bytes()).hexdigest()

    def write_rows(self, name: str, rows: Iterable[Mapping[str, Any]]) -> str:
        """Rows as JSON lines, one canonical byte form each, privileged data removed; the file's SHA-256."""
        return self.write_bytes(name, map(row_line, rows))

    def write_json(self, name: str, value: Any) -> str:
        return self.write_bytes(name, (orjson.dumps(plain(value), option=_PRETTY), b"\n"))

    def write_text(self, name: str, text: str) -> str:
        return self.write_bytes(name, (text.encode("utf-8", "replace"),))

    def _guard(self, action: Any) -> None:
        try:
            action()
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS):
                raise DiskError(f"{self.path}: {error.strerror}; free space and resume") from error
            raise


def read_rows(path: str | Path) -> Iterable[dict[str, Any]]:
    """Rows of a file, one at a time. ConfigError names a line that holds none; see `iter_rows`."""
    return iter_rows(path)
