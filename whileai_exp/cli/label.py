"""`whileai-exp label RUN`: label rollouts by hand, on a page or in the terminal, and see whether the judge can be believed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer


def label(
    run: Annotated[str, typer.Argument(help="a run directory, an MLflow run id, or a file of rows")],
    html: Annotated[Path | None, typer.Option(help="write a page to label on")] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="the file that labels go to, and are taken up from")] = Path(
        "labels.jsonl"
    ),
    trust: Annotated[Path | None, typer.Option(help="do not label: say what this file of labels makes of the judge")] = None,
    n: Annotated[int, typer.Option("-n", help="how many rollouts", min=1)] = 60,
    seed: Annotated[int, typer.Option(help="which rollouts")] = 0,
    show_verdict: Annotated[bool, typer.Option("--show-verdict", help="show what the judge said (it sways people)")] = False,
    annotator: Annotated[str, typer.Option(help="who labels")] = "human",
    uri: Annotated[str | None, typer.Option(help="MLflow tracking store, for a run id")] = None,
) -> int:
    """Label rollouts by hand; with --trust, measure the judge against the labels."""
    from ..config.environment import prepare_environment
    from ..run.directory import read_rows
    from ..run.report.page.labelling import label_sample, label_sheet
    from ._runs import found_run

    prepare_environment()
    if Path(run).is_file():
        rows, rubric = list(read_rows(run)), ""
    else:
        with found_run(run, uri) as folder:
            rows, rubric = list(read_rows(folder / "rows.jsonl")), _rubric(folder)
    if trust is not None:
        return judged(rows, trust)
    if html is not None:
        print(f"sheet    {label_sheet(rows, html, n=n, seed=seed, blind=not show_verdict, rubric=rubric)}")
        print(f"then     whileai-exp label {run} --trust labels.jsonl")
        return 0
    return asked([dict(row) for row in label_sample(rows, n, seed)], out, annotator, show_verdict)


def judged(rows: list[dict[str, Any]], labels: Path) -> int:
    """Print the verdict on the judge. Exit code 3 when it is not to be believed."""
    from ..errors import ExitCode
    from ..measures.trust import judge_trust
    from ..run.gold import read_labels, with_labels

    labelled, unplayed = with_labels(rows, read_labels(labels))
    if unplayed:
        print(f"warning: {len(unplayed)} labels are of rollouts that are not in this run: {unplayed[0]}, …", file=sys.stderr)
    found = judge_trust(labelled)
    print(found)
    return int(ExitCode.COMPLETE if found.ok else ExitCode.GATES_REFUSED)


def asked(rows: list[dict[str, Any]], out: Path, annotator: str, show_verdict: bool) -> int:
    """Ask for one label after the other; each is on disk before the next is asked for."""
    import orjson

    from ..run.directory import read_rows
    from .show import conversation

    known = {str(line["rollout_id"]) for line in read_rows(out) if line.get("annotator") == annotator} if out.is_file() else set()
    left = [row for row in rows if str(row.get("rollout_id")) not in known]
    for number, row in enumerate(left, 1):
        print(f"\n--- {number} of {len(left)}")
        for line in conversation(row, verdict=show_verdict):
            print(line)
        while (answer := input("was the job done? [y]es, [n]o, [s]kip, [q]uit: ").strip().lower()[:1]) not in (
            "y",
            "n",
            "s",
            "q",
        ):
            pass
        if answer == "q":
            break
        if answer != "s":
            with out.open("ab") as file:
                file.write(
                    orjson.dumps({"rollout_id": row["rollout_id"], "label": int(answer == "y"), "annotator": annotator}) + b"\n"
                )
    print(f"labels   {out}")
    return 0


def _rubric(folder: Path) -> str:
    from ._runs import saved_config

    return str((saved_config(folder / "config.yaml").get("spec") or {}).get("rubric") or "")
