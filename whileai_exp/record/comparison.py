"""Runs side by side: what was configured differently, what moved, and which tasks flipped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from .._hash import leaves
from ..measures._sources import Row, is_tracked, rows_of
from ..measures._table import table_of
from ..measures.delta import DeltaReport, delta_report
from ..run.report.page.comparison import Change, Page, TaskPair, comparison_html
from .compare import tracked_rows

_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Side:
    """One run of a comparison; `config` is None where only rows are known."""

    name: str
    rows: Sequence[Row]
    config: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Compared:
    """A run against the base."""

    base: Side
    other: Side
    report: DeltaReport
    changes: tuple[Change, ...] | None
    """Values of the configuration that differ; None where a side has none."""
    tasks: tuple[TaskPair, ...]
    """Tasks that both have verdicts on, largest drop first."""

    def to_dict(self) -> dict[str, Any]:
        """JSON twin of the lines."""
        return {
            "base": self.base.name,
            "other": self.other.name,
            "report": self.report.to_dict(),
            "config": None if self.changes is None else [change._asdict() for change in self.changes],
            "tasks": [task._asdict() for task in self.tasks],
        }

    def lines(self) -> Iterable[str]:
        """For a terminal: the configuration first, then what moved."""
        yield f"{self.base.name} -> {self.other.name}"
        if self.changes is None:
            yield "  configuration: not known for both"
        for change in (self.changes or ())[:_SHOWN]:
            yield f"  {change.name}: {change.before} -> {change.after}"
        if self.changes is not None and len(self.changes) > _SHOWN:
            yield f"  and {len(self.changes) - _SHOWN} further values"
        if self.changes == ():
            yield "  configuration: the same"
        yield from (f"  {line}" for line in str(self.report).splitlines())
        lost, won = [t for t in self.tasks if t.flipped < 0], [t for t in self.tasks if t.flipped > 0]
        yield f"  tasks that flipped: {len(won)} to passing, {len(lost)} to failing, of {len(self.tasks)}"
        yield from (f"    {task.task}: {task.before:.2f} -> {task.after:.2f}" for task in lost[:5])


def compared(
    refs: Sequence[str], *, target: str, guards: Sequence[str] = (), proxy: str | None = None, uri: str | None = None
) -> list[Compared]:
    """Every run against the first. ConfigError for a run that cannot be read."""
    sides = [side_of(ref, uri) for ref in refs]
    base = sides[0]
    return [
        Compared(
            base,
            other,
            delta_report(base.rows, other.rows, target=target, must_not_regress=tuple(guards), proxy=proxy),
            config_changes(base.config, other.config),
            task_pairs(base.rows, other.rows),
        )
        for other in sides[1:]
    ]


def side_of(ref: str, uri: str | None) -> Side:
    """A run by directory, file of rows, or id in MLflow."""
    rows = rows_of(ref, tracked_rows(uri), ref)
    if is_tracked(ref):
        return Side(ref, rows, _tracked_config(ref, uri))
    path = Path(ref)
    record = (path if path.is_dir() else path.parent) / "record.json"
    config = orjson.loads(record.read_bytes())["config"] if record.is_file() else None
    return Side(path.name, rows, config)


def _tracked_config(ref: str, uri: str | None) -> Mapping[str, Any] | None:
    from .compare import DEFAULT_STORE
    from .mlflow_sink import directory_of

    run_id = ref.removeprefix("mlflow:").removeprefix("runs:/").split("/")[0]
    folder = directory_of(uri or f"sqlite:///{Path(DEFAULT_STORE.removeprefix('sqlite:///')).absolute()}", run_id)
    record = folder / "record.json" if folder is not None else None
    return orjson.loads(record.read_bytes())["config"] if record is not None and record.is_file() else None


def config_changes(a: Mapping[str, Any] | None, b: Mapping[str, Any] | None) -> tuple[Change, ...] | None:
    """Leaves that differ, `record` left out: where a run is written changes nothing about it."""
    if a is None or b is None:
        return None
    before, after = dict(leaves(a)), dict(leaves(b))
    names = sorted(name for name in {*before, *after} if before.get(name) != after.get(name) and not name.startswith("record."))
    return tuple(Change(name, _text(before.get(name)), _text(after.get(name))) for name in names)


def task_pairs(a: Sequence[Row], b: Sequence[Row], threshold: float = 1.0) -> tuple[TaskPair, ...]:
    """Pass rates of the tasks on both sides, largest drop first."""
    tables = table_of(a), table_of(b)
    means = [table.means(table.metric("pass_at_1", threshold)) for table in tables]
    rates = [dict(zip((table.keys[at] for at in mean.tasks), mean.means.tolist())) for table, mean in zip(tables, means)]
    counts = [dict(zip((table.keys[at] for at in mean.tasks), mean.counts.tolist())) for table, mean in zip(tables, means)]
    prompts = {
        table_key: str(row.get("prompt") or "")
        for table_key, row in zip((tables[0].keys[at] for at in tables[0].task), tables[0].rows)
    }
    pairs = [
        TaskPair(str(key), prompts.get(key, ""), rates[0][key], rates[1][key], counts[0][key], counts[1][key])
        for key in rates[0]
        if key in rates[1]
    ]
    return tuple(sorted(pairs, key=lambda pair: (pair.after - pair.before, pair.task)))


def comparison_page(found: Sequence[Compared]) -> str:
    """One self-contained page for all of the comparisons."""
    return comparison_html([Page(c.base.name, c.other.name, c.report, c.changes, c.tasks) for c in found])


def _text(value: Any) -> str:
    shown = "not set" if value is None else " ".join(str(value).split())
    return shown if len(shown) <= 200 else f"{shown[:200]}…"
