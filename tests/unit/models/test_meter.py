"""What a run cost, by role and model."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from whileai_exp.errors import BackendError, ConfigError
from whileai_exp.models import Meter, Price, metered
from whileai_exp.plan.types import ModelRef
from whileai_exp.ports import Address, ChatRequest, Reply
from whileai_exp.schema import Usage


class Fixed:
    model = "m"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    async def complete(self, request: ChatRequest) -> Reply:
        if isinstance(self.answer, BackendError):
            raise self.answer
        return self.answer

    async def aclose(self) -> None: ...


def spend(meter: Meter, answer: Any, role: str = "agent", **options: Any) -> None:
    model = metered(Fixed(answer), meter, ModelRef("url", "m", options=options))
    asyncio.run(model.complete(ChatRequest((), Address(role))))


def test_tokens_latency_and_attempts_add_up_by_role():
    meter = Meter()
    spend(meter, Reply(text="x", usage=Usage(100, 10), latency_s=2.0, attempts=3))
    spend(meter, Reply(text="x", usage=Usage(None, None), latency_s=4.0))
    spend(meter, Reply(text="x", usage=Usage(1, 1)), role="judge")
    agent, judge = meter.table()
    assert (agent["calls"], agent["attempts"], agent["uncounted"], agent["mean_latency_s"], agent["max_latency_s"]) == (
        2,
        4,
        1,
        3.0,
        4.0,
    )
    assert meter.tokens == 112 and judge["role"] == "judge" and meter.money is None


def test_money_is_known_only_where_a_price_is():
    meter = Meter()
    spend(meter, Reply(text="x", usage=Usage(1_000_000, 500_000, 400_000)), price={"input": 2.0, "output": 8.0, "cached": 0.5})
    spend(meter, Reply(text="x", usage=Usage(7, 7)), role="judge")
    assert meter.money == pytest.approx(0.6 * 2.0 + 0.4 * 0.5 + 0.5 * 8.0)
    assert meter.table()[1]["money"] is None


def test_a_failed_call_is_counted_apart():
    meter = Meter()
    with pytest.raises(BackendError):
        spend(meter, BackendError("x"))
    assert meter.table()[0]["failed"] == 1 and meter.table()[0]["calls"] == 0


@pytest.mark.parametrize(
    "bad", [{}, {"input": 1}, {"input": 1, "output": -1}, {"input": "1", "output": 2}, {"input": 1, "output": 2, "per": 3}]
)
def test_a_price_that_is_none_is_refused(bad):
    with pytest.raises(ConfigError, match="dollars per million"):
        Price.of(bad)
