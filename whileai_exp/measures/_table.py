"""The rows of a run as columns, read in one pass, and per-task means over them.

Everything here groups by `task_key`. A row counts once: a rollout id repeated by the same agent version, or a repeated
(task, run, repeat) without an id, is left out and counted. Unjudged is NaN, never zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ..schema import reward_of, task_key

Row = Mapping[str, Any]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
_MOST_REPEATS = 1 << 53
ADAPTIVE = frozenset({"successive", "adaptive"})


@dataclass(frozen=True, slots=True)
class TaskMeans:
    """A value per task, over the tasks that have one."""

    tasks: IntArray
    """Index of each task in the table's `keys`."""
    means: FloatArray
    counts: IntArray
    """Rows behind each mean."""


@dataclass(frozen=True, slots=True)
class RowTable:
    """Columns of a set of rows."""

    rows: Sequence[Row]
    """The rows counted, in their order."""
    keys: tuple[str, ...]
    """Task keys in order of appearance."""
    task: IntArray
    """(R,) index into `keys`."""
    repeat: IntArray
    """(R,) rollout_index, or -1."""
    reward: FloatArray
    """(R,) in [0, 1], NaN where there is no verdict."""
    probe: IntArray
    """(T,) draws made regardless of outcome, or -1 where all were."""
    planned: IntArray
    """(T,) draws a full group has, or -1."""
    n_repeated: int
    """Rows left out because they were counted already."""
    columns: dict[str, FloatArray] = field(default_factory=dict)
    """Marker columns already read."""

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    @property
    def judged(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.reward)

    def marker(self, name: str) -> FloatArray:
        """(R,) numeric values of one marker, NaN where it is absent or not a number."""
        if name not in self.columns:
            self.columns[name] = np.array([number_of(_marks(row).get(name)) for row in self.rows], float)
        return self.columns[name]

    def marker_names(self) -> tuple[str, ...]:
        """Every marker on any row, sorted."""
        names: dict[str, None] = {}
        for row in self.rows:
            marks = row.get("markers")
            if marks and is_mapping(marks):
                names.update(dict.fromkeys(marks))
        return tuple(sorted(map(str, names)))

    def metric(self, name: str, threshold: float = 1.0) -> FloatArray:
        """(R,) values of `pass_at_1`, `reward` or `marker:<name>` (or a bare marker name)."""
        if name == "pass_at_1":
            return np.where(self.judged, (self.reward >= threshold).astype(float), nan)
        if name == "reward":
            return self.reward
        return self.marker(name.removeprefix("marker:"))

    def means(self, values: FloatArray, mask: NDArray[np.bool_] | None = None) -> TaskMeans:
        """Mean of `values` per task over rows where it is a number (and `mask` holds)."""
        keep = ~np.isnan(values)
        if mask is not None:
            keep &= mask
        counts = np.bincount(self.task[keep], minlength=len(self.keys))
        sums = np.bincount(self.task[keep], weights=values[keep], minlength=len(self.keys))
        tasks = np.flatnonzero(counts)
        return TaskMeans(tasks, sums[tasks] / counts[tasks], counts[tasks])

    def where(self, keep: Callable[[Row], bool]) -> RowTable:
        """The table of the rows that `keep` accepts."""
        return table_of([row for row in self.rows if keep(row)])


def number_of(value: Any) -> float:
    """A finite float, or NaN; text is never a number, a bool is 0 or 1."""
    kind = type(value)
    if kind is float or kind is int or kind is bool:
        return float(value) if isfinite(value) else nan
    if value is None or isinstance(value, (str, bytes, Mapping)):
        return nan
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return nan
    return number if isfinite(number) else nan


def table_of(rows: Iterable[Row]) -> RowTable:
    """The columns of rows, in one pass."""
    index: dict[str, int] = {}
    kept: list[Row] = []
    task: list[int] = []
    repeats: list[int] = []
    rewards: list[float] = []
    stamps: dict[int, tuple[int, int]] = {}
    seen: set[Any] = set()
    seen_add, keep, repeated = seen.add, kept.append, 0
    for row in rows:
        get = row.get
        key = get("scenario_id")
        if type(key) is not str or not key:
            key = task_key(row)
        at = index.get(key)
        if at is None:
            at = index[key] = len(index)
        repeat = get("rollout_index")
        if type(repeat) is not int or not 0 <= repeat < _MOST_REPEATS:
            repeat = -1
        identity = get("rollout_id")
        if identity is None and repeat >= 0:
            identity = f"{at}/{eval_run_of(row)}/{repeat}"
        if identity is not None:
            identity = (named(identity), named(get("policy_version")))
            if identity in seen:
                repeated += 1
                continue
            seen_add(identity)
        reward = get("reward")
        if reward is not None and get("judge_status", "ok") != "ok":
            reward = None
        kind = type(reward)
        if kind is int or kind is float:
            number = float(reward) if 0.0 <= reward <= 1.0 else nan  # pyright: ignore
        else:
            found = reward_of(reward)
            number = nan if found is None else found
        allocation = get("allocation")
        if allocation is not None:
            stamp = _stamp(allocation)
            if stamp is not None:
                stamps[at] = stamp
        keep(row)
        task.append(at)
        repeats.append(repeat)
        rewards.append(number)
    probe = np.full(len(index), -1)
    planned = np.full(len(index), -1)
    for at, (first, full) in stamps.items():
        probe[at], planned[at] = first, full
    columns = (np.array(task, np.int64), np.array(repeats, np.int64), np.array(rewards, float))
    return RowTable(kept, tuple(index), *columns, probe, planned, repeated)


def _stamp(allocation: Any) -> tuple[int, int] | None:
    if not isinstance(allocation, Mapping) or allocation.get("policy") not in ADAPTIVE:
        return None
    return int(allocation.get("probe", 1)), int(allocation.get("k", 0)) or -1


def eval_run_of(row: Row) -> Any:
    """The row's run under `runs=N`, or None."""
    lineage = row.get("lineage")
    return lineage.get("eval_run") if is_mapping(lineage) else None


def _marks(row: Row) -> Mapping[str, Any]:
    marks = row.get("markers")
    return marks if is_mapping(marks) else {}


def items_of(row: Row, name: str) -> list[Mapping[str, Any]]:
    """The mappings in a row's list (`steps`, `messages`, `faults`); rows from elsewhere hold other things there, or no list."""
    listed = row.get(name)
    return [item for item in listed if is_mapping(item)] if isinstance(listed, (list, tuple)) else []


def named(value: Any) -> Any:
    """A value that can be a key: text and None as they are, anything else as text."""
    return value if value is None or type(value) is str else str(value)


def is_mapping(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """isinstance(value, Mapping), ten times faster where it is a dict."""
    return type(value) is dict or isinstance(value, Mapping)
