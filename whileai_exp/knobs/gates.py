"""Numbers of the gates."""

from __future__ import annotations

from ._knob import Knobs, convention, knob


class GateKnobs(Knobs):
    """Defaults of the gates; a gate's own entry in the configuration overrides them per run."""

    gate_min_graded_share: float = knob(
        0.95, ge=0, le=1, unit="share", why="least share of usable rows with a verdict", source=convention()
    )
    gate_min_mixed_share: float = knob(
        0.1,
        ge=0,
        le=1,
        unit="share",
        why="least share of repeated tasks whose rollouts disagree",
        source=convention("a group that agrees carries no gradient"),
    )
    gate_max_truncated_share: float = knob(0.1, ge=0, le=1, unit="share", why="most rollouts cut at a cap", source=convention())
    gate_max_error_share: float = knob(
        0.05,
        ge=0,
        le=1,
        unit="share",
        why="most rollouts that ended in an error that is not the agent's doing",
        source=convention(),
    )
