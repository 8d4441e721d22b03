"""`whileai-exp runs`: the runs that are tracked, with their numbers; found by experiment, metric, param or tag."""

from __future__ import annotations

from typing import Annotated

import typer


def runs(
    experiment: Annotated[str | None, typer.Argument(help="the experiment's name; all when left out")] = None,
    where: Annotated[str, typer.Option(help="an MLflow filter, e.g. \"metrics.pass_at_1 > 0.6 and params.seed = '1'\"")] = "",
    metric: Annotated[str, typer.Option(help="the metric to show and to sort by, highest first")] = "pass_at_1",
    most: Annotated[int, typer.Option(help="how many", min=1)] = 50,
    uri: Annotated[str | None, typer.Option(help="MLflow tracking store (default: outputs/mlflow.db here)")] = None,
) -> int:
    """List tracked runs."""
    from ..config.environment import prepare_environment
    from ..record.listing import tracked_runs
    from ._runs import default_store

    prepare_environment()
    store = uri or default_store()
    lines = tracked_runs(store, experiment, where, metric, most)
    if not lines:
        print(f"no run in {store} fits")
        return 0
    print(f"{'run':34s}{'experiment':18s}{'status':12s}{'seed':>5s}  {metric:<24s} what")
    for line in lines:
        print(
            f"{line['run']:34s}{line['experiment']:18.17s}{line['status']:12s}{line['seed']:>5s}  {line['value']:<24s} {line['what']}"
        )
    return 0
