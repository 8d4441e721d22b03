"""`wai.simulate(...)`'s keywords: which configured value each one is, and its aliases.

One table, so that a keyword and its YAML spelling cannot drift apart. Keywords that hold objects a file cannot
(a callable agent, a judge function, progress listeners) are not here: they are ports, not configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ConfigError, Problem
from ..knobs import RunKnobs

PARAMETERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "mode": ("mode", ()),
    "situations": ("counts.situations", ()),
    "requests_per_situation": ("counts.phrasings", ("phrasings", "n")),
    "rollouts_per_request": ("counts.repeats", ("repeats", "rollouts_per_prompt")),
    "unique_situations": ("counts.unique", ("unique",)),
    "runs": ("counts.runs", ()),
    "budget": ("budget.rollouts", ()),
    "time_budget": ("budget.time_s", ()),
    "until": ("allocation.until", ()),
    "repeat_policy": ("allocation.kind", ()),
    "concurrency": ("allocation.concurrency", ()),
    "timeout": ("allocation.timeout_s", ()),
    "max_turns": ("allocation.max_turns", ()),
    "avg_turns": ("allocation.avg_turns", ()),
    "fault_rate": ("world.fault_rate", ("risk",)),
    "hard_share": ("world.hard_share", ()),
    "world": ("world.options", ()),
    "strategy": ("writer.strategy", ()),
    "dimensions": ("writer.dimensions", ()),
    "arm_weights": ("writer.arm_weights", ()),
    "writer_temperature": ("writer.temperature", ()),
    "patience": ("user.patience", ()),
    "user_temperature": ("user.temperature", ()),
    "temperature": ("sampling.temperature", ()),
    "agent_max_tokens": ("sampling.max_tokens", ()),
    "logprobs": ("sampling.logprobs", ()),
    "scaffold": ("agent.scaffold", ()),
    "system_prompt": ("spec.system_prompt", ("policy",)),
    "tools": ("spec.tools", ()),
    "rubric": ("spec.rubric", ()),
    "seeds": ("spec.seeds", ("seed_prompts", "extra_situations")),
    "seed": ("seed", ()),
    "reproducible": ("reproducible", ()),
}
UNTIL = {
    "compute": "compute",
    "budget": "compute",
    "time": "compute",
    "budget_only": "compute",
    "saturation": "saturation",
    "first": "saturation",
}
_MEANING_OF_ONE = {"policy": "system_prompt"}


def canonical_names() -> dict[str, str]:
    """Every accepted spelling to its canonical keyword."""
    out = {name: name for name in PARAMETERS}
    for name, (_, aliases) in PARAMETERS.items():
        out.update(dict.fromkeys(aliases, name))
    return out


def nested(
    given: Mapping[str, Any], advanced: Mapping[str, Any] | None = None, problems: list[Problem] | None = None
) -> tuple[dict[str, Any], dict[str, str]]:
    """Keywords (None: not given) and the `advanced` mapping as one nested configuration, with each value's origin.

    A value spelled twice, differently, or a name that is neither a parameter nor a knob is noted in `problems`, so that
    the rest can be checked too; without that list it is a ConfigError.
    """
    spelling = canonical_names()
    found: dict[str, tuple[str, Any]] = {}
    raised = problems is None
    problems = [] if problems is None else problems
    knobs: dict[str, Any] = {}
    for source, values in (("keyword", given), ("advanced", advanced or {})):
        for name, value in values.items():
            if value is None:
                continue
            canonical = spelling.get(name)
            if canonical is None and name in RunKnobs.model_fields:
                knobs[name] = value
                continue
            if canonical is None:
                from .._text import did_you_mean

                problems.append(
                    Problem(
                        f"advanced.{name}" if source == "advanced" else name,
                        "is not a parameter or a knob",
                        did_you_mean(name, {*spelling, *RunKnobs.model_fields}),
                    )
                )
                continue
            before = found.get(canonical)
            if before is not None and not _same(before[1], value):
                problems.append(
                    Problem(
                        name,
                        f"is {value!r}, but {before[0]} says {before[1]!r}",
                        f"they are one value ({canonical}): give it once",
                    )
                )
            found[canonical] = (name, value)
    if problems and raised:
        raise ConfigError(problems)
    config: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for canonical, (name, value) in found.items():
        path = PARAMETERS[canonical][0]
        put(config, path, _plain(canonical, value))
        origins[path] = f"keyword {name}="
    if knobs:
        config["advanced"] = knobs
        origins.update({f"advanced.{name}": "keyword advanced=" for name in knobs})
    return config, origins


def put(config: dict[str, Any], path: str, value: Any) -> None:
    """Set a dotted path in a nested dict."""
    *parents, leaf = path.split(".")
    for part in parents:
        config = config.setdefault(part, {})
    config[leaf] = value


def _same(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except Exception:  # a user's object may refuse comparison; then the two are not one value
        return a is b


def _plain(name: str, value: Any) -> Any:
    if name == "until" and isinstance(value, str):
        return UNTIL.get(value, value)
    if name == "mode" and isinstance(value, str):
        return value.lower()
    if isinstance(value, tuple) and name != "patience":
        return list(value)
    if name in ("fault_rate", "hard_share", "avg_turns", "timeout", "temperature", "time_budget") and type(value) is int:
        return float(value)
    return value
