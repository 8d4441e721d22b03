"""Does the program pass hidden tests? Run where it can neither see them, nor the machine, nor anybody's keys."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..errors import ConfigError, Problem
from ._base import Row, Verifier, candidate_of
from ._extract import code_of
from ._knobs import current
from ._levels import level_of_this_machine
from ._sandbox import Limits, run_boxes
from .box.names import free_names

_UNJUDGED = {
    "starved": "timeout",
    "sandbox_broken": "error",
    "tests_error": "error",
    "tests_invalid": "error",
    "unsupported": "error",
}
"""Reasons that say nothing about the candidate, and the status of the row."""


@dataclass(frozen=True, kw_only=True)
class CodeExec(Verifier):
    """Whether the reply's program passes hidden tests: asserts, `test_` functions, or unittest cases.

    Tests come from `tests`, else the row's `privileged.tests`, else `tests` on the row, as Python text. They run as
    `__main__` in a box of their own; the candidate runs in another. Plain values cross; objects of the candidate's stay
    there and are asked, and one never equals a plain value. What cannot be run or seen that way (functions of the tests
    handed over, unknown fixtures, captured output, a check that nobody calls) is `unsupported:what` and leaves the row
    unjudged, as do tests that test nothing. `partial`: the share of tests passed instead of all or nothing. `setup` is
    put before the candidate. None: the knob of the same name.

    The weakest containment accepted is `min_level` (3 namespaces, 2 Landlock and seccomp, 1 limits only, for code you
    trust). Below it nothing runs: every row is unjudged, and the reason says what to install.
    """

    tests: str | None = None
    setup: str = ""
    partial: bool = False
    timeout_s: float | None = None
    cpu_s: float | None = None
    memory_mb: int | None = None
    min_level: int | None = None
    level: int | None = None
    """Run at this level instead of the strongest there is."""

    needs_reference = False

    def __post_init__(self) -> None:
        super().__post_init__()
        problems = []
        for name in ("min_level", "level"):
            if getattr(self, name) not in (None, 1, 2, 3):
                problems.append(Problem(name, f"{getattr(self, name)!r} is not 1, 2 or 3"))
        for name in ("timeout_s", "cpu_s", "memory_mb"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                problems.append(Problem(name, f"{value!r} is not above 0"))
        if problems:
            raise ConfigError(problems)

    def __call__(self, row: Row) -> dict[str, Any]:
        tests = self._tests(row)
        if not tests.strip():
            return {"reward": None, "reason": "the row has no tests (privileged.tests)"}
        return self._judged(candidate_of(row), tests)

    def _tests(self, row: Row) -> str:
        privileged = row.get("privileged")
        held = privileged.get("tests") if isinstance(privileged, Mapping) else None
        given = self.tests if self.tests is not None else held if held is not None else row.get("tests")
        if isinstance(given, (list, tuple)):
            given = "\n".join(str(item) for item in given)
        return str(given) if given is not None else ""

    def _judged(self, reply: str, tests: str) -> dict[str, Any]:
        knobs = current()
        level, why = level_of_this_machine()
        least = self.min_level if self.min_level is not None else knobs.sandbox_min_level
        used = self.level if self.level is not None else level
        if used > level or used < least:
            raise_to = "apt install bubblewrap" if level < 3 else "lower min_level only for code you trust"
            said = f"this machine holds at level {level} ({why or 'all'}), level {max(used, least)} is asked for: {raise_to}"
            return {"reward": None, "judge_status": "error", "reason": f"sandbox_unavailable: {said}"[:400]}
        meta = {"sandbox_level": used}
        source = code_of(reply, wanted_names(tests))
        if source is None:
            return {"reward": 0.0, "reason": "no_code", **meta}
        if self.setup:
            source = f"{self.setup}\n{source}"
        if "\x00" in source or not _encodes(source):
            return {"reward": 0.0, "reason": "invalid_source", **meta}
        limits = Limits(
            timeout_s=self.timeout_s if self.timeout_s is not None else knobs.code_timeout_s,
            cpu_s=self.cpu_s if self.cpu_s is not None else knobs.code_cpu_s,
            memory_mb=self.memory_mb if self.memory_mb is not None else knobs.code_memory_mb,
            processes=knobs.code_processes,
        )
        found = run_boxes(source, tests, limits, used)
        meta |= {"tests_passed": found.passed, "tests_total": found.total}
        kind = found.reason.split(":", 1)[0]
        if kind in _UNJUDGED:
            return {"reward": None, "judge_status": _UNJUDGED[kind], "reason": found.reason, **meta}
        if found.total == 0:
            return {"reward": None, "judge_status": "error", "reason": "the tests test nothing", **meta}
        share = found.passed / found.total
        reward = share if self.partial else float(found.passed == found.total)
        failure = {} if reward == 1.0 else {"failure_class": kind}
        return {"reward": reward, "reason": found.reason, "markers": {"tests_passed": share}, **failure, **meta}


def _encodes(source: str) -> bool:
    try:
        source.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@lru_cache(maxsize=1024)
def wanted_names(tests: str) -> tuple[str, ...]:
    """Names that tests use and leave to the candidate: what it should bring. Empty when they do not parse."""
    try:
        tree = ast.parse(tests)
    except SyntaxError:
        return ()
    return free_names(tree)[0]
