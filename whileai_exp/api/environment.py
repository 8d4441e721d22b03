"""`wai.load_environment`: an exported environment, played by any agent and graded by its own reward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .._aio import run_sync
from .._hash import plain
from ..errors import ConfigError, ExitCode, Problem
from ..export.environment import Loaded
from ..plan import Plan, resolve_plan
from ..run.pipeline import Given, play
from ..run.ports import preflight
from ..schema import Privileged, Task, reward_of, task_key
from ..schema.row import write_judgment
from .data import SimulationData
from .scored import ScoredData
from .simulate import _agent

_SHOWN = 20
_STALE = ("privileged", "reward", "reason", "judge_status", "judge_name", "judge_meta", "failure_class", "markers")


@dataclass(frozen=True, slots=True)
class Reproduced:
    """Whether an environment gives a record's rewards."""

    n: int
    """Rows of tasks that the environment has."""
    same: int
    differing: tuple[str, ...]
    """Rollouts with another reward, the first ones."""
    strangers: int
    """Rows of other tasks, which it cannot grade."""

    @property
    def ok(self) -> bool:
        return self.n > 0 and self.same == self.n

    def __str__(self) -> str:
        said = f"{self.same} of {self.n} rewards are the same"
        return said + (f"; {self.strangers} rows are of other tasks" if self.strangers else "")


class Environment:
    """An exported environment. `train` and `holdout` are its tasks, without their answer keys."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self.name = loaded.name
        self.reward: Mapping[str, Any] = loaded.reward.config
        """The reward by name."""
        self.knobs = loaded.plan.knobs

    @property
    def train(self) -> tuple[Task, ...]:
        return self._loaded.tasks("train")

    @property
    def holdout(self) -> tuple[Task, ...]:
        return self._loaded.tasks("holdout")

    @property
    def system_prompt(self) -> str:
        return self._loaded.spec.system_prompt

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools as an agent is shown them."""
        return [tool.wire() for tool in self._loaded.spec.tools]

    def play(
        self,
        agent: Any,
        *,
        split: str = "holdout",
        repeats: int = 1,
        limit: int | None = None,
        concurrency: int | None = None,
        seed: int | None = None,
        sampling: Mapping[str, Any] | None = None,
    ) -> ScoredData:
        """Let an agent play the tasks and grade what it did; the agent is given as to `simulate`.

        `limit`: at most this many tasks, the first ones. `seed`: None is the environment's, under which a deterministic agent's
        rollouts are those of the record. The rows carry their keys in memory; `save` leaves them out.

        >>> scored = load_environment("envs/my-agent").play("openai:gpt-5-mini", repeats=4)  # doctest: +SKIP
        """
        tasks = self._loaded.tasks(split)[:limit]
        if not tasks:
            raise ConfigError(Problem("split", f"{split!r} of {self.name} holds no task", "play the other split"))
        origins: dict[str, str] = {}
        handed: dict[str, Any] = {}
        config = self._config(repeats, concurrency, seed, sampling)
        _agent(config, origins, handed, agent)
        plan = resolve_plan(config, origins)
        loaded = self._loaded
        keyed = [self._keyed(task) for task in tasks]
        given = Given(**handed, user=loaded.user, execute=loaded.execute, tasks=keyed, person=loaded.person)
        preflight(plan, given)
        played = run_sync(play(plan, given, judge=False))
        failure = played.execution.failure
        if failure is not None and failure.exit_code is ExitCode.FAULT:
            raise failure
        data = SimulationData(played)
        return self._graded(data.trajectories, list(data.warnings), plan)

    def grade(self, rows: Any) -> ScoredData:
        """Copies of rows of this environment's tasks, graded by its reward; rows of other tasks come back unjudged."""
        given = list(getattr(rows, "trajectories", None) or getattr(rows, "rows", None) or rows)
        bare = [{"task_id": task_key(row), **{key: value for key, value in row.items() if key not in _STALE}} for row in given]
        return self._graded(bare, [], self._loaded.plan)

    def reproduces(self, rows: Any) -> Reproduced:
        """Grade a record's rows again and compare: what was exported is what was measured."""
        given = list(getattr(rows, "trajectories", None) or getattr(rows, "rows", None) or rows)
        own = {task.task_id for split in ("train", "holdout") for task in self._loaded.tasks(split)}
        mine = [row for row in given if task_key(row) in own]
        again = self.grade(mine)
        differing = [
            str(old.get("rollout_id"))
            for old, new in zip(mine, again.rows)
            if reward_of(old.get("reward")) != reward_of(new.get("reward"))
        ]
        return Reproduced(len(mine), len(mine) - len(differing), tuple(differing[:_SHOWN]), len(given) - len(mine))

    def _config(
        self, repeats: int, concurrency: int | None, seed: int | None, sampling: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        loaded = self._loaded
        config = plain(loaded.config)
        scaffold = (config.pop("agent", None) or {}).get("scaffold")
        config["agent"] = {"scaffold": scaffold} if scaffold else {}
        config["mode"], config["counts"] = "rl", {"repeats": repeats}
        config["allocation"] = {**config["allocation"], "kind": "fixed" if repeats > 1 else "none"}
        if concurrency is not None:
            config["allocation"]["concurrency"] = concurrency
        if seed is not None:
            config["seed"] = seed
        if sampling:
            config["sampling"] = dict(sampling)
        return config

    def _keyed(self, task: Task) -> Task:
        key, _ = self._loaded.keys.of(task.task_id)
        return task if key is None else replace(task, privileged=Privileged(key))

    def _graded(self, rows: list[dict[str, Any]], warnings: list[str], plan: Plan) -> ScoredData:
        reward = self._loaded.reward

        async def graded() -> list[dict[str, Any]]:
            try:
                found = await reward.verdicts(rows)
            finally:
                await reward.aclose()
            out = [self._loaded.keys.keyed(row) for row in rows]
            for row, verdict in zip(out, found):
                if verdict is not None:
                    write_judgment(row, verdict)
            return out

        return ScoredData(
            run_sync(graded()),
            judge=reward.identity,
            knobs=plan.knobs,
            mode="rl",
            system_prompt=self.system_prompt,
            tools=self._loaded.spec.tools,
            warnings=warnings,
        )

    def __len__(self) -> int:
        """Tasks in both splits."""
        return len(self.train) + len(self.holdout)

    def __repr__(self) -> str:
        return repr(self._loaded)


def load_environment(path: Any, *, user: Any = None) -> Environment:
    """An environment that `export_environment` wrote: its folder, or the name of the installed module.

    `user`: who plays the person instead of whom the environment names: `template`, a spec string, or a ChatModel. ConfigError when
    there is no environment, or one of another version.

    >>> env = load_environment("envs/my-agent")  # doctest: +SKIP
    """
    return Environment(Loaded(path, user=user))
