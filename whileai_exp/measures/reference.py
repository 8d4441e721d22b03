"""The same replies under a reference model: their summed log-probability, for KL and for importance ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from .._aio import run_sync
from ..errors import BackendError, ConfigError, Problem
from ._show import Report, notes
from ._sources import Resolver, Source, rows_of

Message = Mapping[str, Any]


@runtime_checkable
class ScoresPrompts(Protocol):
    """A model endpoint that gives log-probabilities of a prompt's own tokens (vLLM's `prompt_logprobs`)."""

    async def prompt_logprobs(self, messages: Sequence[Message]) -> Sequence[float]:
        """One natural-log probability per token of the rendered conversation, in order. BackendError when it fails."""
        ...


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


def reference_logprobs(rows: Source, model: Any, *, resolver: Resolver | None = None) -> ReferenceScores:
    """Copies of the rows with `ref_logprob`: the summed logprob of the assistant turns under `model`.

    `model`: has `prompt_logprobs(messages)`. A turn's logprob is that of the conversation up to and with it minus that of the
    conversation before it. ConfigError when the model cannot score prompts: a chat endpoint that only returns logprobs of what
    it generates cannot say what it would have thought of another model's words.
    """
    if not isinstance(model, ScoresPrompts):
        what = f"{type(model).__name__} cannot score a given text: it has no prompt_logprobs"
        raise ConfigError(
            Problem("model", what, "serve the reference where prompt logprobs are offered (vLLM) and wrap that call")
        )
    return run_sync(_scored(rows_of(rows, resolver), model))


async def _scored(rows: Sequence[Mapping[str, Any]], model: ScoresPrompts) -> ReferenceScores:
    out: list[dict[str, Any]] = []
    scored = gap = 0
    told: dict[str, int] = {}
    for row in rows:
        made = dict(row)
        out.append(made)
        messages = row.get("messages")
        if not isinstance(messages, list) or not messages:
            told["no messages"] = told.get("no messages", 0) + 1
            continue
        try:
            total, tokens = await _turns(messages, model)
        except BackendError as error:
            told[error.kind] = told.get(error.kind, 0) + 1
            continue
        made["ref_logprob"] = total
        scored += 1
        gap += tokens - int(row.get("n_tokens") or tokens)
    warnings = [f"{count} rows not scored: {why}" for why, count in sorted(told.items())]
    if gap:
        warnings.append(f"the reference counts {gap:+d} tokens against the policy: the tokenizers or templates differ")
    return ReferenceScores(tuple(out), scored, gap, tuple(warnings))


async def _turns(messages: Sequence[Message], model: ScoresPrompts) -> tuple[float, int]:
    """(summed logprob, tokens) of the assistant turns."""
    total, tokens = 0.0, 0
    for at, message in enumerate(messages):
        if message.get("role") != "assistant":
            continue
        before = len(await model.prompt_logprobs(messages[:at]))
        upto = await model.prompt_logprobs(messages[: at + 1])
        total += float(sum(upto[before:]))
        tokens += len(upto) - before
    return total, tokens
