"""What a run owes its tracking store, kept in the run's own directory until it is there.

tracking.json     what the MLflow run is opened with: store, experiment, tags, params
mlflow_run_id     the MLflow run, once it is open
progress.jsonl    numbers while the run was going on, one line per step
tracked.json      the record that was sent last; `sync` has nothing to do while it is the one on disk
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ..errors import ConfigError, Problem

_OWED, _ID, _STEPS, _SENT = "tracking.json", "mlflow_run_id", "progress.jsonl", "tracked.json"


class Owed(NamedTuple):
    """What an MLflow run is opened with."""

    uri: str
    experiment: str
    tags: Mapping[str, str]
    params: Mapping[str, str]


class Step(NamedTuple):
    """Numbers at one point of the run. `step`: rollouts that were done."""

    step: int
    time_ms: int
    values: Mapping[str, float]


class Spool:
    """The files above, of one run directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def owe(self, owed: Owed) -> None:
        self._write(_OWED, owed._asdict())

    def owed(self) -> Owed:
        """ConfigError when the run was made without a tracking store."""
        path = self.folder / _OWED
        if not path.is_file():
            raise ConfigError(Problem(str(self.folder), "was not recorded for MLflow", "run it with record.mlflow=true"))
        return Owed(**orjson.loads(path.read_bytes()))

    @property
    def run_id(self) -> str | None:
        """The MLflow run that was opened for this directory."""
        path = self.folder / _ID
        return (path.read_text("utf-8").strip() or None) if path.is_file() else None

    def opened(self, run_id: str) -> None:
        (self.folder / _ID).write_text(f"{run_id}\n", "utf-8")

    def add(self, step: Step) -> None:
        with (self.folder / _STEPS).open("ab") as file:
            file.write(orjson.dumps(step._asdict()) + b"\n")

    def steps(self) -> list[Step]:
        """All steps; a line that a crash cut short is left out."""
        path = self.folder / _STEPS
        out = []
        for line in path.read_bytes().splitlines() if path.is_file() else ():
            try:
                out.append(Step(**orjson.loads(line)))
            except (orjson.JSONDecodeError, TypeError):
                continue
        return out

    def record(self) -> dict[str, Any] | None:
        """The record on disk; None while there is none."""
        path = self.folder / "record.json"
        return orjson.loads(path.read_bytes()) if path.is_file() else None

    def done(self) -> bool:
        """Whether the record on disk is the one that was sent last."""
        path = self.folder / _SENT
        return path.is_file() and orjson.loads(path.read_bytes()).get("record") == self._digest()

    def mark_done(self) -> None:
        self._write(_SENT, {"record": self._digest()})

    def _digest(self) -> str | None:
        path = self.folder / "record.json"
        return sha256(path.read_bytes()).hexdigest() if path.is_file() else None

    def _write(self, name: str, value: Mapping[str, Any]) -> None:
        part = self.folder / f"{name}.part"
        part.write_bytes(orjson.dumps(value, option=orjson.OPT_INDENT_2))
        os.replace(part, self.folder / name)
