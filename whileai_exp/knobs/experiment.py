"""The experiment's own parameters, declared once for both doors: the YAML of the runner and `wai.simulate(...)`.

It stands here, and not at the Hydra edge, because the library door needs the same declarations and stands left of it.
None means "from the mode" or "derived", and the resolver (`plan.resolve`) says what it became. A section with a `kind`
names a plug-in; its further keys are that plug-in's arguments and are checked by the plug-in itself.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from . import RunKnobs
from ._knob import Knobs, convention, derived, knob, measured, paper

Text = str | None


class Component(BaseModel):
    """A plug-in by `kind` (a registered name) or `target` (`module:attr`), with its arguments beside it."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True, allow_inf_nan=False)
    kind: Text = None
    target: Text = None

    def arguments(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


class ExperimentSection(Knobs):
    name: str = "adhoc"
    question: str = ""
    """What the experiment is to answer, in a sentence."""


class SpecSection(Knobs):
    path: Text = None
    """A folder or file with tools and policy."""
    name: Text = None
    tools: list[Any] | None = None
    system_prompt: Text = None
    rubric: Text = None
    seeds: list[str] | None = None
    """Opening asks that always run."""


class ModelSection(Component):
    """A model by provider: kind, model, base_url (one or several), and the name of the variable that holds its key."""

    model: Text = None
    base_url: str | list[str] | None = None
    api_key_env: Text = None
    """The NAME of the environment variable; a key itself is refused here."""


class AgentSection(ModelSection):
    kind: Text = "auto"
    scaffold: Text = None
    """Generation-only text appended to the system prompt; not part of the policy's identity."""


class WriterSection(ModelSection):
    """Who writes the situations, and which ones."""

    kind: Text = "auto"
    temperature: list[float] | float | None = None
    """One sampling temperature, or a band [low, high] that each batch draws from."""
    dimensions: dict[str, list[str]] | None = None
    arm_weights: dict[str, float] | None = None
    strategy: Literal["auto", "broad", "trace", "targeted"] = "auto"
    traces: Text = None
    """A JSONL file of graded traces of the deployed agent."""
    tasks: Text = None
    """A JSONL file whose task set is played again."""


class UserSection(ModelSection):
    """Who plays the person."""

    kind: Text = "auto"
    patience: Any = "normal"
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None


class CountsSection(Knobs):
    situations: int | None = knob(
        None,
        ge=1,
        le=1_000_000,
        unit="situations",
        why="distinct situations; None: the budget divided by phrasings and repeats",
        source=derived("budget // (phrasings x repeats)"),
    )
    phrasings: int | None = knob(
        None,
        ge=1,
        le=64,
        unit="phrasings",
        why="wordings of each situation; None: from the mode",
        source=convention("the mode presets"),
    )
    repeats: int | None = knob(
        None,
        ge=1,
        le=1024,
        unit="rollouts",
        why="rollouts of each phrasing (k); None: from the mode",
        source=convention("the mode presets"),
    )
    unique: bool = knob(False, why="a new situation for every row", source=convention("off: repeats are what k-way numbers need"))
    runs: int = knob(1, ge=1, le=100, unit="runs", why="play the same task set this many times", source=convention())


class BudgetSection(Knobs):
    rollouts: int | None = knob(
        None,
        ge=1,
        le=50_000_000,
        unit="rollouts",
        why="most rollouts of one run; None: what the counts ask for",
        source=derived("situations x phrasings x repeats"),
    )
    time_s: float | None = knob(
        None, gt=0, unit="seconds", why="wall clock after which nothing new starts; None: no clock", source=convention("off")
    )
    tokens: int | None = knob(
        None, ge=1, unit="tokens", why="most tokens over all roles; None: no limit", source=convention("off")
    )
    money: float | None = knob(
        None, gt=0, unit="USD", why="most money over all roles where prices are known; None: no limit", source=convention("off")
    )
    ask_money: float | None = knob(
        None,
        gt=0,
        unit="USD",
        why="estimated money above which a run asks first (on a terminal) or refuses; None: never",
        source=convention("off"),
    )
    ask_calls: int | None = knob(
        None,
        ge=1,
        unit="calls",
        why="estimated model calls above which a run asks first (on a terminal) or refuses; None: never",
        source=convention("off"),
    )


class WorldSection(Knobs):
    fault_rate: float | None = knob(
        None,
        ge=0,
        le=1,
        unit="share",
        why="share of situations about a failing tool that keep their failure; None: from the mode",
        source=convention("the mode presets: 0.5, and 0.8 in rl"),
    )
    hard_share: float = knob(
        0.4,
        ge=0,
        le=1,
        unit="share",
        why="share of situations drawn from the ambiguous, boundary and adversarial tiers",
        source=convention(),
    )
    execute: Text = None
    """`module:attr` of your own world, called with (tool, arguments)."""
    options: dict[str, Any] = {}
    """Options of the mock world; `whileai-exp knobs` lists them."""


class SamplingSection(Knobs):
    temperature: float | None = knob(
        None,
        ge=0,
        le=2,
        unit="",
        why="the agent's sampling temperature; None: the endpoint's own",
        source=convention("the endpoint's default"),
    )
    max_tokens: int | None = knob(
        None,
        ge=1,
        le=1_000_000,
        unit="tokens",
        why="reply budget of one agent turn; None: the endpoint's own",
        source=convention("the endpoint's default"),
    )
    top_p: float | None = knob(
        None, gt=0, le=1, unit="", why="nucleus sampling; None: the endpoint's own", source=convention("the endpoint's default")
    )
    seed: int | None = knob(
        None,
        ge=0,
        le=2**31 - 1,
        why="base of the sampling seed sent with each call; None: no seed is sent",
        source=convention("off"),
    )
    logprobs: bool | Literal["tokens"] = False
    """Record log-probabilities of generated tokens; "tokens" keeps the per-token list."""


class AllocationSection(Knobs):
    kind: Literal["auto", "none", "fixed", "successive", "adaptive"] = "auto"
    """How repeats are spent; auto: from the mode."""
    concurrency: int = knob(32, ge=1, le=65536, unit="rollouts", why="rollouts in flight; changes no row", source=convention())
    until: Literal["compute", "saturation"] = "compute"
    timeout_s: float = knob(
        300.0,
        gt=0,
        le=86400,
        unit="seconds",
        why="deadline of one model call, and of one whole rollout of a callable agent; a model scaled to zero takes two to three minutes to its first answer",
        source=measured("the seeds: 2 to 3 minutes for a first answer"),
    )
    max_turns: int | None = knob(
        None,
        ge=1,
        le=1000,
        unit="turns",
        why="most agent turns in a rollout; None: max_turns_multiple x avg_turns",
        source=derived("from avg_turns"),
    )
    avg_turns: float = knob(
        12.0,
        ge=1,
        le=400,
        unit="turns",
        why="length a conversation is aimed at; 1 is one ask and one answer",
        source=measured("the reference engine: mean user depth 2.1/4.0/5.3 at 6/12/16"),
    )


class MeasuresSection(Knobs):
    k: int | None = knob(
        None,
        ge=1,
        le=1024,
        unit="rollouts",
        why="k of pass^k and pass@k; None: the smallest group",
        source=derived("the smallest group"),
    )
    level: float = knob(
        0.95, gt=0.5, le=0.9999, unit="", why="confidence level of every interval", source=paper("2411.00640", "section 5")
    )
    endorsed: list[str] = []
    """Names or globs of properties of replies that are supposed to go with the reward; the hack scan names the others."""
    gold: Text = None
    """File of labels, one JSON line each (`rollout_id`, `label` 0 or 1, `annotator`, `kind`), that the judge is measured against."""


class SelectionSection(Component):
    kind: Text = "auto"


class RecordSection(Knobs):
    mlflow: bool = True
    uri: Text = None
    """MLflow tracking store; None: sqlite under outputs/."""
    tags: dict[str, str] = {}
    patience_s: float = knob(
        1.0,
        gt=0,
        le=3600,
        unit="s",
        why="wait for one answer of a tracking server once the rollouts are over; the rest is left to `sync`",
        source=convention("a run is not held up by where it is recorded"),
    )
    traces: int = knob(
        12,
        ge=0,
        le=1000,
        unit="rollouts",
        why="rollouts that are also MLflow traces, to be read in its page",
        source=convention("enough to see both outcomes; 30 ms each"),
    )
    share: list[str] = []
    """Directories of earlier runs whose recorded answers are reused where a call is the same."""
    html: bool = True
    """Whether the run writes report.html, with its figures beside it."""
    html_rollouts: int = knob(
        5000,
        ge=0,
        le=100_000,
        unit="rollouts",
        why="most rollouts that report.html holds to be read; of more, evenly spaced ones",
        source=convention("the page stays quick at 5,000"),
    )


class ExperimentConfig(BaseModel):
    """Everything that can be said about an experiment. Groups map one to one to fields of the plan."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)
    experiment: ExperimentSection = ExperimentSection()
    spec: SpecSection = SpecSection()
    agent: AgentSection = AgentSection()
    writer: WriterSection = WriterSection()
    user: UserSection = UserSection()
    mode: Literal["explore", "sft", "rl", "adaptive"] = "explore"
    counts: CountsSection = CountsSection()
    budget: BudgetSection = BudgetSection()
    world: WorldSection = WorldSection()
    sampling: SamplingSection = SamplingSection()
    allocation: AllocationSection = AllocationSection()
    judge: Component | None = None
    measures: MeasuresSection = MeasuresSection()
    selection: SelectionSection = SelectionSection()
    gates: dict[str, dict[str, Any] | None] = {}
    export: dict[str, dict[str, Any] | None] = {}
    advanced: RunKnobs = RunKnobs()
    record: RecordSection = RecordSection()
    seed: Annotated[int, Field(ge=0, le=2**53 - 1)] = 0
    reproducible: bool = False
    objective: str = "pass_at_1"
