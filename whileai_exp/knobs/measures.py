"""Numbers of the measures stage."""

from __future__ import annotations

from ._knob import Knobs


class MeasureKnobs(Knobs):
    """Knobs that the measures stage reads."""
