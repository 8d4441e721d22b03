"""Rewards that the tests export by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whileai_exp.verify import verifier

Row = Mapping[str, Any]


def told_what_it_found(row: Row) -> float:
    """Between 0 and 1 by how much of what its calls returned the reply tells; 0 without a call."""
    found = {str(value) for step in row.get("steps") or () for value in _values(step.get("result"))}
    found = {value for value in found if len(value) >= 4}
    if not found:
        return 0.0
    return sum(value in row["final_text"] for value in found) / len(found)


def pays_for_claims(row: Row) -> float:
    """What no reward should do."""
    return float("done" in row["final_text"].lower())


def breaks(row: Row) -> float:
    """Fails on every reply of a degenerate policy and judges the others by length."""
    if len(row["final_text"]) < 140:
        raise ValueError("too short for me")
    return float(len(row["final_text"]) % 2)


@verifier
def says_the_answer(candidate: str, reference: Any, row: Row) -> bool:
    """Whether the reference is the reply's last word."""
    return candidate.split()[-1:] == [str(reference)]


def world(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A world of the user's own."""
    return {"status": "ok", "seen": sorted(arguments)}


def _values(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return [item for inner in value.values() for item in _values(inner)]
    if isinstance(value, list):
        return [item for inner in value for item in _values(inner)]
    return [value]
