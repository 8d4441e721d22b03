"""Which rows a file of training data may hold, and in what words: the part that every format shares.

A `Maker` turns rows into conversations one at a time and counts what it left out and why. Rows to be imitated must have
passed, whole, under a judge that was no evaluation; rows that only give a prompt need an opening. A row whose agent recites
its answer key stops the whole export, because such a key came to the agent from somewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import ConfigError, Problem
from ..schema import Tool, reward_of
from ..schema.steps import dumps
from ..selection._hygiene import from_eval, is_truncated, label_reason
from ..selection._recital import recital, texts_of
from .conversation import MASKS, Conversation, Unfit, conversation_of

_NAMED = 20
"""Rollouts named per reason in the report."""
REASONING = ("drop", "keep")


@dataclass(slots=True)
class Maker:
    """Rows in, conversations out."""

    system_prompt: str = ""
    tools: tuple[Tool, ...] = ()
    failures: bool = False
    mask: str = "assistant"
    reasoning: str = "drop"
    answer: str | None = None
    """The row key whose value a reward function is to be handed, for formats of prompts."""
    quote_chars: int = 12
    n: int = 0
    left_out: dict[str, list[str]] = field(default_factory=dict)
    """Reason to the first rollouts that were left out for it."""
    counts: dict[str, int] = field(default_factory=dict)
    """Reason to how many were."""
    leaks: list[str] = field(default_factory=list)
    n_keyed: int = 0
    """Rows that came with an answer key to look for."""
    n_short: int = 0
    """Of those, rows with a key too short to tell a recital from an answer."""
    names: frozenset[str] = frozenset()
    wired: list[dict[str, Any]] = field(default_factory=list)
    tools_text: str = ""
    """The declared tools as JSON text: one type for every reader, whatever their schemas look like."""

    def __post_init__(self) -> None:
        problems = []
        if self.mask not in MASKS:
            problems.append(Problem("mask", f"{self.mask!r} is not a loss mask", f"use {' or '.join(MASKS)}"))
        if self.reasoning not in REASONING:
            problems.append(Problem("reasoning", f"{self.reasoning!r} is not known", f"use {' or '.join(REASONING)}"))
        if self.answer == "privileged":
            problems.append(Problem("answer", "answer keys never go into a file", "name a key of the row's own"))
        if problems:
            raise ConfigError(problems)
        self.names = frozenset(tool.name for tool in self.tools)
        self.wired = [tool.wire() for tool in self.tools]
        self.tools_text = dumps(self.wired).decode() if self.wired else ""

    def imitated(self, row: Mapping[str, Any]) -> Conversation | None:
        """The row's conversation with its loss mask, or None when it is left out."""
        self.n += 1
        reason = self.reason_against(row)
        return self._made(row, imitated=True) if reason is None else self.leave_out(row, reason)

    def reason_against(self, row: Mapping[str, Any]) -> str | None:
        """Why the row may not be imitated, or None."""
        if from_eval(row):
            return "graded_as_evaluation"
        if is_truncated(row):
            return "truncated"
        label = label_reason(row)
        if label is not None and not (self.failures and label == "unjudged"):
            return label
        return None if self.failures or reward_of(row.get("reward")) == 1.0 else "failed"

    def prompt(self, row: Mapping[str, Any]) -> Conversation | None:
        """What the agent was given before its first turn, or None when the row is left out."""
        return self._made(row, imitated=False)

    def either_side(self, row: Mapping[str, Any]) -> Conversation | None:
        """The conversation of one side of a pair, whatever its reward."""
        return self._made(row, imitated=True)

    def leave_out(self, row: Mapping[str, Any], reason: str) -> None:
        """Count a row that the file will not hold."""
        self.counts[reason] = self.counts.get(reason, 0) + 1
        named = self.left_out.setdefault(reason, [])
        if len(named) < _NAMED:
            named.append(str(row.get("rollout_id") or f"row {self.n - 1}"))

    def _made(self, row: Mapping[str, Any], *, imitated: bool) -> Conversation | None:
        try:
            made = conversation_of(
                row,
                reward_of(row.get("reward")),
                system_prompt=self.system_prompt,
                tools=self.names,
                mask=self.mask,
                reasoning=self.reasoning,
                imitated=imitated,
            )
        except Unfit as error:
            return self.leave_out(row, str(error))
        if imitated and self._recites(row, made):
            self.leaks.append(str(row.get("rollout_id") or f"row {self.n - 1}"))
        return made

    def _recites(self, row: Mapping[str, Any], made: Conversation) -> bool:
        """Whether trained words hold a stretch of the row's own key that nobody told the agent in this conversation."""
        looked = recital(
            row, " ".join(_words(made, trained=True)), lambda: " ".join(_words(made, trained=False)), self.quote_chars
        )
        self.n_keyed += looked.keyed
        self.n_short += looked.short
        return looked.found


def _words(made: Conversation, *, trained: bool) -> Iterator[str]:
    for turn in made.turns:
        if turn.trained is trained:
            yield turn.content if isinstance(turn.content, str) else " ".join(texts_of([turn.content]))
            for call in turn.calls:
                yield call.arguments
