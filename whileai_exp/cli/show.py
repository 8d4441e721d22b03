"""`whileai-exp show RUN ROLLOUT`: one rollout as a conversation, with its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer


def show(
    run: Annotated[str, typer.Argument(help="a run directory, an MLflow run id, or a file of rows")],
    rollout: Annotated[str | None, typer.Argument(help="a rollout id, a task id, or a line number from 1")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="without a rollout: list failed ones only")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print the row itself")] = False,
    uri: Annotated[str | None, typer.Option(help="MLflow tracking store, for a run id")] = None,
) -> int:
    """Read one rollout; without one, list them."""
    from pathlib import Path

    from ..config.environment import prepare_environment
    from ..run.directory import read_rows
    from ._runs import found_run

    prepare_environment()
    if Path(run).is_file():
        rows = list(read_rows(run))
    else:
        with found_run(run, uri) as folder:
            rows = list(read_rows(folder / "rows.jsonl"))
    if rollout is None:
        for line in listing(rows, failed):
            print(line)
        return 0
    for number, row in enumerate(wanted(rows, rollout)):
        print("\n" * (number > 0), end="")
        for line in [_as_json(row)] if as_json else conversation(row):
            print(line)
    return 0


def wanted(rows: list[dict[str, Any]], ref: str) -> list[dict[str, Any]]:
    """The rows that a rollout id, task id or line number names. ConfigError with the nearest id when there is none."""
    from .._text import did_you_mean
    from ..errors import ConfigError, Problem

    found = [row for row in rows if ref in (row.get("rollout_id"), row.get("task_id"))]
    if not found and ref.isdigit() and 1 <= int(ref) <= len(rows):
        found = [rows[int(ref) - 1]]
    if not found:
        near = did_you_mean(ref, [str(row.get("rollout_id")) for row in rows])
        raise ConfigError(Problem(ref, f"is no rollout, task or line of these {len(rows)} rows", near))
    return found


def listing(rows: Iterable[Mapping[str, Any]], failed: bool) -> Iterable[str]:
    """One line per rollout: line number, id, verdict, ask."""
    from .._text import printable

    for number, row in enumerate(rows, 1):
        reward = row.get("reward")
        if failed and reward != 0:
            continue
        verdict = f"{reward:g}" if isinstance(reward, (int, float)) else str(row.get("judge_status") or row.get("status"))
        yield f"{number:6d}  {row.get('rollout_id')!s:24s} {verdict:>6s}  {printable(' '.join(str(row.get('prompt')).split()))[:100]}"


def conversation(row: Mapping[str, Any], *, verdict: bool = True) -> Iterable[str]:
    """A rollout to read: who said what, every call with its result, the verdict unless it is to be left out."""
    from .._text import printable
    from ..schema.steps import dumps

    def said(who: str, text: Any) -> str:
        shown = text if isinstance(text, str) else dumps(text).decode()
        return f"{who:>8s}  {printable(shown)}"

    axes = {name: value for name, value in (row.get("scenario_dimensions") or {}).items() if value != "unspecified"}
    yield f"{row.get('rollout_id')}  {row.get('status')}  " + ", ".join(
        f"{name} {printable(str(value))}" for name, value in axes.items()
    )
    yield said("person", row.get("prompt") or "")
    for step in row.get("steps") or ():
        if "user" in step:
            yield said("person", step["user"])
        if step.get("text"):
            yield said("agent", step["text"])
        if step.get("tool"):
            yield said("call", f"{step['tool']} {dumps(step.get('arguments')).decode()}")
            yield said(str(step.get("status", "ok")), step.get("result"))
    if not verdict:
        return
    yield said(
        "verdict", f"{row.get('reward')} by {row.get('judge_name')}: {row.get('reason') or row.get('judge_status') or 'none'}"
    )
    missed = [f"{name} {value:g}" for name, value in (row.get("markers") or {}).items() if value < 1]
    if missed:
        yield said("missed", ", ".join(missed))


def _as_json(row: Mapping[str, Any]) -> str:
    from ..schema.row import row_line

    return row_line(row).decode().rstrip("\n")
