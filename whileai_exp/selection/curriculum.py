"""What to train on next: tasks by how often they are solved, easy to hard; the solved retired, the unknown kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._hash import sha
from ..errors import ConfigError, Problem
from ..knobs import SelectionKnobs
from ..measures._show import Report, notes
from ..measures._sources import Source, rows_of
from ..schema import task_key
from ._report import SelectionReport, row_id
from .rl import Rate, pass_rates, placed

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Curriculum(Report):
    """Every task in one place."""

    tiers: tuple[tuple[str, ...], ...]
    """Task keys that teach, in equal parts from easy to hard."""
    solved: tuple[str, ...]
    """Passed more often than the band; retire them."""
    not_ready: tuple[str, ...]
    """Passed less often; keep them for later."""
    thin: tuple[str, ...]
    """Too few judged rollouts to say."""
    unjudged: tuple[str, ...]
    """No verdict at all."""
    tasks: Mapping[str, Mapping[str, Any]]
    """Task to n, pass_rate, ci95 and the probability of being in the band."""
    band: tuple[float, float]
    warnings: tuple[str, ...] = ()

    @property
    def trainable(self) -> tuple[str, ...]:
        """Easy to hard."""
        return tuple(task for tier in self.tiers for task in tier)

    def __str__(self) -> str:
        head = f"{len(self.trainable)} tasks to train on, {len(self.solved)} solved, {len(self.not_ready)} not ready, {len(self.thin)} with too few rollouts"
        lines = [f"  tier {at}: {len(tier)} tasks, {_span(tier, self.tasks)}" for at, tier in enumerate(self.tiers, 1) if tier]
        return "\n".join([head, *lines, *notes(self.warnings)])


def curriculum(
    rows: Source,
    *,
    solved: float | None = None,
    floor: float | None = None,
    tiers: int = 3,
    min_rollouts: int = 2,
    knobs: SelectionKnobs | None = None,
) -> Curriculum:
    """Tasks by how often they are solved.

    `solved`, `floor`: pass rates above and below which a task no longer or not yet teaches (default: the knobs of the band);
    a task is there when it more likely than not is. `tiers`: parts of what is left, easy to hard. ConfigError: bounds that are
    not 0 <= floor <= solved <= 1, no tier.
    """
    knobs = knobs or SelectionKnobs()
    low, high = _bounds(floor, solved, knobs, tiers=tiers, min_rollouts=min_rollouts)
    found = rows_of(rows)
    rates = pass_rates(found)
    thin = {task for task, rate in rates.items() if rate.n < min_rollouts}
    able = {task: rate for task, rate in rates.items() if task not in thin}
    odds, out = placed(able, low, high, knobs.band_certainty)
    ready = sorted((task for task in able if task not in out), key=lambda task: (-able[task].mean, sha(task)))
    told = [] if ready else ["no task teaches: change the difficulty, or draw more repeats"]
    if thin:
        told.append(f"{len(thin)} tasks have fewer than {min_rollouts} judged rollouts")
    return Curriculum(
        tiers=tuple(_parts(ready, tiers)),
        solved=tuple(task for task in able if out.get(task) == "too_easy"),
        not_ready=tuple(task for task in able if out.get(task) == "too_hard"),
        thin=tuple(task for task in rates if task in thin),
        unjudged=tuple(dict.fromkeys(key for row in found if (key := task_key(row)) not in rates)),
        tasks={task: {**rate.to_dict(), "p_in_band": odds.get(task)} for task, rate in rates.items()},
        band=(low, high),
        warnings=tuple(told),
    )


def retire_solved(
    rows: Source, *, solved: float | None = None, min_rollouts: int = 2, knobs: SelectionKnobs | None = None
) -> tuple[list[Row], SelectionReport]:
    """The rows of tasks that are not yet solved more often than `solved` (default: the band's upper end), and the report.

    A task with fewer than `min_rollouts` judged rollouts stays: nothing is known of it.
    """
    knobs = knobs or SelectionKnobs()
    _, high = _bounds(0.0, solved, knobs, min_rollouts=min_rollouts)
    given = rows_of(rows)
    rates = {task: rate for task, rate in pass_rates(given).items() if rate.n >= min_rollouts}
    out = placed(rates, 0.0, high, knobs.band_certainty).out
    return _parted(given, dict.fromkeys(out, "solved"), {"kind": "retire_solved", "solved": high, **_counts(rates, out)})


def next_round(
    prior: Source,
    tasks: Source,
    *,
    low: float | None = None,
    high: float | None = None,
    min_rollouts: int = 2,
    knobs: SelectionKnobs | None = None,
) -> tuple[list[Row], SelectionReport]:
    """Of `tasks` (rows, or anything with a task key) those worth another round, given what `prior` showed.

    Tasks in the band stay, solved and unsolved ones go, and tasks of which `prior` has fewer than `min_rollouts` judged
    rollouts stay. The report's `prompt_set_sha` names the set that is left, whatever its order.
    """
    knobs = knobs or SelectionKnobs()
    bounds = _bounds(low, high, knobs, min_rollouts=min_rollouts)
    given = rows_of(tasks, name="tasks")
    rates = {task: rate for task, rate in pass_rates(rows_of(prior, name="prior")).items() if rate.n >= min_rollouts}
    out = placed(rates, *bounds, knobs.band_certainty).out
    words = {task: "solved" if where == "too_easy" else "unsolved" for task, where in out.items()}
    keys = sorted({task_key(row) for row in given} - set(words))
    unknown = sum(key not in rates for key in keys)
    facts = {
        "kind": "next_round",
        "band": list(bounds),
        "n_tasks": len(keys),
        "n_unknown": unknown,
        "prompt_set_sha": sha(keys, 16),
    }
    return _parted(given, words, facts)


def _bounds(floor: float | None, solved: float | None, knobs: SelectionKnobs, **least: int) -> tuple[float, float]:
    low, high = knobs.band_low if floor is None else floor, knobs.band_high if solved is None else solved
    problems = [Problem(name, f"{value!r} is below its floor 1") for name, value in least.items() if value < 1]
    if not 0 <= low <= high <= 1:
        default = [knobs.band_low, knobs.band_high]
        problems.append(Problem("band", f"{[low, high]} is not 0 <= low <= high <= 1", f"the default is {default}"))
    if problems:
        raise ConfigError(problems)
    return float(low), float(high)


def _parts(tasks: Sequence[str], count: int) -> Iterable[tuple[str, ...]]:
    """Parts whose sizes differ by one at most."""
    for at in range(count):
        yield tuple(tasks[len(tasks) * at // count : len(tasks) * (at + 1) // count])


def _span(tier: Sequence[str], tasks: Mapping[str, Mapping[str, Any]]) -> str:
    return f"pass rate {tasks[tier[0]]['pass_rate']:.2f} down to {tasks[tier[-1]]['pass_rate']:.2f}"


def _counts(rates: Mapping[str, Rate], out: Mapping[str, str]) -> dict[str, int]:
    return {"n_tasks": len(rates), "n_retired": len(out)}


def _parted(given: Sequence[Row], out: Mapping[str, str], facts: Mapping[str, Any]) -> tuple[list[Row], SelectionReport]:
    kept: list[Row] = []
    dropped: dict[str, list[Row]] = {}
    ids: dict[str, list[str]] = {}
    for at, row in enumerate(given):
        reason = out.get(task_key(row))
        if reason is None:
            kept.append(row)
        else:
            dropped.setdefault(reason, []).append(row)
            ids.setdefault(reason, []).append(row_id(row, at))
    return kept, SelectionReport({**facts, "n": len(given), "n_selected": len(kept)}, dropped, ids)
