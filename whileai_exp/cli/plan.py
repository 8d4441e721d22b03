"""`whileai-exp plan +experiment=NAME …`: what a run would take and could show; nothing is spent."""

from __future__ import annotations

from typing import Annotated

import typer


def plan(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="print the estimate as JSON")] = False,
) -> int:
    """Check a configuration and say what it would take: rollouts, calls, tokens, money, time, interval."""
    from ..config.compose import checked_plan, normalised_tokens
    from ..config.environment import prepare_environment
    from ..run.estimate import estimate
    from ..run.ports import preflight
    from ..schema.steps import dumps

    prepare_environment()
    checked = checked_plan(normalised_tokens(context.args), preflight)
    found = estimate(checked)
    if as_json:
        print(dumps(found.to_dict()).decode())
        return 0
    for line in found.lines():
        print(line)
    for note in checked.notes:
        print(f"note     {note}")
    print(f"figures come from {found.sample} offline rollouts of the embedded agent on this spec: an order of magnitude")
    return 0
