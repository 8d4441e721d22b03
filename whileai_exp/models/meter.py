"""What the models of a run cost: calls, attempts, tokens, latency and money by role and model.

A meter stands between a model and the journal, so what is read back from a journal costs nothing. Money is known only
where prices were given; there is no price list in here that could be out of date.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import BackendError, ConfigError, Problem
from ..plan.types import ModelRef
from ..ports import ChatModel, ChatRequest, Reply


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float
    cached: float | None = None
    """For input that was read from the provider's cache; None: the input price."""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Price:
        """From `{input, output, cached?}`. ConfigError names what is wrong."""
        numbers = {
            name: value
            for name, value in given.items()
            if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0
        }
        if set(numbers) != set(given) or not {"input", "output"} <= set(given) <= {"input", "output", "cached"}:
            raise ConfigError(
                Problem("price", f"{dict(given)!r} is not {{input, output, cached?}} in dollars per million tokens")
            )
        return cls(**numbers)

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int) -> float:
        fresh = max(0, input_tokens - cached_tokens)
        cached = self.input if self.cached is None else self.cached
        return (fresh * self.input + cached_tokens * cached + output_tokens * self.output) / 1e6


@dataclass(slots=True)
class _Line:
    calls: int = 0
    failed: int = 0
    attempts: int = 0
    uncounted: int = 0
    """Answers whose server did not say how many tokens they took."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    latency_s: float = 0.0
    latency_max_s: float = 0.0
    money: float | None = None


@dataclass(slots=True)
class Meter:
    """The running account of one run."""

    lines: dict[tuple[str, str], _Line] = field(default_factory=dict)

    def line(self, role: str, model: str) -> _Line:
        found = self.lines.get((role, model))
        if found is None:
            found = self.lines[(role, model)] = _Line()
        return found

    @property
    def tokens(self) -> int:
        """Input and output tokens over all roles, where servers counted them."""
        return sum(line.input_tokens + line.output_tokens for line in self.lines.values())

    @property
    def money(self) -> float | None:
        """Dollars over all roles with a price; None when no role has one."""
        known = [line.money for line in self.lines.values() if line.money is not None]
        return sum(known) if known else None

    def table(self) -> list[dict[str, Any]]:
        """One row per role and model, in alphabetical order."""
        return [
            {
                "role": role,
                "model": model,
                "calls": line.calls,
                "failed": line.failed,
                "attempts": line.attempts,
                "uncounted": line.uncounted,
                "input_tokens": line.input_tokens,
                "output_tokens": line.output_tokens,
                "cached_tokens": line.cached_tokens,
                "mean_latency_s": line.latency_s / line.calls if line.calls else None,
                "max_latency_s": line.latency_max_s,
                "money": line.money,
            }
            for (role, model), line in sorted(self.lines.items())
        ]


class MeteredModel:
    """A model whose calls are on a meter."""

    def __init__(self, model: ChatModel, meter: Meter, price: Price | None) -> None:
        self._model = model
        self._meter = meter
        self._price = price

    @property
    def model(self) -> str:
        return self._model.model

    async def complete(self, request: ChatRequest) -> Reply:
        line = self._meter.line(request.address.role, self._model.model)
        try:
            reply = await self._model.complete(request)
        except BackendError:
            line.failed += 1
            raise
        usage = reply.usage
        line.calls += 1
        line.attempts += reply.attempts
        line.latency_s += reply.latency_s
        line.latency_max_s = max(line.latency_max_s, reply.latency_s)
        spent = (usage.input_tokens or 0, usage.output_tokens or 0, usage.cached_tokens or 0)
        line.uncounted += usage.input_tokens is None or usage.output_tokens is None
        line.input_tokens += spent[0]
        line.output_tokens += spent[1]
        line.cached_tokens += spent[2]
        if self._price is not None:
            line.money = (line.money or 0.0) + self._price.cost(*spent)
        return reply

    async def aclose(self) -> None:
        await self._model.aclose()


def metered(model: ChatModel, meter: Meter, ref: ModelRef) -> MeteredModel:
    """`model` with its calls on `meter`, at the price in `ref.options` if there is one; hand the result to the journal."""
    given = ref.options.get("price")
    return MeteredModel(model, meter, Price.of(given) if given is not None else None)
