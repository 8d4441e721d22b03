"""Which columns go with the outcome inside groups, and is it more than chance?

Centring a column and the outcome within each group removes what the group itself explains (its difficulty). The chance
floor comes from shuffling outcomes within groups: the largest |correlation| over all columns of each shuffle, so that the
chance of naming any column on data without an association is at most alpha (Westfall & Young 1993, max statistic).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._rng import Rng

Float32 = NDArray[np.float32]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
_STEP = 32
_BITS = 20
"""Of a sort key, for the random part and for the place within the group: sorting keys is far cheaper than an argsort."""


@dataclass(frozen=True, slots=True)
class WithinScan:
    """Within-group correlations and their chance floor."""

    rho: FloatArray
    """(F,) correlation of each column with the outcome, both centred within groups; 0 where a column does not vary."""
    p: FloatArray
    """(F,) p of each, adjusted for all columns looked at."""
    floor: float
    """|rho| that the permutations exceed with probability alpha."""


def within_scan(
    columns: Float32, outcome: FloatArray, group: IntArray, *, permutations: int, alpha: float, seed: int
) -> WithinScan:
    """`columns`: (R, F), centred within groups in place. `outcome`: (R,). `group`: (R,) ids from 0."""
    counts = np.bincount(group)
    centre_within(columns, group, counts)
    r = outcome - (np.bincount(group, outcome) / counts)[group]
    norm_r = float(np.sqrt((r**2).sum()))
    norms = np.sqrt(np.einsum("rf,rf->f", columns, columns, dtype=np.float64))
    usable = norms > 1e-6 * max(1.0, float(norms.max(initial=0.0)))
    scale = np.where(usable, norms, 1.0) * (norm_r or 1.0)
    rho = np.where(usable, columns.T @ r.astype(np.float32) / scale, 0.0) if norm_r > 0 else np.zeros(columns.shape[1])
    largest = _permuted(columns, r, group, scale, usable, permutations, seed)
    hits = (largest[None, :] >= np.abs(rho)[:, None] - 1e-6).sum(1)
    order = np.sort(largest)
    rank = min(permutations - 1, int(np.ceil((1 - alpha) * (permutations + 1))) - 1)
    return WithinScan(rho.astype(np.float64), (hits + 1) / (permutations + 1), float(order[rank]) if permutations else 1.0)


def centre_within(columns: Float32, group: IntArray, counts: IntArray) -> None:
    """Subtract each group's mean from each column, in place."""
    order = np.argsort(group, kind="stable")
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    for at in range(columns.shape[1]):
        column = columns[:, at].astype(np.float64)
        means = np.add.reduceat(column[order], starts) / counts
        columns[:, at] = column - means[group]


def _permuted(
    columns: Float32, r: FloatArray, group: IntArray, scale: FloatArray, usable: NDArray[np.bool_], permutations: int, seed: int
) -> FloatArray:
    """(B,) the largest |rho| of each shuffle of r within groups."""
    generator = np.random.Generator(np.random.PCG64(Rng(seed).seed_of("within-permutation")))
    order = np.argsort(group, kind="stable")
    sorted_r = r[order].astype(np.float32)
    first = np.searchsorted(group[order], group[order])
    position = np.arange(len(r)) - first
    base = (group[order] << 2 * _BITS) | position
    out = np.empty(permutations)
    for start in range(0, permutations, _STEP):
        width = min(_STEP, permutations - start)
        shuffled = np.empty((len(r), width), np.float32)
        for at in range(width):
            keys = base | (generator.integers(0, 1 << _BITS, len(r)) << _BITS)
            keys.sort()
            shuffled[order, at] = sorted_r[(keys & ((1 << _BITS) - 1)) + first]
        rho = np.abs(columns.T @ shuffled) / scale[:, None]
        out[start : start + width] = np.where(usable[:, None], rho, 0.0).max(0, initial=0.0)
    return out


@dataclass(frozen=True, slots=True)
class ShiftScan:
    """Which columns' per-group values moved."""

    mean: FloatArray
    p: FloatArray
    """Adjusted for all columns looked at."""


def shift_scan(differences: FloatArray, *, flips: int, seed: int) -> ShiftScan:
    """Sign-flip test of every column's mean over groups being zero, adjusted by the largest |t| of each flip.

    `differences`: (G, F), one row per group. Keeping the chance of any false name at alpha keeps the false discovery rate
    there too.
    """
    groups, columns = differences.shape
    mean = differences.mean(0) if groups else np.zeros(columns)
    if groups < 2 or not columns:
        return ShiftScan(mean, np.ones(columns))
    squares = (differences**2).sum(0)
    usable = squares > 1e-12
    observed = _t(differences.sum(0), squares, groups, usable)
    generator = np.random.Generator(np.random.PCG64(Rng(seed).seed_of("shift-flips")))
    hits = np.zeros(columns)
    for start in range(0, flips, 256):
        width = min(256, flips - start)
        signs = generator.integers(0, 2, (width, groups)) * 2.0 - 1.0
        largest = _t(signs @ differences, squares, groups, usable).max(1, initial=0.0)
        hits += (largest[:, None] >= observed[None, :] * (1 - 1e-9)).sum(0)
    return ShiftScan(mean, np.where(usable, (hits + 1) / (flips + 1), 1.0))


def _t(sums: FloatArray, squares: FloatArray, groups: int, usable: NDArray[np.bool_]) -> FloatArray:
    """|t| of a mean from its sum; squares do not change under sign flips."""
    spread = np.maximum(squares - sums**2 / groups, 1e-12)
    return np.asarray(np.where(usable, np.abs(sums) / np.sqrt(spread * groups / (groups - 1)), 0.0), np.float64)
