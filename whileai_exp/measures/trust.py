"""Can the judge be believed: its verdicts against labels somebody else gave.

Unmeasured is not failed, and neither is it trusted: without gold labels of both classes the answer is `ok: False` with
the reason, and `measured: False`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import ConfigError, Problem
from ..knobs import MeasureKnobs
from ..schema import Interval, reward_of, task_key
from ..stats.agreement import Confusion


@dataclass(frozen=True, slots=True)
class Agreement:
    """A judge against gold labels; printing it gives the lines a person reads."""

    confusion: Confusion
    interval: Interval | None
    n_skipped: int
    """Rows without a binary verdict or without a gold label."""
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        c = self.confusion
        return {
            "n": c.n,
            "n_skipped": self.n_skipped,
            "agreement": c.agreement,
            "agreement_ci95": self.interval.to_list() if self.interval else None,
            "kappa": c.kappa,
            "confusion": {"tp": c.tp, "fp": c.fp, "fn": c.fn, "tn": c.tn},
            "pass_when_gold_fail": c.pass_when_gold_fail,
            "fail_when_gold_pass": c.fail_when_gold_pass,
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        c = self.confusion
        if not c.n:
            return "agreement not measured: " + "; ".join(self.warnings)
        ends = f" [{self.interval.low:.3f}, {self.interval.high:.3f}]" if self.interval else ""
        kappa = "not defined (one class)" if c.kappa is None else f"{c.kappa:.3f}"
        return f"agreement {c.agreement:.3f}{ends} (n={c.n})  kappa {kappa}\n" + "\n".join(f"note: {w}" for w in self.warnings)


@dataclass(frozen=True, slots=True)
class Trust:
    """The verdict on a judge. `ok` only when it was measured on both classes and clears every floor."""

    ok: bool
    measured: bool
    agreement: Agreement
    warnings: tuple[str, ...]

    def __getitem__(self, name: str) -> Any:
        return self.to_dict()[name]

    def to_dict(self) -> dict[str, Any]:
        return {"ok": self.ok, "measured": self.measured, **self.agreement.to_dict(), "warnings": list(self.warnings)}

    def __str__(self) -> str:
        word = "trusted" if self.ok else "not trusted" if self.measured else "not measured"
        return "\n".join([f"judge: {word}", *(f"  {warning}" for warning in self.warnings)])


def judge_agreement(
    rows: Iterable[Mapping[str, Any]],
    gold: str | Iterable[Mapping[str, Any]] = "gold_reward",
    *,
    knobs: MeasureKnobs | None = None,
) -> Agreement:
    """A judge's binary verdicts against gold ones.

    `gold`: the row key that holds the label, or a second scoring of the same rollouts (matched by rollout_id; a repeated
    id is a ConfigError, never the first by accident).
    """
    knobs = knobs or MeasureKnobs()
    lookup = _second(gold) if not isinstance(gold, str) else None
    counts = {"tp": 0, "fp": 0, "fn": 0, "tn": 0}
    skipped = 0
    for row in rows:
        verdict = reward_of(row.get("reward")) if row.get("judge_status", "ok") == "ok" else None
        truth = reward_of(row.get(str(gold))) if lookup is None else lookup.get(_identity(row))
        if verdict not in (0.0, 1.0) or truth not in (0.0, 1.0):
            skipped += 1
            continue
        counts[("t" if verdict == truth else "f") + ("p" if verdict else "n")] += 1
    c = Confusion(**counts)
    return Agreement(c, c.agreement_interval(), skipped, tuple(_agreement_warnings(c, knobs)))


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


def judge_trust(rows: Iterable[Mapping[str, Any]], *, gold: str = "gold_reward", knobs: MeasureKnobs | None = None) -> Trust:
    """Whether the verdicts on these rows can be believed, from the gold labels among them.

    `ok` is False with a warning when there are none: the judge is then unmeasured, not failed.
    """
    knobs = knobs or MeasureKnobs()
    found = judge_agreement(rows, gold, knobs=knobs)
    c, warnings = found.confusion, list(found.warnings)
    measured = min(c.tp + c.fn, c.fp + c.tn) >= knobs.gold_per_class
    enough = measured and found.interval is not None and found.interval.low >= knobs.min_agreement
    if measured and not enough and found.interval is not None:
        warnings.append(f"the agreement interval starts at {found.interval.low:.3f}, below {knobs.min_agreement:g}")
    kappa_ok = c.kappa is not None and c.kappa >= knobs.min_kappa
    if measured and not kappa_ok:
        warnings.append(f"kappa is {'not defined' if c.kappa is None else f'{c.kappa:.3f}'}, below {knobs.min_kappa:g}")
    leak_ok = c.pass_when_gold_fail is not None and c.pass_when_gold_fail <= knobs.max_pass_when_gold_fail
    return Trust(measured and enough and kappa_ok and leak_ok, measured, found, tuple(warnings))


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
