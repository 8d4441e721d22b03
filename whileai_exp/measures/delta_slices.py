"""The target's change in parts of the task set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..knobs import MeasureKnobs
from ..stats.multiple import holm
from ..stats.paired import smallest_pairs
from ._show import Report, shown, signed
from ._table import Row, RowTable
from .compare import Ask, Comparison, compare_tables, p_of


@dataclass(frozen=True, slots=True)
class Slice(Report):
    """One part of the tasks."""

    by: str
    value: str
    comparison: Comparison
    p_adjusted: float | None
    """Holm's over the slices."""
    low_n: bool
    """Too few tasks for any verdict at this level."""
    weak: bool
    """Ends below the knob `weak_slice_rate`."""
    down: bool
    """Worse, at the adjusted p."""

    def __str__(self) -> str:
        c = self.comparison
        tags = [word for word, on in (("few tasks", self.low_n), ("weak", self.weak), ("down", self.down)) if on]
        change = f"{shown(c.mean_a)} -> {shown(c.mean_b)}  {signed(c.delta, c.ci95)}  (n={c.n_used})"
        return f"{self.by}={self.value}: {change}" + (f"  {', '.join(tags)}" if tags else "")


def slices_of(
    a: RowTable, b: RowTable, metric: str, by: str | Callable[[Row], Any], level: float, knobs: MeasureKnobs
) -> tuple[Slice, ...]:
    """The comparison within each value of `by`, in order of the value. A task belongs where its first row says."""
    parts: dict[str, set[str]] = {}
    for table in (a, b):
        for key, value in _values(table, by).items():
            parts.setdefault(value, set()).add(key)
    name = by if isinstance(by, str) else getattr(by, "__name__", "by")
    found = {value: compare_tables(a, b, Ask(metric, level), knobs, frozenset(parts[value])) for value in sorted(parts)}
    adjusted = dict(zip(found, holm([p_of(c) for c in found.values()])))
    return tuple(
        Slice(
            by=name,
            value=value,
            comparison=c,
            p_adjusted=adjusted[value] if c.p_value is not None else None,
            low_n=c.n_paired < smallest_pairs(1 - level),
            weak=c.mean_b is not None and c.mean_b < knobs.weak_slice_rate,
            down=c.direction < 0 and adjusted[value] <= 1 - level,
        )
        for value, c in found.items()
    )


def _values(table: RowTable, by: str | Callable[[Row], Any]) -> dict[str, str]:
    out: dict[str, str] = {}
    for row, at in zip(table.rows, table.task.tolist()):
        key = table.keys[at]
        if key not in out:
            value = by(row) if callable(by) else _looked_up(row, by)
            if value is not None:
                out[key] = str(value)
    return out


def _looked_up(row: Row, name: str) -> Any:
    if name in row:
        return row[name]
    for whole in ("scenario_dimensions", "tags", "markers"):
        part = row.get(whole)
        if isinstance(part, Mapping) and name.removeprefix("marker:") in part:
            return part[name.removeprefix("marker:")]
    return None
