"""Is the text right? Equality, inclusion and patterns, with numbers and signs left whole."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from ..errors import ConfigError, Problem
from ._base import Row, Unjudged, Verifier, listed
from ._knobs import current
from ._worker import workers

_SPACE = re.compile(r"\s+")
_EDGE = " \t\"'`*_.,;:!?。，；：！？“”‘’«»"
_NEGATION = re.compile(
    r"(?:\b(?:not|never|no|without|cannot|neither|nor|hardly|isn't|wasn't|aren't|won't|can't|didn't|doesn't|don't)\b|n't\b|\bun-?$)[\w\s'-]{0,24}$"
)
_LEAD = re.compile(r"^(?:the\s+)?(?:final\s+)?(?:answer|result)\s*(?:is|[:=：])\s*", re.IGNORECASE)


def tidy(text: str, *, lower: bool = True, punctuation: bool = True) -> str:
    """Text for comparing: one Unicode form, one space, no case, and no punctuation at its ends (inside it stays)."""
    text = _SPACE.sub(" ", unicodedata.normalize("NFKC", text).replace("’", "'").replace("−", "-")).strip()
    if punctuation:
        bare = text.strip(_EDGE)
        if text.startswith((".", "*.")) and bare[:1].isdigit():
            bare = "." + bare
        text = bare or text
    return text.casefold() if lower else text


@dataclass(frozen=True, kw_only=True)
class ExactMatch(Verifier):
    """Whether the last line of the reply (`whole`: all of it) is the reference, or one of a list of references.

    Case and punctuation at the ends do not count, unless `lower` or `strip_punct` is off; what is inside does, so -5 is
    not 5 and C++ is not C.
    """

    lower: bool = True
    strip_punct: bool = True
    whole: bool = False

    def check(self, candidate: str, reference: Any, row: Row) -> Any:
        lines = [line for line in candidate.splitlines() if line.strip()]
        said = candidate if self.whole or not lines else lines[-1]

        def form(text: Any) -> str:
            return tidy(str(text), lower=self.lower, punctuation=self.strip_punct)

        forms = {form(said)} if self.whole else {form(said), form(_LEAD.sub("", said.strip().lstrip("*_ ")))}
        right = any(form(item) in forms for item in listed(reference))
        return float(right), "right" if right else "another text"


@dataclass(frozen=True, kw_only=True)
class Includes(Verifier):
    """Whether the reply contains the reference as whole words: `all` of a list, or `any`.

    15 does not contain 5, and with `negation` (the default) "not refunded" does not contain "refunded".
    """

    mode: str = "all"
    negation: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mode not in ("all", "any"):
            raise ConfigError(Problem("mode", f"{self.mode!r} is not all or any"))

    def check(self, candidate: str, reference: Any, row: Row) -> Any:
        wanted = [tidy(str(item)) for item in listed(reference)]
        if not wanted or not all(wanted):
            raise Unjudged("the reference is empty: everything would include it", "error")
        text = _SPACE.sub(" ", unicodedata.normalize("NFKC", candidate).replace("’", "'").replace("−", "-")).casefold()
        found = [self._has(text, item) for item in wanted]
        right = all(found) if self.mode == "all" else any(found)
        return float(right), f"{sum(found)} of {len(found)} found"

    def _has(self, text: str, wanted: str) -> bool:
        before = r"(?<![\w])(?<!\d[.,])" if wanted[0].isdigit() else r"(?<!\w)" if wanted[0].isalnum() else ""
        if wanted[0].isdigit():
            before += r"(?<!-)"
        after = r"(?!\w)(?![.,]\d)" if wanted[-1].isdigit() else r"(?!\w)" if wanted[-1].isalnum() else ""
        for found in re.finditer(before + re.escape(wanted) + after, text):
            clause = re.split(r"[.;!?\n,]|\bbut\b", text[max(0, found.start() - 60) : found.start()])[-1]
            if not self.negation or not _NEGATION.search(clause):
                return True
        return False


@dataclass(frozen=True, kw_only=True)
class Regex(Verifier):
    """Whether a pattern is found in the reply; with `group`, whether what it captured is the reference.

    `pattern` None: the reference is the pattern. The match runs in a worker that is killed after `timeout_s`
    (None: regex_timeout_s), and the row is then unjudged with status timeout.
    """

    pattern: str | None = None
    group: int | str | None = None
    ignore_case: bool = False
    timeout_s: float | None = None

    needs_reference = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pattern is None and self.group is not None:
            raise ConfigError(Problem("group", "needs a pattern", "the reference cannot be both"))
        if self.pattern is None:
            return
        try:
            made = re.compile(self.pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise ConfigError(Problem("pattern", f"is no regular expression: {error}")) from error
        if (
            self.group is not None
            and self.group not in made.groupindex
            and not (isinstance(self.group, int) and 0 <= self.group <= made.groups)
        ):
            raise ConfigError(Problem("group", f"{self.group!r} is no group of the pattern", f"it has {made.groups}"))

    def check(self, candidate: str, reference: Any, row: Row) -> Any:
        if self.pattern is None and reference is None or self.group is not None and reference is None:
            raise Unjudged("the row has no reference")
        limit = self.timeout_s if self.timeout_s is not None else current().regex_timeout_s
        patterns = [self.pattern] if self.pattern is not None else [str(item) for item in listed(reference)]
        for pattern in patterns:
            told = workers().call("regex", [pattern, candidate, self.group, self.ignore_case], limit)
            if self.group is None:
                right = told["found"]
            else:
                right = any(
                    tidy(got) == tidy(str(item)) for got in told["captured"] if got is not None for item in listed(reference)
                )
            if right:
                return 1.0, "found"
        return 0.0, "not found"
