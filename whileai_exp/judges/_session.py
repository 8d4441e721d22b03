"""Judging many rows once, with whatever models the judge needs opened for it and closed after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any, NamedTuple, Required, TypedDict, Unpack

from .._aio import CallPool
from ..knobs import JudgeKnobs, ModelKnobs
from ..models import connect
from ..models.backend import named_models
from ..plan.types import ModelRef
from ..ports import ChatModel
from ..schema import Judgment, Spec
from ._base import AsJudge, Bench, as_judge
from ._contract import Scale
from ._runner import run_judges


class Session(NamedTuple):
    """The verdicts in the order of the rows, and who gave them."""

    verdicts: list[Judgment]
    judge: AsJudge


class JudgeOptions(TypedDict, total=False):
    """How a judge is to be run; what is left out or None is the judge's own or the knobs'."""

    knobs: Required[Any]
    """A RunKnobs, or the judging and model ones together."""
    deadline_s: float | None
    concurrency: int | None
    name: str | None
    version: str | None
    scale: Scale | None
    spec: Spec | None


async def judge_once(rows: Sequence[Mapping[str, Any]], judge: Any, **options: Unpack[JudgeOptions]) -> Session:
    """One verdict per row. JudgeError for what is no judge."""
    knobs, spec, deadline = options["knobs"], options.get("spec"), options.get("deadline_s")
    assert isinstance(knobs, JudgeKnobs) and isinstance(knobs, ModelKnobs)
    flights = options.get("concurrency") or knobs.judge_concurrency
    deadline = deadline if deadline is not None else knobs.judge_timeout_s
    async with AsyncExitStack() as stack:
        pool = stack.enter_context(CallPool(flights))
        opened: dict[str, ChatModel] = {}

        def open_model(ref: ModelRef, _private: bool) -> ChatModel:
            if repr(ref) not in opened:
                opened[repr(ref)] = connect(ref, timeout_s=deadline, knobs=knobs)
                stack.push_async_callback(opened[repr(ref)].aclose)
            return opened[repr(ref)]

        policies = frozenset(str(row["model_version"]) for row in rows if row.get("model_version"))
        bench = Bench(knobs, spec, open_model, default_model=named_models().get("WHILEAI_EXP_JUDGE"), policies=policies)
        made = as_judge(
            judge,
            pool=pool,
            deadline_s=deadline,
            reason_chars=knobs.judge_reason_chars,
            name=options.get("name"),
            version=options.get("version"),
            scale=options.get("scale"),
            bench=bench,
        )
        return Session(await run_judges(rows, made, concurrency=flights), made)
