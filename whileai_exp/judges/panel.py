"""Several judges as one: the majority decides, and how they voted is kept."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._aio import CallPool
from .._hash import sha
from ..errors import ConfigError, JudgeError, Problem
from ..plan.types import ModelRef
from ..schema import JudgeIdentity
from ._base import Bench, identity_of, made, wanted_models
from ._base import judges as registry
from ._contract import verdict_of
from ._own import OwnRow
from .llm import majority

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Panel:
    """Judges of different kinds or models that vote. A tie, or no readable vote, leaves the row unjudged.

    `judges`: callables, registered names, or `{kind: …}`. A member that fails loses its vote and is named.
    """

    judges: Sequence[Any]
    name: str | None = None

    def __post_init__(self) -> None:
        if not self.judges or isinstance(self.judges, (str, Mapping)):
            raise ConfigError(Problem("judge.judges", "is no list of judges", "name two or more"))

    def wanted(self, default_model: str | None) -> list[tuple[ModelRef, bool]]:
        """The models that its members call."""
        return [found for judge in self.judges for found in wanted_models(judge, default_model)]

    def bind(self, bench: Bench) -> Callable[[Row], Any]:
        return BoundPanel(
            self, [made(judge, bench)[0] for judge in self.judges], bench.pool or CallPool(bench.knobs.judge_concurrency)
        )

    def __call__(self, row: Row) -> Any:
        raise JudgeError("a Panel is called through run_judge, grade or an experiment, which bind its members")


class BoundPanel:
    """A panel whose members can be called."""

    kind = "panel"

    def __init__(self, panel: Panel, members: Sequence[Callable[[Row], Any]], pool: CallPool) -> None:
        self.members = tuple(members)
        self._members = [(member, identity_of(member)) for member in members]
        self._pool = pool
        self.name = panel.name or "panel:" + "+".join(who.name for _, who in self._members)
        versions = [who.version for _, who in self._members]
        self.version = "panel:" + sha(versions, 12) if None not in versions else None
        self.model = ", ".join(sorted({who.model for _, who in self._members if who.model})) or None
        self.journals_itself = all(getattr(member, "journals_itself", False) for member in members)

    async def __call__(self, row: Row) -> dict[str, Any]:
        told = await asyncio.gather(*(self._vote(member, who, row) for member, who in self._members))
        return {
            **majority(told),
            "panel": [who.name for _, who in self._members],
            "problems": [v["problem"] for v in told if "problem" in v],
        }

    async def _vote(self, member: Callable[[Row], Any], who: JudgeIdentity, row: Row) -> dict[str, Any]:
        try:
            if inspect.iscoroutinefunction(getattr(member, "__call__", member)):  # noqa: B004
                value = await member(row)
            else:
                value = await self._pool.call(member, OwnRow(row))
        except Exception as error:  # a member's failure is a lost vote
            return {"reward": None, "problem": f"{who.name}: {type(error).__name__}: {error}"[:300]}
        verdict = verdict_of(value, "", who)
        out: dict[str, Any] = {"reward": verdict.reward, "reason": verdict.reason, "markers": dict(verdict.markers)}
        if verdict.failure_class:
            out["failure_class"] = verdict.failure_class
        if verdict.reward is None:
            out["problem"] = f"{who.name}: {verdict.status}"
        return out


registry.register("panel")(Panel)
