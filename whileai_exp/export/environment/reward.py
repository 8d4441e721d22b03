"""What pays in an exported environment: a judge that a trainer can import by name, and one verdict per rollout from it.

The package holds no code of anybody's: the reward is a registered judge with its settings, or `module:attr` of a module that
is installed where the training runs. The task's answer key is read from its own file, here and nowhere else.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from ..._aio import CallPool
from ..._hash import plain
from ...errors import ConfigError, JudgeError, Problem
from ...judges import AsJudge, Bench, as_judge, judges
from ...judges._base import wanted_models
from ...judges.verifiers import _KINDS
from ...models import connect
from ...models.backend import named_models
from ...plan import Plan
from ...plan.types import ModelRef
from ...ports import ChatModel
from ...registry import load_target
from ...schema import JudgeIdentity, JudgeStatus, Judgment, Privileged
from ...schema.types import USABLE
from ..files import iter_rows

Row = Mapping[str, Any]
TRUNCATED = ("zero", "judge")
_COMPOSED = {"All": "all", "Any": "any", "Weighted": "weighted"}


def reference_of(given: Any, where: str) -> dict[str, Any]:
    """`{kind: …}` or `{target: "module:attr"}` for a judge or a function. ConfigError, with the fix, for what has no name."""
    if isinstance(given, str):
        return _named(given, where)
    if isinstance(given, Mapping):
        return _configured(given, where)
    if isinstance(given, type):
        raise ConfigError(Problem(where, f"{given.__name__} is a class", f"pass an instance, {given.__name__}(…)"))
    if where == "reward" and (built := _built(given)) is not None:
        return built
    if not callable(given):
        raise ConfigError(Problem(where, f"is {type(given).__name__}, which cannot be called"))
    target = _target_of(given)
    if target is None:
        name = getattr(given, "__qualname__", None) or type(given).__name__
        raise ConfigError(
            Problem(
                where,
                f"{name} has no name that a trainer could import",
                f"define it at the top of a module (not in a function, not as a lambda, not in __main__) and pass it from there, "
                f"or pass {where}='module:attr'",
            )
        )
    return {"target": target}


def _named(name: str, where: str) -> dict[str, Any]:
    if where == "reward" and name in judges:
        return {"kind": name}
    if ":" not in name:
        fix = "use 'module:attr'" + (f", or one of {', '.join(judges.names())}" if where == "reward" else "")
        raise ConfigError(Problem(where, f"{name!r} is no name of one", fix))
    return _configured({"target": name}, where)


def _configured(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    config = dict(given)
    target = str(config.get("target") or "")
    if target.partition(":")[0].endswith(".py"):
        raise ConfigError(Problem(where, f"{target!r} is a file here", "install it as a module and name that: 'module:attr'"))
    if target.startswith("__main__"):
        raise ConfigError(Problem(where, f"{target!r} is this script", "move it to a module that the trainer can import"))
    try:
        made = judges.create(config) if where == "reward" else load_target(target)
    except ConfigError as error:
        raise ConfigError([Problem(p.where or where, p.what, p.fix) for p in error.problems]) from error
    if not callable(made) and not hasattr(made, "bind"):
        raise ConfigError(Problem(where, f"{target!r} is {type(made).__name__}, which cannot be called"))
    try:
        return plain(config)
    except TypeError as error:
        raise ConfigError(Problem(where, f"its settings are no JSON: {error}")) from error


def _built(given: Any) -> dict[str, Any] | None:
    """A judge of ours as its registered name and what differs from its defaults; None when that does not make it again."""
    kind = type(given).__name__
    if type(given).__module__.split(".")[0] != __name__.split(".")[0] or not is_dataclass(given):
        return None
    if kind in _COMPOSED:
        return _composed(given, _COMPOSED[kind])
    name = next((name for name, (_, attribute) in _KINDS.items() if attribute == kind), None)
    name = name or next((name for name in judges.names() if judges.factory(name) is type(given)), None)
    if name is None:
        return None
    config: dict[str, Any] = {"kind": name}
    for spec in fields(given):
        value = getattr(given, spec.name)
        if spec.init and value != spec.default and not (spec.name == "name" and value == kind):
            config[spec.name] = value
    try:
        config = plain(config)
        return config if judges.create(config) == given else None
    except (TypeError, ConfigError, JudgeError):
        return None


def _composed(given: Any, kind: str) -> dict[str, Any] | None:
    parts = [_built(part) or ({"target": target} if (target := _target_of(part)) else None) for part in given.parts]
    if None in parts:
        return None
    weights = {"weights": list(given.weights)} if kind == "weighted" else {}
    return {"kind": kind, "parts": parts, **weights}


def _target_of(given: Any) -> str | None:
    """`module:attr` under which an import finds this very object."""
    inner = getattr(given, "function", given) if is_dataclass(given) else given
    module, name = getattr(inner, "__module__", None), getattr(inner, "__qualname__", None)
    nameable = isinstance(module, str) and isinstance(name, str) and "<" not in name and module != "__main__"
    if nameable and _finds(f"{module}:{name}", given):
        return f"{module}:{name}"
    for module in sorted(name for name in sys.modules if name not in ("__main__", "__mp_main__")):
        found = getattr(sys.modules[module], "__dict__", None)
        for attr, value in list(found.items()) if isinstance(found, dict) else ():
            if value is given and not attr.startswith("_") and _finds(f"{module}:{attr}", given):
                return f"{module}:{attr}"
    return None


def _finds(target: str, wanted: Any) -> bool:
    try:
        return load_target(target) is wanted
    except (ConfigError, AttributeError):
        return False


class Keys:
    """The answer keys of an environment, read from their file when the first one is needed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: dict[str, tuple[Privileged | None, Mapping[str, Any]]] | None = None

    def __repr__(self) -> str:
        return f"<Keys of {self._path.parent.name}>"

    def of(self, task_id: str) -> tuple[Privileged | None, Mapping[str, Any]]:
        """The task's key, and the row keys that belong to it."""
        if self._read is None and not self._path.is_file():
            self._read = {}
        if self._read is None:
            self._read = {
                line["task_id"]: (Privileged(line["key"]) if line.get("key") is not None else None, line.get("fields") or {})
                for line in iter_rows(self._path)
            }
        return self._read.get(task_id, (None, {}))

    def keyed(self, row: Row) -> dict[str, Any]:
        """The row as the judge reads it; one that has its key is left as it is."""
        if row.get("privileged") is not None:
            return dict(row)
        held, own = self.of(str(row.get("task_id")))
        out = {**row, **own}
        if held is not None:
            out["privileged"] = held
        return out


class Reward:
    """The judge of an environment, opened once per event loop."""

    def __init__(self, config: Mapping[str, Any], plan: Plan, keys: Keys, truncated: str = "zero") -> None:
        self.config, self.keys = dict(config), keys
        self._plan, self._truncated = plan, truncated
        self._opened: WeakKeyDictionary[asyncio.AbstractEventLoop, AsJudge] = WeakKeyDictionary()
        self._models: list[ChatModel] = []

    @property
    def zeroes_truncated(self) -> bool:
        """Whether a rollout that was cut at a cap is worth 0 whatever the judge would say."""
        return self._truncated == "zero"

    @property
    def calls_models(self) -> bool:
        """Whether a verdict costs model calls."""
        return bool(wanted_models(self.config, named_models().get("WHILEAI_EXP_JUDGE")))

    def judge(self) -> AsJudge:
        """The judge, for rows that carry their key. ConfigError or JudgeError when it cannot be built."""
        plan, knobs = self._plan, self._plan.knobs

        def open_model(ref: ModelRef, _private: bool) -> ChatModel:
            model = connect(ref, timeout_s=knobs.judge_timeout_s, knobs=knobs, seed=plan.seed)
            self._models.append(model)
            return model

        return as_judge(
            self.config,
            pool=CallPool(knobs.judge_concurrency),
            deadline_s=knobs.judge_timeout_s,
            reason_chars=knobs.judge_reason_chars,
            bench=Bench(knobs, plan.spec, open_model, default_model=named_models().get("WHILEAI_EXP_JUDGE")),
        )

    @property
    def identity(self) -> JudgeIdentity:
        """Who judges."""
        return self.judge().identity

    async def verdict(self, row: Row) -> Judgment | None:
        """The verdict on a rollout of the environment; None when it says nothing about the agent.

        A rollout that was cut at a cap is worth 0 unless the environment leaves that to the judge. `reward` is None when
        the judge failed, which is no 0.
        """
        loop = asyncio.get_running_loop()
        if loop not in self._opened:
            self._opened[loop] = self.judge()
        judge = self._opened[loop]
        if row.get("status", "ok") not in USABLE:
            return None
        if self.zeroes_truncated and row.get("status") == "truncated":
            said = "cut at a cap of turns, tokens or context"
            return Judgment(str(row.get("rollout_id", "")), judge.identity, 0.0, JudgeStatus.OK, said, failure_class="truncated")
        return await judge.judge(self.keys.keyed(row))

    async def verdicts(self, rows: Sequence[Row]) -> list[Judgment | None]:
        """The verdicts in the order of the rows."""
        room = asyncio.Semaphore(self._plan.knobs.judge_concurrency)

        async def one(row: Row) -> Judgment | None:
            async with room:
                return await self.verdict(row)

        return list(await asyncio.gather(*map(one, rows)))

    async def aclose(self) -> None:
        """Close the models that it opened."""
        for model in self._models:
            await model.aclose()
        self._models.clear()
