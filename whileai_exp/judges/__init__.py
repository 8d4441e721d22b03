"""Judges: anything that turns a row into a verdict, under one contract."""

from ._base import AsJudge, as_judge, judges
from ._contract import verdict_of
from ._runner import run_judges

__all__ = ["AsJudge", "as_judge", "judges", "run_judges", "verdict_of"]
