"""Judges by name, and the one wrapper that makes any callable a judge.

To add a judge, write `judges/<name>.py` with a function or a frozen dataclass under `@judges.register("name")`; it is
called with a row and returns what the contract allows. Nothing else is edited.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from .._aio import CallPool
from .._hash import sha
from ..errors import JudgeError
from ..registry import Registry
from ..schema import JudgeIdentity, JudgeStatus, Judgment
from ._contract import failed, verdict_of

judges: Registry[Callable[[Mapping[str, Any]], Any]] = Registry("judge", "whileai_exp.judges")

INLINE = "__whileai_inline__"
"""Attribute of judges that are pure, quick and ours: called on the loop, without a thread and without a copy."""


def inline(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a judge as pure and quick."""
    setattr(function, INLINE, True)
    return function


class AsJudge:
    """A callable as the runner wants it: bounded in time, never raising, never touching the caller's row.

    `deadline_s` counts from the call's start. A hung synchronous judge is abandoned in its daemon thread and counted.
    """

    def __init__(
        self, function: Callable[..., Any], *, identity: JudgeIdentity, deadline_s: float, pool: CallPool, reason_chars: int
    ) -> None:
        self.function = function
        self.identity = identity
        self._deadline_s = deadline_s
        self._pool = pool
        self._reason_chars = reason_chars
        self._inline = bool(getattr(function, INLINE, False))

    @property
    def name(self) -> str:
        return self.identity.name

    async def judge(self, row: Mapping[str, Any]) -> Judgment:
        rollout_id = str(row.get("rollout_id", ""))
        try:
            if self._inline:
                value = self.function(row)
                if inspect.isawaitable(value):
                    value = await value
            else:
                value = await self._pool.call(self.function, copy.deepcopy(dict(row)), timeout=self._deadline_s)
        except TimeoutError:
            return failed(rollout_id, self.identity, JudgeStatus.TIMEOUT, f"no verdict within {self._deadline_s:g} s")
        except (Exception, SystemExit) as error:  # a judge may raise anything; its row says so
            return failed(rollout_id, self.identity, JudgeStatus.ERROR, f"{type(error).__name__}: {error}"[:500])
        return verdict_of(value, rollout_id, self.identity, reason_chars=self._reason_chars)


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
) -> AsJudge:
    """The runner's form of a judge: a callable, or `{kind: name, …}` / `{target: "module:attr"}` by registry.

    JudgeError for a class, a string that is no name, or anything that cannot be called.
    """
    if isinstance(given, AsJudge):
        return given
    function = given
    if isinstance(given, str):
        function = judges.create({"kind": given})
    elif isinstance(given, Mapping):
        function = judges.create(given)
        name = name or str(given.get("kind") or given.get("target"))
    if isinstance(function, type):
        raise JudgeError(f"{function.__name__} is a class: pass an instance, {function.__name__}(…)")
    if not callable(function):
        raise JudgeError(f"a judge is a callable that takes a row, got {type(function).__name__}")
    return AsJudge(
        function,
        identity=identity_of(function, name=name, version=version),
        deadline_s=deadline_s,
        pool=pool,
        reason_chars=reason_chars,
    )
