"""From what was asked for to a plan in which every value is resolved."""

from .parameters import PARAMETERS, nested
from .refs import parse_ref
from .resolve import resolve_plan
from .types import Counts, Limits, Mode, ModelRef, PersonPlan, Plan, RepeatPolicy, WriterPlan

__all__ = [
    "PARAMETERS",
    "Counts",
    "Limits",
    "Mode",
    "ModelRef",
    "PersonPlan",
    "Plan",
    "RepeatPolicy",
    "WriterPlan",
    "nested",
    "parse_ref",
    "resolve_plan",
]
