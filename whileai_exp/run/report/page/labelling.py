"""A sheet to label rollouts by hand: one file, no network, blind to the judge unless asked otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...._hash import sha
from ...._rng import Rng
from ....errors import ConfigError, Problem
from ....schema import reward_of, task_key
from ....schema.types import USABLE
from ._browser import shown_row

_VERDICT = ("reward", "reason", "failure_class", "judge_name", "judge_status", "markers", "dropped", "faults")


def label_sample(rows: Sequence[Mapping[str, Any]], n: int = 60, seed: int = 0) -> list[Mapping[str, Any]]:
    """Up to `n` usable rows, half of them passed and half failed where there are enough, tasks before repeats.

    Agreement needs both classes; a plain sample of an agent that mostly passes has few failures. Rows without a verdict
    come last. The order is shuffled, so that it tells nothing.
    """
    if n < 1:
        raise ConfigError(Problem("n", f"{n} is below 1"))
    usable = [row for row in rows if row.get("status", "ok") in USABLE]
    order = Rng(seed).at("labels", "sample").shuffled(usable)
    classes: dict[str, list[Mapping[str, Any]]] = {"passed": [], "failed": [], "open": []}
    for row in _tasks_first(order):
        reward = reward_of(row.get("reward"))
        classes["open" if reward is None else "passed" if reward >= 1 else "failed"].append(row)
    half = max(n // 2, n - len(classes["failed"])), max(n - n // 2, n - len(classes["passed"]))
    chosen = [*classes["passed"][: half[0]], *classes["failed"][: half[1]]][:n]
    chosen += classes["open"][: n - len(chosen)]
    return Rng(seed).at("labels", "order").shuffled(chosen)


def _tasks_first(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """One row of every task, then the second of each, and so on; in the order given within a round."""
    seen: dict[Any, int] = {}
    rounds: list[tuple[int, int, Mapping[str, Any]]] = []
    for at, row in enumerate(rows):
        key = (task_key(row), reward_of(row.get("reward")))
        seen[key] = seen.get(key, 0) + 1
        rounds.append((seen[key], at, row))
    return [row for _, _, row in sorted(rounds, key=lambda item: item[:2])]


def label_sheet(
    rows: Sequence[Mapping[str, Any]], path: str | Path, *, n: int = 60, seed: int = 0, blind: bool = True, rubric: str = ""
) -> Path:
    """Write a page on which `n` of the rows can be labelled; its labels.jsonl is what `attach_labels` reads.

    `blind` leaves the judge's verdict out of the page, not only out of sight. `rubric`: what doing the job means, shown on
    top. ConfigError when no row can be labelled.
    """
    from markupsafe import Markup

    from . import asset, inert, policy, template

    chosen = label_sample(rows, n, seed)
    if not chosen:
        raise ConfigError(Problem("rows", "none can be labelled", "give rollouts that ended ok or truncated"))
    sheet = [shown_row(row, without=_VERDICT if blind else ()) for row in chosen]
    script = asset("conversation.js") + asset("labels.js")
    ident = sha([str(row.get("rollout_id")) for row in chosen], 12)
    page = template("labels.html").render(
        css=Markup(asset("page.css")),
        script=Markup(script),
        policy=policy(script),
        n=len(chosen),
        blind=blind,
        rubric=rubric,
        rollouts=Markup(inert({"sheet": ident, "rows": sheet})),
    )
    target = Path(path)
    target.write_text(page, "utf-8")
    return target
