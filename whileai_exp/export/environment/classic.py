"""An exported environment in the classic shape of `verifiers` (0.1.12 to 0.3): `load_environment(...)` gives a MultiTurnEnv.

The trainer's loop asks the policy; everything else of a rollout is ours (`Episode`). A rollout without a verdict (the judge failed,
the model did) is masked: it carries an `error`, its tokens are masked out of the loss, it is left out of its group's baseline,
and its reward is the mean of the group's judged ones, so that a trainer which works out advantages itself finds zero for it. It is
NaN where nothing of the group was judged. It is never 0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from math import nan
from pathlib import Path
from statistics import fmean
from typing import Any

from ...errors import ExportError
from ...models.reading import spoken, tool_call
from ...ports import Reply
from ...schema import Judgment, Rollout
from .episode import Episode
from .loaded import Loaded

_EPISODE = "whileai_episode"
_STOPS = {"timeout": "the trainer's time limit", "context_length": "the context window or a cap on tokens"}


def _verifiers() -> Any:
    """The classic library. ExportError says which version is there instead."""
    try:
        found = import_module("verifiers")
        _ = found.MultiTurnEnv, found.Rubric
    except (ImportError, AttributeError) as error:
        try:
            there = f"{version('verifiers')} is installed"
        except PackageNotFoundError:
            there = "it is not installed"
        raise ExportError(
            f"the classic shape needs verifiers>=0.1.12,<0.4, and {there}: pip install 'verifiers<0.4', "
            "or use the v1 shape that the same package has"
        ) from error
    return found


vf = _verifiers()


def load_environment(folder: str | Path, *, split: str | None = None, user: Any = None, **options: Any) -> Any:
    """The environment as a `verifiers.MultiTurnEnv`. `split`: its tasks for both training and evaluation; None trains on the
    train tasks and evaluates on the holdout. `user` as in `whileai_exp.load_environment`; `options` go to MultiTurnEnv."""
    return ClassicEnvironment(Loaded(folder, user=user), split, **options)


class ClassicRubric(vf.Rubric):
    """The environment's reward, for whole groups and for single rollouts."""

    def __init__(self, environment: Loaded) -> None:
        super().__init__(funcs=[], weights=[])
        self.environment = environment

    async def score_rollout(self, state: Any, *_: Any, **__: Any) -> None:
        await self.score_group([state])

    async def score_group(self, states: Sequence[Any], *_: Any, **__: Any) -> None:
        """Verdicts onto the states: reward, advantage, metrics, and a mask where there is none."""
        reward = self.environment.reward
        rollouts = [_rollout_of(state) for state in states]
        rows = [None if rollout is None else self.environment.row(rollout) for rollout in rollouts]
        found = [None if row is None else await reward.verdict(row) for row in rows]
        known = [verdict.reward for verdict in found if verdict is not None and verdict.reward is not None]
        mean = fmean(known) if known else nan
        for state, rollout, verdict in zip(states, rollouts, found):
            paid = verdict.reward if verdict is not None else None
            state["metrics"] = _metrics(rollout, paid)
            state["reward"] = mean if paid is None else paid
            state["advantage"] = 0.0 if paid is None else paid - mean
            if paid is None:
                state["error"] = state.get("error") or vf.InfraError(_why(rollout, verdict))
            for step in state["trajectory"]:
                step["reward"], step["advantage"] = state["reward"], state["advantage"]
                if paid is None and isinstance(step.get("tokens"), Mapping):
                    step["tokens"]["completion_mask"] = [0] * len(step["tokens"]["completion_mask"])


class ClassicEnvironment(vf.MultiTurnEnv):
    """Tasks, world, person and reward of an exported environment."""

    def __init__(self, environment: Loaded, split: str | None, **options: Any) -> None:
        self.environment = environment
        train, holdout = (split, split) if split is not None else ("train", "holdout")
        for name in (train, holdout):
            environment.tasks(name)
        rubric = ClassicRubric(environment)
        super().__init__(
            **{
                "dataset": lambda: _dataset(environment, train),
                "eval_dataset": lambda: _dataset(environment, holdout),
                "rubric": rubric,
                "tool_defs": [_tool(tool.wire()["function"]) for tool in environment.spec.tools],
                "max_turns": -1,
                "env_id": environment.name,
                **options,
            }
        )
        self.rubric = rubric

    async def setup_state(self, state: Any) -> Any:
        """Begin the rollout's episode."""
        info = state.get("info")
        info = json.loads(info) if isinstance(info, str) else info or {}
        task = self.environment.task(str(info.get("task_id")))
        state[_EPISODE] = episode = self.environment.episode(task, model=str(state.get("model") or "policy"))
        opening = await episode.open()
        if task.prefix:
            state["prompt"] = _normalised(opening)
        return state

    async def env_response(self, messages: Any, state: Any, **_: Any) -> Any:
        """What follows the policy's turn; the rollout's end goes into `final_env_response`."""
        episode: Episode = state[_EPISODE]
        cut = bool(state["trajectory"] and state["trajectory"][-1].get("is_truncated"))
        said = await episode.take(reply_of(messages[-1], cut, self.environment))
        if episode.rollout is not None:
            state["final_env_response"] = said
            state["is_truncated"] = state.get("is_truncated") or episode.rollout.status == "truncated"
        return said

    @vf.cleanup
    async def end_episode(self, state: Any) -> None:
        """End the episode of a rollout that the trainer stopped."""
        episode: Episode | None = state.get(_EPISODE)
        if episode is None or episode.rollout is not None:
            return
        if state.get("error") is not None:
            await episode.stop("error", f"the policy's model failed: {type(state['error']).__name__}")
            return
        kind = "timeout" if state.get("timed_out") else "context_length"
        await episode.stop(kind, f"stopped at {_STOPS[kind]}")


def reply_of(message: Any, cut: bool, environment: Loaded) -> Reply:
    """The policy's message, a dict or one of the library's, as a reply."""
    told: dict[str, Any] = message if isinstance(message, dict) else message.model_dump()
    knobs = environment.plan.knobs
    calls = []
    for call in told.get("tool_calls") or ():
        made = json.loads(call) if isinstance(call, str) else call
        inner = made.get("function") if isinstance(made.get("function"), Mapping) else made
        calls.append(tool_call(str(made.get("id") or ""), inner.get("name"), inner.get("arguments"), knobs.json_depth_cap))
    text, reasoning, unclosed, _ = spoken(told)
    finish = "length" if cut or unclosed else "tool_calls" if calls else "stop"
    return Reply(text, tuple(calls), finish, reasoning=reasoning)


def _rollout_of(state: Any) -> Rollout | None:
    episode: Episode | None = state.get(_EPISODE)
    return episode.rollout if episode is not None else None


def _why(rollout: Rollout | None, verdict: Judgment | None) -> str:
    """Why a rollout is masked, without anything a judge may have quoted."""
    if verdict is not None:
        return f"the reward gave no verdict ({verdict.status}): the rollout is masked"
    return f"the rollout says nothing about the policy ({rollout.status if rollout else 'not begun'}): it is masked"


def _metrics(rollout: Rollout | None, paid: float | None) -> dict[str, float]:
    calls = sum(hasattr(step, "tool") for step in rollout.steps) if rollout is not None else 0
    return {
        "judge_ok": float(paid is not None),
        "truncated": float(rollout is not None and rollout.status == "truncated"),
        "n_calls": float(calls),
    }


def _tool(function: Mapping[str, Any]) -> dict[str, Any]:
    return {key: function[key] for key in ("name", "description", "parameters", "strict") if key in function}


def _dataset(environment: Loaded, split: str) -> Any:
    """The tasks of a split: the messages to begin with and, as text, which task it is. No key and nothing of the world."""
    rows = [
        {"prompt": _plain(environment.opening(task)), "answer": "", "info": json.dumps({"task_id": task.task_id, "split": split})}
        for task in environment.tasks(split)
    ]
    return import_module("datasets").Dataset.from_list(rows)


def _normalised(messages: Sequence[Mapping[str, Any]]) -> Any:
    """Messages as the library's own, where it has them; calls that a conversation begins with included."""
    return import_module("verifiers.utils.message_utils").normalize_messages([dict(m) for m in messages], field_name="prompt")


def _plain(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Messages as role and content alone, which a column of a table can hold; `setup_state` has the whole."""
    return [{"role": str(message["role"]), "content": str(message.get("content") or "")} for message in messages]
