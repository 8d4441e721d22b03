"""`whileai-exp export RUN_OR_ROWS --format F --to PATH`: a run's rows, or a file of rows, as a file that a trainer loads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer


def export(
    run: Annotated[str, typer.Argument(help="a run directory, an MLflow run id, or a file of rows (or of pairs)")],
    to: Annotated[Path, typer.Option("--to", help="the file to write", dir_okay=False)],
    format: Annotated[str, typer.Option(help="openai, trl, prompt_completion, preference, grpo, verl or parquet")] = "openai",
    rows: Annotated[str, typer.Option(help="of a run: selected (what selection kept) or all")] = "selected",
    mask: Annotated[str, typer.Option(help="which turns the loss sees: assistant (every one) or final")] = "assistant",
    reasoning: Annotated[str, typer.Option(help="closed think blocks: drop or keep")] = "drop",
    failures: Annotated[bool, typer.Option("--failures", help="keep rows that did not pass")] = False,
    answer: Annotated[str | None, typer.Option(help="the row key a reward function is handed (grpo, verl)")] = None,
    spec: Annotated[str | None, typer.Option(help="a spec whose prompt and tools go into it (default: the rows' own)")] = None,
    uri: Annotated[str | None, typer.Option(help="MLflow tracking store, for a run id")] = None,
) -> int:
    """Write training data; nothing is written when a row recites its answer key."""
    from ..config.environment import prepare_environment
    from ..errors import ConfigError, Problem
    from ..spec import load_spec
    from ._runs import found_run

    prepare_environment()
    if rows not in ("selected", "all"):
        raise ConfigError(Problem("--rows", f"{rows!r} is not known", "use selected or all"))
    settings: dict[str, Any] = {
        "format": format, "mask": mask, "reasoning": reasoning, "failures": failures, "answer": answer,
    }  # fmt: skip
    if spec is not None:
        loaded = load_spec(spec).spec
        settings |= {"system_prompt": loaded.system_prompt, "tools": loaded.tools}
    if Path(run).is_file():
        return _written(run, to, settings)
    with found_run(run, uri) as folder:
        source, own = _of_run(folder, rows)
        return _written(source, to, own | settings)


def _written(source: Any, to: Path, settings: Mapping[str, Any]) -> int:
    from ..errors import ExitCode, ExportError
    from ..export import export_dataset

    try:
        report = export_dataset(source, to, **settings)
    except ExportError as error:
        print(f"export: refused, {str(error).replace('failures=True', '--failures')}")
        return int(ExitCode.GATES_REFUSED)
    print(report)
    return 0


def _of_run(folder: Path, which: str) -> tuple[Iterator[dict[str, Any]], dict[str, Any]]:
    """A run's rows, each with the answer key of its task so that recitals are seen, and the prompt and tools they ran under."""
    from ..errors import ConfigError, Problem
    from ..plan import resolve_plan
    from ._runs import saved_config

    file = folder / ("rows.jsonl" if which == "all" else "selected.jsonl")
    if not file.is_file():
        raise ConfigError(Problem(str(folder), f"holds no {file.name}", "resume the run, or give --rows all"))
    plan = resolve_plan(saved_config(folder / "config.yaml"))
    return _keyed(file, plan), {"system_prompt": plan.spec.system_prompt, "tools": plan.spec.tools, "knobs": plan.knobs}


def _keyed(file: Path, plan: Any) -> Iterator[dict[str, Any]]:
    from ..export.files import iter_rows
    from ..schema import task_key
    from ..situations import rebuild

    keys: dict[str, Any] = {}
    for row in iter_rows(file):
        task = task_key(row)
        if task not in keys:
            keys[task] = rebuild(plan.spec, row, plan.knobs).privileged
        if keys[task] is not None:
            row["privileged"] = keys[task]
        yield row
