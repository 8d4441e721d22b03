"""Rollouts: an agent plays tasks, an allocator says which next, an executor keeps them in flight."""

from .allocators import make_allocator
from .callable_agent import CallableAgent
from .conversation import ModelAgent
from .executor import Execution, drained_by_interrupt, execute
from .journaled_agent import JournaledAgent, source_of
from .user import make_person_factory

__all__ = [
    "CallableAgent",
    "Execution",
    "JournaledAgent",
    "ModelAgent",
    "drained_by_interrupt",
    "execute",
    "make_allocator",
    "make_person_factory",
    "source_of",
]
