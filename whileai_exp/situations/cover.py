"""A covering array over the feasible combinations, built row by row, so that any prefix covers as much as it can.

`Coverer.row(allowed)` gives the next combination whose values lie in the allowed ones (the draw asks for a hard row, a
failing row, …), choosing values that cover most combinations not seen yet. Values are bits of an int, exclusions are
masks, and ties fall to a hash of the value's name: the order in which tools are declared changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from .._hash import sha
from .axes import Grid

Key = tuple[int, ...]
Found = tuple[Key, int, int]
"""A combination: all its values but one, and the axis and bit of that one."""
_CARRIERS = 3
"""Rows that may try to carry one combination before it is left uncovered."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the grid was covered."""

    planned: int
    """Feasible combinations of `strength` axes."""
    covered: int
    strength: int

    def to_dict(self) -> dict[str, Any]:
        share = self.covered / self.planned if self.planned else None
        return {
            "planned": self.planned,
            "covered": self.covered,
            "share": share,
            "feasible": self.planned,
            "strength": self.strength,
        }


class Coverer:
    """The state of one covering array."""

    def __init__(self, grid: Grid, strength: int = 2) -> None:
        self.names = sorted(grid.axes, key=lambda axis: (-len(grid.axes[axis]), axis))
        self.values: list[list[str]] = [sorted(grid.axes[axis], key=lambda value: sha(value, 16)) for axis in self.names]
        self.strength = min(strength, len(self.names))
        self._index = [{value: bit for bit, value in enumerate(values)} for values in self.values]
        self._offset = [0]
        for values in self.values:
            self._offset.append(self._offset[-1] + len(values))
        self._allowed = self._masks(grid)
        self._full = [(1 << len(values)) - 1 for values in self.values]
        self._missing: dict[Key, list[int]] = {}
        self._left: list[list[int]] = [[0] * len(values) for values in self.values]
        self._spent: set[tuple[int, ...]] = set()
        """Masks inside which everything is covered: covering never shrinks."""
        self.planned = 0
        self._plan()
        self.covered = 0
        self._open = self.planned
        self._latest: list[Found] = []
        """What the latest row covered first."""
        self._refused: set[tuple[int, ...]] = set()
        self._tried: dict[Found, int] = {}
        self._given_up: set[Found] = set()
        """Combinations that nobody looks for any more; a row may still have one."""

    def _masks(self, grid: Grid) -> list[list[list[int]]]:
        """`[axis][value][other axis]` to the mask of other values that can stand with it."""
        out: list[list[list[int]]] = []
        for a, name in enumerate(self.names):
            rows: list[list[int]] = []
            for value in self.values[a]:
                masks: list[int] = []
                for b, other in enumerate(self.names):
                    mask = 0
                    if a != b:
                        for bit, against in enumerate(self.values[b]):
                            if grid.allows(name, value, other, against):
                                mask |= 1 << bit
                    masks.append(mask)
                rows.append(masks)
            out.append(rows)
        return out

    def _plan(self) -> None:
        """Find every feasible combination of `strength` values; each is missing until a row has it."""
        count = len(self.names)
        for axes in combinations(range(count), self.strength - 1):
            for key, open_masks in self._partials(axes):
                missing = [0] * count
                for axis in range(axes[-1] + 1 if axes else 0, count):
                    missing[axis] = self._completable(open_masks, axis)
                    found = missing[axis].bit_count()
                    self.planned += found
                self._missing[key] = missing
                for axis, mask in enumerate(missing):
                    self._credit(key, axis, mask, 1)

    def _credit(self, key: Key, axis: int, mask: int, sign: int) -> None:
        amount = mask.bit_count() * sign
        if not amount:
            return
        for code in key:
            owner, bit = self._owner(code)
            self._left[owner][bit] += amount
        while mask:
            low = mask & -mask
            self._left[axis][low.bit_length() - 1] += sign
            mask ^= low

    def _owner(self, code: int) -> tuple[int, int]:
        axis = 0
        while code >= self._offset[axis + 1]:
            axis += 1
        return axis, code - self._offset[axis]

    def _partials(self, axes: Sequence[int]) -> list[tuple[Key, list[int]]]:
        found: list[tuple[Key, list[int]]] = [((), list(self._full))]
        for axis in axes:
            grown: list[tuple[Key, list[int]]] = []
            for key, masks in found:
                for bit in _bits(masks[axis]):
                    narrowed = self._narrow(masks, axis, bit)
                    if narrowed is not None:
                        grown.append(((*key, self._offset[axis] + bit), narrowed))
            found = grown
        return found

    def _narrow(self, masks: list[int], axis: int, bit: int) -> list[int] | None:
        """Masks after setting a value; None when an axis is left without one."""
        allowed = self._allowed[axis][bit]
        out = [mask & allowed[other] if other != axis else 1 << bit for other, mask in enumerate(masks)]
        return out if all(out) else None

    def _completable(self, masks: list[int], axis: int) -> int:
        found = 0
        for bit in _bits(masks[axis]):
            narrowed = self._narrow(masks, axis, bit)
            if narrowed is not None and self._solvable(narrowed):
                found |= 1 << bit
        return found

    def _solvable(self, masks: list[int], axis: int = 0) -> bool:
        """Whether the masks hold at least one whole combination."""
        if axis == len(self.names):
            return True
        for bit in _bits(masks[axis]):
            narrowed = self._narrow(masks, axis, bit)
            if narrowed is not None and self._solvable(narrowed, axis + 1):
                return True
        return False

    def masks_for(self, allowed: Mapping[str, Sequence[str]]) -> list[int]:
        """Bit masks of the values allowed per axis; an axis not named allows all."""
        out = list(self._full)
        for axis, name in enumerate(self.names):
            if name in allowed:
                out[axis] = sum(1 << self._index[axis][value] for value in allowed[name] if value in self._index[axis])
        return out

    def row(self, masks: list[int]) -> dict[str, str] | None:
        """The next combination inside the masks that covers something new, marked covered; None when there is none."""
        spent = tuple(masks)
        if not self._open or not all(masks) or spent in self._spent:
            return None
        chosen = self._search(list(masks), ())
        if chosen is None:
            return None
        if not self._mark(chosen):
            chosen = self._seeded(masks)
            if chosen is None:
                self._spent.add(spent)
                return None
            self._mark(chosen)
        return {self.names[axis]: self.values[axis][bit] for axis, bit in enumerate(chosen)}

    def give_back(self, row: Mapping[str, str]) -> None:
        """The latest row was not used: what it covered is missing again, to be carried by another row, a few times."""
        for found in self._latest:
            key, axis, bit = found
            self.covered -= 1
            self._tried[found] = self._tried.get(found, 0) + 1
            if self._tried[found] < _CARRIERS:
                self._missing[key][axis] |= bit
                self._credit(key, axis, bit, 1)
                self._open += 1
            else:
                self._given_up.add(found)
        if self._latest:
            self._refused.add(tuple(self._index[axis][row[name]] for axis, name in enumerate(self.names)))
            self._spent.clear()
        self._latest = []

    def settle(self) -> None:
        """What was covered stays covered: the next row that is given back covered nothing first."""
        self._latest = []

    def any_row(self, masks: list[int]) -> dict[str, str] | None:
        """A combination inside the masks, new or not; None when the masks hold none."""
        chosen = self._search(list(masks), ()) if all(masks) else None
        return None if chosen is None else {self.names[axis]: self.values[axis][bit] for axis, bit in enumerate(chosen)}

    def _seeded(self, masks: list[int]) -> tuple[int, ...] | None:
        """A combination around the first missing one that fits the masks."""
        for key, missing in self._missing.items():
            if not any(missing):
                continue
            narrowed: list[int] | None = list(masks)
            for code in key:
                axis, bit = self._owner(code)
                narrowed = self._narrow(narrowed, axis, bit) if narrowed is not None and narrowed[axis] >> bit & 1 else None
                if narrowed is None:
                    break
            if narrowed is None:
                continue
            for axis, mask in enumerate(missing):
                for bit in _bits(mask & narrowed[axis]):
                    final = self._narrow(narrowed, axis, bit)
                    chosen = self._search(final, ()) if final is not None else None
                    if chosen is not None:
                        return chosen
        return None

    def _search(self, masks: list[int], chosen: tuple[int, ...]) -> tuple[int, ...] | None:
        axis = len(chosen)
        if axis == len(self.names):
            return None if chosen in self._refused else chosen
        for bit in self._ranked(masks, chosen, axis):
            narrowed = self._narrow(masks, axis, bit)
            if narrowed is not None:
                found = self._search(narrowed, (*chosen, bit))
                if found is not None:
                    return found
        return None

    def _ranked(self, masks: list[int], chosen: tuple[int, ...], axis: int) -> list[int]:
        """The open values of an axis, those that cover most with what is set first."""
        codes = [self._offset[a] + bit for a, bit in enumerate(chosen)]
        wanted = [self._missing[key][axis] for key in combinations(codes, self.strength - 1) if key in self._missing]
        left = self._left[axis]
        scored = [(-sum((mask >> bit) & 1 for mask in wanted), -left[bit], bit) for bit in _bits(masks[axis])]
        scored.sort()
        return [bit for _, _, bit in scored]

    def _mark(self, chosen: tuple[int, ...]) -> int:
        """How many combinations this row covers for the first time."""
        self._latest = []
        codes = [self._offset[a] + bit for a, bit in enumerate(chosen)]
        for combo in combinations(range(len(codes)), self.strength - 1):
            key = tuple(codes[a] for a in combo)
            missing = self._missing[key]
            for axis in range(combo[-1] + 1 if combo else 0, len(codes)):
                bit = 1 << chosen[axis]
                if missing[axis] & bit:
                    missing[axis] ^= bit
                    self._latest.append((key, axis, bit))
                    self._credit(key, axis, bit, -1)
                elif self._given_up and (key, axis, bit) in self._given_up:
                    self._given_up.discard((key, axis, bit))
                    self._latest.append((key, axis, bit))
                    self._open += 1
        self.covered += len(self._latest)
        self._open -= len(self._latest)
        return len(self._latest)

    @property
    def coverage(self) -> Coverage:
        return Coverage(self.planned, self.covered, self.strength)


def _bits(mask: int) -> list[int]:
    out: list[int] = []
    while mask:
        low = mask & -mask
        out.append(low.bit_length() - 1)
        mask ^= low
    return out
