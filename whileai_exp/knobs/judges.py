"""Numbers of the judges stage."""

from __future__ import annotations

from ._knob import Knobs


class JudgeKnobs(Knobs):
    """Knobs that the judges stage reads."""
