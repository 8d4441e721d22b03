"""The core types, from what an agent is to what a run leaves behind.

All are frozen. A rollout never carries a verdict, a judgment never carries a transcript, and a number never travels
without its n. Text from outside is validated before it becomes one of these; nothing here parses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from .._hash import sha
from .privileged import Privileged

Json = Any
_EMPTY: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool the agent may call, as declared."""

    name: str
    description: str
    parameters: Mapping[str, Json]
    """JSON Schema of the arguments, an object schema."""
    returns: Mapping[str, Json] | None = None
    """JSON Schema of the result, or None when the tool does not declare one."""
    kind: str = "tool"
    """`tool`, or `human` when the simulated person answers it."""
    strict: bool = False

    def wire(self) -> dict[str, Json]:
        """The OpenAI function envelope."""
        function = {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}
        if self.strict:
            function["strict"] = True
        return {"type": "function", "function": function}


@dataclass(frozen=True, slots=True)
class Spec:
    """What the agent is: its tools, its policy, and what doing the job means."""

    tools: tuple[Tool, ...]
    system_prompt: str = ""
    rubric: str | None = None
    seeds: tuple[str, ...] = ()
    """Situations that the spec itself brings, as opening asks."""
    name: str = "agent"
    sha: str = ""
    """Identity: hash of tools, policy and rubric. Filled by `spec.load`."""

    @property
    def prompt_sha(self) -> str:
        """16 hex of the system prompt; `policy_version` carries it after `@`."""
        return sha(self.system_prompt, 16)

    def tool(self, name: str) -> Tool | None:
        return next((tool for tool in self.tools if tool.name == name), None)


@dataclass(frozen=True, slots=True)
class Situation:
    """What happens, as a point on the axes; a task is a situation in one phrasing."""

    situation_id: str
    axes: Mapping[str, str]
    """tool, rule, stance, world_state, tool_condition, history (and what `dimensions=` adds)."""
    tier: str = "ordinary"
    """ordinary, ambiguous, boundary or adversarial; the last three are the hard ones."""
    arm: str = "structured"
    """How it was drawn."""
    reason: str = ""
    """Why it was drawn."""


@dataclass(frozen=True, slots=True)
class UserBrief:
    """The person the agent talks to: what they want, who they are, what they know. The agent never sees it."""

    goal: str
    persona: str = ""
    stance: str = "ordinary"
    knows: Mapping[str, Json] = field(default_factory=dict)
    """Facts the person can give when asked: argument name to value."""
    volunteers: tuple[str, ...] = ()
    """Names of `knows` already told in the opening ask."""
    unknown: tuple[str, ...] = ()
    """Names the person cannot answer about."""
    confirms: bool = True
    """Whether they say yes when the agent asks before acting."""
    lines: tuple[str, ...] = ()
    """Further things they will say, in order, after the opening ask."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One planned failure of a tool."""

    tool: str
    """A tool's name, or `*` for whichever tool is called."""
    mode: str
    """timeout, malformed, stale, permission_denied, rate_limited, partial, wrong_type, slow, or a user's own."""
    calls: tuple[int, ...] = (0,)
    """Which of that tool's calls fail, counted from 0 within one rollout."""


@dataclass(frozen=True, slots=True)
class WorldSeed:
    """What the mock world starts from. With the spec it determines every answer of every tool.

    Only `seed`, `state` and `faults` go on the row; `arguments` is an answer key and is rebuilt from the spec, the
    axes and the seed wherever it is needed again.
    """

    seed: int
    """Below 2**53, so that it survives any JSON reader."""
    state: str = "unspecified"
    """The world-state axis value: missing, exists, already_done, duplicate, prior_partial_action, permission, …"""
    faults: tuple[Fault, ...] = ()
    target: str | None = None
    """The tool the situation is about, or None."""
    arguments: Mapping[str, Json] = field(default_factory=dict)
    """What a right call of the target would pass; the world builds its entities so that this is consistent."""


@dataclass(frozen=True, slots=True)
class TaskLineage:
    """Where a task came from."""

    writer_model: str = "template"
    """The writer's model, or `template`, `seed`, `pinned`."""
    parent: str | None = None
    replayed: bool = False
    replayed_from_run: str | None = None
    eval_run: int | None = None
    """Index of the run under `runs=N`, or None."""


@dataclass(frozen=True, slots=True)
class Task:
    """A situation in one phrasing: the unit that is repeated, grouped and compared (`task_key` names it)."""

    task_id: str
    prompt: str
    situation: Situation
    user: UserBrief
    world: WorldSeed
    phrasing: int = 0
    prefix: tuple[Mapping[str, Json], ...] = ()
    """Messages that stand before the opening ask, system excluded."""
    privileged: Privileged | None = None
    lineage: TaskLineage = TaskLineage()
    tags: Mapping[str, Json] = field(default_factory=dict)
    """Labels of how it is said: tone, length, ask_family, intent_known, tool_known, texture, …"""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None

    def __add__(self, other: Usage) -> Usage:
        def total(a: int | None, b: int | None) -> int | None:
            return b if a is None else a if b is None else a + b

        return Usage(
            total(self.input_tokens, other.input_tokens),
            total(self.output_tokens, other.output_tokens),
            total(self.cached_tokens, other.cached_tokens),
        )


@dataclass(frozen=True, slots=True)
class UserStep:
    """The person said something (the opening ask is the task's prompt, not a step)."""

    text: str


@dataclass(frozen=True, slots=True)
class AgentStep:
    """One model turn of the agent: what it said, and what the call cost. Its tool calls follow as `ToolStep`s."""

    text: str
    logprob: float | None = None
    """Sum of the log-probabilities of the generated tokens."""
    n_tokens: int | None = None
    token_logprobs: tuple[float, ...] | None = None
    usage: Usage = Usage()
    truncated: bool = False
    """Cut at the token cap, by the server's finish reason alone."""
    reasoning: str | None = None


@dataclass(frozen=True, slots=True)
class ToolStep:
    """One tool call and what came back."""

    tool: str
    arguments: Mapping[str, Json]
    result: Json
    status: str = "ok"
    """ok, error (bad arguments, unknown tool, refused by the world) or fault (a planned failure fired)."""
    call_id: str = ""
    raw_arguments: str | None = None
    """The text the model sent, kept only when it was not a JSON object."""


Step = UserStep | AgentStep | ToolStep


class RolloutStatus(StrEnum):
    """How a rollout ended. Every started rollout has one; none disappears."""

    OK = "ok"
    TRUNCATED = "truncated"
    """Cut at the turn cap, the token cap or the context window."""
    AGENT_ERROR = "agent_error"
    EMPTY_REPLY = "empty_reply"
    TIMEOUT = "timeout"
    USER_ERROR = "user_error"
    """The simulated person failed; says nothing about the agent."""
    CANCELLED = "cancelled"


USABLE = frozenset({RolloutStatus.OK, RolloutStatus.TRUNCATED, RolloutStatus.EMPTY_REPLY})
"""Statuses that say something about the agent and may be judged."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model was sampled, as resolved. None means the backend's own default."""

    temperature: float | None = None
    max_tokens: int | None = None
    model: str | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()

    def wire(self) -> dict[str, Json]:
        """temperature, max_tokens and model always; the rest where set."""
        out: dict[str, Json] = {"temperature": self.temperature, "max_tokens": self.max_tokens, "model": self.model}
        if self.top_p is not None:
            out["top_p"] = self.top_p
        if self.seed is not None:
            out["seed"] = self.seed
        if self.stop:
            out["stop"] = list(self.stop)
        return out


@dataclass(frozen=True, slots=True)
class PolicyIdentity:
    """Who acted: the model and the system prompt it ran under."""

    model: str
    prompt_sha: str
    prompt_head: str = ""
    """First 120 characters of the prompt."""
    prompt_chars: int = 0

    @property
    def version(self) -> str:
        return f"{self.model}@{self.prompt_sha}"

    @classmethod
    def of(cls, model: str, system_prompt: str) -> PolicyIdentity:
        return cls(model, sha(system_prompt, 16), system_prompt[:120], len(system_prompt))


@dataclass(frozen=True, slots=True)
class Rollout:
    """One run of the agent on one task. Never a verdict."""

    rollout_id: str
    task_id: str
    repeat: int
    steps: tuple[Step, ...]
    final_text: str
    status: RolloutStatus
    policy: PolicyIdentity
    sampling: Sampling | None = None
    usage: Usage = Usage()
    seed: int = 0
    finish_reason: str = "stop"
    """stop, length, tool or error."""
    ended_by: str | None = None
    """agent, user_left, max_turns, …: who or what ended it."""
    error: str | None = None
    user_model: str | None = None
    """Who played the person, or None when the agent took a single message."""
    fired: tuple[Mapping[str, Json], ...] = ()
    """Faults that the world really produced, from its event ledger: {tool, mode, call}."""
    world_before: str | None = None
    """Hash of the world's state at the start; None when the agent had its own world."""
    world_after: str | None = None
    changes: tuple[Mapping[str, Json], ...] = ()
    """State transitions the world carried out: {tool, entity, op}. Reads never appear."""
    planted: tuple[str, ...] = ()
    """Flaws that the embedded agent planted on purpose."""
    extra: Mapping[str, Json] = field(default_factory=dict)
    """What a callable agent put on its trajectory beside steps and final_text."""


class JudgeStatus(StrEnum):
    """How a judgment went. `reward` is None unless ok."""

    OK = "ok"
    MISSING_REWARD = "missing_reward"
    INVALID_RESULT = "invalid_result"
    ERROR = "error"
    TIMEOUT = "timeout"
    ABSTAINED = "abstained"


@dataclass(frozen=True, slots=True)
class JudgeIdentity:
    """Who judged. A rubric edit is a new judge, and `version` says so."""

    name: str
    kind: str = "callable"
    """callable, verifier, llm, human, checklist."""
    model: str | None = None
    prompt_sha: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Judgment:
    """One judge's verdict on one rollout."""

    rollout_id: str
    judge: JudgeIdentity
    reward: float | None
    """In [0, 1]; None unless status is ok."""
    status: JudgeStatus
    reason: str = ""
    markers: Mapping[str, float] = field(default_factory=dict)
    """1.0 is the good outcome for every marker."""
    failure_class: str | None = None
    meta: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Marker:
    """A behaviour measured on one rollout; 1.0 is good."""

    rollout_id: str
    name: str
    value: float
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """All rollouts of one task, as statistics and allocators read them."""

    task_id: str
    rewards: tuple[float, ...]
    """One per rollout in repeat order; NaN where unjudged."""
    statuses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval and how it was made."""

    low: float
    high: float
    level: float = 0.95
    method: str = ""

    def to_list(self) -> list[float]:
        return [self.low, self.high]


@dataclass(frozen=True, slots=True)
class Measure:
    """A number with its n; a missing value carries the reason."""

    name: str
    value: float | None
    n: int
    interval: Interval | None = None
    unit: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if self.value is None and not self.note:
            raise ValueError(f"measure {self.name!r} has no value and no note saying why")

    def to_dict(self) -> dict[str, Json]:
        return {
            "name": self.name,
            "value": self.value,
            "n": self.n,
            "interval": self.interval.to_list() if self.interval else None,
            "level": self.interval.level if self.interval else None,
            "method": self.interval.method if self.interval else None,
            "unit": self.unit,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class Drop:
    """Rows that selection left out, and why."""

    reason: str
    n: int
    rollout_ids: tuple[str, ...] = ()
    at: tuple[int, ...] = ()
    """Positions in the rows that selection was given."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What selection kept and what it left out; every row of the input is in exactly one of the two."""

    rows: Sequence[Mapping[str, Json]]
    drops: tuple[Drop, ...] = ()
    report: Mapping[str, Json] = field(default_factory=dict)


class GateStatus(StrEnum):
    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    UNMEASURED = "unmeasured"
    """The evidence is absent: not a pass and not a fail."""


@dataclass(frozen=True, slots=True)
class GateResult:
    """One gate's verdict with the numbers it read and what to do next."""

    gate: str
    status: GateStatus
    reason: str
    numbers: Mapping[str, Json] = field(default_factory=dict)
    fix: str = ""

    def to_dict(self) -> dict[str, Json]:
        return {
            "gate": self.gate,
            "status": str(self.status),
            "reason": self.reason,
            "numbers": dict(self.numbers),
            "fix": self.fix,
        }


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Everything a run leaves behind that is not a row. MLflow is a projection of it."""

    run_id: str
    experiment: str
    status: str
    """complete, refused (by gates), incomplete, failed or interrupted."""
    config: Mapping[str, Json]
    """The resolved configuration, every value filled in."""
    origins: Mapping[str, str]
    """Dotted name to where its value came from: default, mode, a file, or the command line."""
    code: Mapping[str, Json]
    environment: Mapping[str, Json]
    roles: Mapping[str, Json]
    shas: Mapping[str, str]
    """spec, prompt, rubric, config, rows."""
    counts: Mapping[str, int]
    measures: tuple[Measure, ...]
    gates: tuple[GateResult, ...]
    selection: Mapping[str, Json]
    files: Mapping[str, str]
    """Name in the run directory to SHA-256."""
    warnings: tuple[str, ...] = ()
    degraded: Mapping[str, Json] = field(default_factory=dict)
    """Machine-readable flag to its detail."""
    usage: Mapping[str, Json] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    report: Mapping[str, Json] = field(default_factory=dict)
    """Stage reports (coverage, groups, pass numbers …) for the renderers."""
    record_version: int = 1
