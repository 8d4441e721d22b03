"""`whileai-exp resume RUN`: take up a run where it was cut. Calls that were answered are not made again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def resume(run: Annotated[Path, typer.Argument(help="the run directory")]) -> int:
    """Take up a run that was cut, from its journal."""
    import orjson

    from ..config.environment import prepare_environment
    from ..errors import ConfigError, ExitCode, Problem
    from ..plan import resolve_plan
    from ..run.ports import preflight
    from ._jobs import run_plan
    from ._runs import saved_config

    prepare_environment()
    if not (run / "config.yaml").is_file():
        raise ConfigError(Problem(str(run), "is not a run directory: it holds no config.yaml"))
    if (run / "record.json").is_file():
        record = orjson.loads((run / "record.json").read_bytes())
        if record["status"] in ("complete", "refused"):
            print(f"resume: this run is {record['status']}; nothing is missing")
            return int(ExitCode.COMPLETE)
    plan = resolve_plan(saved_config(run / "config.yaml"))
    preflight(plan)
    return int(run_plan(plan, run, ["resume", str(run)]).exit_code)
