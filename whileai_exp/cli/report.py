"""`whileai-exp report RUN`: the page of a run, written anew from its record and rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    run: Annotated[str, typer.Argument(help="a run directory or an MLflow run id")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="the file to write (default: report.html in the run)")] = None,
    rollouts: Annotated[int, typer.Option(help="most rollouts the page holds", min=0)] = 5000,
    uri: Annotated[str | None, typer.Option(help="MLflow tracking store, for a run id")] = None,
) -> int:
    """Write report.html of a finished run: one file, no network."""
    from ..config.environment import prepare_environment
    from ..run.directory import read_rows
    from ..run.report.page import html_report
    from ._runs import dropped_of, found_run, saved_record

    prepare_environment()
    with found_run(run, uri) as folder:
        page = html_report(saved_record(folder), list(read_rows(folder / "rows.jsonl")), dropped_of(folder), most=rollouts)
        path = out or (folder / "report.html" if Path(run).is_dir() else Path("report.html"))
        path.write_text(page, "utf-8")
    print(f"report   {path}")
    return 0
