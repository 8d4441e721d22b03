"""`whileai-exp run +experiment=NAME …`, the default verb: compose, check, run; with `-m`, a sweep."""

from __future__ import annotations

import typer


def run(context: typer.Context) -> int:
    """Run an experiment: +experiment=rl_v1 seed=3 counts.repeats=4; -m for a sweep; --cfg job prints the configuration.

    --yes spends beyond budget.ask_money and budget.ask_calls without asking.
    """
    from ._jobs import run_command

    return run_command(context.args)
