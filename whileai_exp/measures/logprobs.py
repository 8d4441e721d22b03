"""Log-probabilities: what was captured, how far the policy is from a reference, and which rows are stale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isnan, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..knobs import MeasureKnobs
from ..schema import Interval
from ..stats.special import t_of
from ._show import Report, notes, shown, signed
from ._sources import Resolver, Source, rows_of
from ._table import Row, RowTable, number_of, table_of

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LogprobReport(Report):
    """How much was captured, and whether the reward follows the policy's confidence (on a fair judge it should not)."""

    n_rows: int
    n_with_logprobs: int
    n_tokens: int
    mean_token_logprob: float | None
    """Nats per generated token."""
    p10: float | None
    """Of the rows' own means, as p50 and p90."""
    p50: float | None
    p90: float | None
    corr_reward_confidence: float | None
    """Pearson over rows; None under three rows or without spread."""
    corr_within_tasks: float | None
    """The same with both centred within tasks: easy tasks no longer count as confidence."""
    n_truncated: int
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = f"logprobs on {self.n_with_logprobs} of {self.n_rows} rows, {self.n_tokens} tokens, {shown(self.mean_token_logprob)} nats per token"
        corr = f"reward against confidence: {signed(self.corr_reward_confidence)}, within tasks {signed(self.corr_within_tasks)}"
        return "\n".join([head, corr, *notes(self.warnings)])


@dataclass(frozen=True, slots=True)
class KlReport(Report):
    """Sampled KL of the policy from a reference, nats per generated token."""

    mean_kl: float | None
    """Sum of logprob differences over sum of tokens (the k1 estimator: unbiased, may be negative)."""
    ci95: Interval | None
    """Over tasks, of the ratio."""
    per_task: Mapping[str, float]
    n_rows: int
    n_skipped: int
    """Rows without both numbers or without tokens."""
    n_tokens: int
    note: str = ""

    def __str__(self) -> str:
        head = f"KL {shown(self.mean_kl, self.ci95, 4)} nats per token  ({self.n_rows} rows, {self.n_tokens} tokens, {self.n_skipped} skipped)"
        return "\n".join([head, *notes([self.note] if self.note else [])])


@dataclass(frozen=True, slots=True)
class StalenessReport(Report):
    """Which rows an older policy sampled, and whether an update on them can be corrected for it."""

    base_model: str
    n_rows: int
    n_stale: int
    """Rows whose model is known and is not the base model."""
    n_unknown: int
    stale_share: float | None
    models: Mapping[str, int]
    versions: Mapping[str, int]
    temperatures: Mapping[str, int]
    sampling_coverage: float | None
    """Share of rows that say how they were sampled; likewise logprobs and tokens."""
    logprob_coverage: float | None
    token_coverage: float | None
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return bool(self.n_rows) and not self.warnings

    def __str__(self) -> str:
        head = f"{self.n_stale} of {self.n_rows} rows are stale against {self.base_model}"
        cover = f"sampling on {shown(self.sampling_coverage)}, logprobs on {shown(self.logprob_coverage)}, tokens on {shown(self.token_coverage)} of rows"
        return "\n".join([head, cover, *notes(self.warnings)])


def logprob_report(rows: Source, *, resolver: Resolver | None = None, knobs: MeasureKnobs | None = None) -> LogprobReport:
    """What log-probabilities the rows carry (`simulate(logprobs=True)`) and whether the reward follows them."""
    knobs, table = knobs or MeasureKnobs(), table_of(rows_of(rows, resolver))
    logp, tokens = _column(table, "logprob"), _column(table, "n_tokens")
    have = ~np.isnan(logp) & (tokens > 0)
    means = logp[have] / tokens[have]
    both = have & table.judged
    confidence = np.divide(logp, tokens, out=np.full(len(logp), nan), where=have)
    pooled = _corr(confidence[both], table.reward[both])
    within = _corr(_centred(confidence, both, table), _centred(table.reward, both, table))
    told = []
    if have.sum() < table.n_rows:
        told.append(f"{table.n_rows - int(have.sum())} of {table.n_rows} rows carry no logprobs: roll out with logprobs=True")
    if within is not None and abs(within) >= knobs.confidence_corr:
        told.append(f"the reward goes with confidence ({within:+.2f} within tasks): look at what the judge rewards")
    at = (lambda q: float(np.quantile(means, q, method="nearest"))) if len(means) else (lambda q: None)
    total = int(tokens[have].sum())
    return LogprobReport(
        n_rows=table.n_rows,
        n_with_logprobs=int(have.sum()),
        n_tokens=total,
        mean_token_logprob=float(logp[have].sum() / total) if total else None,
        p10=at(0.1),
        p50=at(0.5),
        p90=at(0.9),
        corr_reward_confidence=pooled,
        corr_within_tasks=within,
        n_truncated=sum(row.get("finish_reason") == "length" for row in table.rows),
        warnings=tuple(told),
    )


def mean_kl(
    rows: Source,
    ref: str | Iterable[Row] = "ref_logprob",
    *,
    level: float = 0.95,
    resolver: Resolver | None = None,
    knobs: MeasureKnobs | None = None,
) -> KlReport:
    """The sampled KL per generated token, overall and per task.

    `ref`: the row key of the reference's summed logprob, or rows of the same rollouts scored under the reference (their
    `logprob`, matched by rollout id).
    """
    knobs, table = knobs or MeasureKnobs(), table_of(rows_of(rows, resolver))
    if isinstance(ref, str):
        other = _column(table, ref)
    else:
        known = {row.get("rollout_id"): number_of(row.get("logprob")) for row in ref}
        other = np.array([known.get(row.get("rollout_id"), nan) for row in table.rows], float)
    logp, tokens = _column(table, "logprob"), _column(table, "n_tokens")
    have = ~np.isnan(logp) & ~np.isnan(other) & (tokens > 0)
    if not have.any():
        why = "no row has logprob, n_tokens and the reference: roll out with logprobs=True and score with reference_logprobs"
        return KlReport(None, None, {}, 0, table.n_rows, 0, why)
    task, size = table.task[have], len(table.keys)
    gap_t, tokens_t = np.bincount(task, (logp - other)[have], size), np.bincount(task, tokens[have], size)
    gap_t, tokens_t = gap_t.astype(np.float64), tokens_t.astype(np.float64)
    seen = np.flatnonzero(tokens_t)
    overall = float(gap_t.sum() / tokens_t.sum())
    return KlReport(
        mean_kl=overall,
        ci95=_ratio_interval(gap_t[seen], tokens_t[seen], level, knobs),
        per_task={table.keys[at]: float(gap_t[at] / tokens_t[at]) for at in seen.tolist()},
        n_rows=int(have.sum()),
        n_skipped=int((~have).sum()),
        n_tokens=int(tokens_t.sum()),
    )


def _ratio_interval(top_t: FloatArray, bottom_t: FloatArray, level: float, knobs: MeasureKnobs) -> Interval | None:
    """Student's interval of a ratio of sums over tasks, by linearisation (Cochran 1977)."""
    tasks = len(top_t)
    if tasks < knobs.min_interval_tasks:
        return None
    ratio = float(top_t.sum() / bottom_t.sum())
    spread = float((top_t - ratio * bottom_t).std(ddof=1))
    half = t_of(level, tasks - 1) * spread / sqrt(tasks) / float(bottom_t.mean())
    return Interval(ratio - half, ratio + half, level, f"t over {tasks} tasks, linearised ratio") if half else None


def staleness_report(rows: Source, base_model: str, *, resolver: Resolver | None = None) -> StalenessReport:
    """Which rows another policy than `base_model` sampled. Stale rows are usable only with the sampler's version and logprobs."""
    found = rows_of(rows, resolver)
    models = _counted(row.get("model_version") for row in found)
    versions = _counted(row.get("policy_version") for row in found)
    sampling = [row["sampling"] if isinstance(row.get("sampling"), Mapping) else None for row in found]
    temperatures = _counted(s.get("temperature") for s in sampling if s is not None)
    n, unknown = len(found), len(found) - sum(models.values())
    stale = sum(count for name, count in models.items() if name != base_model)
    logps, tokens = (sum(not isnan(number_of(row.get(key))) for row in found) for key in ("logprob", "n_tokens"))
    told = []
    if stale:
        told.append(f"{stale} rows were sampled by another model than {base_model}")
    if unknown:
        told.append(f"{unknown} rows do not say which model sampled them")
    if len(versions) > 1:
        told.append(f"rows come from {len(versions)} policy versions")
    if logps < n:
        told.append(f"{n - logps} of {n} rows carry no logprobs: the importance ratio cannot be formed")
    if not n:
        told.append("no rows")
    return StalenessReport(
        base_model=base_model,
        n_rows=n,
        n_stale=stale,
        n_unknown=unknown,
        stale_share=stale / n if n else None,
        models=models,
        versions=versions,
        temperatures=temperatures,
        sampling_coverage=sum(s is not None for s in sampling) / n if n else None,
        logprob_coverage=logps / n if n else None,
        token_coverage=tokens / n if n else None,
        warnings=tuple(told),
    )


def _column(table: RowTable, key: str) -> FloatArray:
    return np.array([number_of(row.get(key)) for row in table.rows], float)


def _centred(values: FloatArray, keep: NDArray[np.bool_], table: RowTable) -> FloatArray:
    found = table.means(np.where(keep, values, nan))
    means = np.full(len(table.keys), nan)
    means[found.tasks] = found.means
    return (values - means[table.task])[keep]


def _corr(a: FloatArray, b: FloatArray) -> float | None:
    if len(a) < 3 or a.std() <= 1e-12 or b.std() <= 1e-12:
        return None
    return float(np.corrcoef(a, b)[0, 1])


def _counted(values: Iterable[Any]) -> dict[str, int]:
    counts = Counter(str(value) for value in values if value is not None and value != "")
    return dict(sorted(counts.items()))
