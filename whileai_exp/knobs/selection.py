"""Numbers of the selection stage."""

from __future__ import annotations

from ._knob import Knobs, chapter, convention, knob, paper


class SelectionKnobs(Knobs):
    """Knobs that selection reads."""

    band_low: float = knob(
        0.2,
        ge=0,
        le=1,
        unit="pass rate",
        why="tasks the policy solves less often than this carry too little to learn from",
        source=chapter("Reasoning"),
    )
    band_high: float = knob(
        0.8,
        ge=0,
        le=1,
        unit="pass rate",
        why="tasks the policy solves more often than this carry too little to learn from",
        source=chapter("Reasoning"),
    )
    select_target: int = knob(
        1000,
        ge=1,
        le=100_000_000,
        unit="rows",
        why="rows to select; whole groups are taken until it is reached",
        source=convention(),
    )
    sft_min_reward: float = knob(
        1.0,
        ge=0,
        le=1,
        unit="reward",
        why="lowest reward of a row that supervised training imitates",
        source=paper("2407.21783", "section 4.2.2, rejection sampling keeps the best"),
    )
    sft_per_task: int = knob(
        1, ge=1, le=1024, unit="rows", why="most rows of one task in supervised data", source=convention("top per prompt")
    )
    quote_chars: int = knob(
        12,
        ge=4,
        le=1000,
        unit="characters",
        why="shortest stretch of privileged text whose appearance in a reply counts as a leak",
        source=convention(),
    )
