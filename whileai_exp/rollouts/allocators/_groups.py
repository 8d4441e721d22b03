"""What the policies share: groups in task order, a budget that reserves whole groups, decisions in logical time.

A group is opened only when the budget covers all its repeats next to everything that earlier groups may still spend,
so no group is ever half paid for. Which groups get opened is then a prefix of the task order that depends on what
earlier groups spent in the end, never on when. A decision about a group sees its own outcomes and the finished groups
of earlier cohorts; it waits for those, while later groups are being started.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...knobs import RolloutKnobs
from ...ports import Outcome


@dataclass(slots=True)
class GroupState:
    """One group of repeats as the allocator sees it."""

    index: int
    group_id: str
    target: int
    """How many rollouts it is to have, as decided so far."""
    told: dict[int, Outcome] = field(default_factory=dict)
    final: bool = False

    def labels(self, rewarded: bool) -> list[str]:
        """The labels in repeat order; a truncated, failed or unjudged rollout has none."""
        return [label for _, outcome in sorted(self.told.items()) if (label := label_of(outcome, rewarded)) is not None]


def label_of(outcome: Outcome, rewarded: bool) -> str | None:
    """What tells a rollout from its siblings: its reward, or its behaviour where nothing is rewarded."""
    if rewarded:
        return None if outcome.reward is None else f"{outcome.reward:.6g}"
    return outcome.signature if outcome.status == "ok" and outcome.signature else None


@dataclass(slots=True)
class Record:
    """What the finished groups of earlier cohorts showed."""

    probed: int = 0
    split: int = 0
    """Groups whose labels differ, by the end."""
    seen: dict[int, int] = field(default_factory=dict)
    """Groups that were unanimous after n labels and got another, by n."""
    splits: dict[int, int] = field(default_factory=dict)
    """Those of them whose next label differed, by n."""

    def add(self, labels: Sequence[str]) -> None:
        if not labels:
            return
        self.probed += 1
        for n in range(1, len(labels)):
            self.seen[n] = self.seen.get(n, 0) + 1
            if labels[n] != labels[0]:
                self.splits[n] = self.splits.get(n, 0) + 1
                self.split += 1
                break


class Groups:
    """Base of the policies (`ports.Allocator`). A policy says how a group starts and how it goes on."""

    name = ""

    def __init__(
        self, groups: Sequence[str], repeats: int, *, knobs: RolloutKnobs, budget: int | None, rewarded: bool, saturate: bool
    ) -> None:
        self.repeats = repeats
        self.knobs = knobs
        self.rewarded = rewarded
        self._ids = list(groups)
        self._budget = budget
        self._open: dict[str, GroupState] = {}
        self._ready: list[tuple[int, int]] = []
        self._in_flight = 0
        self._reserved = 0
        self._record = Record()
        self._cohort = 0
        self._unfinished = self._cohort_size(0)
        self._finished: list[GroupState] = []
        self._undecided: dict[int, list[GroupState]] = {}
        self._saturate = saturate
        self._behaviours: set[str] = set()
        self._fresh: list[float] = []
        """Share of groups with a behaviour nobody showed before, by finished cohort."""

    def start(self) -> int:
        """How many rollouts a group gets before anything is known of it."""
        return self.repeats

    def more(self, group: GroupState, record: Record | None) -> int | None:
        """How many rollouts the group is to have in all, now that its rollouts so far are told. Its number: it is final.

        `record` is None while earlier cohorts run; answer None to be asked again when they are finished.
        """
        return len(group.told)

    def ask(self, room: int) -> list[tuple[str, int]]:
        jobs: list[tuple[str, int]] = []
        while len(jobs) < room and (self._ready or self._open_next()):
            index, repeat = heapq.heappop(self._ready)
            jobs.append((self._ids[index], repeat))
        self._in_flight += len(jobs)
        return jobs

    def tell(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            group = self._open[outcome.task_id]
            group.told[outcome.repeat] = outcome
            self._in_flight -= 1
            if len(group.told) == group.target:
                self._decide(group)

    @property
    def done(self) -> bool:
        """Whether nothing is running, nothing is ready, and nothing more can be opened."""
        return not (self._in_flight or self._ready or self._may_open())

    def _may_open(self) -> bool:
        if len(self._open) >= len(self._ids) or (self._saturate and not self._worth_opening(len(self._open))):
            return False
        return self._budget is None or self._reserved + self.repeats <= self._budget

    def _worth_opening(self, index: int) -> bool:
        """Whether the cohort two before still showed new behaviour; false while it is running, to be asked again."""
        seen = index // self.knobs.allocation_cohort - 1
        return seen < 1 or (len(self._fresh) >= seen and not self._saturated(seen))

    def _saturated(self, cohorts: int) -> bool:
        return any(share < self.knobs.saturation_share for share in self._fresh[1:cohorts])

    def _open_next(self) -> bool:
        if not self._may_open():
            return False
        index = len(self._open)
        target = min(self.start(), self.repeats)
        self._open[self._ids[index]] = GroupState(index, self._ids[index], target)
        self._reserved += self.repeats
        for repeat in range(target):
            heapq.heappush(self._ready, (index, repeat))
        return True

    def _decide(self, group: GroupState) -> None:
        cohort = group.index // self.knobs.allocation_cohort
        target = group.target
        if target < self.repeats:
            known = self._record if cohort <= self._cohort else None
            decided = self.more(group, known)
            if decided is None:
                self._undecided.setdefault(cohort, []).append(group)
                return
            target = min(decided, self.repeats)
        if target > group.target:
            for repeat in range(group.target, target):
                heapq.heappush(self._ready, (group.index, repeat))
            group.target = target
            return
        group.final = True
        self._reserved -= self.repeats - group.target
        self._finish(group, cohort)

    def _finish(self, group: GroupState, cohort: int) -> None:
        """Count a final group; when its cohort is the oldest running one and complete, let the next cohort decide."""
        self._finished.append(group)
        if cohort != self._cohort:
            return
        self._unfinished -= 1
        while self._unfinished == 0 and self._cohort_size(self._cohort):
            members = [g for g in self._finished if g.index // self.knobs.allocation_cohort == self._cohort]
            self._finished = [g for g in self._finished if g.index // self.knobs.allocation_cohort != self._cohort]
            members.sort(key=lambda g: g.index)
            for member in members:
                self._record.add(member.labels(self.rewarded))
            if self._saturate:
                self._fresh.append(sum(map(self._shows_news, members)) / len(members))
            self._cohort += 1
            ahead = sum(g.index // self.knobs.allocation_cohort == self._cohort for g in self._finished)
            self._unfinished = self._cohort_size(self._cohort) - ahead
            for waiting in self._undecided.pop(self._cohort, []):
                self._decide(waiting)

    def _shows_news(self, group: GroupState) -> bool:
        """Whether the group behaved in a way that no earlier one did; remembers its behaviours."""
        shown = {outcome.signature for outcome in group.told.values() if outcome.signature}
        news = not shown <= self._behaviours
        self._behaviours |= shown
        return news

    def _cohort_size(self, cohort: int) -> int:
        size = self.knobs.allocation_cohort
        return max(0, min(size, len(self._ids) - cohort * size))

    def cut(self) -> list[str]:
        """Groups that were opened and were to have more rollouts than they got, in task order."""
        return [g.group_id for g in self._open.values() if not g.final and len(g.told) < self.repeats]

    def report(self) -> Mapping[str, Any]:
        """How the groups ended, and what was spent on them."""
        groups = [group for group in self._open.values() if group.told]
        labels = [group.labels(self.rewarded) for group in groups]
        mixed = sum(len(set(found)) > 1 for found in labels)
        complete = sum(len(group.told) >= self.repeats for group in groups)
        stopped = sum(group.final and len(group.told) < self.repeats for group in groups)
        spent = sum(len(group.told) for group in groups)
        return {
            "policy": self.name,
            "k": self.repeats,
            "by": "reward" if self.rewarded else "behavior_signature",
            "groups": len(self._ids),
            "opened": len(groups),
            "complete": complete,
            "mixed": mixed,
            "stopped_unanimous": stopped,
            "partial": len(groups) - complete - stopped,
            "unopened": len(self._ids) - len(groups),
            "rollouts": spent,
            "rollouts_saved": sum(self.repeats - group.target for group in groups if group.final),
            "mixed_rate": mixed / len(groups) if groups else None,
            "behaviors": len({o.signature for group in groups for o in group.told.values() if o.signature}),
            "saturated": self._saturate and self._saturated(len(self._fresh)) and len(self._open) < len(self._ids),
        }
