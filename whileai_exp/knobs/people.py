"""Numbers of the people stage."""

from __future__ import annotations

from ._knob import Knobs


class PeopleKnobs(Knobs):
    """Knobs that the people stage reads."""
