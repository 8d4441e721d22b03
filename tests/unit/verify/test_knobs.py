"""A run's knobs reach the verifiers that judge it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from whileai_exp._aio import CallPool
from whileai_exp.judges import as_judge
from whileai_exp.judges._base import Bench
from whileai_exp.knobs import RunKnobs, resolve
from whileai_exp.verify import All, ExactMatch, Verifier
from whileai_exp.verify._knobs import current


class Reader(Verifier):
    """Says which limit is in force."""

    needs_reference = False

    def check(self, candidate, reference, row):  # noqa: ANN001, ANN201
        return {"reward": 1, "limit": current().regex_timeout_s}


def limit_of(judge, **knobs) -> float:  # noqa: ANN001
    async def work() -> float:
        with CallPool(2) as pool:
            made = as_judge(judge, pool=pool, deadline_s=5, bench=replace(Bench(), knobs=resolve(RunKnobs, knobs)))
            return (await made.judge({"final_text": "x", "answer": "x"})).meta.get("limit", current().regex_timeout_s)

    return asyncio.run(work())


def test_an_override_is_in_force_while_judging_and_only_then() -> None:
    assert limit_of(Reader(), regex_timeout_s=0.25) == 0.25
    assert limit_of(Reader()) == RunKnobs().regex_timeout_s == current().regex_timeout_s
    assert limit_of(All([ExactMatch(), Reader()]), regex_timeout_s=0.25) == RunKnobs().regex_timeout_s
