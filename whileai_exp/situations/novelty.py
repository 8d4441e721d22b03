"""Near-copies found without comparing everything with everything.

Texts become sets of hashed three-word shingles (of characters for scripts without spaces). Two sets whose Jaccard
similarity is at least t share one of their first few shingles in hash order (prefix filtering, Bayardo et al. 2007),
so only texts that meet there are compared; the comparison itself is exact.
"""

from __future__ import annotations

import math
import re
from zlib import crc32

_TOKEN = re.compile(r"[^\W_]+", re.UNICODE)
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def shingles(text: str) -> frozenset[int]:
    """Hashed shingles of three tokens; a shorter text is one shingle."""
    tokens: list[str] = []
    for word in _TOKEN.findall(text.casefold()):
        if _WIDE.search(word):
            tokens.extend(word)
        else:
            tokens.append(word)
    if len(tokens) < 3:
        return frozenset((crc32(" ".join(tokens).encode()),))
    return frozenset(crc32(" ".join(tokens[i : i + 3]).encode()) for i in range(len(tokens) - 2))


class NearCopies:
    """Texts seen so far; says whether a new one is a near-copy of any of them."""

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold
        self._sets: list[frozenset[int]] = []
        self._by_shingle: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self._sets)

    def add(self, text: str) -> None:
        own = shingles(text)
        index = len(self._sets)
        self._sets.append(own)
        for shingle in self._prefix(own):
            self._by_shingle.setdefault(shingle, []).append(index)

    def similar(self, text: str) -> float:
        """The highest similarity with a text seen before, 0 when none reaches the threshold."""
        own = shingles(text)
        best = 0.0
        for index in sorted({i for shingle in self._prefix(own) for i in self._by_shingle.get(shingle, ())}):
            other = self._sets[index]
            shared = len(own & other)
            similarity = shared / (len(own) + len(other) - shared)
            best = max(best, similarity)
        return best if best >= self.threshold else 0.0

    def _prefix(self, own: frozenset[int]) -> list[int]:
        return sorted(own)[: len(own) - math.ceil(self.threshold * len(own) - 1e-9) + 1]
