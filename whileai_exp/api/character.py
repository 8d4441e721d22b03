"""Character training in one call: a constitution and replies in; pairs, rows to imitate and a checked judge out."""

from __future__ import annotations

from typing import Any

from ..judges import LLMJudge
from ..knobs import RunKnobs
from ..selection.character import CharacterData, Constitution, character_sets, label_rows
from .doors import run_judge


def character_data(
    rows: Any,
    constitution: Any,
    judge: Any = None,
    *,
    min_margin: float = 0.5,
    min_reward: float = 1.0,
    pairs_per_task: int = 1,
    rows_per_task: int = 1,
    concurrency: int | None = None,
    timeout: float | None = None,
    knobs: RunKnobs | None = None,
) -> CharacterData:
    """Training data for how a model talks.

    `rows`: replies, several per ask, as rows or a run. `constitution`: a YAML or JSON file, a mapping or a `Constitution`: its
    principles and labelled replies. `judge`: a model (`provider:model`, or None for WHILEAI_EXP_JUDGE) that answers the
    principles one by one, or any judge of yours. The judge grades the constitution's own labelled replies first; `.judge` says
    whether it agrees with them, and `.ok` is False where it does not or where that is not known. `.pairs` are matched in length,
    `.sft` are the best replies. `min_margin` and `min_reward` are rewards: of a pair's difference, of a row to imitate.

    >>> data = character_data(rows, "constitution.yaml", "openai:gpt-4.1")  # doctest: +SKIP
    """
    knobs, law = knobs or RunKnobs(), Constitution.of(constitution)
    asked = LLMJudge(judge, rubric=law.rubric) if judge is None or _is_model(judge) else judge
    options: dict[str, Any] = {"concurrency": concurrency, "timeout": timeout, "knobs": knobs}
    labels = run_judge(label_rows(law), asked, **options).rows
    graded = run_judge(rows, asked, **options).rows
    sizes: dict[str, Any] = {"pairs_per_task": pairs_per_task, "rows_per_task": rows_per_task}
    return character_sets(graded, labels, law, min_margin=min_margin, min_reward=min_reward, **sizes, knobs=knobs)


def _is_model(judge: Any) -> bool:
    """A spec string of a model, or something that completes requests."""
    return ":" in judge if isinstance(judge, str) else hasattr(judge, "complete")
