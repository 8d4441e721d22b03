"""A rough order of rows by how clean they are, without a judge and without touching the reward.

Quality is the mean of a row's trace markers that apply: calls that were valid, not repeated, with grounded arguments; failures
that were reported; no secrets; a spoken answer; not cut. It says nothing about whether the job was done.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..schema.row import row_line
from ._show import Report, plain, shown
from ._sources import Source, rows_of
from .flags import trace_markers


@dataclass(frozen=True, slots=True)
class Ranking(Report):
    """Rows with their quality."""

    rows: tuple[dict[str, Any], ...]
    """Copies with `quality` and `quality_parts`, the best first, ties in the order given."""
    mean: float | None
    median: float | None
    histogram: tuple[int, ...]
    """Rows by quality in ten equal bins of [0, 1]; the last holds 1."""
    fail_rates: Mapping[str, float]
    """By marker: the share of rows it applies to and finds bad."""
    path: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Everything but the rows."""
        names = [name for name in self.__dataclass_fields__ if name != "rows"]
        return plain({"n": len(self.rows), **{name: getattr(self, name) for name in names}})

    def __str__(self) -> str:
        head = f"{len(self.rows)} rows, quality {shown(self.mean)} (median {shown(self.median)})"
        worst = [f"  {name}: bad on {rate:.0%}" for name, rate in self.fail_rates.items() if rate]
        return "\n".join([head, *worst])


def rank(source: Source) -> Ranking:
    """Rows by `quality`, the best first. A file given by its path gets the two keys written to its rows, in their order.

    The reward is neither read nor changed.
    """
    given = [dict(row) for row in rows_of(source)]
    bad: dict[str, list[bool]] = {}
    for row in given:
        marks = {marker.name.removeprefix("trace:"): marker.value for marker in trace_markers(row)}
        row["quality"] = sum(marks.values()) / len(marks)
        row["quality_parts"] = marks
        for name, value in marks.items():
            bad.setdefault(name, []).append(value == 0)
    path = Path(source) if isinstance(source, (str, os.PathLike)) and Path(source).is_file() else None
    if path is not None:
        partial = path.with_name(path.name + ".part")
        partial.write_bytes(b"".join(map(row_line, given)))
        partial.replace(path)
    scores = np.array([row["quality"] for row in given])
    return Ranking(
        rows=tuple(given[at] for at in np.argsort(-scores, kind="stable").tolist()),
        mean=float(scores.mean()) if len(scores) else None,
        median=float(np.median(scores)) if len(scores) else None,
        histogram=tuple(np.bincount(np.minimum(scores * 10, 9).astype(int), minlength=10).tolist()),
        fail_rates={name: sum(found) / len(found) for name, found in sorted(bad.items())},
        path=str(path) if path is not None else None,
    )
