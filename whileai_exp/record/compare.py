"""Measures on runs that MLflow tracks: `mlflow:<run id>` wherever rows, a file or a run directory may stand.

A run's rows are read from its own directory while that is there (the run carries the path as a tag), else from its
artifacts. MLflow is imported when an argument names a run, and never for rows, files and directories.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar

from ..errors import ConfigError, Problem
from ..measures import compare as _compare
from ..measures import delta as _delta
from ..measures import hack_diff as _hack_diff
from ..measures import hacks as _hacks
from ..measures import variance as _variance
from ..measures._sources import Resolver, Row, is_tracked, rows_of

P = ParamSpec("P")
R = TypeVar("R")
DEFAULT_STORE = "sqlite:///outputs/mlflow.db"
ROWS = "rows.jsonl"


def tracked_rows(uri: str | None = None) -> Resolver:
    """A resolver: from an MLflow run id to its rows. `uri`: the tracking store; None is outputs/mlflow.db here."""

    def found(run_id: str) -> Path | Sequence[Row]:
        store = uri or _default_store(run_id)
        with tempfile.TemporaryDirectory(prefix="whileai-rows-") as scratch:
            at, kept = _located(store, run_id, Path(scratch))
            if at is not None:
                return at if Path(scratch) not in at.parents else rows_of(at)
        where = f"its directory {kept} holds no {ROWS}" if kept is not None else "it does not name its run directory"
        what = f"{where}, and its artifacts hold no {ROWS}"
        raise ConfigError(Problem(f"mlflow:{run_id}", what, "compare by run directory, or run it again with MLflow recording on"))

    return found


def _located(store: str, run_id: str, scratch: Path) -> tuple[Path | None, Path | None]:
    """(the file of its rows, downloaded into `scratch` where it is not here any more; the directory that the run names)."""
    from .mlflow_sink import directory_of, download

    try:
        directory = directory_of(store, run_id)
        if directory is not None and (directory / ROWS).is_file():
            return directory / ROWS, directory
        return download(store, run_id, ROWS, scratch), directory
    except Exception as error:  # any store may fail in any way; it is the reference that cannot be resolved
        said = " ".join(str(error).split())[:200]
        raise ConfigError(Problem(f"mlflow:{run_id}", f"cannot be read from {store}: {said}")) from error


def _default_store(run_id: str) -> str:
    path = Path(DEFAULT_STORE.removeprefix("sqlite:///")).absolute()
    if not path.is_file():
        what = f"names a tracked run and there is no store at {path}"
        raise ConfigError(
            Problem(f"mlflow:{run_id}", what, "pass resolver=tracked_rows('sqlite:///…'), or run where outputs/ is")
        )
    return f"sqlite:///{path}"


def _on_tracked_runs(measure: Callable[P, R]) -> Callable[P, R]:
    """The measure, with the default store where an argument names a tracked run and no resolver was given."""

    @functools.wraps(measure)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        if kwargs.get("resolver") is None and any(map(_names_a_run, (*args, *kwargs.values()))):
            kwargs["resolver"] = tracked_rows()
        return measure(*args, **kwargs)

    return called


def _names_a_run(value: object) -> bool:
    """Whether an argument is a tracked run, or a list or mapping (`train_runs`) that holds one."""
    if isinstance(value, Mapping):
        return any(map(_names_a_run, value.values()))
    if isinstance(value, (list, tuple)):
        return any(is_tracked(item) for item in value)
    return is_tracked(value)


compare_runs = _on_tracked_runs(_compare.compare_runs)
delta_report = _on_tracked_runs(_delta.delta_report)
hack_scan = _on_tracked_runs(_hacks.hack_scan)
hack_scan_diff = _on_tracked_runs(_hack_diff.hack_scan_diff)
eval_variance = _on_tracked_runs(_variance.eval_variance)
