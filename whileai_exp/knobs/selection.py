"""Numbers of the selection stage."""

from __future__ import annotations

from ._knob import Knobs


class SelectionKnobs(Knobs):
    """Knobs that the selection stage reads."""
