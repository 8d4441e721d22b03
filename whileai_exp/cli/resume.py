"""`whileai-exp resume RUN`: take up a run where it was cut. Calls that were answered are not made again."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import orjson

from ..config.environment import prepare_environment
from ..errors import ConfigError, ExitCode, Problem
from ..plan import resolve_plan
from ..run.ports import preflight
from .replay import saved_config
from .run import run_plan


def resume_command(tokens: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="whileai-exp resume", description="Take up a run that was cut, from its journal.")
    parser.add_argument("run", help="the run directory")
    arguments = parser.parse_args(list(tokens))
    prepare_environment()
    folder = Path(arguments.run)
    if not (folder / "config.yaml").is_file():
        raise ConfigError(Problem(arguments.run, "is not a run directory: it holds no config.yaml"))
    if (folder / "record.json").is_file():
        record = orjson.loads((folder / "record.json").read_bytes())
        if record["status"] in ("complete", "refused"):
            print(f"resume: this run is {record['status']}; nothing is missing")
            return int(ExitCode.COMPLETE)
    plan = resolve_plan(saved_config(folder / "config.yaml"))
    preflight(plan)
    return int(run_plan(plan, folder, ["resume", str(folder)]).exit_code)
