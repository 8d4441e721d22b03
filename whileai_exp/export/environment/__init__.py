"""RL environments: what on-policy training samples its rollouts from, as an installable package."""

from .build import export_environment
from .loaded import Loaded

__all__ = ["Loaded", "export_environment"]
