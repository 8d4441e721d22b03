"""What the agent is: reading its tools, policy and rubric, and what its tools do."""

from .effects import Effect, effect_of
from .load import load_spec
from .tools import as_tool, as_tools, tool

__all__ = ["Effect", "as_tool", "as_tools", "effect_of", "load_spec", "tool"]
