"""The same number of repeats for every task, whatever they show."""

from __future__ import annotations

from . import allocators
from ._groups import Groups


@allocators.register("fixed")
class Fixed(Groups):
    """All k repeats of a task, task by task."""

    name = "fixed"


@allocators.register("none")
class NoPolicy(Groups):
    """No policy: every task gets the repeats it was given, at once."""

    name = "none"
