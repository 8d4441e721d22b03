"""The knobs that verifiers read where their own settings are silent: those of the run that is judging, else the defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

from ..knobs import JudgeKnobs

_CURRENT: ContextVar[JudgeKnobs | None] = ContextVar("whileai_verifier_knobs", default=None)
_DEFAULTS = JudgeKnobs()


def current() -> JudgeKnobs:
    """The knobs in force in this call."""
    return _CURRENT.get() or _DEFAULTS


def under(knobs: JudgeKnobs, verifier: Callable[[Mapping[str, Any]], Any]) -> Callable[[Mapping[str, Any]], Any]:
    """`verifier` reading `knobs`, whichever thread it is called in."""

    def judged(row: Mapping[str, Any]) -> Any:
        token = _CURRENT.set(knobs)
        try:
            return verifier(row)
        finally:
            _CURRENT.reset(token)

    return judged
