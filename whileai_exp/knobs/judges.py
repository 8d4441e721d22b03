"""Numbers of the judging stage."""

from __future__ import annotations

from ._knob import Knobs, convention, knob


class JudgeKnobs(Knobs):
    """Knobs that judging reads."""

    judge_concurrency: int = knob(8, ge=1, le=4096, unit="calls", why="judge calls in flight", source=convention())
    judge_timeout_s: float = knob(
        300.0,
        gt=0,
        le=86400,
        unit="seconds",
        why="deadline of one judge call, from its start; past it the row is unjudged with status timeout",
        source=convention("the agent's own default"),
    )
    judge_reason_chars: int = knob(
        2000, ge=0, le=100_000, unit="characters", why="longest reason kept on a row", source=convention()
    )
