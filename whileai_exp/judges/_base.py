"""Judges by name, and the one wrapper that makes any callable a judge.

To add a judge, write `judges/<name>.py` with a function or a frozen dataclass under `@judges.register("name")`; it is
called with a row and returns what the contract allows. Nothing else is edited. A judge that needs a model, the spec or
knobs has a method `bind(bench)` that returns the callable.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from .._aio import CallPool
from .._hash import sha
from .._rng import Rng
from ..errors import BackendError, ConfigError, JudgeError, Problem
from ..journal import Journal
from ..knobs import JudgeKnobs
from ..plan.types import ModelRef
from ..ports import ChatModel
from ..registry import Registry
from ..schema import JudgeIdentity, JudgeStatus, Judgment, Spec
from ..verify._base import Verifier
from ..verify._knobs import under
from ._contract import Scale, failed, verdict_of
from ._kept import keep_verdict, kept_verdict, verdict_key
from ._own import OwnRow
from ._secrets import without_key

judges: Registry[Callable[[Mapping[str, Any]], Any]] = Registry("judge", "whileai_exp.judges")

INLINE = "__whileai_inline__"
"""Attribute of judges that are pure, quick and ours: called on the loop, without a thread and without a copy."""
READS_ONLY = "__whileai_reads_only__"
"""Attribute of judges of ours that never change the row: they get it without a copy."""


def inline(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a judge as pure and quick."""
    setattr(function, INLINE, True)
    return function


@dataclass(frozen=True, slots=True)
class Bench:
    """What judges are built from beside their own settings."""

    knobs: JudgeKnobs = field(default_factory=JudgeKnobs)
    spec: Spec | None = None
    """The agent's tools, policy and rubric, where a run is at hand."""
    open_model: Callable[[ModelRef, bool], ChatModel] | None = None
    """The model of a reference, and whether it sees answer keys; None where no endpoint may be called."""
    default_model: str | None = None
    """The model that WHILEAI_EXP_JUDGE names."""
    pool: CallPool | None = None
    """Threads for synchronous members of a composed judge."""
    policies: frozenset[str] = frozenset()
    """Models that acted on the rows, for telling when a model judges itself."""


@runtime_checkable
class Bindable(Protocol):
    """A judge that needs the bench before it can be called."""

    def bind(self, bench: Bench) -> Callable[[Mapping[str, Any]], Any]: ...


@runtime_checkable
class NeedsModels(Protocol):
    """A judge that calls models: which ones, before any is opened."""

    def wanted(self, default_model: str | None) -> list[tuple[ModelRef, bool]]:
        """The references, each with whether the model sees answer keys. JudgeError when one is named nowhere."""
        ...


class AsJudge:
    """A callable as the runner wants it: bounded in time, never raising, never touching the caller's row.

    `deadline_s` counts from the call's start. A hung synchronous judge is abandoned in its daemon thread and counted.
    Connection failures are tried again `retries` times with a jittered wait, inside the same deadline.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        identity: JudgeIdentity,
        deadline_s: float,
        pool: CallPool,
        reason_chars: int,
        scale: Scale | None = None,
        retries: int = 0,
        journal: Journal | None = None,
    ) -> None:
        self.function = function
        self.identity = identity
        self.deadline_s = deadline_s
        self.pool = pool
        self.inline = bool(getattr(function, INLINE, False))
        self.reads_only = self.inline or bool(getattr(function, READS_ONLY, False))
        self.asynchronous = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004
        )
        self.journal = None if self.inline or getattr(function, "journals_itself", False) else journal
        self.retries = retries
        self._reason_chars = reason_chars
        self._scale = scale

    @property
    def name(self) -> str:
        return self.identity.name

    async def judge(self, row: Mapping[str, Any]) -> Judgment:
        """One verdict, recorded or new. Never raises for a failing judgment; cancellation passes through."""
        if self.journal is None or self.identity.version is None:
            return await self._asked(row)
        key = verdict_key(self.identity, row)
        known = kept_verdict(self.journal, key, self.identity, row)
        if known is None:
            known = await self._asked(row)
            await keep_verdict(self.journal, key, known)
        return known

    async def _asked(self, row: Mapping[str, Any]) -> Judgment:
        if self.inline:
            try:
                value = self.function(row)
                if inspect.isawaitable(value):
                    value = await asyncio.wait_for(_awaited(value), self.deadline_s)
            except (Exception, SystemExit) as error:  # a judge may raise anything; its row says so
                return self.failure(row, error)
            return self.verdict(row, value)
        start = asyncio.get_running_loop().time()
        for attempt in range(self.retries + 1):
            left = self.deadline_s - (asyncio.get_running_loop().time() - start)
            try:
                value = await self.pool.call(self.function, self.own(row), timeout=max(0.001, left))
            except (Exception, SystemExit) as error:
                wait = backoff_s(attempt, str(row.get("rollout_id", "")))
                left = self.deadline_s - (asyncio.get_running_loop().time() - start)
                if attempt < self.retries and transient(error) and wait < left:
                    await asyncio.sleep(wait)
                    continue
                return self.failure(row, error)
            return self.verdict(row, value)
        raise AssertionError("the last attempt returns")  # pragma: no cover

    def own(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """The row as the judge gets it: a copy it may change, unless it is ours and never does."""
        return row if self.reads_only else OwnRow(row)

    def verdict(self, row: Mapping[str, Any], value: Any) -> Judgment:
        """What the judge's return value stands for."""
        rollout_id = str(row.get("rollout_id", ""))
        found = verdict_of(value, rollout_id, self.identity, reason_chars=self._reason_chars, scale=self._scale)
        return found if self.inline else without_key(found, row)

    def failure(self, row: Mapping[str, Any], error: BaseException) -> Judgment:
        """The judgment that an exception stands for."""
        return without_key(self._failure(row, error), row)

    def _failure(self, row: Mapping[str, Any], error: BaseException) -> Judgment:
        rollout_id = str(row.get("rollout_id", ""))
        if isinstance(error, BackendError):
            status = JudgeStatus.TIMEOUT if error.kind == "timeout" else JudgeStatus.ERROR
            more: dict[str, Any] = {"error_kind": error.kind}
            if error.status is not None:
                more["http_status"] = error.status
            return failed(rollout_id, self.identity, status, str(error)[:500], **more)
        if isinstance(error, TimeoutError):
            said = f"no verdict within {self.deadline_s:g} s"
            return failed(rollout_id, self.identity, JudgeStatus.TIMEOUT, said, timeout_s=self.deadline_s)
        return failed(rollout_id, self.identity, JudgeStatus.ERROR, f"{type(error).__name__}: {error}"[:500])


async def _awaited(value: Any) -> Any:
    return await value


def transient(error: BaseException) -> bool:
    """Whether asking again can help: a broken connection, or a back end that says so. A deadline cannot be met later."""
    return isinstance(error, ConnectionError) or (isinstance(error, BackendError) and error.retryable)


def backoff_s(attempt: int, key: str) -> float:
    """Seconds before the next try: doubling from 0.1, jittered by a seeded draw so that runs repeat."""
    return 0.1 * 2**attempt * (0.5 + Rng(0).at("judge-retry", key, attempt).random())


def identity_of(function: Any, *, name: str | None = None, version: str | None = None) -> JudgeIdentity:
    """Who a callable is, as its verdicts will say.

    The version of a plain function is a hash of its code, so that an edited judge is a new judge.
    """
    given = name or getattr(function, "name", None) or getattr(function, "__name__", None) or type(function).__name__
    if given == "<lambda>":
        given = "lambda_judge"
    kind = getattr(function, "kind", "callable")
    return JudgeIdentity(
        str(given),
        str(kind),
        getattr(function, "model", None),
        getattr(function, "prompt_sha", None),
        version or getattr(function, "version", None) or _code_sha(function),
    )


def _code_sha(function: Any) -> str | None:
    target = function if inspect.isroutine(function) else type(function)
    try:
        return "code:" + sha(inspect.getsource(inspect.unwrap(target)), 12)
    except (OSError, TypeError):
        return None


def as_judge(
    given: Any,
    *,
    pool: CallPool,
    deadline_s: float,
    reason_chars: int = 2000,
    name: str | None = None,
    version: str | None = None,
    scale: Scale | None = None,
    bench: Bench | None = None,
    journal: Journal | None = None,
) -> AsJudge:
    """The runner's form of a judge: a callable, or `{kind: name, …}` / `{target: "module:attr"}` by registry.

    `scale`: (lo, hi) that the judge rates on. `journal`: where verdicts of the caller's own functions are kept.
    JudgeError for a class, a string that is no name, or anything that cannot be called.
    """
    if isinstance(given, AsJudge):
        return given
    bench = replace(bench or Bench(), pool=pool)
    function, known = made(given, bench)
    if scale is not None:
        _check_scale(scale)
    identity = identity_of(function, name=name or known, version=version)
    if isinstance(function, Verifier):
        function = under(bench.knobs, function)
    return AsJudge(
        function,
        identity=identity,
        deadline_s=deadline_s,
        pool=pool,
        reason_chars=reason_chars,
        scale=scale,
        retries=bench.knobs.judge_retries,
        journal=journal,
    )


def wanted_models(given: Any, default_model: str | None) -> list[tuple[ModelRef, bool]]:
    """The models that a judge, however it is given, will call."""
    function = judges.create({"kind": given} if isinstance(given, str) else given) if isinstance(given, (str, Mapping)) else given
    return function.wanted(default_model) if isinstance(function, NeedsModels) else []


def made(given: Any, bench: Bench) -> tuple[Callable[[Mapping[str, Any]], Any], str | None]:
    """The callable behind what was given, bound to the bench, and the name it was asked for by."""
    function, known = given, None
    if isinstance(given, str):
        function = judges.create({"kind": given})
    elif isinstance(given, Mapping):
        function = judges.create(given)
        known = str(given.get("kind") or given.get("target"))
    if isinstance(function, type):
        raise JudgeError(f"{function.__name__} is a class: pass an instance, {function.__name__}(…)")
    if isinstance(function, Bindable):
        return function.bind(bench), None
    if not callable(function):
        raise JudgeError(f"a judge is a callable that takes a row, got {type(function).__name__}")
    return function, known


def _check_scale(scale: Any) -> None:
    try:
        low, high = (float(end) for end in scale)
    except (TypeError, ValueError):
        low = high = 0.0
    if not low < high:
        raise ConfigError(Problem("scale", f"{scale!r} is not (lowest, highest)", "for example scale=(1, 5)"))
