"""pass@1, pass^k, pass@k and headroom of a set of rows.

One job each: pass@1 is the headline (an agent runs once in production), pass^k is reliability (all k repeats pass),
pass@k - pass@1 is what a grouped update has to learn from. Two rules keep them honest. Rows without a verdict are never
failures: they are left out and counted. And draws that an adaptive allocation chose are not a random sample: then every
number reads each task's first `probe` rollouts only, which were drawn regardless of outcome, and k is at most that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import ConfigError, Problem
from ..knobs import MeasureKnobs
from ..schema import Interval, Measure, reward_of, task_key
from ..stats.intervals import mean_interval
from ..stats.passk import over_groups

ADAPTIVE = frozenset({"successive", "adaptive"})


@dataclass(frozen=True, slots=True)
class PassAt:
    """The pass numbers of a set of rows; printing it gives the lines a person reads.

    Every number is None where the data cannot give it, and `notes` says why.
    """

    k: int
    pass_at_1: float | None
    pass_pow_k: float | None
    pass_at_k: float | None
    ci95: Interval | None
    """Interval of pass@1 at `level`, its method named."""
    pass_pow_k_ci95: Interval | None
    pass_at_k_ci95: Interval | None
    headroom: float | None
    """pass@k - pass@1, both over the tasks with k draws."""
    headroom_ci95: Interval | None
    n_tasks: int
    """Tasks with at least one judged row."""
    n_tasks_total: int
    n_rows: int
    """Judged rows."""
    n_rows_total: int
    n_tasks_at_k: int
    n_partial: int
    """Rewards strictly between 0 and 1; they count as not passed below `threshold`."""
    mean_reward: float | None
    per_task: Mapping[str, float] = field(default_factory=dict)
    """Task key to pass rate over that task's judged rollouts."""
    notes: tuple[str, ...] = ()
    k_note: str = ""
    """Why the k-way numbers are missing; empty when they are not."""

    def measures(self) -> tuple[Measure, ...]:
        """The same as measures, for records and gates."""
        why = self.k_note or "; ".join(self.notes)
        return (
            Measure(
                "pass_at_1",
                self.pass_at_1,
                self.n_tasks,
                self.ci95,
                "share",
                "" if self.pass_at_1 is not None else "; ".join(self.notes),
            ),
            Measure(
                "pass_pow_k",
                self.pass_pow_k,
                self.n_tasks_at_k,
                self.pass_pow_k_ci95,
                "share",
                "" if self.pass_pow_k is not None else why,
            ),
            Measure(
                "pass_at_k",
                self.pass_at_k,
                self.n_tasks_at_k,
                self.pass_at_k_ci95,
                "share",
                "" if self.pass_at_k is not None else why,
            ),
            Measure(
                "headroom",
                self.headroom,
                self.n_tasks_at_k,
                self.headroom_ci95,
                "share",
                "" if self.headroom is not None else why,
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON twin of the printed lines, per_task included."""
        out: dict[str, Any] = {"k": self.k, **{m.name: m.to_dict() for m in self.measures()}}
        for name in ("n_tasks", "n_tasks_total", "n_rows", "n_rows_total", "n_tasks_at_k", "n_partial", "mean_reward"):
            out[name] = getattr(self, name)
        return {**out, "per_task": dict(self.per_task), "notes": list(self.notes)}

    def __str__(self) -> str:
        judged = f"{self.n_tasks} tasks, {self.n_rows} rollouts"
        if self.n_rows < self.n_rows_total:
            judged += f" judged of {self.n_rows_total}"
        lines = [f"pass@1 {_shown(self.pass_at_1, self.ci95)}  ({judged})"]
        if self.pass_at_k is not None:
            lines.append(
                f"pass^{self.k} {_shown(self.pass_pow_k, self.pass_pow_k_ci95)}   pass@{self.k} {_shown(self.pass_at_k, self.pass_at_k_ci95)}"
            )
            lines.append(f"headroom {_shown(self.headroom, self.headroom_ci95)}")
        elif self.pass_at_1 is not None:
            lines.append("pass^k, pass@k and headroom not measured")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


def _shown(value: float | None, interval: Interval | None) -> str:
    if value is None:
        return "not measured"
    return f"{value:.3f}" + (f" [{interval.low:.3f}, {interval.high:.3f}]" if interval else "")


@dataclass(slots=True)
class _Group:
    rewards: dict[int, float] = field(default_factory=dict)
    """Repeat index to reward, judged rows only."""
    rows: int = 0
    probe: int | None = None
    """Draws made regardless of outcome; None when all were."""
    planned: int | None = None
    """Draws the group would have had in full."""

    def fair(self) -> list[float]:
        """The rewards that are a random sample of the task."""
        if self.probe is None:
            return list(self.rewards.values())
        return [reward for repeat, reward in self.rewards.items() if repeat < self.probe]


def pass_at(
    rows: Iterable[Mapping[str, Any]],
    *,
    k: int | None = None,
    min_k: int | None = None,
    threshold: float = 1.0,
    level: float = 0.95,
    knobs: MeasureKnobs | None = None,
) -> PassAt:
    """The pass numbers of judged rows.

    `k`: None takes the smallest group; a task with fewer draws than a given k is left out of the k-way numbers and named
    in a note. Below `min_k` (default: the knob, 4) k-way numbers are None. A row passes when its reward is at least
    `threshold`. Intervals are at `level`; fewer than three tasks give None. ConfigError: k below 1.
    """
    knobs = knobs or MeasureKnobs()
    floor = knobs.min_k if min_k is None else min_k
    if k is not None and k < 1:
        raise ConfigError(Problem("k", f"{k} is below its floor 1", "pass^k needs at least one draw"))
    groups, partial, total, notes = _grouped(rows)
    judged = {key: group for key, group in groups.items() if group.rewards}
    if not judged:
        reason = "no rows" if not total else f"none of {total} rows has a verdict: grade first"
        return PassAt(
            k or 1, None, None, None, None, None, None, None, None, 0, len(groups), 0, total, 0, 0, None, {}, (reason, *notes)
        )
    adaptive = any(group.probe is not None for group in judged.values())
    full = min((len(group.rewards) for group in judged.values()), default=0)
    if adaptive and all(full >= (group.planned or full + 1) for group in judged.values()):
        adaptive = False
        for group in judged.values():
            group.probe = None
    draws = {key: fair for key, group in judged.items() if (fair := group.fair())}
    means = np.array([np.mean(np.asarray(d) >= threshold) for d in draws.values()], float)
    rewards = [r for group in judged.values() for r in group.rewards.values()]

    def interval(values: Any, n_draws: float) -> Interval | None:
        return mean_interval(
            values,
            n_draws,
            level=level,
            resamples=knobs.bootstrap_draws,
            min_tasks=knobs.min_interval_tasks,
            bootstrap_min_tasks=knobs.bootstrap_min_tasks,
        )

    ci = interval(means, sum(len(d) for d in draws.values()))
    if ci is None:
        notes.append(f"{len(judged)} tasks are fewer than {knobs.min_interval_tasks}: no interval")
    if adaptive:
        notes.append(
            "repeats were allocated adaptively: these numbers read each task's first rollouts, the ones drawn whatever came of them"
        )
    if len(judged) < len(groups):
        notes.append(f"{len(groups) - len(judged)} of {len(groups)} tasks have no judged rollout and are not in these numbers")
    n_judged = len(rewards)
    if n_judged < knobs.coverage_floor * total:
        notes.append(f"{total - n_judged} of {total} rows have no verdict: these numbers describe the judged ones only")
    k_used, at_k, power, notes_k = _k_way(draws, k, floor, threshold, adaptive)
    notes += notes_k
    per_task = {key: float(np.mean(np.asarray(list(group.rewards.values())) >= threshold)) for key, group in judged.items()}
    head = head_ci = at_ci = pow_ci = None
    at_value = pow_value = None
    if len(at_k):
        kept = [d for d in draws.values() if len(d) >= k_used]
        eligible = np.array([np.mean(np.asarray(d) >= threshold) for d in kept])
        n_draws = float(sum(len(d) for d in kept))
        at_value, pow_value = float(at_k.mean()), float(power.mean())
        at_ci, pow_ci = interval(at_k, n_draws), interval(power, n_draws)
        head = at_value - float(eligible.mean())
        head_ci = interval(at_k - eligible, n_draws)
    return PassAt(
        k=k_used,
        pass_at_1=float(means.mean()),
        pass_pow_k=pow_value,
        pass_at_k=at_value,
        ci95=ci,
        pass_pow_k_ci95=pow_ci,
        pass_at_k_ci95=at_ci,
        headroom=head,
        headroom_ci95=head_ci,
        n_tasks=len(judged),
        n_tasks_total=len(groups),
        n_rows=n_judged,
        n_rows_total=total,
        n_tasks_at_k=len(at_k),
        n_partial=partial,
        mean_reward=float(np.mean(rewards)),
        per_task=per_task,
        notes=tuple(notes),
        k_note="; ".join(notes_k) if not len(at_k) else "",
    )


def _grouped(rows: Iterable[Mapping[str, Any]]) -> tuple[dict[str, _Group], int, int, list[str]]:
    groups: dict[str, _Group] = {}
    partial = total = repeated = 0
    seen: set[str] = set()
    for row in rows:
        total += 1
        key = task_key(row)
        identity = row.get("rollout_id")
        if identity is not None:
            if identity in seen:
                repeated += 1
                continue
            seen.add(identity)
        group = groups.setdefault(key, _Group())
        allocation = row.get("allocation")
        if isinstance(allocation, Mapping) and allocation.get("policy") in ADAPTIVE:
            group.probe = int(allocation.get("probe", 1))
            group.planned = int(allocation.get("k", 0)) or None
        group.rows += 1
        reward = reward_of(row.get("reward")) if row.get("judge_status", "ok") == "ok" else None
        if reward is None:
            continue
        partial += 0.0 < reward < 1.0
        index = row.get("rollout_index")
        slot = index if isinstance(index, int) and index not in group.rewards else len(group.rewards) + 1_000_000
        group.rewards[slot] = reward
    notes = [f"{repeated} rows repeat a rollout_id already counted and are left out"] if repeated else []
    if partial:
        notes.append(f"{partial} rewards lie between 0 and 1; a row passes only at the threshold")
    return groups, partial, total, notes


def _k_way(
    draws: Mapping[str, Sequence[float]], k: int | None, floor: int, threshold: float, adaptive: bool
) -> tuple[int, Any, Any, list[str]]:
    """(k, pass@k per task, pass^k per task, notes) from draws that are random samples of their tasks."""
    sizes = [len(d) for d in draws.values()]
    empty = np.array([], float)
    smallest = min(sizes)
    used = smallest if k is None else k
    how = (
        f"use advanced.probe={max(floor, k or 0)} or repeat_policy='fixed'"
        if adaptive
        else f"use repeats={max(floor, k or 0)} or more"
    )
    if used < floor:
        return used, empty, empty, [f"pass^k and pass@k need {floor} draws per task and the smallest group has {smallest}: {how}"]
    eligible = {key: d for key, d in draws.items() if len(d) >= used}
    if not eligible:
        return used, empty, empty, [f"no task has {used} judged draws (largest group: {max(sizes)}): {how}"]
    at_k, power = over_groups([(len(d), sum(r >= threshold for r in d)) for d in eligible.values()], used)
    left = [key for key in draws if key not in eligible]
    if not left:
        return used, at_k, power, []
    shown = ", ".join(left[:3]) + (", …" if len(left) > 3 else "")
    return used, at_k, power, [f"k={used} leaves out {len(left)} of {len(draws)} tasks with fewer draws ({shown})"]
