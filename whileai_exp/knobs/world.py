"""Numbers of the world stage."""

from __future__ import annotations

from ._knob import Knobs


class WorldKnobs(Knobs):
    """Knobs that the world stage reads."""
