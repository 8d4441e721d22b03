"""Numbers of the situations stage."""

from __future__ import annotations

from ._knob import Knobs


class SituationKnobs(Knobs):
    """Knobs that the situations stage reads."""
