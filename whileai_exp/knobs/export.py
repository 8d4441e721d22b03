"""Numbers of the export stage."""

from __future__ import annotations

from ._knob import Knobs


class ExportKnobs(Knobs):
    """Knobs that the export stage reads."""
