"""Runs of a tracking store as lines to print. MLflow is imported here and in the sink only."""

from __future__ import annotations

from typing import Any

from ..errors import ConfigError, Problem


def tracked_runs(uri: str, experiment: str | None, where: str, metric: str, most: int) -> list[dict[str, str]]:
    """Runs with the highest `metric` first, those without it last. ConfigError: a bad filter, an unknown experiment, no store."""
    from pathlib import Path

    from mlflow.exceptions import MlflowException

    from .mlflow_sink import open_client

    if uri.startswith("sqlite:///") and not Path(uri.removeprefix("sqlite:///")).is_file():
        raise ConfigError(Problem("--uri", f"there is no store at {uri}", "run an experiment first, or name the store"))
    client = open_client(uri)
    found = client.search_experiments()
    names = {item.experiment_id: item.name for item in found}
    wanted = [key for key, name in names.items() if experiment in (None, name)]
    if not wanted:
        raise ConfigError(
            Problem("experiment", f"{experiment!r} is not tracked there", f"known: {', '.join(sorted(names.values()))}")
        )
    try:
        runs = client.search_runs(wanted, filter_string=where, max_results=most, order_by=[f"metrics.{metric} DESC"])
    except MlflowException as error:
        raise ConfigError(Problem("--where", " ".join(str(error).split())[:300], "see MLflow's search syntax")) from None
    return [_line(run, names, metric) for run in runs]


def _line(run: Any, names: dict[str, str], metric: str) -> dict[str, str]:
    metrics, tags = run.data.metrics, run.data.tags
    value = "not measured"
    if metric in metrics:
        value = f"{metrics[metric]:.4f}"
        ends = [metrics.get(f"{metric}.{end}") for end in ("low", "high")]
        if None not in ends:
            value += f" [{ends[0]:.3f}, {ends[1]:.3f}]"
    return {
        "run": run.info.run_id,
        "experiment": names.get(run.info.experiment_id, ""),
        "status": tags.get("whileai.status", run.info.status.lower()),
        "seed": tags.get("seed", ""),
        "value": value,
        "what": tags.get("whileai.kind", "") or tags.get("mlflow.runName", ""),
    }
