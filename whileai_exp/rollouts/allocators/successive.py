"""A few probes per task, then all repeats where the probes disagree.

A group whose rollouts all end alike carries no gradient, so it goes on only while the chance that its next rollout
splits it is better than what the same rollout buys in a fresh group. Both chances are measured on this run, smoothed
by a pseudo-count: after n unanimous results, hazard(n) = (splits after n + prior(n)) / (groups seen after n + 1) with
prior(n) = a / (n + 2a); a fresh group yields mixed_rate / probe per rollout.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import allocators
from ._groups import Groups, GroupState, Record


@allocators.register("successive")
class Successive(Groups):
    """Probe, then fill where the results split."""

    name = "successive"

    def start(self) -> int:
        return self.knobs.probe

    def more(self, group: GroupState, record: Record | None) -> int | None:
        labels = group.labels(self.rewarded)
        if len(set(labels)) > 1:
            return self.repeats
        if record is None:
            return None
        n = len(labels)
        worth_it = self.hazard(record, n) > self.mixed_rate(record) / self.knobs.probe
        return len(group.told) + 1 if worth_it else len(group.told)

    def hazard(self, record: Record, n: int) -> float:
        """The chance that a group unanimous after n labels splits at the next."""
        return (record.splits.get(n, 0) + self._laplace(0, n)) / (record.seen.get(n, 0) + 1)

    def mixed_rate(self, record: Record) -> float:
        return self._laplace(record.split, record.probed)

    def _laplace(self, successes: int, n: int) -> float:
        a = self.knobs.smoothing_alpha
        return (successes + a) / (n + 2 * a)

    def report(self) -> Mapping[str, Any]:
        hazards = {str(n): self.hazard(self._record, n) for n in sorted(self._record.seen)}
        return {**super().report(), "probe": self.knobs.probe, "hazard": hazards}
