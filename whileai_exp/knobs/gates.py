"""Numbers of the gates stage."""

from __future__ import annotations

from ._knob import Knobs


class GateKnobs(Knobs):
    """Knobs that the gates stage reads."""
