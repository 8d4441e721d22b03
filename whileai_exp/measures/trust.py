"""Can the judge be believed: its verdicts against labels somebody else gave.

Unmeasured is not failed, and neither is it trusted: without gold labels of both classes the answer is `ok: False` with
the reason, and `measured: False`. Every check is a value with its floor and its own yes, no or not measured; `ok` is that
all are yes. Intervals count tasks, not rollouts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np

from .._aio import run_sync
from .._rng import Rng
from ..errors import ConfigError, Problem
from ..judges._session import judge_once
from ..knobs import MeasureKnobs, RunKnobs
from ..schema import Interval, reward_of, task_key
from ..stats.agreement import Confusion, clustered_share, corrected_rate, kappa_interval
from ..stats.intervals import effective_n

_MIN_LENGTH_ROWS = 6


@dataclass(frozen=True, slots=True)
class Check:
    """One thing a judge is held to. `ok` None: not measured, with the reason in `note`."""

    name: str
    ok: bool | None
    value: float | None = None
    floor: float | None = None
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "ok": self.ok, "value": self.value, "floor": self.floor, "note": self.note}


@dataclass(frozen=True, slots=True)
class Agreement:
    """A judge against gold labels; printing it gives the lines a person reads."""

    confusion: Confusion
    interval: Interval | None
    """Of the agreement, over tasks."""
    n_skipped: int
    """Rows without a binary verdict or without a gold label."""
    warnings: tuple[str, ...] = ()
    kappa_ci: Interval | None = None
    pass_when_gold_fail_ci: Interval | None = None
    n_tasks: int = 0
    gold_kind: str = "unknown"
    """human, program, model, unknown, or mixed."""
    n_partial: int = 0
    """Skipped rows whose verdict lies between 0 and 1."""

    def to_dict(self) -> dict[str, Any]:
        c = self.confusion
        return {
            "n": c.n,
            "n_tasks": self.n_tasks,
            "n_skipped": self.n_skipped,
            "n_partial": self.n_partial,
            "agreement": c.agreement,
            "agreement_ci95": _ends(self.interval),
            "kappa": c.kappa,
            "kappa_ci95": _ends(self.kappa_ci),
            "mcc": c.mcc,
            "ac1": c.ac1,
            "balanced_accuracy": c.balanced_accuracy,
            "sensitivity": c.sensitivity,
            "specificity": c.specificity,
            "confusion": {"tp": c.tp, "fp": c.fp, "fn": c.fn, "tn": c.tn},
            "pass_when_gold_fail": c.pass_when_gold_fail,
            "pass_when_gold_fail_ci95": _ends(self.pass_when_gold_fail_ci),
            "fail_when_gold_pass": c.fail_when_gold_pass,
            "gold_kind": self.gold_kind,
            "warnings": list(self.warnings),
        }

    def __getitem__(self, name: str) -> Any:
        return self.to_dict()[name]

    def __str__(self) -> str:
        c = self.confusion
        if not c.n:
            return "agreement not measured: " + "; ".join(self.warnings)
        ends = f" [{self.interval.low:.3f}, {self.interval.high:.3f}]" if self.interval else ""
        kappa = "not defined (one class)" if c.kappa is None else f"{c.kappa:.3f}"
        if self.kappa_ci:
            kappa += f" [{self.kappa_ci.low:.3f}, {self.kappa_ci.high:.3f}]"
        line = f"agreement {c.agreement:.3f}{ends} (n={c.n} in {self.n_tasks} tasks)  kappa {kappa}"
        return "\n".join([line, *(f"note: {w}" for w in self.warnings)])


@dataclass(frozen=True, slots=True)
class Trust:
    """The verdict on a judge. `ok` only when it was measured on both classes and clears every check."""

    ok: bool
    measured: bool
    agreement: Agreement
    warnings: tuple[str, ...]
    checks: tuple[Check, ...] = ()
    corrected: Mapping[str, Any] | None = None
    """The pass rate once the judge's errors are taken out, with its interval; None without gold of both classes."""
    review: tuple[str, ...] = field(default=())
    """Rollouts where judge and gold differ: what to read first."""

    def __getitem__(self, name: str) -> Any:
        return self.to_dict()[name]

    def to_dict(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "measured": self.measured,
            **self.agreement.to_dict(),
            "warnings": list(self.warnings),
            "checks": [check.to_dict() for check in self.checks],
            "corrected_pass_rate": dict(self.corrected) if self.corrected else None,
            "review": list(self.review),
        }

    def __str__(self) -> str:
        word = "trusted" if self.ok else "not trusted" if self.measured else "not measured"
        lines = [f"judge: {word}", *(f"  {warning}" for warning in self.warnings)]
        if self.agreement.confusion.n:
            lines.insert(1, "  " + str(self.agreement).split("\n", 1)[0])
        if self.corrected:
            low, high = self.corrected["ci95"]
            lines.append(f"  pass rate corrected for the judge's errors: {self.corrected['value']:.3f} [{low:.3f}, {high:.3f}]")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Pair:
    row: Mapping[str, Any]
    verdict: float
    truth: float

    @property
    def cell(self) -> int:
        """0 tp, 1 fp, 2 fn, 3 tn."""
        return (0 if self.truth else 1) if self.verdict else (2 if self.truth else 3)


def judge_agreement(
    rows: Iterable[Mapping[str, Any]],
    gold: str | Iterable[Mapping[str, Any]] = "gold_reward",
    *,
    knobs: MeasureKnobs | None = None,
    allow_model_gold: bool = False,
) -> Agreement:
    """A judge's binary verdicts against gold ones.

    `gold`: the row key that holds the label, or a second scoring of the same rollouts (matched by rollout_id; a repeated
    id is a ConfigError, never the first by accident). Labels that a model gave (`gold_kind: model`) are a warning unless
    `allow_model_gold`.
    """
    return _agreement(list(rows), gold, knobs or MeasureKnobs(), allow_model_gold)[0]


def _agreement(
    rows: Sequence[Mapping[str, Any]], gold: str | Iterable[Mapping[str, Any]], knobs: MeasureKnobs, allow_model_gold: bool
) -> tuple[Agreement, list[_Pair]]:
    lookup = _second(gold) if not isinstance(gold, str) else None
    pairs: list[_Pair] = []
    skipped = partial = 0
    for row in rows:
        verdict = reward_of(row.get("reward")) if row.get("judge_status", "ok") == "ok" else None
        truth = reward_of(row.get(str(gold))) if lookup is None else lookup.get(_identity(row))
        if verdict not in (0.0, 1.0) or truth not in (0.0, 1.0):
            skipped += 1
            partial += verdict is not None and 0.0 < verdict < 1.0 and truth is not None
            continue
        pairs.append(_Pair(row, float(verdict or 0.0), float(truth or 0.0)))
    by_task: dict[str, list[int]] = {}
    for pair in pairs:
        by_task.setdefault(task_key(pair.row), [0, 0, 0, 0])[pair.cell] += 1
    cells = list(by_task.values())
    c = Confusion(*(sum(row[i] for row in cells) for i in range(4)))
    kinds = sorted({str(pair.row.get("gold_kind", "unknown")) for pair in pairs})
    kind = kinds[0] if len(kinds) == 1 else "mixed" if kinds else "unknown"
    warnings = list(_agreement_warnings(c, knobs))
    if kind == "model" and not allow_model_gold:
        warnings.append(
            "the gold labels come from a model: two models that agree may share a mistake; label by hand or by program"
        )
    found = Agreement(
        c,
        clustered_share([row[0] + row[3] for row in cells], [sum(row) for row in cells]),
        skipped,
        tuple(warnings),
        kappa_interval(np.array(cells, np.int64), resamples=knobs.bootstrap_draws) if cells else None,
        clustered_share([row[1] for row in cells], [row[1] + row[3] for row in cells]),
        len(cells),
        kind,
        partial,
    )
    return found, pairs


def _agreement_warnings(c: Confusion, knobs: MeasureKnobs) -> Iterable[str]:
    if not c.n:
        yield "no row has both a binary verdict and a gold label: the judge is unmeasured, not failed; hand-label 30 to 100 rows as gold_reward"
        return
    if c.n < knobs.gold_floor:
        yield f"{c.n} gold labels are fewer than {knobs.gold_floor}: the interval is wide"
    passes, failures = c.tp + c.fn, c.fp + c.tn
    if min(passes, failures) < knobs.gold_per_class:
        yield f"gold has {passes} passes and {failures} failures; {knobs.gold_per_class} of each are needed to tell a judge from a constant"
    leak = c.pass_when_gold_fail
    if leak is not None and leak > knobs.max_pass_when_gold_fail:
        yield f"the judge passes {leak:.0%} of the gold failures ({c.fp} of {failures}): training would learn the failure from them"


def judge_trust(
    rows: Any,
    judge: Any = None,
    *,
    gold: str | Iterable[Mapping[str, Any]] = "gold_reward",
    sample: int | None = None,
    seed: int = 0,
    allow_model_gold: bool = False,
    knobs: RunKnobs | None = None,
) -> Trust:
    """Whether the verdicts on these rows can be believed, from the gold labels among them.

    `ok` is False with a warning when there are none: the judge is then unmeasured, not failed. With `judge`, a sample of
    rows is judged again as it is: verdicts that differ are flips. `seed` picks the sample.
    """
    knobs = knobs or RunKnobs()
    listed = list(getattr(rows, "trajectories", None) or getattr(rows, "rows", None) or rows)
    found, pairs = _agreement(listed, gold, knobs, allow_model_gold)
    c = found.confusion
    measured = min(c.tp + c.fn, c.fp + c.tn) >= knobs.gold_per_class
    checks = [*_floors(found, knobs, measured), *_fairness(pairs, knobs, measured)]
    if judge is not None:
        checks.append(_flips(listed, judge, sample or knobs.trust_sample, seed, knobs))
    if found.gold_kind == "model" and not allow_model_gold:
        checks.append(Check("gold", False, note="the gold labels come from a model"))
    warnings = [
        *found.warnings,
        *(check.note for check in checks if check.ok is not True and check.note not in ("", *found.warnings)),
    ]
    review = tuple(_identity(pair.row) for pair in pairs if pair.verdict != pair.truth)[:50]
    ok = measured and all(check.ok is True for check in checks)
    return Trust(ok, measured, found, tuple(dict.fromkeys(warnings)), tuple(checks), corrected_pass_rate(listed, c), review)


def _floors(found: Agreement, knobs: MeasureKnobs, measured: bool) -> Iterable[Check]:
    c = found.confusion
    low = found.interval.low if found.interval else None
    if not measured or low is None:
        yield Check("agreement", None, low, knobs.min_agreement, "")
        yield Check("kappa", None, c.kappa, knobs.min_kappa, "")
        yield Check("leak", None, c.pass_when_gold_fail, knobs.max_pass_when_gold_fail, "")
        return
    said = "" if low >= knobs.min_agreement else f"the agreement interval starts at {low:.3f}, below {knobs.min_agreement:g}"
    yield Check("agreement", not said, low, knobs.min_agreement, said)
    kappa = c.kappa
    shown = "not defined" if kappa is None else f"{kappa:.3f}"
    said = "" if kappa is not None and kappa >= knobs.min_kappa else f"kappa is {shown}, below {knobs.min_kappa:g}"
    yield Check("kappa", not said, kappa, knobs.min_kappa, said)
    leak = c.pass_when_gold_fail
    good = leak is not None and leak <= knobs.max_pass_when_gold_fail
    yield Check("leak", good, leak, knobs.max_pass_when_gold_fail, "" if good else "gold failures are passed")
    total = c.n + found.n_partial
    if found.n_partial > total * 0.1:
        yield Check(
            "partial",
            None,
            found.n_partial / total,
            0.1,
            f"{found.n_partial} of {total} labelled rows have a reward between 0 and 1: agreement on 0 and 1 says little of them",
        )


def _fairness(pairs: Sequence[_Pair], knobs: RunKnobs, measured: bool) -> Iterable[Check]:
    """Errors must not depend on where a row falls or on how long the reply is."""
    if not measured:
        return
    halves: tuple[list[_Pair], list[_Pair]] = ([], [])
    for pair in pairs:
        halves[sha256(task_key(pair.row).encode("utf-8", "replace")).digest()[0] % 2].append(pair)
    gap, certain = _error_gap(*halves)
    bad = gap is not None and abs(gap) >= knobs.length_gap_flag and certain
    yield Check(
        "halves",
        not bad,
        gap,
        knobs.length_gap_flag,
        f"the judge errs {abs(gap or 0):.0%} more on one half of the tasks than on the other" if bad else "",
    )
    for truth, word in ((1.0, "passes"), (0.0, "failures")):
        mine = sorted(
            (p for p in pairs if p.truth == truth), key=lambda p: (len(str(p.row.get("final_text") or "")), _identity(p.row))
        )
        if len(mine) < _MIN_LENGTH_ROWS:
            continue
        gap, certain = _error_gap(mine[: len(mine) // 2], mine[len(mine) // 2 :])
        bad = gap is not None and abs(gap) >= knobs.length_gap_flag and certain
        longer = "longer" if (gap or 0) > 0 else "shorter"
        yield Check(
            f"length:{word}",
            not bad,
            gap,
            knobs.length_gap_flag,
            f"among gold {word} the judge errs {abs(gap or 0):.0%} more on {longer} replies" if bad else "",
        )


def _error_gap(a: Sequence[_Pair], b: Sequence[_Pair]) -> tuple[float | None, bool]:
    """Error share of b less that of a, and whether it is beyond chance (two-proportion z at 0.025)."""
    if not a or not b:
        return None, False
    wrong = [sum(p.verdict != p.truth for p in half) for half in (a, b)]
    gap = wrong[1] / len(b) - wrong[0] / len(a)
    pooled = sum(wrong) / (len(a) + len(b))
    spread = (pooled * (1 - pooled) * (1 / len(a) + 1 / len(b))) ** 0.5
    return gap, spread > 0 and abs(gap) / spread > 2.2414


def _flips(rows: Sequence[Mapping[str, Any]], judge: Any, sample: int, seed: int, knobs: RunKnobs) -> Check:
    """The share of judged rows whose verdict differs when the same judge sees them again."""
    judged = [row for row in rows if reward_of(row.get("reward")) is not None and row.get("judge_status", "ok") == "ok"]
    chosen = Rng(seed).at("trust-flips").sample(judged, min(sample, len(judged)))
    if not chosen:
        return Check("flips", None, None, knobs.probe_flag, "no judged row to judge again")
    again = run_sync(judge_once(chosen, judge, knobs=knobs)).verdicts
    answered = [(row, verdict) for row, verdict in zip(chosen, again) if verdict.reward is not None]
    if len(answered) < 0.9 * len(chosen):
        return Check(
            "flips", None, None, knobs.probe_flag, f"the judge failed on {len(chosen) - len(answered)} of {len(chosen)} rows"
        )
    share = sum(verdict.reward != reward_of(row["reward"]) for row, verdict in answered) / len(answered)
    bad = share >= knobs.probe_flag
    return Check(
        "flips",
        not bad,
        share,
        knobs.probe_flag,
        f"{share:.0%} of the verdicts change when the same row is judged again" if bad else "",
    )


def corrected_pass_rate(rows: Sequence[Mapping[str, Any]], confusion: Confusion) -> dict[str, Any] | None:
    """pass@1 of the judged rows without the judge's errors (Rogan & Gladen 1978), as measured on the labelled ones.

    Its interval holds three uncertainties: the tasks drawn, and both error rates of the judge. None when gold lacks a
    class, or when the judge tells the classes apart no better than chance.
    """
    tasks: dict[str, list[float]] = {}
    for row in rows:
        reward = reward_of(row.get("reward")) if row.get("judge_status", "ok") == "ok" else None
        if reward in (0.0, 1.0):
            tasks.setdefault(task_key(row), []).append(float(reward or 0.0))
    if not tasks:
        return None
    means = np.array([sum(values) / len(values) for values in tasks.values()])
    judged = float(means.mean())
    made = corrected_rate(judged, effective_n(means, float(sum(map(len, tasks.values())))), confusion)
    if made is None:
        return None
    value, interval = made
    return {"value": value, "ci95": interval.to_list(), "judged": judged, "n_tasks": len(tasks), "method": interval.method}


def _ends(interval: Interval | None) -> list[float] | None:
    return interval.to_list() if interval else None


def _identity(row: Mapping[str, Any]) -> str:
    given = row.get("rollout_id")
    return str(given) if given is not None else f"{task_key(row)}#{row.get('rollout_index')}"


def _second(rows: Iterable[Mapping[str, Any]]) -> dict[str, float | None]:
    out: dict[str, float | None] = {}
    for row in rows:
        key = _identity(row)
        if key in out:
            raise ConfigError(Problem("gold", f"holds {key!r} twice", "give each rollout one gold label"))
        out[key] = reward_of(row.get("reward"))
    return out
