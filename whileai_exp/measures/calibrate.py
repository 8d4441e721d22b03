"""How hard each task was for the policy that was rolled out, stamped on its rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..knobs import MeasureKnobs
from ..stats.intervals import wilson
from ._sources import Resolver, Source, rows_of
from ._table import Row, table_of
from .logprobs import mean_kl
from .passat import fair_rows


def calibrate(
    rows: Source,
    *,
    ref: str | Iterable[Row] | None = None,
    level: float = 0.95,
    resolver: Resolver | None = None,
    knobs: MeasureKnobs | None = None,
) -> list[dict[str, Any]]:
    """Copies of the rows with `calibration`: task_id, student, n, pass_rate, pass_rate_ci95 and mean_kl (None without `ref`).

    The pass rate reads the draws that are a random sample of the task. A stamp already there from more draws is kept.
    """
    table = table_of(rows_of(rows, resolver))
    found = table.means(table.metric("pass_at_1"), fair_rows(table)[0])
    rate = {at: (mean, n) for at, mean, n in zip(found.tasks.tolist(), found.means.tolist(), found.counts.tolist())}
    kl = mean_kl(table.rows, ref, level=level, knobs=knobs).per_task if ref is not None else {}
    out = []
    for row, at in zip(table.rows, table.task.tolist()):
        made = dict(row)
        mean, n = rate.get(at, (None, 0))
        kept = row.get("calibration")
        if not (isinstance(kept, dict) and (kept.get("n") or 0) > n):
            interval = wilson(mean * n, n, level) if mean is not None else None
            made["calibration"] = {
                "task_id": table.keys[at],
                "student": {"model": row.get("model_version"), "version": row.get("policy_version")},
                "n": n,
                "pass_rate": mean,
                "pass_rate_ci95": interval.to_list() if interval else None,
                "mean_kl": kl.get(table.keys[at]),
            }
        out.append(made)
    return out
