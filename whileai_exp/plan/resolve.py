"""One resolver for both doors: a validated configuration becomes a plan.

What the configuration leaves open is decided here and only here: from the mode, from other values, or from the spec;
`plan.origins` says which. Problems are collected and raised together, before anything is spent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from .._hash import plain
from ..errors import ConfigError, Problem, SpecError
from ..knobs._knob import problem_from
from ..knobs.experiment import ExperimentConfig, ModelSection
from ..schema import Sampling, Spec
from ..spec import load_spec
from .modes import PRESETS
from .refs import PROVIDERS, parse_ref
from .types import Counts, Limits, Mode, ModelRef, PersonPlan, Plan, RepeatPolicy, WriterPlan

DEFAULT_ROLLOUTS = 1000
"""Rollouts of a run that names neither situations nor a budget (the seeds' default budget)."""
PATIENCE: dict[str, tuple[float, float]] = {"short": (0.6, 0.9), "normal": (0.35, 0.6), "endless": (0.0, 0.0)}
TURNS_PER_AVERAGE = 2
"""A rollout may run to twice the length it is aimed at before it counts as cut."""
MIN_TURN_CAP = 8
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SECRET_QUERY = re.compile(r"[?&][^=&]*(key|token|secret|password|signature|auth)[^=&]*=", re.IGNORECASE)
_SECRET_WORDS = ("key", "token", "secret", "password", "authorization")


def resolve_plan(
    raw: Mapping[str, Any],
    origins: Mapping[str, str] | None = None,
    *,
    spec: Spec | None = None,
    env: Mapping[str, str] | None = None,
    noted: Sequence[Problem] = (),
) -> Plan:
    """The plan of a nested configuration. `spec` skips loading; `env` holds the defaults for unnamed models.

    `noted`: problems already found on the way here, raised together with those found now.

    ConfigError carries every problem found: bounds, unknown keys, the spec, contradictions between values.
    """
    origins = dict(origins or {})
    problems = [*noted, *_secrets(raw)]
    config, more = _validated(raw, origins)
    problems += more
    loaded = spec
    notes: list[str] = []
    if loaded is None:
        section = config.spec
        try:
            read = load_spec(
                section.path,
                tools=section.tools,
                system_prompt=section.system_prompt,
                rubric=_rubric(section.rubric),
                seeds=section.seeds,
                name=section.name,
            )
            loaded, notes = read.spec, list(read.notes)
        except SpecError as error:
            problems += [Problem(p.where, p.what, p.fix, p.origin or _origin(origins, p.where)) for p in error.problems]
            loaded = Spec(())
    problems += _cross_checks(config, origins)
    roles, role_notes, degraded, role_problems = _roles(config, env or {}, origins)
    problems += role_problems
    if problems:
        raise ConfigError(problems)
    return _plan(config, loaded, roles, origins, notes + role_notes, degraded)


def _validated(raw: Mapping[str, Any], origins: Mapping[str, str]) -> tuple[ExperimentConfig, list[Problem]]:
    """The configuration, and what was wrong with it; values at fault are left out so that the checks after can go on."""
    tree = _deep_copy(raw)
    problems: list[Problem] = []
    for _ in range(3):
        try:
            return ExperimentConfig.model_validate(tree), problems
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                problem = problem_from(ExperimentConfig, detail, "", origins)
                if problem not in problems:
                    problems.append(problem)
                _drop(tree, [part for part in detail["loc"] if isinstance(part, str)])
    return ExperimentConfig(), problems


def _deep_copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _deep_copy(item) for key, item in value.items()}
    return list(value) if isinstance(value, list) else value


def _drop(tree: dict[str, Any], path: list[str]) -> None:
    """Remove the deepest existing key along a pydantic error path (whose last parts may be type names)."""
    node: Any = tree
    chain: list[tuple[dict[str, Any], str]] = []
    for part in path:
        if not isinstance(node, dict) or part not in node:
            break
        chain.append((node, part))
        node = node[part]
    if chain:
        owner, key = chain[-1]
        del owner[key]


def _origin(origins: Mapping[str, str], where: str) -> str:
    return origins.get(where) or origins.get("spec.path", "") if where.startswith(("spec", "/")) else origins.get(where, "")


def _rubric(text: str | None) -> str | None:
    return text or None


def _secrets(raw: Mapping[str, Any], path: str = "") -> list[Problem]:
    """Values that look like keys. A key belongs in an environment variable whose name is configured."""
    problems: list[Problem] = []
    for key, value in raw.items():
        where = f"{path}.{key}" if path else str(key)
        if isinstance(value, Mapping):
            problems += _secrets(value, where)
        elif isinstance(value, str):
            named = any(word in str(key).lower() for word in _SECRET_WORDS) and not str(key).lower().endswith(("_env", "tokens"))
            if "://" in value and "@" in value.split("://", 1)[1].split("/", 1)[0]:
                problems.append(
                    Problem(where, "holds a user and password inside a URL", "keep credentials out of the configuration")
                )
            elif path.split(".")[0] != "spec" and "://" in value and _SECRET_QUERY.search(value):
                problems.append(
                    Problem(
                        where,
                        "holds what looks like a secret inside a URL's query",
                        "put it in an environment variable and name that in api_key_env",
                    )
                )
            elif path.split(".")[0] != "spec" and (named or value.startswith(("sk-", "Bearer "))):
                problems.append(
                    Problem(where, "looks like a secret value", "put it in an environment variable and name that in api_key_env")
                )
    return problems


def _cross_checks(config: ExperimentConfig, origins: Mapping[str, str]) -> list[Problem]:
    problems: list[Problem] = []
    counts, selection = config.counts, config.selection
    if not _NAME.fullmatch(config.experiment.name):
        problems.append(
            Problem(
                "experiment.name",
                f"{config.experiment.name[:60]!r} is not a name",
                "use letters, digits, dot, dash and underscore, starting with a letter or digit, at most 100: it names a folder",
                origins.get("experiment.name", ""),
            )
        )
    patience = config.user.patience
    if patience_of(patience) is None:
        problems.append(
            Problem(
                "user.patience",
                f"{patience!r} is not a patience",
                "use short, normal, endless, {second: p, later: q} or (p, q) with chances in [0, 1]",
                origins.get("user.patience", ""),
            )
        )
    if config.measures.k is not None and counts.repeats is not None and config.measures.k > counts.repeats:
        problems.append(
            Problem(
                "measures.k",
                f"{config.measures.k} is above counts.repeats={counts.repeats}",
                "no group can hold k draws",
                origins.get("measures.k", ""),
            )
        )
    if counts.unique and (counts.phrasings or 1) * (counts.repeats or 1) > 1:
        problems.append(
            Problem(
                "counts.unique",
                "a new situation per row leaves no room for phrasings or repeats",
                "set both to 1 or unique to false",
                origins.get("counts.unique", ""),
            )
        )
    if config.writer.strategy in ("trace", "targeted") and config.writer.traces is None:
        problems.append(
            Problem("writer.strategy", f"{config.writer.strategy!r} needs writer.traces", "", origins.get("writer.strategy", ""))
        )
    if config.writer.tasks is not None and config.spec.seeds:
        problems.append(
            Problem(
                "writer.tasks",
                "cannot be combined with spec.seeds: a replayed task set has its own asks",
                "",
                origins.get("writer.tasks", ""),
            )
        )
    for name, section in (("agent", config.agent), ("writer", config.writer), ("user", config.user)):
        if section.kind is None and section.target is None:
            problems.append(
                Problem(
                    f"{name}.target",
                    "must be given",
                    f"{name}.target=package.module:function, or a {name}.kind",
                    origins.get(name, ""),
                )
            )
    if selection.kind is None and selection.target is None:
        problems.append(Problem("selection.kind", "is empty", "use auto, none, or a registered selection"))
    if config.judge is not None and (config.judge.kind is None) == (config.judge.target is None):
        problems.append(
            Problem(
                "judge",
                "needs either kind or target",
                "judge.target=package.module:function, or a registered kind",
                origins.get("judge", ""),
            )
        )
    temperature = config.writer.temperature
    if isinstance(temperature, list) and not (len(temperature) == 2 and 0 <= temperature[0] <= temperature[1] <= 2):
        problems.append(
            Problem(
                "writer.temperature",
                f"{temperature!r} is not a band 0 <= low <= high <= 2",
                "",
                origins.get("writer.temperature", ""),
            )
        )
    return problems


def patience_of(value: Any) -> tuple[float, float] | None:
    """The two walk-away chances, or None when `value` is not a patience."""
    if isinstance(value, str):
        return PATIENCE.get(value)
    if isinstance(value, Mapping) and set(value) == {"second", "later"}:
        value = (value["second"], value["later"])
    if (
        isinstance(value, (list, tuple))
        and len(value) == 2
        and all(isinstance(v, (int, float)) and not isinstance(v, bool) and 0 <= v <= 1 for v in value)
    ):
        return float(value[0]), float(value[1])
    return None


def model_ref(section: ModelSection, where: str) -> ModelRef | None:
    """The model a section names; None for auto and template. ConfigError on a name that is no model."""
    kind = section.kind or ("target" if section.target else "auto")
    if section.target:
        return ModelRef(
            "target", section.model, _urls(section.base_url), section.api_key_env, section.target, section.arguments()
        )
    if kind in ("auto", "template"):
        return None
    if ":" in kind and kind != "target":
        return parse_ref(kind, where)
    if kind == "openai" and not section.model:
        raise ConfigError(Problem(f"{where}.model", "is not set", f"{kind} needs a model: {where}.model=gpt-4.1-mini"))
    key = section.api_key_env or PROVIDERS.get(kind)
    if section.base_url and section.api_key_env is None:
        key = None if kind in ("url", "vllm", "ollama", "local") else key
    return ModelRef(kind, section.model, _urls(section.base_url), key, None, section.arguments())


def _urls(given: str | list[str] | None) -> tuple[str, ...]:
    return () if given is None else (given,) if isinstance(given, str) else tuple(given)


def _roles(
    config: ExperimentConfig, env: Mapping[str, str], origins: dict[str, str]
) -> tuple[dict[str, ModelRef | None], list[str], dict[str, Any], list[Problem]]:
    notes: list[str] = []
    degraded: dict[str, Any] = {}
    problems: list[Problem] = []
    roles: dict[str, ModelRef | None] = {}
    sections: dict[str, ModelSection] = {"agent": config.agent, "writer": config.writer, "user": config.user}
    for name, section in sections.items():
        try:
            roles[name] = model_ref(section, name)
        except ConfigError as error:
            problems += [Problem(p.where, p.what, p.fix, origins.get(p.where, "")) for p in error.problems]
            roles[name] = None
    if roles["agent"] is None:
        named = env.get("WHILEAI_EXP_AGENT")
        try:
            roles["agent"] = parse_ref(named, "WHILEAI_EXP_AGENT") if named else ModelRef("scripted")
        except ConfigError as error:
            problems += error.problems
            roles["agent"] = ModelRef("scripted")
        origins["agent.kind"] = "environment WHILEAI_EXP_AGENT" if named else origins.get("agent.kind", "default")
        if not named:
            degraded["embedded_agent"] = "no agent was named: the embedded scripted agent played; set agent= or WHILEAI_EXP_AGENT"
    agent = roles["agent"]
    assert agent is not None
    real = agent.kind not in ("scripted", "target")
    for name in ("writer", "user"):
        if roles[name] is None and sections[name].kind == "auto" and real:
            roles[name] = agent
            origins[f"{name}.kind"] = "the agent's own model"
            job = "wrote the situations" if name == "writer" else "played the person"
            degraded.setdefault("same_model", []).append(name)
            notes.append(
                f"the agent's own model also {job}: put that job on another model with {'simulator=' if name == 'writer' else 'user_model='} ({name}.kind in a file)"
            )
    return roles, notes, degraded, problems


def _plan(
    config: ExperimentConfig,
    spec: Spec,
    roles: Mapping[str, ModelRef | None],
    origins: dict[str, str],
    notes: list[str],
    degraded: Mapping[str, Any],
) -> Plan:
    mode = Mode(config.mode)
    preset = PRESETS[mode]
    counts = config.counts

    def chosen(name: str, given: Any, otherwise: Any, source: str) -> Any:
        if given is None:
            origins[name] = source
            return otherwise
        return given

    from_mode = f"mode {mode}"
    unique = counts.unique or (preset.unique and counts.phrasings is None and counts.repeats is None)
    phrasings = chosen("counts.phrasings", counts.phrasings, 1 if unique else preset.phrasings, from_mode)
    repeats = chosen("counts.repeats", counts.repeats, 1 if unique else preset.repeats, from_mode)
    rows = config.budget.rollouts or DEFAULT_ROLLOUTS
    situations = chosen(
        "counts.situations", counts.situations, max(1, rows // (phrasings * repeats)), "budget / (phrasings x repeats)"
    )
    fault_rate = chosen("world.fault_rate", config.world.fault_rate, preset.fault_rate, from_mode)
    kind = config.allocation.kind
    policy = RepeatPolicy(kind) if kind != "auto" else preset.policy if repeats > 1 else RepeatPolicy.NONE
    if kind == "auto":
        origins["allocation.kind"] = from_mode
    limit = config.budget.rollouts
    wanted = situations * phrasings * repeats
    if limit is not None and limit < wanted:
        notes.append(
            f"budget.rollouts={limit} is below the {wanted} rollouts that the counts ask for: whole groups are played until it is spent"
        )
    average = config.allocation.avg_turns
    turns = chosen(
        "allocation.max_turns",
        config.allocation.max_turns,
        max(MIN_TURN_CAP, round(TURNS_PER_AVERAGE * average)),
        "2 x avg_turns",
    )
    selection = config.selection.model_dump(mode="json", exclude_none=True)
    if selection.get("kind") == "auto":
        selection["kind"] = preset.selection
        origins["selection.kind"] = from_mode
    temperature = config.writer.temperature
    band = None
    if temperature is not None:
        low, high = temperature if isinstance(temperature, list) else (temperature, temperature)
        band = (float(low), float(high))
    agent = roles["agent"]
    assert agent is not None
    patience = patience_of(config.user.patience)
    assert patience is not None
    resolved = _resolved_dict(config, spec, roles, situations, phrasings, repeats, unique, fault_rate, policy, turns, selection)
    return Plan(
        name=config.experiment.name,
        question=config.experiment.question,
        mode=mode,
        spec=spec,
        counts=Counts(situations, phrasings, repeats, unique, counts.runs),
        limits=Limits(limit, config.budget.time_s, config.budget.tokens, config.budget.money),
        agent=agent,
        scaffold=config.agent.scaffold,
        writer=WriterPlan(
            model=roles["writer"],
            hard_share=config.world.hard_share,
            fault_rate=fault_rate,
            prefer_success=preset.prefer_success,
            strategy=config.writer.strategy,
            dimensions={axis: tuple(values) for axis, values in config.writer.dimensions.items()}
            if config.writer.dimensions
            else None,
            arm_weights=config.writer.arm_weights,
            temperature=band,
            seeds=spec.seeds,
        ),
        person=PersonPlan(roles["user"], patience, average, turns, config.user.temperature),
        world_options=config.world.options,
        world_execute=config.world.execute,
        sampling=Sampling(
            config.sampling.temperature, config.sampling.max_tokens, agent.model, config.sampling.top_p, config.sampling.seed
        ),
        sampling_given=bool(config.sampling.model_dump(exclude_defaults=True)),
        logprobs=config.sampling.logprobs,
        policy=policy,
        concurrency=config.allocation.concurrency,
        until=config.allocation.until,
        timeout_s=config.allocation.timeout_s,
        judge=config.judge.model_dump(mode="json", exclude_none=True) if config.judge else None,
        k=config.measures.k,
        level=config.measures.level,
        endorsed=tuple(config.measures.endorsed),
        gold=config.measures.gold,
        selection=selection,
        gates={name: value or {} for name, value in config.gates.items()},
        export={name: value or {} for name, value in config.export.items()},
        knobs=config.advanced,
        record=config.record.model_dump(mode="json"),
        seed=config.seed,
        reproducible=config.reproducible,
        objective=config.objective,
        config=resolved,
        origins=origins,
        notes=tuple(notes),
        degraded=degraded,
    )


def _resolved_dict(
    config: ExperimentConfig,
    spec: Spec,
    roles: Mapping[str, ModelRef | None],
    situations: int,
    phrasings: int,
    repeats: int,
    unique: bool,
    fault_rate: float,
    policy: RepeatPolicy,
    turns: int,
    selection: Mapping[str, Any],
) -> dict[str, Any]:
    """The configuration with every open value filled in, JSON types only. Resolving it again gives the same plan."""
    sections = ("spec",)  # a spec's tools may be functions: what is saved is what they became
    tree: dict[str, Any] = config.model_dump(mode="json", exclude=set(sections))
    tree["counts"].update(situations=situations, phrasings=phrasings, repeats=repeats, unique=unique)
    tree["world"]["fault_rate"] = fault_rate
    tree["allocation"].update(kind=str(policy), max_turns=turns)
    tree["selection"] = dict(selection)
    for name, ref in roles.items():
        extra = {
            "agent": ("scaffold",),
            "writer": ("temperature", "dimensions", "arm_weights", "strategy", "traces", "tasks"),
            "user": ("patience", "temperature"),
        }[name]
        kept = {key: tree[name][key] for key in extra}
        tree[name] = {**(ref.wire() if ref is not None else {"kind": "template"}), **kept}
    tree["spec"] = {
        "path": None,
        "name": spec.name,
        "tools": [
            {**tool.wire(), "kind": tool.kind, **({"returns": dict(tool.returns)} if tool.returns else {})} for tool in spec.tools
        ],
        "system_prompt": spec.system_prompt,
        "rubric": spec.rubric,
        "seeds": list(spec.seeds),
    }
    return plain(tree)
