"""From a run's rows to an environment that a trainer installs: tasks, world and reward, checked before they are written.

The package is written beside its place, read back as a trainer would read it, graded against the record and played by policies
that do no work; only then does it take its place. What fails raises with every check's verdict, and nothing is left behind.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from ..._aio import run_sync
from ...errors import ConfigError, ExportError, GateError, Problem
from ...judges._own import OwnRow
from ...knobs import RunKnobs
from ...measures._sources import rows_of
from ...plan import Plan, resolve_plan
from ...schema import GateResult, GateStatus, JudgeIdentity, reward_of, task_key
from ...schema.row import write_judgment
from ...situations.replay import tasks_from
from ...spec import load_spec
from ..dataset import _spec_of
from ..files import read_sidecar
from .battery import battery_gate, run_battery
from .checks import content_gates, reproduction_gate
from .loaded import FORMAT, Loaded
from .package import SHAPES, names_of, new_folder, own_version, write_package, write_readme
from .reward import TRUNCATED, Keys, Reward, reference_of
from .tasks import Split, calibrated, split

Row = Mapping[str, Any]
_SECTIONS = ("user", "world", "seed")
_DEFAULT = "task_checklist"


@dataclass(frozen=True, slots=True)
class _Source:
    """What is known of the rows: the plan they were played under, or what stands for it."""

    rows: list[dict[str, Any]]
    plan: Plan
    judge: Mapping[str, Any] | None


def export_environment(
    data: Any,
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    reward: Any = None,
    execute: Any = None,
    system_prompt: str | None = None,
    tools: Sequence[Any] | None = None,
    holdout: float | Iterable[Any] | None = None,
    band: tuple[float, float] | None = None,
    max_turns: int | None = None,
    truncated: str = "zero",
    requires: Sequence[str] = (),
    shape: str = "classic",
    description: str | None = None,
    knobs: RunKnobs | None = None,
) -> dict[str, Any]:
    """Write an installable RL environment: the tasks of a run, its world, and the reward that grades a finished rollout.

    `data`: a run, a graded run, rows or a file of them (then `tools` and `system_prompt` say which agent they are of). `reward`: a
    registered judge, a verifier, a function at the top of a module, or `module:attr`; None is the run's own judge, else
    `task_checklist`. `execute`: your own world, importable too; None is the run's, else the mock world. `holdout`: the share of
    tasks held out, or their ids or asks. `band`: pass rates to train on. `truncated`: what a rollout cut at a cap is worth, `zero`
    or what the `judge` says. `requires`: further packages that the reward and the world come from. `shape`: which `verifiers` is
    required, `classic` (<0.4) or `v1` (0.4); the module has both.

    Gives counts, drops by reason, the checks and warnings. ConfigError (all problems at once) for what cannot be imported by name
    or does not fit; ExportError when no train task is in the band or too few tasks can be held out; GateError, with the checks,
    when a policy that does no work beats the logged one, a key was recited, or something looks like a secret. Nothing is written then.

    >>> export_environment(data, "envs/my-agent", reward="my_rewards:solved")  # doctest: +SKIP
    """
    target = Path(path)
    package, module = names_of(target, name)
    source = _source(data, system_prompt, tools, max_turns, knobs)
    chosen, world = _named(reward, execute, truncated, shape, source)
    source = replace(source, plan=_with_world(source.plan, world))
    plan = source.plan
    bounds = _band(band, plan.knobs)
    paying = Reward(chosen, plan, Keys(Path()), truncated)
    graded = run_sync(_graded(source, paying))
    reference = str(chosen.get("field") or "") or None
    found = calibrated(graded.rows, plan.spec, plan.knobs, band=bounds, reference=reference)
    made = split(found, plan.knobs, holdout=holdout, band=bounds)
    meta = _meta(package, module, chosen, truncated, source, made, description)
    gates = [*content_gates(graded.rows, made, meta, plan.knobs)]
    with new_folder(target) as folder:
        inside = write_package(folder, meta, made, requires=requires, shape=shape)
        gates += run_sync(_tried(inside, source, graded, made))
        refused = [gate for gate in gates if gate.status is GateStatus.FAIL]
        if refused:
            said = "; ".join(f"{gate.gate}: {gate.reason}" + (f" ({gate.fix})" if gate.fix else "") for gate in refused)
            raise GateError(f"the environment was not written: {said}", tuple(gates))
        warnings = [*graded.warnings, *_warnings(gates, chosen, requires, made)]
        write_readme(folder, meta, made, gates, warnings, shape)
    return _report(target, meta, made, gates, warnings)


def _source(
    data: Any, system_prompt: str | None, tools: Sequence[Any] | None, max_turns: int | None, knobs: RunKnobs | None
) -> _Source:
    """Rows with the plan they came from. SpecError when it is not known which agent they are of."""
    rows = [dict(row) for row in rows_of(data if not hasattr(data, "trajectories") else data.trajectories)]
    if not rows:
        raise ExportError("there are no rows; nothing was written")
    plan = getattr(data, "plan", None)
    config = dict(plan.config) if isinstance(plan, Plan) else _config_beside(data)
    if system_prompt is not None or tools is not None or "spec" not in config:
        told, declared = _spec_of(data)
        loaded = load_spec(
            tools=tools if tools is not None else declared or config.get("spec", {}).get("tools", ()),
            system_prompt=system_prompt if system_prompt is not None else told,
            rubric=config.get("spec", {}).get("rubric"),
        ).spec
    else:
        loaded = load_spec(config["spec"]).spec if not isinstance(plan, Plan) else plan.spec
    own = {key: config[key] for key in _SECTIONS if key in config}
    own.setdefault("user", {"kind": "template"})
    own.setdefault("seed", next((row["seed"] for row in rows if isinstance(row.get("seed"), int)), 0))
    own["advanced"] = _changed(knobs or (plan.knobs if isinstance(plan, Plan) else RunKnobs(**config.get("advanced") or {})))
    own["agent"] = {"kind": "scripted", "scaffold": (config.get("agent") or {}).get("scaffold")}
    turns = max_turns if max_turns is not None else (config.get("allocation") or {}).get("max_turns")
    own["allocation"] = {"max_turns": turns} if turns is not None else {}
    resolved = resolve_plan(own, spec=loaded)
    judge = plan.judge if isinstance(plan, Plan) else config.get("judge")
    named = {key: value for key, value in judge.items() if value is not None} if isinstance(judge, Mapping) else None
    return _Source(rows, resolved, named)


def _config_beside(data: Any) -> dict[str, Any]:
    """The configuration in the sidecar of a file of rows; empty where there is none."""
    if not isinstance(data, (str, os.PathLike)):
        return {}
    path = Path(data)
    found = read_sidecar(path / "rows.jsonl" if path.is_dir() else path).get("config")
    return dict(found) if isinstance(found, Mapping) else {}


def _changed(knobs: RunKnobs) -> dict[str, Any]:
    """The knobs that are not at their defaults."""
    default = RunKnobs().model_dump(mode="json")
    return {name: value for name, value in knobs.model_dump(mode="json").items() if value != default[name]}


def _with_world(plan: Plan, target: str | None) -> Plan:
    return plan if target is None else replace(plan, world_execute=target)


def _band(band: tuple[float, float] | None, knobs: RunKnobs) -> tuple[float, float]:
    pair = tuple(band) if band is not None else (knobs.band_low, knobs.band_high)
    if len(pair) != 2 or not 0 <= pair[0] <= pair[1] <= 1:
        default = [knobs.band_low, knobs.band_high]
        raise ConfigError(Problem("band", f"{list(pair)} is not 0 <= low <= high <= 1", f"the default is {default}"))
    return float(pair[0]), float(pair[1])


def _named(reward: Any, execute: Any, truncated: str, shape: str, source: _Source) -> tuple[dict[str, Any], str | None]:
    """The reward and the world by name. ConfigError with every problem."""
    problems: list[Problem] = []
    chosen: dict[str, Any] = {}
    world: str | None = None
    try:
        chosen = reference_of(reward if reward is not None else source.judge or _DEFAULT, "reward")
    except ConfigError as error:
        problems += error.problems
    try:
        world = reference_of(execute, "execute")["target"] if execute is not None else None
    except ConfigError as error:
        problems += error.problems
    if truncated not in TRUNCATED:
        problems.append(Problem("truncated", f"{truncated!r} is not allowed", f"use {' or '.join(TRUNCATED)}"))
    if shape not in SHAPES:
        problems.append(Problem("shape", f"{shape!r} is no shape of verifiers", f"use {' or '.join(SHAPES)}"))
    if problems:
        raise ConfigError(problems)
    return chosen, world


@dataclass(frozen=True, slots=True)
class _Graded:
    """The rows under the environment's own reward."""

    rows: list[dict[str, Any]]
    regraded: bool
    warnings: tuple[str, ...]


async def _graded(source: _Source, reward: Reward) -> _Graded:
    """The rows as they stand when the reward graded them, else copies that it grades now."""
    who = reward.identity
    mine = sum(same_judge(row, who) for row in source.rows)
    if mine == len(source.rows):
        return _Graded([_capped(row, reward) for row in source.rows], False, ())
    plan = source.plan
    keys = {task.task_id: task.privileged for task in tasks_from(source.rows, plan.spec, plan.knobs)}
    rows = []
    for row in source.rows:
        held = row.get("privileged") or keys.get(task_key(row))
        rows.append({**row, "privileged": held} if held is not None else dict(row))
    for row, verdict in zip(rows, await reward.verdicts(rows)):
        for stale in ("reward", "judge_status", "markers", "reason"):
            row.pop(stale, None)
        if verdict is not None:
            write_judgment(row, verdict)
    await reward.aclose()
    others = sorted({str(row["judge_name"]) for row in source.rows if row.get("judge_name")})
    told = f"the rows were graded by {', '.join(others)}" if others else "the rows were not graded"
    return _Graded(rows, True, (f"{told}; the band was decided on verdicts of the environment's reward, {who.name}",))


def same_judge(row: Row, who: JudgeIdentity) -> bool:
    """Whether this judge gave the row's verdict, or would have had the rollout said anything about the agent."""
    if row.get("judge_status") is None:
        return row.get("status", "ok") not in ("ok", "truncated", "empty_reply")
    meta = row.get("judge_meta")
    version = meta.get("version") if isinstance(meta, Mapping) else None
    if who.version is None or version is None:
        return row.get("judge_name") == who.name
    return version == who.version


def _capped(row: dict[str, Any], reward: Reward) -> dict[str, Any]:
    """The row with what the environment pays for a cut rollout."""
    cut = row.get("status") == "truncated" and reward.zeroes_truncated and reward_of(row.get("reward")) is not None
    return {**row, "reward": 0.0} if cut else row


def _meta(
    package: str, module: str, reward: Mapping[str, Any], truncated: str, source: _Source, made: Split, description: str | None
) -> dict[str, Any]:
    """`env.json`."""
    plan = source.plan
    config = {key: plan.config[key] for key in ("spec", *_SECTIONS)}
    config["world"] = {**config["world"], "execute": plan.world_execute}
    config["agent"] = {"kind": "scripted", "scaffold": plan.scaffold}
    config["allocation"] = {"max_turns": plan.person.max_turns}
    config["advanced"] = _changed(plan.knobs)
    return {
        "format": FORMAT,
        "name": package,
        "module": module,
        "made_with": f"whileai-exp {own_version()}",
        "description": description or f"The tasks, world and reward of {plan.spec.name}, as an RL environment.",
        "reward": dict(reward),
        "truncated": truncated,
        "person": any(row.get("user_model") for row in source.rows),
        "policies": sorted({str(row["policy_version"]) for row in source.rows if row.get("policy_version")}),
        "counts": {"train": len(made.train), "holdout": len(made.holdout)},
        "band": list(made.band),
        "config": config,
    }


async def _tried(inside: Path, source: _Source, graded: _Graded, made: Split) -> list[GateResult]:
    """The written package, read back, against the record and against policies that do no work."""
    environment = Loaded(inside)
    for name in ("train", "holdout"):
        environment.tasks(name)
    both = {item.task.task_id: item for item in (*made.train, *made.holdout)}
    played = [row for row in graded.rows if task_key(row) in both]
    try:
        again = None if environment.reward.calls_models else await environment.reward.verdicts([_bare(row) for row in played])
        logged = {key: item.rate.mean for key, item in both.items() if item.rate is not None}
        paid = await run_battery(environment, logged, _commonest(made))
    finally:
        await environment.reward.aclose()
    return [reproduction_gate(played, again, graded.regraded), battery_gate(paid)]


def _bare(row: Row) -> dict[str, Any]:
    """The row as an environment would make it: without key and verdict."""
    gone = ("privileged", "reward", "reason", "judge_status", "judge_name", "judge_meta", "failure_class", "markers")
    return {"task_id": task_key(row), **{key: value for key, value in OwnRow(row).copy().items() if key not in gone}}


def _commonest(made: Split) -> str | None:
    """The reference that most tasks share, as one answer to give everywhere."""
    counts: dict[str, int] = {}
    for item in (*made.train, *made.holdout):
        held = item.task.privileged
        given = next(iter(item.fields.values()), held.get("reference") if held is not None else None)
        if isinstance(given, (str, int, float)) and not isinstance(given, bool):
            counts[str(given)] = counts.get(str(given), 0) + 1
    return max(counts, key=lambda text: (counts[text], text)) if counts else None


def _warnings(gates: Sequence[GateResult], reward: Mapping[str, Any], requires: Sequence[str], made: Split) -> list[str]:
    told = [
        gate.reason + (f": {gate.fix}" if gate.fix else "")
        for gate in gates
        if gate.status in (GateStatus.WARN, GateStatus.UNMEASURED)
    ]
    module = str(reward.get("target") or "").partition(":")[0].split(".")[0]
    if module and module != "whileai_exp" and not requires:
        told.append(
            f"the reward is in {module!r}: name the package it comes from in requires=, or install it where training runs"
        )
    if not made.holdout:
        told.append("nothing is held out: what training gains cannot be told from what it memorises")
    return told


def _report(
    target: Path, meta: Mapping[str, Any], made: Split, gates: Sequence[GateResult], warnings: Sequence[str]
) -> dict[str, Any]:
    rates = [item.rate.mean for item in made.train if item.rate is not None]
    return {
        "kind": "environment",
        "path": str(target),
        "name": meta["name"],
        "module": meta["module"],
        "reward": dict(meta["reward"]),
        "tasks": made.n,
        "train": len(made.train),
        "holdout": len(made.holdout),
        "dropped": {reason: len(ids) for reason, ids in made.drops.items()},
        "dropped_ids": {reason: list(ids) for reason, ids in made.drops.items()},
        "band": list(made.band),
        "train_pass_rate": fmean(rates) if rates else None,
        "decontamination": dict(made.contamination),
        "gates": [gate.to_dict() for gate in gates],
        "warnings": list(warnings),
    }
