"""The same replies under a reference model: their summed log-probability, for KL and for importance ratios."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Protocol, cast, runtime_checkable

from .._aio import is_async, run_sync
from .._clock import SystemClock
from ..errors import BackendError, ConfigError, Problem
from ..knobs import RunKnobs
from ..models._scoring import CANNOT_SCORE, PromptScorer, Render
from ..models.backend import Link, key_of
from ..plan.refs import parse_ref
from ..plan.types import ModelRef
from ._show import Report, notes
from ._sources import Resolver, Source, rows_of
from ._table import items_of, number_of

Message = Mapping[str, Any]


@runtime_checkable
class ScoresPrompts(Protocol):
    """A model endpoint that gives log-probabilities of a prompt's own tokens (vLLM's `prompt_logprobs`)."""

    async def prompt_logprobs(self, messages: Sequence[Message]) -> Sequence[float]:
        """One natural-log probability per token of the rendered conversation, in order. BackendError when it fails.

        A conversation whose last message is not the assistant's is rendered up to where the assistant begins to write.
        """
        ...


class _Called:
    """A function of the conversation, as a scorer."""

    def __init__(self, function: Any) -> None:
        self._function = function

    async def prompt_logprobs(self, messages: Sequence[Message]) -> Sequence[float]:
        found = self._function(messages)
        return await found if is_async(self._function) else found


@dataclass(frozen=True, slots=True)
class ReferenceScores(Report):
    """Rows with `ref_logprob`, and what could not be scored."""

    rows: tuple[dict[str, Any], ...]
    n_scored: int
    token_count_gap: int
    """Reference tokens minus the policy's, over scored rows: not 0 when the tokenizers differ, and then KL is off."""
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = f"{self.n_scored} of {len(self.rows)} rows scored, token count gap {self.token_count_gap}"
        return "\n".join([head, *notes(self.warnings)])


def reference_logprobs(
    rows: Source,
    model: Any,
    *,
    system_prompt: str | None = None,
    tools: Iterable[Mapping[str, Any]] | None = None,
    render: Render | None = None,
    resolver: Resolver | None = None,
    knobs: RunKnobs | None = None,
) -> ReferenceScores:
    """Copies of the rows with `ref_logprob`: the summed logprob of the assistant turns under `model`.

    `model`: `vllm:<model>@<url>` (Chat Completions with `prompt_logprobs`; with `render=`, a function from messages to text,
    Completions with `echo`), anything with `prompt_logprobs(messages)`, or a function from messages to one logprob per token.
    `system_prompt` and `tools` stand in the prompt the policy saw and not on its rows; None takes those of the run that
    `rows` is. A turn's logprob is that of the conversation up to and with it, past the tokens of the conversation before it.
    ConfigError when the model cannot score: an endpoint that only returns logprobs of what it generates cannot say what it
    would have thought of another model's words.
    """
    knobs = knobs or RunKnobs()
    spec = getattr(getattr(rows, "plan", None), "spec", rows)
    system = system_prompt if system_prompt is not None else getattr(spec, "system_prompt", "")
    declared = tools if tools is not None else [tool.wire() for tool in getattr(spec, "tools", ())]
    scorer = _scorer(model, list(declared), render, knobs)
    return run_sync(_scored(rows_of(rows, resolver), scorer, str(system or ""), knobs.endpoint_concurrency))


def _scorer(model: Any, tools: list[Mapping[str, Any]], render: Render | None, knobs: RunKnobs) -> ScoresPrompts:
    ref = parse_ref(model, "model") if isinstance(model, str) else model
    if isinstance(ref, ModelRef):
        link = Link(knobs.judge_timeout_s, knobs, SystemClock(), key_of(ref))
        return PromptScorer(ref, link, tools=tools, render=render)
    if isinstance(model, ScoresPrompts):
        return model
    if callable(model) and not hasattr(model, "complete"):
        return _Called(model)
    what = f"{type(model).__name__} cannot score a given text: it has no prompt_logprobs"
    raise ConfigError(Problem("model", what, "serve the reference with vLLM and pass vllm:<model>@<url>, or wrap your own call"))


async def _scored(rows: Sequence[Mapping[str, Any]], model: ScoresPrompts, system: str, at_once: int) -> ReferenceScores:
    out = [dict(row) for row in rows]
    room = asyncio.Semaphore(at_once)

    async def score(row: dict[str, Any]) -> tuple[int, int] | str:
        """(tokens, policy's tokens), or why the row was not scored."""
        messages = items_of(row, "messages")
        if not messages:
            return "no messages"
        if system and messages[0].get("role") != "system":
            messages = [{"role": "system", "content": system}, *messages]
        if not any(message.get("role") == "assistant" for message in messages):
            return "no assistant turn"
        async with room:
            try:
                total, tokens = await _turns(messages, model)
            except BackendError as error:
                if error.kind == CANNOT_SCORE:
                    raise ConfigError(Problem("model", str(error), "serve the reference with vLLM")) from error
                return error.kind
        row["ref_logprob"] = total
        policy = number_of(row.get("n_tokens"))
        return tokens, int(policy) if policy > 0 else tokens

    async with AsyncExitStack() as stack:
        if isinstance(model, PromptScorer):
            stack.push_async_callback(model.aclose)
        told = await asyncio.gather(*map(score, out))
    counted = [item for item in told if not isinstance(item, str)]
    reasons = [item for item in told if isinstance(item, str)]
    gap = sum(tokens - policy for tokens, policy in counted)
    warnings = [f"{reasons.count(why)} rows not scored: {why}" for why in sorted(dict.fromkeys(reasons))]
    if gap:
        warnings.append(f"the reference counts {gap:+d} tokens against the policy: the tokenizers or templates differ")
    return ReferenceScores(tuple(out), len(counted), gap, tuple(warnings))


async def _turns(messages: Sequence[Message], model: ScoresPrompts) -> tuple[float, int]:
    """(summed logprob, tokens) of the assistant turns."""
    total, tokens = 0.0, 0
    for at, message in enumerate(messages):
        if message.get("role") != "assistant":
            continue
        before = len(await model.prompt_logprobs(messages[:at])) if at else 0
        upto = await model.prompt_logprobs(messages[: at + 1])
        total += float(sum(cast("Sequence[float]", upto[before:])))
        tokens += len(upto) - before
    return total, tokens
