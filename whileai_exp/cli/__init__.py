"""The command line: `whileai-exp` and `python -m whileai_exp`.

A first word that is a verb goes to that verb's file; anything else is an experiment run with Hydra's overrides. A verb's
file imports nothing heavy until the verb is run, so that help and completion answer at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """The whole program; returns the exit code."""
    tokens = list(sys.argv[1:] if argv is None else argv)
    if tokens[:1] == ["--version"]:
        from importlib.metadata import version

        print(version("whileai-exp"))
        return 0
    if "" not in sys.path and sys.path[:1] != [str(Path.cwd())]:
        sys.path.insert(0, "")  # as `python -m` does: functions of yours are named from the folder you are in
    from ._app import call

    return call(tokens)
