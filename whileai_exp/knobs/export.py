"""Numbers of the export stage."""

from __future__ import annotations

from ._knob import Knobs, convention, derived, knob


class ExportKnobs(Knobs):
    """Knobs that the export stage reads."""

    environment_holdout_share: float = knob(
        0.2,
        ge=0,
        le=0.9,
        unit="share",
        why="tasks of an exported environment that are held out, whatever their difficulty",
        source=convention("four to one"),
    )
    environment_min_holdout: int = knob(
        5,
        ge=0,
        le=10_000,
        unit="tasks",
        why="fewest held-out tasks that an environment is exported with; 0 allows none",
        source=convention("what the evaluation command plays unless told otherwise"),
    )
    environment_battery_tasks: int = knob(
        64,
        ge=1,
        le=10_000,
        unit="tasks",
        why="tasks that each policy doing no work plays against the reward before an environment is written",
        source=derived("a rate's standard error is at most 0.0625 at 64 draws"),
    )
