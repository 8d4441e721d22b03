"""Judges: anything that turns a row into a verdict, under one contract."""

from ._base import AsJudge, Bench, as_judge, judges
from ._contract import verdict_of
from ._rubric import Criterion, Rubric
from ._runner import run_judges
from .llm import LLMJudge
from .panel import Panel

__all__ = ["AsJudge", "Bench", "Criterion", "LLMJudge", "Panel", "Rubric", "as_judge", "judges", "run_judges", "verdict_of"]
