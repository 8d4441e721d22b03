"""An exported environment, read back: its tasks, its world and person, and its reward.

What a policy sees is the system prompt, the tools, the ask and what comes of its calls. Where the task stands in the world
(`server/worlds.jsonl`) is read by the world and the person, the answer key (`server/keys.jsonl`) by the reward alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..._text import did_you_mean
from ...errors import ConfigError, Problem
from ...models import connect
from ...plan import Plan, parse_ref, resolve_plan
from ...ports import ChatModel, WorldFactory
from ...registry import load_target
from ...rollouts import ModelAgent, make_person_factory
from ...schema import Fault, Rollout, Situation, Spec, Task, TaskLineage, UserBrief, WorldSeed, to_row
from ...world.env import make_world_factory
from ..files import iter_rows
from .episode import Episode
from .reward import Keys, Reward

FORMAT = 1
META, KEYS, WORLDS = "env.json", "server/keys.jsonl", "server/worlds.jsonl"
SPLITS = ("train", "holdout")


class Loaded:
    """The environment in a folder."""

    def __init__(self, path: Any, *, user: Any = None) -> None:
        """`user`: who plays the person instead of whom the environment names: `template`, a spec string, or a ChatModel."""
        self.folder = folder_of(path)
        self.meta = _read_meta(self.folder)
        self.name = str(self.meta["name"])
        config, self.user = _with_user(self.meta["config"], user)
        self.person = bool(self.meta["person"])
        """Whether anybody answers the agent; without, its first words end the rollout."""
        self.config = config
        self.plan: Plan = resolve_plan(config, {})
        self.keys = Keys(self.folder / KEYS)
        self.reward = Reward(self.meta["reward"], self.plan, self.keys, str(self.meta["truncated"]))
        self._repeats: dict[str, int] = {}

    def __repr__(self) -> str:
        counts = self.meta["counts"]
        return f"<environment {self.name}: {counts['train']} train and {counts['holdout']} held-out tasks>"

    def __deepcopy__(self, memo: Any) -> Loaded:
        return self

    @property
    def spec(self) -> Spec:
        """The agent's tools and policy."""
        return self.plan.spec

    @cached_property
    def _worlds(self) -> dict[str, dict[str, Any]]:
        return {line["task_id"]: line for line in iter_rows(self.folder / WORLDS)}

    @cached_property
    def _tasks(self) -> dict[str, dict[str, Task]]:
        return {split: {task.task_id: task for task in self._read_tasks(split)} for split in SPLITS}

    def _read_tasks(self, split: str) -> Iterator[Task]:
        for line in iter_rows(self.folder / "data" / f"{split}.jsonl"):
            yield task_from(line, self._worlds[line["task_id"]])

    def tasks(self, split: str) -> tuple[Task, ...]:
        """The tasks of `train` or `holdout`, without their keys. ConfigError for another split."""
        if split not in SPLITS:
            raise ConfigError(Problem("split", f"{split!r} is no split", did_you_mean(split, SPLITS)))
        return tuple(self._tasks[split].values())

    def task(self, task_id: str) -> Task:
        """The task of an id. ConfigError when the environment has none."""
        for tasks in self._tasks.values():
            if task_id in tasks:
                return tasks[task_id]
        raise ConfigError(Problem("task_id", f"{task_id!r} is no task of {self.name}"))

    @cached_property
    def execute(self) -> Any:
        """The user's own world as a function, or None for the mock world."""
        target = self.plan.world_execute
        return load_target(target) if target else None

    @cached_property
    def _world(self) -> WorldFactory:
        plan = self.plan
        return make_world_factory(plan.spec, options=plan.world_options, knobs=plan.knobs, seed=plan.seed, execute=self.execute)

    @cached_property
    def _person(self) -> Any:
        plan = self.plan
        if not self.person:
            return None
        model: ChatModel | None = self.user
        if model is None and plan.person.model is not None:
            model = connect(plan.person.model, timeout_s=plan.timeout_s, knobs=plan.knobs, seed=plan.seed)
        return make_person_factory(plan.spec, plan.person, model=model, knobs=plan.knobs, seed=plan.seed)

    @property
    def system(self) -> str:
        """The system prompt as a policy is shown it."""
        return "\n\n".join(part for part in (self.spec.system_prompt, self.plan.scaffold) if part)

    def agent(self, model: ChatModel, *, system: str | None = None) -> ModelAgent:
        """A chat model playing in this environment; `system` is another system prompt than its own."""
        plan = self.plan
        own = system is None or system == self.system
        return ModelAgent(
            model,
            plan.spec if own else replace(plan.spec, system_prompt=system or ""),
            scaffold=plan.scaffold if own else None,
            world=self._world,
            person=self._person,
            sampling=plan.sampling,
            max_turns=plan.person.max_turns,
            knobs=plan.knobs,
        )

    def next_repeat(self, task_id: str) -> int:
        """How often the task was begun before: what tells repeats of one task apart."""
        self._repeats[task_id] = repeat = self._repeats.get(task_id, -1) + 1
        return repeat

    def episode(self, task: Task, *, model: str = "policy") -> Episode:
        """A rollout whose turns come from outside, as this task's next repeat."""
        return Episode(self.agent, task, self.next_repeat(task.task_id), self.plan.seed, model=model)

    def row(self, rollout: Rollout) -> dict[str, Any]:
        """The row of a rollout, without its key."""
        return to_row(self.task(rollout.task_id), rollout)

    def opening(self, task: Task) -> list[dict[str, Any]]:
        """The messages that a policy is asked with first."""
        head = [{"role": "system", "content": self.system}] if self.system else []
        return [*head, *(dict(message) for message in task.prefix), {"role": "user", "content": task.prompt}]


def folder_of(path: Any) -> Path:
    """The folder that holds `env.json`: the one given, its package's, or that of an installed module of this name."""
    given = Path(path)
    for candidate in (given, given / given.name.replace("-", "_")):
        if (candidate / META).is_file():
            return candidate
    inside = sorted(given.glob(f"*/{META}")) if given.is_dir() else []
    if len(inside) == 1:
        return inside[0].parent
    name = str(path).replace("-", "_")
    found = find_spec(name) if name.isidentifier() and not given.exists() else None
    for place in (found.submodule_search_locations or ()) if found is not None else ():
        if (Path(place) / META).is_file():
            return Path(place)
    raise ConfigError(
        Problem(
            "path", f"{str(path)!r} is no exported environment", "give the folder that export_environment wrote, or install it"
        )
    )


def _read_meta(folder: Path) -> dict[str, Any]:
    try:
        meta = json.loads((folder / META).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(Problem(str(folder / META), f"cannot be read: {error}", "export the environment again")) from error
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        made = meta.get("made_with", "another version") if isinstance(meta, dict) else "something else"
        raise ConfigError(Problem(str(folder / META), f"was written by {made} in a form this version does not read"))
    return meta


def _with_user(config: Mapping[str, Any], user: Any) -> tuple[dict[str, Any], ChatModel | None]:
    """The configuration with another person in it, and the model when it was handed in as one."""
    if user is None:
        return dict(config), None
    kept = {key: value for key, value in config["user"].items() if key in ("patience", "temperature")}
    if user is False or user == "template":
        return {**config, "user": {**kept, "kind": "template"}}, None
    if isinstance(user, str):
        return {**config, "user": {**kept, **parse_ref(user, "user").wire()}}, None
    if isinstance(user, ChatModel):
        return {**config, "user": {**kept, "kind": "template"}}, user
    raise ConfigError(Problem("user", f"{type(user).__name__} is no person", "use 'template', a spec string or a ChatModel"))


def public_line(task: Task, calibration: Mapping[str, Any]) -> dict[str, Any]:
    """What a task file says of a task: what the policy is asked, and how often it was solved."""
    prefix = {"prefix": [dict(message) for message in task.prefix]} if task.prefix else {}
    return {"task_id": task.task_id, "prompt": task.prompt, **prefix, "calibration": dict(calibration)}


def world_line(task: Task) -> dict[str, Any]:
    """What the world and the person know of a task."""
    situation, world, user, lineage = task.situation, task.world, task.user, task.lineage
    return {
        "task_id": task.task_id,
        "situation": {
            "situation_id": situation.situation_id,
            "axes": dict(sorted(situation.axes.items())),
            "tier": situation.tier,
            "arm": situation.arm,
            "reason": situation.reason,
        },
        "phrasing": task.phrasing,
        "tags": dict(sorted(task.tags.items())),
        "lineage": {"writer_model": lineage.writer_model, "parent": lineage.parent},
        "world": {
            "seed": world.seed,
            "state": world.state,
            "faults": [{"tool": fault.tool, "mode": fault.mode, "calls": list(fault.calls)} for fault in world.faults],
            "target": world.target,
            "arguments": dict(world.arguments),
        },
        "user": {
            "goal": user.goal,
            "persona": user.persona,
            "stance": user.stance,
            "knows": dict(user.knows),
            "volunteers": list(user.volunteers),
            "unknown": list(user.unknown),
            "confirms": user.confirms,
            "lines": list(user.lines),
        },
    }


def task_from(public: Mapping[str, Any], server: Mapping[str, Any]) -> Task:
    """A task from its two lines."""
    world, user = dict(server["world"]), dict(server["user"])
    faults = tuple(Fault(fault["tool"], fault["mode"], tuple(fault["calls"])) for fault in world.pop("faults"))
    for name in ("volunteers", "unknown", "lines"):
        user[name] = tuple(user[name])
    return Task(
        task_id=public["task_id"],
        prompt=public["prompt"],
        situation=Situation(**server["situation"]),
        user=UserBrief(**user),
        world=WorldSeed(faults=faults, **world),
        phrasing=server["phrasing"],
        prefix=tuple(public.get("prefix") or ()),
        lineage=TaskLineage(**server["lineage"]),
        tags=server["tags"],
    )
