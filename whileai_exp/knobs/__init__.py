"""Every tunable number of the engine. `RunKnobs` is all stages' tables in one, flat names; a stage asks for its own."""

from ._knob import KnobInfo, Knobs, Source, info_of, knob, resolve
from .export import ExportKnobs
from .gates import GateKnobs
from .judges import JudgeKnobs
from .measures import MeasureKnobs
from .models import ModelKnobs
from .people import PeopleKnobs
from .rollouts import RolloutKnobs
from .selection import SelectionKnobs
from .situations import SituationKnobs
from .world import WorldKnobs


class RunKnobs(
    ExportKnobs,
    GateKnobs,
    SelectionKnobs,
    MeasureKnobs,
    JudgeKnobs,
    ModelKnobs,
    RolloutKnobs,
    PeopleKnobs,
    WorldKnobs,
    SituationKnobs,
):
    """All knobs, flat. Each stage is handed this object and reads only its own table's names."""


__all__ = [
    "ExportKnobs",
    "GateKnobs",
    "JudgeKnobs",
    "KnobInfo",
    "Knobs",
    "MeasureKnobs",
    "ModelKnobs",
    "PeopleKnobs",
    "RolloutKnobs",
    "RunKnobs",
    "SelectionKnobs",
    "SituationKnobs",
    "Source",
    "WorldKnobs",
    "info_of",
    "knob",
    "resolve",
]
