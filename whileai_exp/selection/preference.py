"""Pairs of replies to one task, the better and the worse, of about one length.

Both sides answer the same task: two situations that happen to be asked in the same words are two tasks, and no pair crosses
them. Of the replies that are worse by the margin the one nearest in length is taken, since a trainer that sees only longer
replies win learns length.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from ..errors import ConfigError, Problem
from ..knobs import SelectionKnobs
from ..measures._show import Report, notes, plain, shown
from ..measures._sources import Source, rows_of
from ..measures._table import items_of
from ..schema import reward_of, task_key
from ._hygiene import from_eval, is_truncated, label_reason, leak_reason, silent_reason
from ._report import row_id

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PairReport(Report):
    """What the pairs are made of."""

    n: int
    """Rows given."""
    n_pairs: int
    n_tasks: int
    """Tasks with a pair."""
    n_contrast: int
    """Tasks whose rows differ by the margin; fewer pairs than that lost rows to hygiene."""
    mean_margin: float | None
    median_length_delta: float | None
    """Characters of chosen minus rejected."""
    chosen_longer: int
    n_same_policy: int
    n_identical_first_turn: int
    dropped: Mapping[str, Sequence[Row]]
    """Reason to the rows no pair could use."""
    dropped_ids: Mapping[str, Sequence[str]]
    """The same as rollout ids, or positions among the rows given."""
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The same, dropped rows as ids."""
        names = [name for name in self.__dataclass_fields__ if not name.startswith("dropped")]
        return plain({**{name: getattr(self, name) for name in names}, "dropped": self.dropped_ids})

    def __str__(self) -> str:
        head = f"{self.n_pairs} pairs of {self.n_tasks} tasks, mean margin {shown(self.mean_margin, digits=2)}"
        length = f"chosen longer in {self.chosen_longer}, by {shown(self.median_length_delta, digits=0)} characters (median)"
        return "\n".join([head, length, *notes(self.warnings)])


def build_preference_pairs(
    rows: Source,
    *,
    max_pairs_per_task: int = 1,
    min_margin: float = 1.0,
    length_match: bool = True,
    knobs: SelectionKnobs | None = None,
) -> tuple[list[dict[str, Any]], PairReport]:
    """Preference pairs within tasks, best replies first; each row is in one pair at most.

    A pair holds `prompt`, `task_key`, `chosen` and `rejected` (the rows), their rewards and ids, `margin`, `length_delta`,
    `same_policy`, `first_turn_differs`, both reasons and the rejected row's failure class. `length_match`: the rejected reply is
    the nearest in length, else the worst. ConfigError: a margin outside (0, 1], fewer than one pair per task.
    """
    knobs = knobs or SelectionKnobs()
    problems = []
    if not 0 < min_margin <= 1:
        problems.append(Problem("min_margin", f"{min_margin!r} is not in (0, 1]", "1.0 pairs passes with failures"))
    if max_pairs_per_task < 1:
        problems.append(Problem("max_pairs_per_task", f"{max_pairs_per_task!r} is below its floor 1"))
    if problems:
        raise ConfigError(problems)
    given = rows_of(rows)
    groups: dict[str, list[Row]] = defaultdict(list)
    dropped: dict[str, list[Row]] = defaultdict(list)
    for row in given:
        reason = leak_reason(row, knobs.quote_chars) or label_reason(row) or _cut(row) or silent_reason(row)
        if reason is None:
            groups[task_key(row)].append(row)
        else:
            dropped[reason].append(row)
    pairs: list[dict[str, Any]] = []
    used: set[int] = set()
    for task, group in groups.items():
        for chosen, rejected in _pairs_of(group, max_pairs_per_task, min_margin, length_match):
            used |= {id(chosen), id(rejected)}
            pairs.append(_pair(task, chosen, rejected))
    dropped["not_paired"] = [row for group in groups.values() for row in group if id(row) not in used]
    contrast = sum(max(map(_reward, group)) - min(map(_reward, group)) >= min_margin for group in groups.values())
    return pairs, _report(given, pairs, contrast, {k: v for k, v in dropped.items() if v}, knobs)


def _cut(row: Row) -> str | None:
    return "truncated" if is_truncated(row) else None


def _reward(row: Row) -> float:
    return reward_of(row.get("reward")) or 0.0


def _length(row: Row) -> int:
    return len(str(row.get("final_text") or ""))


def _pairs_of(group: Sequence[Row], most: int, margin: float, match: bool) -> Iterator[tuple[Row, Row]]:
    order = sorted(range(len(group)), key=lambda at: (-_reward(group[at]), row_id(group[at], at)))
    left, made = list(order), 0
    for at in order:
        if made == most or at not in left:
            continue
        chosen = group[at]
        worse = [other for other in left if _reward(chosen) - _reward(group[other]) >= margin - 1e-9]
        if not worse:
            continue

        def rank(other: int, chosen: Row = chosen) -> tuple[float, float, str]:
            gap, reward = abs(_length(group[other]) - _length(chosen)), _reward(group[other])
            return (gap, reward, row_id(group[other], other)) if match else (reward, gap, row_id(group[other], other))

        picked = min(worse, key=rank)
        left.remove(at)
        left.remove(picked)
        made += 1
        yield chosen, group[picked]


def _pair(task: str, chosen: Row, rejected: Row) -> dict[str, Any]:
    policies = chosen.get("policy_version"), rejected.get("policy_version")
    return {
        "prompt": chosen.get("prompt"),
        "task_key": task,
        "chosen": without_key(chosen),
        "rejected": without_key(rejected),
        "chosen_reward": _reward(chosen),
        "rejected_reward": _reward(rejected),
        "margin": _reward(chosen) - _reward(rejected),
        "chosen_id": chosen.get("rollout_id"),
        "rejected_id": rejected.get("rollout_id"),
        "chosen_model": chosen.get("model_version"),
        "rejected_model": rejected.get("model_version"),
        "same_policy": policies[0] == policies[1],
        "length_delta": _length(chosen) - _length(rejected),
        "first_turn_differs": _first_turn(chosen) != _first_turn(rejected),
        "chosen_reason": chosen.get("reason"),
        "rejected_reason": rejected.get("reason"),
        "rejected_failure_class": rejected.get("failure_class"),
    }


def without_key(row: Row) -> dict[str, Any]:
    """A copy without the judge-only object: pairs are made to be written."""
    return {key: value for key, value in row.items() if key != "privileged"}


def _first_turn(row: Row) -> Any:
    """What the agent did first: its text and its calls."""
    for message in items_of(row, "messages"):
        if message.get("role") == "assistant":
            calls = [call.get("function") for call in items_of(message, "tool_calls")]
            return str(message.get("content") or ""), repr(calls)
    return str(row.get("final_text") or "")


def _report(
    given: Sequence[Row],
    pairs: Sequence[Mapping[str, Any]],
    contrast: int,
    dropped: Mapping[str, Sequence[Row]],
    knobs: SelectionKnobs,
) -> PairReport:
    n = len(pairs)
    places = {id(row): at for at, row in enumerate(given)}
    longer = sum(pair["length_delta"] > 0 for pair in pairs)
    same = sum(pair["same_policy"] for pair in pairs)
    alike = sum(not pair["first_turn_differs"] for pair in pairs)
    told = []
    if not n:
        told.append("no pair: no task has rewards that differ by the margin")
    elif n >= knobs.pair_check_floor and longer >= knobs.chosen_longer_flag * n:
        told.append(f"the chosen reply is the longer one in {longer} of {n} pairs: training on them teaches length")
    if alike:
        told.append(f"{alike} pairs begin with the same turn: a trainer that sees only the first turn sees no difference")
    if same < n:
        told.append(f"{n - same} pairs mix two policies: the difference may be the model's, not the reply's")
    evals = sum(from_eval(pair["chosen"]) or from_eval(pair["rejected"]) for pair in pairs)
    if evals:
        told.append(f"{evals} pairs hold rows that were graded as an evaluation: training on them spends the evaluation")
    return PairReport(
        n=len(given),
        n_pairs=n,
        n_tasks=len({pair["task_key"] for pair in pairs}),
        n_contrast=contrast,
        mean_margin=sum(pair["margin"] for pair in pairs) / n if n else None,
        median_length_delta=float(median(pair["length_delta"] for pair in pairs)) if n else None,
        chosen_longer=longer,
        n_same_policy=same,
        n_identical_first_turn=alike,
        dropped=dropped,
        dropped_ids={reason: [row_id(row, places[id(row)]) for row in rows] for reason, rows in dropped.items()},
        warnings=tuple(told),
    )
