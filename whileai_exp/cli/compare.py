"""`whileai-exp compare A B [C …]`: what changed between runs, task by task, and whether it is more than noise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def compare(
    runs: Annotated[
        list[str], typer.Argument(help="two or more runs: directories, files of rows, or MLflow run ids; the first is the base")
    ],
    target: Annotated[str, typer.Option(help="the measure: pass_at_1, reward, or marker:<name>")] = "pass_at_1",
    must_not_regress: Annotated[
        list[str] | None, typer.Option("--must-not-regress", help="a measure that may not drop; may be repeated")
    ] = None,
    proxy: Annotated[str | None, typer.Option(help="the training reward, to tell over-optimisation")] = None,
    html: Annotated[Path | None, typer.Option(help="write the comparison as one page")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the report as JSON")] = False,
    uri: Annotated[str | None, typer.Option(help="MLflow tracking store, for run ids")] = None,
) -> int:
    """Compare runs with the first one, paired by task. Exit code 3 when a guard regressed."""
    from ..config.environment import prepare_environment
    from ..errors import ConfigError, ExitCode, Problem
    from ..record.comparison import compared, comparison_page
    from ..schema.steps import dumps

    prepare_environment()
    if len(runs) < 2:
        raise ConfigError(Problem("runs", f"{len(runs)} given, a comparison needs two", "whileai-exp compare BASE NEW"))
    found = compared(runs, target=target, guards=must_not_regress or (), proxy=proxy, uri=uri)
    if as_json:
        print(dumps([item.to_dict() for item in found]).decode())
    else:
        for item in found:
            for line in item.lines():
                print(line)
    if html is not None:
        html.write_text(comparison_page(found), "utf-8")
        print(f"page     {html}")
    return int(ExitCode.GATES_REFUSED if any(not item.report.ok for item in found) else ExitCode.COMPLETE)
