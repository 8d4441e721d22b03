"""What the core needs from the outside, as one- and two-method protocols.

Everything between a resolved plan and a record is plain code on typed values; models, worlds, people, judges, gates
and sinks come in through these. A port never sees the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from .schema import (
    GateResult,
    Judgment,
    Measure,
    Rollout,
    RunRecord,
    Sampling,
    Task,
    ToolStep,
    Usage,
)

Json = Any
Message = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Address:
    """Where in the experiment a model call stands. Part of the journal key and of every random draw about the call."""

    role: str
    """agent, writer, user or judge."""
    task_id: str = ""
    repeat: int = 0
    turn: int = 0
    purpose: str = ""

    def parts(self) -> tuple[Json, ...]:
        return (self.role, self.task_id, self.repeat, self.turn, self.purpose)


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One chat-completion request, in OpenAI's message shape, before any provider's dialect."""

    messages: Sequence[Message]
    address: Address
    tools: Sequence[Mapping[str, Json]] = ()
    """OpenAI function envelopes."""
    sampling: Sampling = Sampling()
    response_format: Mapping[str, Json] | None = None
    """A JSON Schema the reply must follow, where the endpoint can enforce it."""
    logprobs: bool | str = False
    """False, True (sums) or "tokens" (per token too)."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call as the model made it."""

    id: str
    name: str
    arguments: Mapping[str, Json]
    raw: str | None = None
    """The text sent, kept only when it did not parse to an object; then `error` says why."""
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer, whichever dialect it came in."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = "stop"
    """stop, tool_calls, length, content_filter, or None when the server did not say."""
    usage: Usage = Usage()
    reasoning: str | None = None
    logprob: float | None = None
    n_tokens: int | None = None
    token_logprobs: tuple[float, ...] | None = None
    model: str = ""
    latency_s: float = 0.0
    """Label only: never enters a row."""
    attempts: int = 1
    meta: Mapping[str, Json] = field(default_factory=dict)
    """`planted`: flaw names, from the embedded agent."""


@runtime_checkable
class ChatModel(Protocol):
    """A model endpoint, real or scripted. `complete` raises BackendError when it fails for good."""

    @property
    def model(self) -> str:
        """The name that goes on rows and into versions."""
        ...

    async def complete(self, request: ChatRequest) -> Reply: ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class WorldEvent:
    """One entry of a world's ledger: what a call did. Reads are in the ledger and never in the state."""

    call: int
    """Index of the call among this tool's calls in the rollout."""
    tool: str
    arguments: Mapping[str, Json]
    status: str
    fault: str | None = None
    """The fault mode that fired, or None."""
    changes: tuple[Mapping[str, Json], ...] = ()


class World(Protocol):
    """One rollout's world. Made fresh per rollout from the task; never shared."""

    async def call(self, tool: str, arguments: Mapping[str, Json], call_id: str = "") -> ToolStep:
        """Answer a tool call. Bad arguments and unknown tools come back as steps with status `error`, never raised."""
        ...

    @property
    def ledger(self) -> Sequence[WorldEvent]: ...

    def state_hash(self) -> str | None:
        """Hash of the state; None when the world is the user's own and cannot be hashed."""
        ...


class WorldFactory(Protocol):
    def __call__(self, task: Task, repeat: int) -> World: ...


class Person(Protocol):
    """The simulated user of one rollout."""

    @property
    def model(self) -> str | None:
        """Who speaks: a model's name, or `template`."""
        ...

    async def reply(self, messages: Sequence[Message], turn: int) -> PersonReply:
        """What the person says after the agent's last message. `turn` counts their lines from 1 after the opening ask."""
        ...


@dataclass(frozen=True, slots=True)
class PersonReply:
    text: str
    """Empty when they say nothing more."""
    done: bool = False
    """The conversation is over for them."""
    left: bool = False
    """They walked away before their goal was met."""


class PersonFactory(Protocol):
    def __call__(self, task: Task, repeat: int) -> Person: ...


class Agent(Protocol):
    """Who is under test: plays one whole rollout. Never raises for the agent's own failures: they are statuses."""

    @property
    def model(self) -> str: ...

    async def play(self, task: Task, repeat: int, seed: int) -> Rollout: ...


class Judge(Protocol):
    """Any scorer, as the runner sees it. User callables are wrapped into this by `judges.as_judge`."""

    @property
    def name(self) -> str: ...

    async def judge(self, row: Mapping[str, Json]) -> Judgment:
        """One verdict on one row (with its in-memory `privileged`). Never raises for a failing judgment."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an allocator is told about one finished rollout."""

    task_id: str
    repeat: int
    status: str
    reward: float | None
    """None when not judged (yet), or when the judgment failed."""
    signature: str = ""
    """The rollout's behaviour signature, which splits groups when there is no reward."""
    faulted: bool = False
    """Whether a planned fault really fired."""


class Allocator(Protocol):
    """Which task gets another rollout: ask/tell. What it answers depends on results in logical order only."""

    def ask(self, room: int) -> list[tuple[str, int]]:
        """At most `room` jobs (task_id, repeat) to start now; empty when it must hear more first or is done."""
        ...

    def tell(self, outcomes: Sequence[Outcome]) -> None: ...

    @property
    def done(self) -> bool: ...

    def report(self) -> Mapping[str, Json]: ...

    def cut(self) -> Sequence[str]:
        """Groups that were opened and were to have more rollouts than they got."""
        ...


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a gate may look at."""

    mode: str
    rows: Sequence[Mapping[str, Json]]
    """Every judged row of the run."""
    selected: Sequence[Mapping[str, Json]]
    """What selection kept."""
    measures: Mapping[str, Measure]
    reports: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    """Stage reports by name: selection, trust, hack_scan, usage, …"""
    resolver: Callable[[str], Any] | None = None
    """From a tracked run's id to where its rows are; None: tracked runs cannot be read here."""


class Gate(Protocol):
    def check(self, evidence: Evidence) -> GateResult: ...


class Sink(Protocol):
    """Where a record goes. Opened with the plan's flat values, so that a crashed run is visible as such."""

    def open(self, run_id: str, params: Mapping[str, Json], tags: Mapping[str, str]) -> None: ...

    def close(self, record: RunRecord) -> None: ...

    def fail(self, reason: str) -> None:
        """The run ended without a record."""
        ...
