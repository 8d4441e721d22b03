"""`whileai-exp sync RUN…`: bring runs into MLflow that it did not get whole."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def sync(runs: Annotated[list[Path], typer.Argument(help="run directories")]) -> int:
    """Send what a tracking store did not get, from disk. What is there already stays as it is."""
    import yaml

    from ..config.environment import prepare_environment
    from ..errors import ConfigError, ExitCode, Problem
    from ..record.mlflow_sink import sync_run
    from ..run.gold import read_labels

    prepare_environment()
    failed = False
    for folder in runs:
        if not (folder / "config.yaml").is_file():
            raise ConfigError(Problem(str(folder), "is no run directory", "name the folder that the run printed under `record`"))
        config = yaml.safe_load((folder / "config.yaml").read_text("utf-8"))
        gold = (config.get("measures") or {}).get("gold")
        try:
            run_id = sync_run(folder, read_labels(gold) if gold else ())
        except ConfigError:
            raise
        except Exception as error:  # whatever a server or its client says: the next run is tried all the same
            failed = True
            print(f"{folder}: not sent: {type(error).__name__}: {' '.join(str(error).split())[:300]}")
        else:
            print(f"{folder}: {'nothing to send' if run_id is None else f'in MLflow run {run_id}'}")
    return int(ExitCode.INCOMPLETE if failed else ExitCode.COMPLETE)
