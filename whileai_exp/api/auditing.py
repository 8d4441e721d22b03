"""Checking a verifier's failures with a second judge, and drafting the criteria that a judge goes by."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._aio import run_sync
from .._rng import Rng
from ..errors import ConfigError, Problem
from ..judges._drafting import drafted
from ..judges._rubric import Rubric
from ..knobs import RunKnobs
from ..measures._show import Report, notes, shown
from ..schema import Interval, Spec, reward_of
from ..stats.intervals import wilson
from .comparing import judging_model
from .judging import judged_copies

_SMALL = 20


@dataclass(frozen=True, slots=True)
class GradeAudit(Report):
    """How many of a verifier's verdicts a second judge overturns."""

    n_failures: int
    n_audited: int
    """Failures of the sample on which the second judge gave a verdict."""
    overturned: int
    fn_rate: float | None
    """Share of audited failures that the second judge passes; None without any."""
    interval: Interval | None
    """Wilson's; rows are taken as independent."""
    wrong_fails: float | None
    """Failures among all rows that would be overturned at that rate."""
    n_passes_audited: int
    passes_overturned: int
    fp_rate: float | None
    """The same for passes; None when none were asked for."""
    by_reason: Mapping[str, int]
    """The verifier's reasons whose failures were overturned, most often first."""
    unjudged: int
    rollouts: tuple[str, ...]
    """Rollouts on which the two differ: what to read."""
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        lines = [
            f"wrong failures {shown(self.fn_rate, self.interval)}  ({self.overturned} of {self.n_audited} audited, {self.n_failures} in all)"
        ]
        if self.fp_rate is not None:
            lines.append(f"wrong passes {shown(self.fp_rate)}  ({self.passes_overturned} of {self.n_passes_audited} audited)")
        lines += [f"  {count}x {reason}" for reason, count in self.by_reason.items()]
        return "\n".join([*lines, *notes(self.warnings)])


def audit_grades(
    rows: Any,
    judge: Any,
    *,
    sample: int = 40,
    passes: int = 0,
    seed: int = 0,
    spec: Spec | None = None,
    knobs: RunKnobs | None = None,
) -> GradeAudit:
    """Judge a seeded sample of failed rows again with another judge, one that sees the reference where rows carry it.

    `rows`: graded rows, or an object with `trajectories`. `judge`: any judge; `LLMJudge(use_privileged=True)` is shown the
    answer key. `sample`: failures, `passes`: passes to look at. A row that the second judge leaves open counts as
    unjudged and in no rate. ConfigError when nothing failed and no passes are asked for.
    """
    knobs = knobs or RunKnobs()
    given = list(getattr(rows, "trajectories", None) or getattr(rows, "rows", None) or rows)
    failures = [row for row in given if reward_of(row.get("reward")) == 0.0]
    passed = [row for row in given if reward_of(row.get("reward")) == 1.0]
    if not failures and not passes:
        raise ConfigError(Problem("rows", "none failed", "ask for passes= as well"))
    draw = Rng(seed)
    chosen = draw.at("audit", "failures").sample(failures, min(sample, len(failures)))
    others = draw.at("audit", "passes").sample(passed, min(passes, len(passed)))
    again = run_sync(judged_copies([*chosen, *others], judge, knobs=knobs, spec=spec)).rows
    first = list(zip(chosen, again[: len(chosen)]))
    second = list(zip(others, again[len(chosen) :]))
    told = [(old, new) for old, new in first if reward_of(new.get("reward")) is not None]
    turned = [(old, new) for old, new in told if (reward_of(new["reward"]) or 0.0) >= knobs.pass_threshold]
    told_passes = [(old, new) for old, new in second if reward_of(new.get("reward")) is not None]
    turned_passes = [(old, new) for old, new in told_passes if (reward_of(new["reward"]) or 0.0) < knobs.pass_threshold]
    rate = len(turned) / len(told) if told else None
    reasons = Counter(str(old.get("reason") or old.get("failure_class") or "no reason given") for old, _ in turned)
    unjudged = len(first) + len(second) - len(told) - len(told_passes)
    return GradeAudit(
        n_failures=len(failures),
        n_audited=len(told),
        overturned=len(turned),
        fn_rate=rate,
        interval=wilson(len(turned), len(told)),
        wrong_fails=rate * len(failures) if rate is not None else None,
        n_passes_audited=len(told_passes),
        passes_overturned=len(turned_passes),
        fp_rate=len(turned_passes) / len(told_passes) if told_passes else None,
        by_reason=dict(reasons.most_common(10)),
        unjudged=unjudged,
        rollouts=tuple(str(old.get("rollout_id")) for old, _ in [*turned, *turned_passes]),
        warnings=tuple(_said(rate, len(told), unjudged, knobs)),
    )


def _said(rate: float | None, n: int, unjudged: int, knobs: RunKnobs) -> list[str]:
    out = []
    if rate is not None and rate > knobs.probe_flag:
        out.append(
            f"more than {knobs.probe_flag:.0%} of the audited failures are overturned: read them before training on this reward"
        )
    if n < _SMALL:
        out.append(f"{n} audited failures say little: the interval is wide")
    if unjudged:
        out.append(f"{unjudged} rows were left open by the second judge")
    return out


@dataclass(frozen=True, slots=True)
class RubricDrafts:
    """Criteria by ask. Read them before judging by them: `LLMJudge(rubric=drafts.rubrics[prompt])`."""

    rubrics: Mapping[str, Rubric]
    failed: Mapping[str, str]
    """Asks without a rubric, with the reason."""


def write_rubrics(
    prompts: Sequence[str] | Sequence[Mapping[str, Any]],
    model: Any = None,
    *,
    spec: Spec | None = None,
    max_hard: int = 3,
    knobs: RunKnobs | None = None,
) -> RubricDrafts:
    """Three to eight criteria for each ask, drafted by a model; an ask that gets none is told with the reason.

    `prompts`: texts, or rows (each ask once). `model`: a spec string or ChatModel; None is WHILEAI_EXP_JUDGE. `max_hard`:
    most criteria that fail a rollout by themselves; further essential ones count as principles.
    """
    knobs = knobs or RunKnobs()
    asks = list(dict.fromkeys(str(item.get("prompt", "")) if isinstance(item, Mapping) else str(item) for item in prompts))
    asks = [ask for ask in asks if ask.strip()]
    if not asks:
        raise ConfigError(Problem("prompts", "hold no ask", "give texts, or rows with a prompt"))

    async def work() -> list[Rubric | str]:
        chat = judging_model(model, knobs)
        gate = asyncio.Semaphore(knobs.judge_concurrency)

        async def one(place: int, ask: str) -> Rubric | str:
            async with gate:
                return await drafted(ask, place, chat, knobs, spec=spec, max_hard=max_hard)

        try:
            return list(await asyncio.gather(*(one(place, ask) for place, ask in enumerate(asks))))
        finally:
            if chat is not model:
                await chat.aclose()

    found = list(zip(asks, run_sync(work())))
    return RubricDrafts(
        {ask: made for ask, made in found if isinstance(made, Rubric)}, {ask: why for ask, why in found if isinstance(why, str)}
    )
