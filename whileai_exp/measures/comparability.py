"""Do two sets of rows differ in anything but what is being compared?

Some differences make a comparison worthless (other tasks, another judge, another simulated user, answers missing on one
side); others are named as warnings (temperature, token cap, truncation). A changed policy is usually the point.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .._text import without_reasoning
from ..knobs import MeasureKnobs
from ..stats.paired import two_proportions
from ._show import Report
from ._table import Row, RowTable, is_mapping

OFFLINE_WRITERS = frozenset({"template", "seed", "pinned", "replay"})


@dataclass(frozen=True, slots=True)
class RunFacts(Report):
    """What a set of rows says about how it came to be. A value is None where rows do not say; several are listed."""

    n_rows: int
    n_tasks: int
    k: float
    """Rows per task, mean."""
    model: tuple[str, ...]
    policy_version: tuple[str, ...]
    prompt_hash: tuple[str, ...]
    """Of the system prompt."""
    judge: tuple[str, ...]
    """Name and version of whoever judged."""
    user_model: tuple[str, ...]
    writer_model: tuple[str, ...]
    """Offline writers count as one."""
    temperature: tuple[str, ...]
    max_tokens: tuple[str, ...]
    n_graded: int
    n_truncated: int
    n_answered: int
    """Rows whose final text says something once reasoning is removed."""
    n_unclosed_reasoning: int
    n_with_text: int

    def share(self, count: int) -> float:
        return count / self.n_rows if self.n_rows else 0.0


@dataclass(frozen=True, slots=True)
class Comparability(Report):
    """What stands in the way of comparing two sets of rows."""

    causes: tuple[str, ...]
    """Each makes the comparison invalid."""
    warnings: tuple[str, ...]
    shared_tasks: int

    @property
    def ok(self) -> bool:
        return not self.causes


def facts_of(table: RowTable) -> RunFacts:
    """The facts of rows already read."""
    truncated = answered = unclosed = with_text = 0
    for row in table.rows:
        truncated += row.get("finish_reason") == "length" or row.get("status") == "truncated"
        text = row.get("final_text")
        if isinstance(text, str):
            with_text += 1
            spoken, opened = without_reasoning(text)
            answered += bool(spoken.strip())
            unclosed += opened
    n_tasks = len(table.keys)
    return RunFacts(
        n_rows=table.n_rows,
        n_tasks=n_tasks,
        k=table.n_rows / n_tasks if n_tasks else 0.0,
        model=_values(row.get("model_version") for row in table.rows),
        policy_version=_values(row.get("policy_version") for row in table.rows),
        prompt_hash=_values(_prompt_hash(row) for row in table.rows),
        judge=_values(_judge(row) for row in table.rows),
        user_model=_values(row.get("user_model") for row in table.rows),
        writer_model=_values(_writer(row.get("writer_model")) for row in table.rows),
        temperature=_values(_part(row, "sampling", "temperature") for row in table.rows),
        max_tokens=_values(_part(row, "sampling", "max_tokens") for row in table.rows),
        n_graded=int(table.judged.sum()),
        n_truncated=truncated,
        n_answered=answered,
        n_unclosed_reasoning=unclosed,
        n_with_text=with_text,
    )


def comparability(a: RowTable, b: RowTable, before: RunFacts, after: RunFacts, knobs: MeasureKnobs) -> Comparability:
    """What stands in the way of comparing a (before) with b (after)."""
    shared = set(a.keys) & set(b.keys)
    smaller = min(len(a.keys), len(b.keys))
    causes: list[str] = []
    if smaller and len(shared) < knobs.comparable_shared_share * smaller:
        causes.append(f"tasks: {len(shared)} shared of {len(a.keys)} and {len(b.keys)}; run both on one task set (tasks=)")
    changed = _changed_asks(a, b)
    if changed:
        causes.append(f"asks: {changed} tasks of the same name ask something else")
    for name, word in (("judge", "judge"), ("user_model", "user model"), ("writer_model", "writer model")):
        one, two = getattr(before, name), getattr(after, name)
        if one and two and one != two:
            causes.append(f"{word}: {', '.join(one)} before, {', '.join(two)} after")
    if _shares_differ(before.n_graded, before.n_rows, after.n_graded, after.n_rows, knobs.comparable_gap, knobs):
        one, two = before.share(before.n_graded), after.share(after.n_graded)
        causes.append(f"graded share: {one:.0%} before, {two:.0%} after; the missing verdicts may not be missing by chance")
    if _shares_differ(before.n_answered, before.n_with_text, after.n_answered, after.n_with_text, knobs.answered_gap, knobs):
        one, two = before.n_answered / before.n_with_text, after.n_answered / after.n_with_text
        causes.append(f"answered share: {one:.0%} before, {two:.0%} after; look at token caps and reasoning that never ends")
    return Comparability(tuple(causes), tuple(_warnings(before, after, knobs)), len(shared))


def _warnings(before: RunFacts, after: RunFacts, knobs: MeasureKnobs) -> Iterable[str]:
    for name, word in (("temperature", "temperature"), ("max_tokens", "token cap"), ("prompt_hash", "system prompt")):
        one, two = getattr(before, name), getattr(after, name)
        if one and two and one != two:
            yield f"{word} differs: {', '.join(one)} before, {', '.join(two)} after"
    one, two = before.share(before.n_truncated), after.share(after.n_truncated)
    if abs(one - two) > knobs.comparable_gap:
        yield f"truncated share differs: {one:.0%} before, {two:.0%} after"
    for side, facts in (("before", before), ("after", after)):
        if facts.n_rows and facts.share(facts.n_graded) < knobs.coverage_floor:
            yield f"{facts.n_rows - facts.n_graded} of {facts.n_rows} rows {side} have no verdict"
        if len(facts.policy_version) > 1:
            yield f"rows {side} come from {len(facts.policy_version)} policies"
    if before.policy_version and before.policy_version == after.policy_version:
        yield f"both sides ran {before.policy_version[0]}: this measures noise, not a change"
    if before.n_rows and after.n_rows and abs(before.k - after.k) > 0.5:
        yield f"{before.k:.1f} rollouts per task before, {after.k:.1f} after"


def _shares_differ(a: int, n_a: int, b: int, n_b: int, gap: float, knobs: MeasureKnobs) -> bool:
    if not n_a or not n_b or abs(a / n_a - b / n_b) <= gap:
        return False
    p = two_proportions(a, n_a, b, n_b)
    return p is not None and p < knobs.answered_alpha


def _changed_asks(a: RowTable, b: RowTable) -> int:
    asks = {}
    for row, at in zip(a.rows, a.task.tolist()):
        asks.setdefault(a.keys[at], row.get("prompt"))
    changed: set[str] = set()
    for row, at in zip(b.rows, b.task.tolist()):
        key = b.keys[at]
        one, two = asks.get(key), row.get("prompt")
        if one is not None and two is not None and one != two:
            changed.add(key)
    return len(changed)


def _values(found: Iterable[Any]) -> tuple[str, ...]:
    kept = dict.fromkeys(value if type(value) is str or value is None else str(value) for value in found)
    return tuple(sorted(value for value in kept if value))


def _part(row: Row, whole: str, name: str) -> Any:
    part = row.get(whole)
    return part.get(name) if is_mapping(part) else None


def _prompt_hash(row: Row) -> Any:
    version = row.get("policy_version")
    if isinstance(version, str) and "@" in version:
        return version.rpartition("@")[2]
    return _part(row, "lineage", "system_prompt_sha")


def _judge(row: Row) -> Any:
    name = row.get("judge_name")
    if name is None:
        return None
    version = _part(row, "judge_meta", "version") or _part(row, "judge_meta", "prompt_sha")
    return f"{name}@{version}" if version else name


def _writer(name: Any) -> Any:
    return "offline" if name in OFFLINE_WRITERS else name
