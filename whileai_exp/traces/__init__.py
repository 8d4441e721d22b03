"""Recorded conversations: reading them, and what they say about where an agent fails."""

from .load import LoadedTraces, load_traces
from .mine import Emphasis, Mined, Region, mine_traces, trace_report

__all__ = ["Emphasis", "LoadedTraces", "Mined", "Region", "load_traces", "mine_traces", "trace_report"]
