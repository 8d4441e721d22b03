"""The plan: every value of an experiment resolved, and where each came from. Data only; nothing here calls the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ..knobs import RunKnobs
from ..schema import Sampling, Spec


class Mode(StrEnum):
    EXPLORE = "explore"
    SFT = "sft"
    RL = "rl"
    ADAPTIVE = "adaptive"


class RepeatPolicy(StrEnum):
    """How the k repeats of a task are spent."""

    NONE = "none"
    FIXED = "fixed"
    SUCCESSIVE = "successive"
    ADAPTIVE = "adaptive"


@dataclass(frozen=True, slots=True)
class Counts:
    situations: int
    phrasings: int
    repeats: int
    unique: bool = False
    runs: int = 1

    @property
    def tasks(self) -> int:
        return self.situations * self.phrasings

    @property
    def rollouts(self) -> int:
        """What the counts ask for in one run, before any budget."""
        return self.tasks * self.repeats


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a run stops early. None is no limit."""

    rollouts: int | None = None
    time_s: float | None = None
    tokens: int | None = None
    money: float | None = None


@dataclass(frozen=True, slots=True)
class ModelRef:
    """A model by provider, or a plug-in by target; never a key, only the name of the variable that holds it."""

    kind: str
    model: str | None = None
    base_urls: tuple[str, ...] = ()
    api_key_env: str | None = None
    target: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def wire(self) -> dict[str, Any]:
        out: dict[str, Any] = {"kind": self.kind, "model": self.model, "base_url": list(self.base_urls) or None}
        out.update(api_key_env=self.api_key_env, target=self.target, **self.options)
        return {key: value for key, value in out.items() if value is not None}


@dataclass(frozen=True, slots=True)
class WriterPlan:
    """Who writes the situations, and which are drawn."""

    model: ModelRef | None
    """None is the template writer."""
    hard_share: float
    fault_rate: float
    prefer_success: bool
    """Whether most failing-tool cells are flipped to success (every mode but rl)."""
    strategy: str = "auto"
    dimensions: Mapping[str, tuple[str, ...]] | None = None
    arm_weights: Mapping[str, float] | None = None
    temperature: tuple[float, float] | None = None
    seeds: tuple[str, ...] = ()
    """Opening asks that always run, first."""


@dataclass(frozen=True, slots=True)
class PersonPlan:
    """Who plays the person, and how long they stay."""

    model: ModelRef | None
    """None is the template person."""
    patience: tuple[float, float] = (0.35, 0.6)
    """Chance of walking away at the agent's second and at each later question; the first is always answered."""
    avg_turns: float = 12.0
    max_turns: int = 24
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    name: str
    question: str
    mode: Mode
    spec: Spec
    counts: Counts
    limits: Limits
    agent: ModelRef
    scaffold: str | None
    writer: WriterPlan
    person: PersonPlan
    world_options: Mapping[str, Any]
    world_execute: str | None
    sampling: Sampling
    sampling_given: bool
    """Whether the caller said anything about sampling; a callable agent's rows record it only then."""
    logprobs: bool | str
    policy: RepeatPolicy
    concurrency: int
    until: str
    timeout_s: float
    judge: Mapping[str, Any] | None
    """`{kind: …}` or `{target: …}` with arguments; None leaves rows unjudged."""
    k: int | None
    level: float
    endorsed: tuple[str, ...]
    """Properties of replies that may go with the reward."""
    gold: str | None
    """File of labels that the judge is measured against."""
    selection: Mapping[str, Any]
    gates: Mapping[str, Mapping[str, Any]]
    export: Mapping[str, Mapping[str, Any]]
    knobs: RunKnobs
    record: Mapping[str, Any]
    seed: int
    reproducible: bool
    objective: str
    config: Mapping[str, Any]
    """The whole configuration as resolved, JSON types only: what is saved and replayed."""
    origins: Mapping[str, str]
    """Dotted name to where its value came from."""
    notes: tuple[str, ...] = ()
    """What the resolver decided that the user should know (warnings with their fix)."""
    degraded: Mapping[str, Any] = field(default_factory=dict)
