"""An exported environment in the v1 shape of `verifiers` (0.4): a taskset, its tasks, and a harness that plays them.

The harness is our own engine, run in the trainer's process; every model call of it goes through the interception endpoint, so the
trace is the library's. The finished rollout reaches the task's reward through this process alone and is on no trace. A rollout
without a verdict raises in scoring: its trace is not ok, its reward is None, and trainers leave it out.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ..._clock import SystemClock
from ...errors import ExportError
from ...models.backend import Link, Secret
from ...models.openai_chat import OpenAIChat
from ...plan.types import ModelRef
from ...schema import Rollout
from ...schema.types import USABLE
from .loaded import Loaded


def _verifiers() -> Any:
    """The v1 library. ExportError says which version is there instead."""
    try:
        found = import_module("verifiers.v1")
        _ = found.Taskset, found.Harness, found.SingleAgentEnv
    except (ImportError, AttributeError) as error:
        try:
            there = f"{version('verifiers')} is installed"
        except PackageNotFoundError:
            there = "it is not installed"
        raise ExportError(f"the v1 shape needs verifiers>=0.4,<0.5, and {there}: pip install 'verifiers>=0.4,<0.5'") from error
    return found


vf = _verifiers()
_runtimes = import_module("verifiers.v1.runtimes")


class EnvironmentData(vf.TaskData):
    """What is told of a task: its id, the ask, the system prompt and the split."""

    split: str = "train"


class EnvironmentTasksetConfig(vf.TasksetConfig):
    """`split`: train or holdout."""

    split: str = "train"


class EnvironmentConfig(vf.SingleAgentEnvConfig):
    """One agent; in this process, as no program of anybody else's runs."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=_runtimes.SubprocessConfig())  # pyright: ignore[reportInvalidTypeForm]


class EnvironmentHarnessConfig(vf.HarnessConfig):
    """No settings of its own."""


@cache
def shapes_of(folder: Path) -> SimpleNamespace:
    """`Taskset`, `Harness` and `Environment` of the environment in a folder."""
    environment = Loaded(folder)
    rollouts: dict[str, Rollout] = {}

    class EnvironmentTask(vf.Task[EnvironmentData]):
        """One task and its reward."""

        @property
        def key(self) -> str:
            """The task's own id, whatever its place among the others."""
            return str(self.data.id)

        def __deepcopy__(self, memo: Any) -> Any:
            return type(self)(self.data, self.config)

        @vf.reward
        async def paid(self, trace: Any) -> float:
            """The verdict of the environment's reward. RuntimeError when there is none."""
            rollout = rollouts.pop(trace.id, None)
            if rollout is None:
                raise RuntimeError("the rollout was not played by this process and cannot be scored: evaluate it again")
            verdict = await environment.reward.verdict(environment.row(rollout))
            if verdict is None or verdict.reward is None:
                raise RuntimeError(f"the reward gave no verdict ({verdict.status if verdict else rollout.status})")
            return verdict.reward

    class EnvironmentTaskset(vf.Taskset[EnvironmentTask, EnvironmentTasksetConfig]):
        """The tasks of one split."""

        def load(self) -> Any:
            for task in environment.tasks(self.config.split):
                messages = environment.opening(task)
                system = messages[0]["content"] if messages[0]["role"] == "system" else None
                asked = messages[1:] if system is not None else messages
                prompt = task.prompt if not task.prefix else asked
                data = EnvironmentData(id=task.task_id, prompt=prompt, system_prompt=system, split=self.config.split)
                yield EnvironmentTask(data, self.config.task)

    class EnvironmentHarness(vf.Harness[EnvironmentHarnessConfig]):
        """Plays a task: world, person and turns are the environment's."""

        APPENDS_SYSTEM_PROMPT = True
        EXECUTES_CODE = False
        NEEDS_CONTAINER = False

        async def launch(
            self, ctx: Any, trace: Any, runtime: Any, endpoint: str, secret: str, mcp_urls: Any, data: Any, **_: Any
        ) -> Any:
            """One rollout. RuntimeError when it says nothing about the policy."""
            task = environment.task(str(data.id))
            model = _model(environment, ctx.model, endpoint, secret)
            try:
                agent = environment.agent(model, system=data.system_prompt or "")
                repeat = environment.next_repeat(task.task_id)
                rollout = await agent.play(task, repeat, environment.plan.seed)
            finally:
                await model.aclose()
            if rollout.status not in USABLE:
                raise RuntimeError(f"{rollout.status}: {rollout.error or rollout.ended_by}")
            rollouts[trace.id] = rollout
            trace.record_metric("truncated", float(rollout.status == "truncated"))
            trace.record_metric("n_calls", float(sum(hasattr(step, "tool") for step in rollout.steps)))
            return _runtimes.ProgramResult(exit_code=0, stdout="", stderr="")

        async def cleanup(self, trace: Any, runtime: Any) -> None:
            """Forget a rollout that was not scored."""
            rollouts.pop(trace.id, None)

    class Environment(vf.SingleAgentEnv, vf.Env[EnvironmentConfig]):
        """A single agent that plays the tasks."""

    return SimpleNamespace(Taskset=EnvironmentTaskset, Harness=EnvironmentHarness, Environment=Environment)


def _model(environment: Loaded, model: str, endpoint: str, secret: str) -> OpenAIChat:
    """The policy behind the interception endpoint. Trying again is the library's matter."""
    plan = environment.plan
    knobs = plan.knobs.model_copy(update={"retry_attempts": 1})
    link = Link(plan.timeout_s, knobs, SystemClock(), Secret("the interception's secret", secret), plan.seed)
    return OpenAIChat(ModelRef("vllm", model, (endpoint,)), link)
