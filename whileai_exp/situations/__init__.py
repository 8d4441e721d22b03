"""Which situations a run plays, who asks for what in them, and how tasks come back from saved rows."""

from .draw import Draw, DrawRequest, Emphasis, draw_tasks

__all__ = ["Draw", "DrawRequest", "Emphasis", "draw_tasks"]
