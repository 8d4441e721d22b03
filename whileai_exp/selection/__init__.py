"""From judged rows to the rows that teach: what is kept, what is left out, and why each row is where it is."""

from ._base import optimize, select, selections
from ._report import SelectionReport
from .character import CharacterData, Constitution, character_sets, label_rows
from .curriculum import Curriculum, curriculum, next_round, retire_solved
from .decontaminate import decontaminate
from .near_duplicates import NearDuplicates, near_duplicate_prompts
from .preference import PairReport, build_preference_pairs

__all__ = [
    "CharacterData",
    "Constitution",
    "Curriculum",
    "NearDuplicates",
    "PairReport",
    "SelectionReport",
    "build_preference_pairs",
    "character_sets",
    "curriculum",
    "decontaminate",
    "label_rows",
    "near_duplicate_prompts",
    "next_round",
    "optimize",
    "retire_solved",
    "select",
    "selections",
]
