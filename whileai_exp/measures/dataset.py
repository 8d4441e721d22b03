"""What is in a set of rows: how many, judged how, passing how often, and how varied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..knobs import MeasureKnobs
from ..schema import Interval
from ._show import Report, notes, shown
from ._sources import Resolver, Source, rows_of
from ._table import RowTable, is_mapping, table_of
from .passat import pass_numbers

_HARD = frozenset({"ambiguous", "boundary", "adversarial"})


@dataclass(frozen=True, slots=True)
class DatasetReport(Report):
    """Counts of a set of rows. Everything is by row unless it says tasks."""

    n_rows: int
    n_tasks: int
    n_judged: int
    n_pass: int
    n_fail: int
    n_partial: int
    by_judge_status: Mapping[str, int]
    """`not_judged` where no judge has been."""
    by_status: Mapping[str, int]
    """How the rollouts ended."""
    reward_histogram: tuple[int, ...]
    """Judged rows by reward in ten equal bins of [0, 1]; the last holds 1."""
    pass_at_1: float | None
    ci95: Interval | None
    usable_sft: int
    """Passing rows that ended on their own and say something."""
    distinct_behaviors: int
    tiers: Mapping[str, int]
    hard_share: float | None
    """Of rows whose tier is known."""
    failure_classes: Mapping[str, int]
    judges: Mapping[str, int]
    models: Mapping[str, int]
    scoring_runs: tuple[str, ...]
    """`lineage.scoring_run_id` of the rows."""
    unjudged_ids: tuple[str, ...]
    """Rollout ids without a verdict, the first few."""
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = f"{self.n_rows} rows of {self.n_tasks} tasks: {self.n_pass} pass, {self.n_fail} fail, {self.n_partial} between, {self.n_rows - self.n_judged} without a verdict"
        lines = [head, f"pass@1 {shown(self.pass_at_1, self.ci95)}"]
        lines.append(f"{self.usable_sft} rows to imitate, {self.distinct_behaviors} different behaviours")
        if self.n_judged:
            lines.append("rewards by tenth: " + " ".join(map(str, self.reward_histogram)))
        for word, counts in (("judge said", self.by_judge_status), ("tiers", self.tiers), ("failures", self.failure_classes)):
            if counts:
                lines.append(f"{word}: " + ", ".join(f"{name} {count}" for name, count in counts.items()))
        return "\n".join([*lines, *notes(self.warnings)])


def dataset_report(
    rows: Source, *, level: float = 0.95, resolver: Resolver | None = None, knobs: MeasureKnobs | None = None
) -> DatasetReport:
    """What is in the rows. A row counts once; a row without a verdict is neither a pass nor a failure."""
    knobs, table = knobs or MeasureKnobs(), table_of(rows_of(rows, resolver))
    passes = pass_numbers(table, k=None, min_k=None, threshold=1.0, level=level, knobs=knobs)
    reward = table.reward[table.judged]
    tiers = _counted(row.get("tier") for row in table.rows)
    hard = sum(n for tier, n in tiers.items() if tier in _HARD) / sum(tiers.values()) if tiers else None
    unjudged = [str(row.get("rollout_id", f"#{at}")) for at, row in enumerate(table.rows) if not table.judged[at]]
    return DatasetReport(
        n_rows=table.n_rows,
        n_tasks=len(table.keys),
        n_judged=len(reward),
        n_pass=int((reward == 1).sum()),
        n_fail=int((reward == 0).sum()),
        n_partial=int(((reward > 0) & (reward < 1)).sum()),
        by_judge_status=_counted(_judge_status(row) for row in table.rows),
        by_status=_counted(row.get("status") for row in table.rows),
        reward_histogram=tuple(np.bincount(np.minimum(reward * 10, 9).astype(int), minlength=10).tolist()),
        pass_at_1=passes.pass_at_1,
        ci95=passes.ci95,
        usable_sft=sum(map(_imitable, table.rows, table.reward.tolist())),
        distinct_behaviors=len({str(row.get("behavior_signature") or row.get("final_text")) for row in table.rows}),
        tiers=tiers,
        hard_share=hard,
        failure_classes=_counted(row.get("failure_class") for row in table.rows),
        judges=_counted(row.get("judge_name") for row in table.rows),
        models=_counted(row.get("model_version") for row in table.rows),
        scoring_runs=tuple(_counted(_scoring_run(row) for row in table.rows)),
        unjudged_ids=tuple(unjudged[: knobs.flag_examples]),
        warnings=tuple(_warnings(table, hard, len(unjudged), knobs)),
    )


def _warnings(table: RowTable, hard: float | None, unjudged: int, knobs: MeasureKnobs) -> Iterable[str]:
    if table.n_repeated:
        yield f"{table.n_repeated} rows repeat a rollout already counted and are left out"
    if unjudged:
        yield f"{unjudged} of {table.n_rows} rows have no verdict"
    if hard is not None and hard < knobs.hard_share_floor and table.n_rows >= knobs.hack_min_rows:
        yield f"{hard:.0%} of rows are of a hard tier: easy sets are solved and then show nothing (hard_share=)"


def _imitable(row: Mapping[str, Any], reward: float) -> bool:
    cut = row.get("finish_reason") == "length" or row.get("status") == "truncated"
    return reward == 1 and not cut and bool(str(row.get("final_text") or "").strip())


def _judge_status(row: Mapping[str, Any]) -> str:
    return str(row.get("judge_status") or ("ok" if row.get("reward") is not None else "not_judged"))


def _scoring_run(row: Mapping[str, Any]) -> Any:
    lineage = row.get("lineage")
    return lineage.get("scoring_run_id") if is_mapping(lineage) else None


def _counted(values: Iterable[Any]) -> dict[str, int]:
    counts = Counter(str(value) for value in values if value is not None and value != "")
    return dict(sorted(counts.items()))
