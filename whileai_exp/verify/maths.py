"""Is the expression the reference's? Symbolically, in a process that is killed when it takes too long."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from ..errors import JudgeError
from ._base import Row, Unjudged, Verifier, listed
from ._knobs import current
from ._numbers import boxed, number_of
from ._worker import workers


@dataclass(frozen=True, kw_only=True)
class MathEqual(Verifier):
    """Whether the reply's answer equals the reference as mathematics: numbers, expressions, relations, sets, matrices.

    The last \\boxed{} is the answer, several only where the reference is a list. A list of references: any of them will
    do. `timeout_s` (None: math_timeout_s) bounds each comparison by killing it; the row is then unjudged with status
    timeout. Needs the package math-verify (`pip install 'whileai-exp[math]'`); without it the constructor says so.
    """

    timeout_s: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if find_spec("math_verify") is None:
            raise JudgeError("MathEqual needs math-verify: pip install 'whileai-exp[math]'")

    def check(self, candidate: str, reference: Any, row: Row) -> Any:
        limit = self.timeout_s if self.timeout_s is not None else current().math_timeout_s
        unread = 0
        golds = listed(reference)
        if not candidate.strip():
            return 0.0, "the reply is empty"
        for gold in golds:
            quick = _same_number(str(gold), candidate)
            told = {"equal": quick} if quick else workers().call("maths", [str(gold), candidate[-20_000:]], limit)
            if told["equal"]:
                return 1.0, "equal"
            unread += told["equal"] is None
        if unread == len(golds):
            raise Unjudged("the reference cannot be read as mathematics", "error")
        return 0.0, "not equal"


def _same_number(gold: str, candidate: str) -> bool:
    """Whether both sides are nothing but one and the same number; False decides nothing."""
    boxes = boxed(candidate)
    said = number_of(boxes[-1] if boxes else candidate)
    return said is not None and said == number_of(gold)
