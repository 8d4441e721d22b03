"""Did the agent make the right calls, and is the world as it should be afterwards?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import ConfigError, Problem
from ._base import Row, Unjudged, Verifier
from .jsons import same_json

MODES = ("strict", "unordered", "subset", "superset")


@dataclass(frozen=True, kw_only=True)
class ToolCalls(Verifier):
    """Whether the rollout's tool calls match the reference's: a list of `{tool, arguments}`.

    strict: the same calls in the same order. unordered: in any order. subset: no call but those expected. superset: all
    expected calls, and others may be there. `arguments`: exact, subset (the expected ones are among them) or ignore.
    `successful_only`: calls that failed do not count.
    """

    mode: str = "strict"
    arguments: str = "exact"
    successful_only: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        problems = []
        if self.mode not in MODES:
            problems.append(Problem("mode", f"{self.mode!r} is not one of {', '.join(MODES)}"))
        if self.arguments not in ("exact", "subset", "ignore"):
            problems.append(Problem("arguments", f"{self.arguments!r} is not exact, subset or ignore"))
        if problems:
            raise ConfigError(problems)

    def check(self, candidate: str, reference: Any, row: Row) -> Any:
        wanted = _calls(reference)
        steps = [s for s in row.get("steps") or () if isinstance(s, Mapping) and s.get("tool") is not None]
        made = [_call(s) for s in steps if not self.successful_only or s.get("status", "ok") == "ok"]
        if self.mode == "strict":
            right = len(made) == len(wanted) and all(self._same(a, b) for a, b in zip(made, wanted))
        else:
            paired = _matching(made, wanted, self._same)
            right = (self.mode == "superset" or paired == len(made)) and (self.mode == "subset" or paired == len(wanted))
        return float(right), f"{len(made)} calls, {len(wanted)} expected, {self.mode}"

    def _same(self, made: tuple[str, Any], wanted: tuple[str, Any]) -> bool:
        if made[0] != wanted[0]:
            return False
        if self.arguments == "ignore":
            return True
        if self.arguments == "subset" and isinstance(made[1], Mapping) and isinstance(wanted[1], Mapping):
            return all(name in made[1] and same_json(made[1][name], value) for name, value in wanted[1].items())
        return same_json(made[1], wanted[1])


def _calls(reference: Any) -> list[tuple[str, Any]]:
    if isinstance(reference, Mapping):
        reference = reference.get("calls", reference.get("tool_calls", [reference]))
    if not isinstance(reference, (list, tuple)) or not all(isinstance(item, Mapping) for item in reference):
        raise Unjudged("the reference is no list of calls", "error")
    return [_call(item) for item in reference]


def _call(item: Mapping[str, Any]) -> tuple[str, Any]:
    function = item.get("function") if isinstance(item.get("function"), Mapping) else item
    assert isinstance(function, Mapping)
    arguments = next((function[name] for name in ("arguments", "args", "input") if function.get(name) is not None), {})
    return str(function.get("tool", function.get("name"))), arguments


def _matching(made: Sequence[Any], wanted: Sequence[Any], same: Any) -> int:
    """Size of the largest pairing of calls with expected calls, each used once."""
    owner: dict[int, int] = {}

    def place(index: int, seen: set[int]) -> bool:
        for j, expected in enumerate(wanted):
            if j not in seen and same(made[index], expected):
                seen.add(j)
                if j not in owner or place(owner[j], seen):
                    owner[j] = index
                    return True
        return False

    return sum(place(index, set()) for index in range(len(made)))


@dataclass(frozen=True, kw_only=True)
class WorldState(Verifier):
    """Whether the world ended as the reference says: the hash `world_after`, or the list of changes, in any order.

    The reference: a hash, `{world_after: …}`, or a list of changes `{tool, entity, op}` (a change matches when every
    field the reference names is equal; none may be left over).
    """

    def check(self, candidate: str, reference: Any, row: Row) -> Any:
        if isinstance(reference, Mapping) and "changes" in reference:
            reference = reference["changes"]
        wanted = reference.get("world_after") if isinstance(reference, Mapping) else reference
        if isinstance(wanted, str):
            if row.get("world_after") is None:
                raise Unjudged("the row does not say how the world ended")
            right = row["world_after"] == wanted
            return float(right), "as expected" if right else "the world ended otherwise"
        if not isinstance(wanted, (list, tuple)):
            raise Unjudged("the reference is neither a hash nor a list of changes", "error")
        made = [change for change in row.get("changes") or () if isinstance(change, Mapping)]
        paired = _matching(made, wanted, lambda a, b: all(name in a and same_json(a[name], value) for name, value in b.items()))
        right = paired == len(made) == len(wanted)
        return float(right), f"{paired} of {len(wanted)} expected changes, {len(made)} made"
