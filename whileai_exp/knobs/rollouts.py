"""Numbers of the rollouts stage."""

from __future__ import annotations

from ._knob import Knobs


class RolloutKnobs(Knobs):
    """Knobs that the rollouts stage reads."""
