"""Finding a run and reading what it left: by directory, or by its id in MLflow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import ConfigError, Problem


@contextmanager
def found_run(ref: str, uri: str | None = None) -> Iterator[Path]:
    """The directory of a run; an MLflow run's files stand in a temporary folder meanwhile."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="whileai-run-") as scratch:
        yield find_run(ref, uri, Path(scratch))


def find_run(ref: str, uri: str | None, scratch: Path) -> Path:
    """The directory of a run: the one named, or an MLflow run's artifacts. ConfigError when there is none."""
    path = Path(ref)
    if path.is_dir():
        if not (path / "config.yaml").is_file():
            raise ConfigError(Problem(ref, "is not a run directory: it holds no config.yaml"))
        return path
    run_id = ref.removeprefix("mlflow:")
    if not re.fullmatch(r"[0-9a-f]{32}", run_id):
        raise ConfigError(Problem(ref, "is neither a run directory nor an MLflow run id", "whileai-exp runs lists them"))
    from ..record.mlflow_sink import find_run_directory

    store = uri or default_store()
    try:
        found = find_run_directory(store, run_id, scratch / "artifacts")
    except Exception as error:  # any store may fail in any way; it is the reference that cannot be resolved
        raise ConfigError(Problem(ref, f"cannot be fetched from {store}: {' '.join(str(error).split())[:200]}")) from error
    return find_run(str(found), uri, scratch)


def default_store() -> str:
    """The sqlite store under outputs/ where the command was given."""
    return f"sqlite:///{Path.cwd() / 'outputs' / 'mlflow.db'}"


def saved_config(path: Path) -> dict[str, Any]:
    """A saved resolved configuration. ConfigError when the file is something else."""
    import yaml

    loaded = yaml.safe_load(path.read_text("utf-8"))
    if not isinstance(loaded, dict):
        raise ConfigError(Problem(str(path), "is not a saved configuration"))
    return loaded


def saved_record(folder: Path) -> dict[str, Any]:
    """record.json of a run. ConfigError when the run did not finish."""
    import orjson

    path = folder / "record.json"
    if not path.is_file():
        raise ConfigError(Problem(str(folder), "holds no record.json: the run did not finish", "resume it first"))
    return orjson.loads(path.read_bytes())


def dropped_of(folder: Path) -> dict[str, str]:
    """Rollout id to the reason why selection left it out."""
    from ..run.directory import read_rows

    path = folder / "dropped.jsonl"
    return {str(line["rollout_id"]): str(line["reason"]) for line in read_rows(path)} if path.is_file() else {}
