"""Which situations a run plays, who asks for what in them, and how tasks come back from saved rows."""

from .draw import Draw, DrawRequest, Emphasis, draw_tasks
from .recommend import recommend
from .replay import for_run, rebuild, tasks_from
from .writer import write_with_model

__all__ = [
    "Draw",
    "DrawRequest",
    "Emphasis",
    "draw_tasks",
    "for_run",
    "rebuild",
    "recommend",
    "tasks_from",
    "write_with_model",
]
