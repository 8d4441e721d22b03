"""Every error this package raises on purpose, and the exit codes they map to.

    WhileaiError
    ├── ConfigError (ValueError)    before anything was spent; carries every problem found
    │   └── SpecError               the agent's spec (tools, policy, rubric) cannot be used
    ├── BackendError                a model endpoint failed; says whether a retry can help
    ├── WorldError                  a user's own world or fault mode broke its contract
    ├── JudgeError                  a judge cannot be built (a failing judgment is data, never an exception)
    ├── GateError                   gates refused; carries the results (the seeds' PublishGateError)
    ├── ExportError                 an export would be wrong or would leak
    ├── ReplayMismatch              a replay differs from its record
    ├── RunBusy                     another process owns the run directory
    └── DiskError                   the record could not be written; the run can be resumed

Two regimes. Before the first rollout, problems raise, all at once. After it, failures are data: a status on the
rollout or the judgment and a count in the record.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any


class ExitCode(IntEnum):
    """What the process tells its caller; one verdict line is printed with it."""

    COMPLETE = 0
    FAULT = 1
    CONFIG = 2
    GATES_REFUSED = 3
    REPLAY_DIFFERS = 5
    BUSY = 73
    DISK = 74
    INCOMPLETE = 75
    KEY_REFUSED = 77
    INTERRUPTED = 130
    TERMINATED = 143


class WhileaiError(Exception):
    """The root: catching it catches everything this package raises on purpose."""

    exit_code: ExitCode = ExitCode.FAULT


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with what was asked for, complete enough to be fixed without reading docs."""

    where: str
    """The dotted name of the value (`advanced.probe`) or the file."""
    what: str
    """What was given and what is allowed, one sentence."""
    fix: str = ""
    """The next step, or empty when `what` already says it."""
    origin: str = ""
    """The file or command-line token that the value came from."""

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        if self.fix:
            text += f"; {self.fix}"
        if self.origin:
            text += f" [from {self.origin}]"
        return text


class ConfigError(WhileaiError, ValueError):
    """What was asked for cannot be run. `problems` holds every reason, not only the first."""

    exit_code = ExitCode.CONFIG

    def __init__(self, problems: str | Problem | Iterable[Problem]) -> None:
        if isinstance(problems, str):
            problems = (Problem("", problems),)
        elif isinstance(problems, Problem):
            problems = (problems,)
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class SpecError(ConfigError):
    """The agent's tools, policy or rubric cannot be read or used."""


class BackendError(WhileaiError):
    """A model call failed for good (after retries). Nothing recorded is lost; the run can be resumed."""

    exit_code = ExitCode.INCOMPLETE

    def __init__(self, message: str, *, kind: str = "error", status: int | None = None, retryable: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        """A closed word: error, timeout, rate_limited, key_refused, quota, context_length, content_filter, bad_response, unreachable."""
        self.status = status
        self.retryable = retryable


class WorldError(WhileaiError):
    """A user's own world, fault mode or result builder broke its contract."""


class JudgeError(WhileaiError):
    """A judge cannot be built from what was given."""


class GateError(WhileaiError):
    """Gates refused. `results` holds every gate's verdict, refused or not."""

    exit_code = ExitCode.GATES_REFUSED

    def __init__(self, message: str, results: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.results = results


PublishGateError = GateError


class ExportError(WhileaiError):
    """An export would be empty, wrong or would leak; nothing was written."""


class ReplayMismatch(WhileaiError):
    """A replay gave other rows than its record."""

    exit_code = ExitCode.REPLAY_DIFFERS


class RunBusy(WhileaiError):
    """Another process owns the run directory."""

    exit_code = ExitCode.BUSY


class DiskError(WhileaiError):
    """The record could not be written; free space and resume."""

    exit_code = ExitCode.DISK


class KeyRefused(BackendError):
    """The endpoint refuses the key or its quota is used up; the run can be resumed with another."""

    exit_code = ExitCode.KEY_REFUSED

    def __init__(self, message: str, *, kind: str = "key_refused", status: int | None = None) -> None:
        super().__init__(message, kind=kind, status=status, retryable=False)
