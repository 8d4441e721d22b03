"""`wai.simulate(...)`: keywords in, a run's rows out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from .._aio import run_sync
from ..errors import ConfigError, ExitCode, Problem
from ..models.backend import named_models
from ..plan import Plan, nested, parse_ref, resolve_plan
from ..ports import ChatModel
from ..run.directory import RunDirectory
from ..run.experiment import claim
from ..run.pipeline import Given, Played, play
from ..run.ports import preflight
from .data import SimulationData


def simulate(
    agent: Any = None,
    *,
    spec: Any = None,
    tools: Iterable[Any] | None = None,
    system_prompt: str | None = None,
    mode: str | None = None,
    situations: int | None = None,
    requests_per_situation: int | None = None,
    rollouts_per_request: int | None = None,
    budget: int | None = None,
    seed: int | None = None,
    simulator: Any = None,
    user_model: Any = None,
    grader: Any = None,
    rubric: str | None = None,
    execute: Callable[..., Any] | None = None,
    traces: Any = None,
    tasks: Any = None,
    sampling: Mapping[str, Any] | None = None,
    grade: bool | str = False,
    output: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    on_progress: Callable[[Mapping[str, Any]], Any] | None = None,
    advanced: Mapping[str, Any] | None = None,
    **more: Any,
) -> SimulationData:
    """Write situations from the agent's own tools, play simulated people against it in a mock world, return the rows.

    `agent`: a spec string (`provider:model[@url]`, a URL, `scripted`), a function `f(message) -> {steps, final_text}` or
    text, sync or async, or None for the configured agent (WHILEAI_EXP_AGENT, else the embedded one, said in `degraded`).
    `tools` and `system_prompt`, or `spec` (a folder, file or dict). `mode`: explore, sft, rl or adaptive; presets
    phrasings, repeats, allocation and fault rate, and an explicit value always wins.
    `simulator`: who writes situations: None is the agent's own model where that is a real one, False the template writer,
    or a spec string. `user_model`: who plays the person. `grader`: a judge (callable or name) run beside the loop; it
    steers successive allocation and grades the rows. `grade=True` writes the deterministic conduct score.
    `tasks`: a previous run, its rows or its JSONL path, to replay its task set. `output`: where rows are written, with
    the sidecar beside them. `checkpoint`: a folder that keeps every answer as it comes, so that the same call takes up
    a run that was cut; a folder that holds a run of another configuration is refused. Every other keyword of the parameter reference, its aliases, and any knob in `advanced=`.

    ConfigError (a ValueError) names every wrong value with its bound and default, before any model is called.
    """
    given_values = {
        "mode": mode,
        "situations": situations,
        "requests_per_situation": requests_per_situation,
        "rollouts_per_request": rollouts_per_request,
        "budget": budget,
        "seed": seed,
        "system_prompt": system_prompt,
        "rubric": rubric,
        "tools": list(tools) if tools is not None and not isinstance(tools, (str, bytes, Mapping)) else tools,
        **more,
    }
    plan, given = plan_from(
        given_values,
        advanced,
        agent=agent,
        spec=spec,
        simulator=simulator,
        user_model=user_model,
        grader=grader,
        grade=grade,
        sampling=sampling,
        traces=traces,
    )
    given = Given(
        **{
            **{name: getattr(given, name) for name in Given.__slots__},
            "execute": execute,
            "tasks": _task_source(tasks),
            "traces": traces,
            "on_progress": on_progress,
        }
    )
    target = _output_file(output)
    preflight(plan, given)
    judging = given.judge is not None or plan.judge is not None
    folder = None if checkpoint is None else RunDirectory(Path(checkpoint))
    claimed = None if folder is None else lambda: claim(plan, folder)
    played: Played = run_sync(play(plan, given, directory=folder.path if folder else None, judge=judging, claimed=claimed))
    failure = played.execution.failure
    if failure is not None and failure.exit_code is ExitCode.FAULT:
        raise failure
    data = SimulationData(played)
    if target is not None:
        data.save(target)
    return data


def _output_file(output: str | os.PathLike[str] | None) -> Path | None:
    """Where rows will be written. ConfigError, before anything is played, when no file can be written there."""
    if output is None:
        return None
    path = Path(output)
    if not path.name or path.is_dir():
        raise ConfigError(Problem("output", f"{str(output)!r} is a folder", "name the file: 'rows.jsonl'"))
    above = next(parent for parent in path.resolve().parents if parent.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise ConfigError(Problem("output", f"{str(above)!r} is not a folder that can be written to"))
    return path


def plan_from(
    values: Mapping[str, Any],
    advanced: Mapping[str, Any] | None = None,
    *,
    agent: Any = None,
    spec: Any = None,
    simulator: Any = None,
    user_model: Any = None,
    grader: Any = None,
    grade: bool | str = False,
    sampling: Mapping[str, Any] | None = None,
    traces: Any = None,
) -> tuple[Plan, Given]:
    """The plan of `simulate`'s keywords, and the objects that no file can hold. ConfigError with every problem."""
    problems: list[Problem] = []
    config, origins = nested(values, advanced, problems)
    handed: dict[str, Any] = {}

    def attempt(what: Callable[[], None]) -> None:
        try:
            what()
        except ConfigError as error:
            problems.extend(error.problems)

    attempt(lambda: _agent(config, origins, handed, agent))
    attempt(lambda: _role(config, handed, "writer", "simulator", simulator))
    attempt(lambda: _role(config, handed, "user", "user_model", user_model))
    attempt(lambda: _spec(config, spec))
    attempt(lambda: _judge(config, handed, grader, grade))
    if traces is not None:
        config.setdefault("writer", {})["traces"] = str(traces) if isinstance(traces, (str, Path)) else "caller:traces"
    for key, value in (sampling or {}).items():
        if key != "model":
            config.setdefault("sampling", {})[key] = value
    plan = resolve_plan(config, origins, env=named_models() if agent is None else None, noted=problems)
    return plan, Given(**handed)


def _agent(config: dict[str, Any], origins: dict[str, str], handed: dict[str, Any], agent: Any) -> None:
    if agent is None:
        return
    origins["agent.kind"] = "keyword agent="
    if isinstance(agent, str):
        config.setdefault("agent", {}).update(parse_ref(agent).wire())
        return
    handed["agent"] = _checked_agent(agent)
    section = config.setdefault("agent", {})
    if isinstance(agent, ChatModel):
        section["kind"] = "scripted"
    else:
        section.update(kind=None, target="caller:agent", model=getattr(agent, "__name__", type(agent).__name__))


def _role(config: dict[str, Any], handed: dict[str, Any], name: str, keyword: str, value: Any) -> None:
    if value is None:
        return
    if value is False or value == "template":
        config.setdefault(name, {})["kind"] = "template"
    elif isinstance(value, str):
        config.setdefault(name, {}).update(parse_ref(value, keyword).wire())
    elif isinstance(value, ChatModel):
        handed[name] = value
    else:
        raise ConfigError(
            Problem(keyword, f"{value!r} is not a model", "use a spec string, False or 'template' for templates, or a ChatModel")
        )


def _checked_agent(agent: Any) -> Any:
    if isinstance(agent, type):
        raise ConfigError(Problem("agent", f"{agent.__name__} is a class", "pass an instance or a function"))
    if not callable(agent) and not isinstance(agent, ChatModel):
        raise ConfigError(
            Problem(
                "agent",
                f"{type(agent).__name__} cannot be called",
                "pass a spec string, a function of one message, or a ChatModel",
            )
        )
    return agent


def _spec(config: dict[str, Any], spec: Any) -> None:
    if spec is None:
        return
    section = config.setdefault("spec", {})
    if isinstance(spec, (str, Path)):
        section.setdefault("path", str(spec))
        return
    if not isinstance(spec, Mapping):
        raise ConfigError(Problem("spec", f"is {type(spec).__name__}", "give a folder, a file or a dict"))
    for key, value in spec.items():
        name = "system_prompt" if key in ("policy", "system", "instructions") else "seeds" if key == "situations" else key
        if name in ("tools", "system_prompt", "rubric", "seeds"):
            section.setdefault(name, value)


def _judge(config: dict[str, Any], handed: dict[str, Any], grader: Any, grade: bool | str) -> None:
    if grade not in (False, True, "conduct"):
        raise ConfigError(
            Problem("grade", f"{grade!r} is not allowed", "use True or 'conduct' for the deterministic conduct score, else False")
        )
    if grader is not None and grade:
        raise ConfigError(Problem("grade", "cannot be combined with grader", "a row has one reward"))
    if grade:
        config["judge"] = {"kind": "conduct"}
    elif isinstance(grader, str):
        config["judge"] = {"kind": grader}
    elif isinstance(grader, Mapping):
        config["judge"] = dict(grader)
    elif grader is not None:
        if not callable(grader):
            raise ConfigError(
                Problem(
                    "grader",
                    f"{type(grader).__name__} cannot be called",
                    "pass a judge: a function of a row, or a registered name",
                )
            )
        handed["judge"] = grader


def _task_source(tasks: Any) -> Any:
    return tasks.trajectories if isinstance(tasks, SimulationData) else tasks
