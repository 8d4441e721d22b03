"""`whileai-exp push RUN NAME`: publish what a run's selection kept, behind checks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def push(
    run: Annotated[str, typer.Argument(help="a run directory, an MLflow run id, or a file of rows")],
    name: Annotated[str, typer.Argument(help="the dataset's name")],
    mode: Annotated[str | None, typer.Option(help="rl or sft (default: the run's mode)")] = None,
    gate: Annotated[bool, typer.Option("--gate/--no-gate", help="check before publishing")] = True,
    holdout: Annotated[
        Path | None, typer.Option(help="a file of rows that must not be in it", exists=True, dir_okay=False)
    ] = None,
    require_trust: Annotated[
        bool, typer.Option("--require-trust", help="refuse a judge that was not measured against gold")
    ] = False,
    registry: Annotated[Path, typer.Option(help="where versions are kept")] = Path("outputs/registry"),
    uri: Annotated[str | None, typer.Option(help="MLflow tracking store, for a run id")] = None,
) -> int:
    """Publish rows to the local registry. Exit code 3 when a check refuses; nothing is written then."""
    from ..config.environment import prepare_environment
    from ..errors import GateError
    from ..export import push_rows
    from ..run.directory import read_rows
    from ._runs import found_run, saved_config

    prepare_environment()
    config = None
    if Path(run).is_file():
        rows = list(read_rows(run))
    else:
        with found_run(run, uri) as folder:
            rows, config = list(read_rows(folder / "selected.jsonl")), saved_config(folder / "config.yaml")
    chosen = mode or ("sft" if config is not None and config.get("mode") == "sft" else "rl")
    kept_out = list(read_rows(holdout)) if holdout is not None else None
    try:
        entry = push_rows(
            rows, name, gate=gate, mode=chosen, registry=registry, holdout=kept_out, require_trust=require_trust, config=config
        )
    except GateError as error:
        for result in error.results:
            print(f"  {result.status!s:10s} {result.gate}: {result.reason}" + (f" -> {result.fix}" if result.fix else ""))
        print("push: refused, nothing was written")
        return int(error.exit_code)
    for result in entry.gates:
        print(f"  {result.status!s:10s} {result.gate}: {result.reason}")
    print(entry)
    return 0
