"""A rubric of criteria, and how the answers to it become one reward.

A hard criterion that is not met is a 0. Otherwise the reward is the weight of the principles met less the weight of the
pitfalls shown, over the weight of all principles that were answered, within [0, 1]. A criterion that the judge could not
tell is left out of the sum; on a hard one the row is unjudged, and so it is when nothing was answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._hash import sha
from ..errors import ConfigError, Problem

KINDS = ("hard", "principle", "pitfall")
_NOT_WORD = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing to look for. `hard`: must be met. `principle`: earns its weight. `pitfall`: costs its weight when shown."""

    title: str
    description: str = ""
    weight: float = 1.0
    kind: str = "principle"

    def __post_init__(self) -> None:
        problems = []
        if not self.title.strip():
            problems.append(Problem("rubric.title", "is empty", "name what to look for"))
        if not self.weight > 0:
            problems.append(
                Problem("rubric.weight", f"{self.weight!r} is not above 0", "a pitfall has kind: pitfall, not a negative weight")
            )
        if self.kind not in KINDS:
            problems.append(Problem("rubric.kind", f"{self.kind!r} is not one of {', '.join(KINDS)}"))
        if problems:
            raise ConfigError(problems)

    @property
    def slug(self) -> str:
        return _NOT_WORD.sub("_", self.title.lower()).strip("_")[:40] or "criterion_" + sha(self.title, 8)


@dataclass(frozen=True, slots=True)
class Rubric:
    """Criteria with their rule; `version` changes with any of them."""

    criteria: tuple[Criterion, ...]
    version: str = field(init=False)

    def __post_init__(self) -> None:
        slugs = [criterion.slug for criterion in self.criteria]
        twice = sorted({slug for slug in slugs if slugs.count(slug) > 1})
        if twice or not slugs:
            raise ConfigError(Problem("rubric", f"criteria named twice: {', '.join(twice)}" if twice else "has no criterion"))
        listed = [[c.title, c.description, c.weight, c.kind] for c in self.criteria]
        object.__setattr__(self, "version", sha(listed, 12))

    @classmethod
    def of(cls, given: Any) -> Rubric:
        """A rubric from a list of criteria, `{criteria: [...]}`, or a Rubric itself."""
        if isinstance(given, Rubric):
            return given
        listed = given.get("criteria") if isinstance(given, Mapping) else given
        if not isinstance(listed, Iterable) or isinstance(listed, (str, Mapping)):
            raise ConfigError(Problem("rubric", "is no list of criteria", "write criteria: [{title: …, kind: hard}]"))
        made = []
        for item in listed:
            if isinstance(item, Criterion):
                made.append(item)
                continue
            unknown = sorted(set(item) - {"title", "description", "weight", "kind"})
            if unknown:
                raise ConfigError(Problem("rubric", f"unknown: {', '.join(unknown)}", "title, description, weight and kind"))
            made.append(Criterion(**item))
        return cls(tuple(made))

    def score(self, answers: Mapping[str, str]) -> dict[str, Any]:
        """A verdict under the judge contract from `{slug: met | not_met | cannot_tell}`; a missing answer cannot be told."""
        told = {c.slug: answers.get(c.slug) for c in self.criteria}
        told = {slug: verdict for slug, verdict in told.items() if verdict in ("met", "not_met")}
        open_slugs = [c.slug for c in self.criteria if c.slug not in told]
        markers = {
            f"rubric:{c.slug}": float((told[c.slug] == "met") != (c.kind == "pitfall")) for c in self.criteria if c.slug in told
        }
        out: dict[str, Any] = {"markers": markers, "rubric_version": self.version}
        if open_slugs:
            out["cannot_tell"] = open_slugs
        failed = [c.slug for c in self.criteria if c.kind == "hard" and told.get(c.slug) == "not_met"]
        if failed:
            return {**out, "reward": 0.0, "failure_class": failed[0]}
        if not told or any(c.kind == "hard" and c.slug not in told for c in self.criteria):
            return {**out, "reward": None}
        return {**out, "reward": self._sum(told)}

    def _sum(self, told: Mapping[str, str]) -> float | None:
        def weight(kind: str, met_only: bool) -> float:
            return sum(
                c.weight for c in self.criteria if c.kind == kind and c.slug in told and (told[c.slug] == "met" or not met_only)
            )

        principles, pitfalls = weight("principle", False), weight("pitfall", False)
        lost = weight("pitfall", True)
        if principles:
            return max(0.0, min(1.0, (weight("principle", True) - lost) / principles))
        if any(c.kind == "principle" for c in self.criteria):
            return None
        return 1.0 - lost / pitfalls if pitfalls else 1.0
