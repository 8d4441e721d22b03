"""Which rollouts of a run have a label of somebody other than its judge.

Labels name rollouts, and a rollout's id follows from the seed, so labels made once hold for every repetition of the run.
A run that plays other rollouts leaves labels over: they are counted and said, never guessed onto another row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .._jsonl import objects
from ..errors import ConfigError, Problem
from ..measures.labels import KINDS, attach_labels

_WHERE = "measures.gold"


def read_labels(path: str | Path) -> list[dict[str, Any]]:
    """The labels of a file. ConfigError, with the lines, when it is not there or a line is no label."""
    file = Path(path).expanduser()
    if not file.is_file():
        raise ConfigError(Problem(_WHERE, f"there is no file {str(path)!r}", "make one with `whileai-exp label RUN`"))
    with file.open("rb") as lines:
        found = objects(lines)
    problems = [Problem(_WHERE, f"line {number} of {path} {what}") for number, what in found.faults]
    for label in found.found:
        said = str(label.get("rollout_id"))
        if not isinstance(label.get("rollout_id"), str):
            problems.append(Problem(_WHERE, f"a label names no rollout: {str(label)[:80]}", "give rollout_id"))
        elif label.get("label") not in (0, 1):
            problems.append(Problem(_WHERE, f"the label of {said} is {label.get('label')!r}", "0 or 1"))
        elif label.get("kind", "human") not in KINDS:
            problems.append(Problem(_WHERE, f"the label of {said} is of kind {label['kind']!r}", ", ".join(KINDS)))
    if problems:
        raise ConfigError(problems)
    return found.found


def with_labels(rows: Iterable[Mapping[str, Any]], labels: Sequence[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], list[str]]:
    """Copies of the rows that have a label, with it; and the ids of the rollouts that were labelled and not played."""
    wanted = {str(label["rollout_id"]) for label in labels}
    kept = [dict(row) for row in rows if row.get("rollout_id") in wanted]
    played = {row["rollout_id"] for row in kept}
    for annotator, kind in sorted({(str(label.get("annotator", "human")), str(label.get("kind", "human"))) for label in labels}):
        mine = [
            label
            for label in labels
            if (label.get("annotator", "human"), label.get("kind", "human")) == (annotator, kind)
            and label["rollout_id"] in played
        ]
        attach_labels(
            kept, [{"rollout_id": label["rollout_id"], "label": label["label"]} for label in mine], annotator, kind=kind
        )
    return kept, sorted(wanted - played)
