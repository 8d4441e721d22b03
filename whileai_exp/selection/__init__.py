"""From judged rows to the rows that teach: what is kept, what is left out, and why each row is where it is."""

from ._base import optimize, select, selections

__all__ = ["optimize", "select", "selections"]
