"""Numbers of the models stage."""

from __future__ import annotations

from ._knob import Knobs


class ModelKnobs(Knobs):
    """Knobs that the models stage reads."""
