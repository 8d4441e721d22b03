"""From exceptions to exit codes: one clear message for a user's mistake, a whole traceback for a fault of ours."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from types import FrameType

from .._text import printable
from ..errors import ConfigError, ExitCode, WhileaiError


class Terminated(BaseException):
    """The process was asked to end (SIGTERM)."""


def guarded(work: Callable[[], int]) -> int:
    """Run a command and turn what it raises into its exit code."""

    def on_term(_signal: int, _frame: FrameType | None) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, on_term)
    try:
        return work()
    except ConfigError as error:
        say_problems(error)
        return int(error.exit_code)
    except WhileaiError as error:
        print(f"{type(error).__name__}: {printable(str(error))}", file=sys.stderr)
        return int(error.exit_code)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return int(ExitCode.INTERRUPTED)
    except Terminated:
        print("terminated", file=sys.stderr)
        return int(ExitCode.TERMINATED)
    finally:
        signal.signal(signal.SIGTERM, before)


def say_problems(error: ConfigError, where: str = "") -> None:
    """Every problem on a line of its own."""
    count = len(error.problems)
    print(f"configuration{where}: {count} problem{'s' if count != 1 else ''}, nothing was run", file=sys.stderr)
    for problem in error.problems:
        print(f"  {printable(str(problem))}", file=sys.stderr)
