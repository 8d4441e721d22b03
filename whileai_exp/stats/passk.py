"""pass@k and pass^k of one group, unbiased, from n real draws of which c passed.

pass@k = 1 - C(n-c, k) / C(n, k)   at least one of k draws passes (Chen et al. 2021, arXiv:2107.03374)
pass^k =     C(c, k)   / C(n, k)   all k draws pass (Yao et al. 2024, arXiv:2406.12045)

Both need n >= k. Asking for more than was drawn has no answer: NaN, never the 1.0 that the product form gives.
"""

from __future__ import annotations

from math import comb, nan

import numpy as np
from numpy.typing import NDArray


def pass_at_k(n: int, c: int, k: int) -> float:
    """Probability that at least one of k draws passes; NaN when k > n or k < 1."""
    if not 1 <= k <= n or not 0 <= c <= n:
        return nan
    return 1.0 - comb(n - c, k) / comb(n, k)


def pass_pow_k(n: int, c: int, k: int) -> float:
    """Probability that all k draws pass; NaN when k > n or k < 1."""
    if not 1 <= k <= n or not 0 <= c <= n:
        return nan
    return comb(c, k) / comb(n, k)


def over_groups(
    draws_t: NDArray[np.int64], passes_t: NDArray[np.int64], k: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(pass@k, pass^k) per group from the number of draws and of passes; each distinct pair is computed once."""
    if not len(draws_t):
        return np.array([], float), np.array([], float)
    width = int(draws_t.max()) + 1
    pairs, where = np.unique(draws_t * width + passes_t, return_inverse=True)
    counts = [divmod(int(pair), width) for pair in pairs]
    at = np.array([pass_at_k(n, c, k) for n, c in counts])
    power = np.array([pass_pow_k(n, c, k) for n, c in counts])
    return at[where], power[where]
