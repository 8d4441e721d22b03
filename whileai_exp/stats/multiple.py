"""p values of several questions asked of the same rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p values (1979): the chance of any false alarm among them stays at the level."""
    n = len(p_values)
    order = np.argsort(p_values, kind="stable")
    out, running = [0.0] * n, 0.0
    for rank, index in enumerate(order.tolist()):
        running = max(running, min(1.0, (n - rank) * float(p_values[index])))
        out[index] = running
    return out
