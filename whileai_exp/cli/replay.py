"""`whileai-exp replay RUN`: run again from the saved resolved configuration and compare the rows, byte for byte.

RUN is a run directory or an MLflow run id. The replay takes its model calls from the run's journal, so a run against a
hosted model replays offline.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from .._text import printable
from ..config.environment import prepare_environment
from ..errors import ConfigError, ExitCode, Problem
from ..plan import resolve_plan
from ..run.assemble import code_identity
from ..run.directory import RunDirectory
from ..run.experiment import run_experiment
from ..run.ports import preflight

JOURNAL_FILES = "journal.*"


def replay_command(tokens: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="whileai-exp replay", description="Run again from a record and compare the rows, byte for byte."
    )
    parser.add_argument("run", help="a run directory or an MLflow run id")
    parser.add_argument("--uri", help="MLflow tracking store, for a run id", default=None)
    parser.add_argument("--into", help="where the replay's own files go (default: a temporary folder)", default=None)
    arguments = parser.parse_args(list(tokens))
    prepare_environment()
    with tempfile.TemporaryDirectory(prefix="whileai-replay-") as scratch:
        original = find_run(arguments.run, arguments.uri, Path(scratch))
        if arguments.into and Path(arguments.into).resolve() == original.resolve():
            raise ConfigError(Problem("--into", "is the run itself", "give the replay a folder of its own"))
        return replay(original, Path(arguments.into) if arguments.into else Path(scratch) / "replay")


def find_run(ref: str, uri: str | None, scratch: Path) -> Path:
    """The directory of a run: the one named, or an MLflow run's artifacts. ConfigError when there is none."""
    path = Path(ref)
    if path.is_dir():
        if not (path / "config.yaml").is_file():
            raise ConfigError(Problem(ref, "is not a run directory: it holds no config.yaml"))
        return path
    run_id = ref.removeprefix("mlflow:")
    if not re.fullmatch(r"[0-9a-f]{32}", run_id):
        raise ConfigError(Problem(ref, "is neither a run directory nor an MLflow run id"))
    from ..record.mlflow_sink import find_run_directory

    store = uri or f"sqlite:///{Path.cwd() / 'outputs' / 'mlflow.db'}"
    try:
        found = find_run_directory(store, run_id, scratch / "artifacts")
    except Exception as error:  # any store may fail in any way; it is the reference that cannot be resolved
        raise ConfigError(Problem(ref, f"cannot be fetched from {store}: {' '.join(str(error).split())[:200]}")) from error
    return find_run(str(found), uri, scratch)


def replay(original: Path, into: Path) -> int:
    """Run the saved configuration in `into` and compare; prints the verdict."""
    config = saved_config(original / "config.yaml")
    record = orjson.loads((original / "record.json").read_bytes()) if (original / "record.json").is_file() else None
    if record is None:
        raise ConfigError(Problem(str(original), "holds no record.json: the run did not finish", "resume it first"))
    plan = resolve_plan(config, record.get("origins", {}))
    preflight(plan, replay=True)
    if record["code"].get("version") != code_identity()["version"]:
        print(
            f"note: recorded with version {record['code'].get('version')}, replaying with {code_identity()['version']}",
            file=sys.stderr,
        )
    into.mkdir(parents=True, exist_ok=True)
    for file in original.glob(JOURNAL_FILES):
        shutil.copy2(file, into / file.name)
    folder = RunDirectory(into)
    finished = run_experiment(plan, folder, command=["replay", str(original)], replay=(into / "journal.sqlite").is_file())
    failure = finished.played.execution.failure
    if failure is not None:
        print(f"replay: DIFFERS, {printable(str(failure))}")
        return int(ExitCode.REPLAY_DIFFERS)
    before, after = record["shas"].get("rows"), finished.record.shas.get("rows")
    if before == after:
        print(f"replay: identical, {finished.record.counts['rows']} rows, sha256 {after[:16] if after else ''}")
        return int(ExitCode.COMPLETE)
    print(
        f"replay: DIFFERS, rows sha256 {str(before)[:16]} before, {str(after)[:16]} now; {first_difference(original / 'rows.jsonl', into / 'rows.jsonl')}"
    )
    return int(ExitCode.REPLAY_DIFFERS)


def saved_config(path: Path) -> dict[str, Any]:
    import yaml

    loaded = yaml.safe_load(path.read_text("utf-8"))
    if not isinstance(loaded, dict):
        raise ConfigError(Problem(str(path), "is not a saved configuration"))
    return loaded


def first_difference(a: Path, b: Path) -> str:
    """Where two row files part: the line and the keys whose values differ."""
    with open(a, "rb") as left, open(b, "rb") as right:
        for number, (one, two) in enumerate(zip(left, right), 1):
            if one != two:
                x, y = orjson.loads(one), orjson.loads(two)
                keys = sorted(key for key in {*x, *y} if x.get(key) != y.get(key))
                return f"first at line {number} ({x.get('rollout_id')}): {', '.join(keys)}"
    return "one file is longer than the other"
