"""Randomness that is addressed, never consumed in arrival order.

`Rng(seed).at("world", task_id, repeat)` is the same stream whoever asks for it, whenever, in any process and under
any PYTHONHASHSEED. A `Stream` is SplitMix64 (Steele et al. 2014): one multiply-xor chain per draw, cheap to create,
which matters because every rollout opens several. Statistics that need numpy seed it with `Rng.seed_of(...)`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")
_MASK = (1 << 64) - 1
_TO_UNIT = 1.0 / (1 << 53)


class Stream:
    """One stream of draws. Not shared between owners: take another address instead."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def bits(self) -> int:
        """The next 64 random bits."""
        self._state = state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        return state ^ (state >> 31)

    def random(self) -> float:
        """A float in [0, 1)."""
        return (self.bits() >> 11) * _TO_UNIT

    def chance(self, probability: float) -> bool:
        """True with `probability`; 0 is never, 1 is always."""
        return self.random() < probability

    def integer(self, low: int, high: int) -> int:
        """An integer in [low, high], both ends included."""
        return low + self.bits() % (high - low + 1)

    def uniform(self, low: float, high: float) -> float:
        return low + (high - low) * self.random()

    def choice(self, items: Sequence[T]) -> T:
        return items[self.bits() % len(items)]

    def weighted(self, weights: Mapping[T, float]) -> T:
        """A key of `weights`, in proportion to its value; order of the mapping matters only for ties of the draw."""
        total = math.fsum(weights.values())
        target = self.random() * total
        last: T | None = None
        for item, weight in weights.items():
            if weight <= 0:
                continue
            last = item
            target -= weight
            if target < 0:
                return item
        if last is None:
            raise ValueError("weights must have a positive sum")
        return last

    def shuffled(self, items: Sequence[T]) -> list[T]:
        out = list(items)
        for index in range(len(out) - 1, 0, -1):
            other = self.bits() % (index + 1)
            out[index], out[other] = out[other], out[index]
        return out

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """`count` different items in random order; all of them when there are fewer."""
        return self.shuffled(items)[:count]

    def gauss(self) -> float:
        """A standard normal draw (Box-Muller)."""
        return math.sqrt(-2.0 * math.log(1.0 - self.random())) * math.cos(2.0 * math.pi * self.random())


class Rng:
    """The root of all randomness of one run."""

    __slots__ = ("seed",)

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def seed_of(self, *address: object) -> int:
        """A 64-bit integer that depends on the root seed and every part of the address."""
        text = "\x1f".join(map(str, (self.seed, *address)))
        return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")

    def at(self, *address: object) -> Stream:
        """The stream at this address, e.g. `rng.at("fault", task_id, repeat)`."""
        return Stream(self.seed_of(*address))
