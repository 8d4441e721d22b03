"""`whileai-exp replay RUN`: run again from the saved resolved configuration and compare the rows, byte for byte.

The replay takes its model calls from the run's journal, so a run against a hosted model replays offline. With `--live`
the models are asked again: the rows may differ, and what is printed is how the measures moved.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

_JOURNAL_FILES = "journal.*"


def replay(
    run: Annotated[str, typer.Argument(help="a run directory or an MLflow run id")],
    uri: Annotated[str | None, typer.Option(help="MLflow tracking store, for a run id")] = None,
    into: Annotated[Path | None, typer.Option(help="where the replay's own files go (default: a temporary folder)")] = None,
    live: Annotated[bool, typer.Option("--live", help="ask the models again instead of reading their recorded answers")] = False,
) -> int:
    """Run again from a record and compare the rows, byte for byte."""
    import tempfile

    from ..config.environment import prepare_environment
    from ..errors import ConfigError, Problem
    from ._runs import find_run

    prepare_environment()
    with tempfile.TemporaryDirectory(prefix="whileai-replay-") as scratch:
        original = find_run(run, uri, Path(scratch))
        if into is not None and into.resolve() == original.resolve():
            raise ConfigError(Problem("--into", "is the run itself", "give the replay a folder of its own"))
        return replayed(original, into or Path(scratch) / "replay", live)


def replayed(original: Path, into: Path, live: bool) -> int:
    """Run the saved configuration in `into` and compare; prints the verdict."""
    import shutil

    from .._text import printable
    from ..errors import ExitCode
    from ..plan import resolve_plan
    from ..run.assemble import code_identity
    from ..run.directory import RunDirectory
    from ..run.experiment import run_experiment
    from ..run.ports import preflight
    from ._runs import saved_config, saved_record

    config, record = saved_config(original / "config.yaml"), saved_record(original)
    plan = resolve_plan(config, record.get("origins", {}))
    preflight(plan, replay=not live)
    was, now = record["code"].get("version"), code_identity()["version"]
    if was != now:
        print(f"note: recorded with version {was}, replaying with {now}", file=sys.stderr)
    into.mkdir(parents=True, exist_ok=True)
    if not live:
        for file in original.glob(_JOURNAL_FILES):
            shutil.copy2(file, into / file.name)
    recorded = not live and (into / "journal.sqlite").is_file()
    finished = run_experiment(plan, RunDirectory(into), command=["replay", str(original)], replay=recorded)
    failure = finished.played.execution.failure
    if failure is not None:
        print(f"replay: DIFFERS, {printable(str(failure))}")
        return int(ExitCode.REPLAY_DIFFERS)
    before, after = record["shas"].get("rows"), finished.record.shas.get("rows")
    if before == after:
        print(f"replay: identical, {finished.record.counts['rows']} rows, sha256 {after[:16] if after else ''}")
        return int(ExitCode.COMPLETE)
    where = first_difference(original / "rows.jsonl", into / "rows.jsonl")
    print(f"replay: DIFFERS, rows sha256 {str(before)[:16]} before, {str(after)[:16]} now; {where}")
    if live:
        from ..measures.compare import compare_runs

        print(compare_runs(original, into, knobs=plan.knobs))
    return int(ExitCode.REPLAY_DIFFERS)


def first_difference(a: Path, b: Path) -> str:
    """Where two row files part: the line and the keys whose values differ."""
    import orjson

    with open(a, "rb") as left, open(b, "rb") as right:
        for number, (one, two) in enumerate(zip(left, right), 1):
            if one != two:
                x, y = orjson.loads(one), orjson.loads(two)
                keys = sorted(key for key in {*x, *y} if x.get(key) != y.get(key))
                return f"first at line {number} ({x.get('rollout_id')}): {', '.join(keys)}"
    return "one file is longer than the other"
