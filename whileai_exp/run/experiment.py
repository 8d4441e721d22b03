"""One experiment as the command line runs it: the line, its record on disk, and the sinks that copy it elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from .._hash import leaves, plain
from ..errors import ConfigError, ExitCode, ExportError, Problem
from ..export.exporters import build_exporters
from ..plan import Plan
from ..ports import Sink
from ..schema import RunRecord
from .assemble import code_identity, environment, run_id_of, shas_of
from .directory import RunDirectory
from .pipeline import Concluded, Given, Played, n_passed, objective_of, run_line
from .report.markdown import markdown_report


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished experiment."""

    record: RunRecord
    played: Played
    concluded: Concluded
    objective: float | None

    @property
    def exit_code(self) -> ExitCode:
        execution = self.played.execution
        if execution.failure is not None:
            return execution.failure.exit_code
        if execution.incomplete:
            return ExitCode.INTERRUPTED if execution.report["stopped_because"] == "interrupted" else ExitCode.INCOMPLETE
        return ExitCode.GATES_REFUSED if self.concluded.refused else ExitCode.COMPLETE


def run_experiment(
    plan: Plan,
    directory: RunDirectory,
    *,
    sinks: Sequence[Sink] = (),
    given: Given | None = None,
    command: Sequence[str] = (),
    params: Mapping[str, Any] | None = None,
    extras: Mapping[str, str] | None = None,
    replay: bool = False,
) -> Finished:
    """Run a plan to its record. Sinks are opened before the first rollout and closed whatever happens.

    `extras`: files by name that belong to the record beside its own.
    """
    run_id = run_id_of(plan, directory.path.name)
    opened: list[Sink] = []

    def claimed() -> None:
        """The directory is ours: say what is run in it, there and in the sinks."""
        claim(plan, directory)
        directory.write_json("overrides.json", list(command))
        for name, text in (extras or {}).items():
            directory.write_text(name, text)
        for sink in sinks:
            sink.open(run_id, params or {}, run_tags(plan, command))
            opened.append(sink)

    try:
        played, concluded = asyncio.run(run_line(plan, given, directory=directory.path, replay=replay, claimed=claimed))
        objective = objective_of(plan, concluded)
        record = write_record(plan, run_id, directory, played, concluded)
    except BaseException as error:
        for sink in opened:
            sink.fail(f"{type(error).__name__}: {error}")
        raise
    for sink in sinks:
        sink.close(record)
    return Finished(record, played, concluded, objective)


_FREE = ("record.", "allocation.concurrency", "allocation.timeout_s")
"""Values that change no row, so that a run may be taken up with others."""


def refuse_other(plan: Plan, directory: RunDirectory) -> None:
    """ConfigError when the directory holds a run of another configuration, naming what differs."""
    saved = directory.path / "config.yaml"
    if not saved.is_file():
        return
    import yaml

    before, now = dict(leaves(yaml.safe_load(saved.read_text("utf-8")))), dict(leaves(plan.config))
    differing = sorted(key for key in {*before, *now} if before.get(key) != now.get(key) and not key.startswith(_FREE))
    if differing:
        shown = ", ".join(f"{key} ({before.get(key)!r:.40} there, {now.get(key)!r:.40} here)" for key in differing[:5])
        raise ConfigError(
            Problem(str(directory.path), f"holds a run of another configuration: {shown}", "give this run a directory of its own")
        )


def claim(plan: Plan, directory: RunDirectory) -> None:
    """Say in a locked directory what is run there. ConfigError when it holds a run of another configuration."""
    refuse_other(plan, directory)
    directory.write_text("config.yaml", yaml_text(plan.config))


def run_tags(plan: Plan, command: Sequence[str]) -> dict[str, str]:
    """What a run is found by: code, versions, hashes, seed."""
    code, env = code_identity(), environment()
    shas = shas_of(plan, None)
    tags = {
        "question": plan.question,
        "mode": str(plan.mode),
        "seed": str(plan.seed),
        "command": " ".join(command),
        "mlflow.source.git.commit": str(code["commit"] or "none"),
        "git.dirty": str(code["dirty"]),
        "python": str(env["python"]),
        "agent": f"{plan.agent.kind}:{plan.agent.model or plan.agent.target or ''}".rstrip(":"),
        "judge": str((plan.judge or {}).get("kind") or (plan.judge or {}).get("target") or "none"),
        **{f"version.{name}": str(version) for name, version in env["packages"].items()},
        **{f"sha.{name}": value for name, value in shas.items()},
    }
    return {name: value for name, value in tags.items() if value}


def write_record(plan: Plan, run_id: str, directory: RunDirectory, played: Played, concluded: Concluded) -> RunRecord:
    """Write every file of the run and return its record."""
    rows = played.rows
    rows_sha = directory.write_rows("rows.jsonl", rows)
    directory.write_rows("selected.jsonl", concluded.selection.rows)
    directory.write_rows(
        "dropped.jsonl",
        ({"rollout_id": rid, "reason": drop.reason} for drop in concluded.selection.drops for rid in drop.rollout_ids),
    )
    concluded.reports["exports"] = write_exports(plan, directory, played, concluded)
    record = record_of(plan, run_id, played, concluded, rows_sha, directory.files)
    directory.write_json("rows.meta.json", sidecar_of(plan, played, concluded))
    directory.write_json(
        "report.json",
        {"measures": [m.to_dict() for m in record.measures], "gates": [g.to_dict() for g in record.gates], **record.report},
    )
    directory.write_text("report.md", markdown_report(record))
    if plan.record["html"]:
        write_page(directory, record, rows, concluded, int(plan.record["html_rollouts"]))
    directory.write_json("record.json", record_dict(record, directory.files))
    return replace(record, files=dict(directory.files))


def write_page(
    directory: RunDirectory, record: RunRecord, rows: Sequence[Mapping[str, Any]], concluded: Concluded, most: int
) -> None:
    """report.html and its figures as pictures."""
    from .report.page import figures_of, html_report, png

    facts = orjson.loads(orjson.dumps(plain(record_dict(record, {})), option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS))
    dropped = {rid: drop.reason for drop in concluded.selection.drops for rid in drop.rollout_ids}
    figures = figures_of(facts, rows)
    directory.write_text("report.html", html_report(facts, rows, dropped, figures=figures, most=most))
    for name, (_, _, figure) in figures.items():  # after the page: drawing for a screen shifts a figure's layout
        directory.write_bytes(f"figures/{name}.png", (png(figure),))


def write_exports(plan: Plan, directory: RunDirectory, played: Played, concluded: Concluded) -> dict[str, Any]:
    """The exports that the plan names, from what selection kept; one that refuses is a warning with its reason."""
    reports: dict[str, Any] = {}
    for name, exporter in build_exporters(plan.export).items():
        file = f"{name}.export{exporter.suffix}"
        try:
            report = exporter.write(concluded.selection.rows, directory.path / file, plan.spec)
        except ExportError as error:
            played.ledger.warn(f"export {name} was refused: {error}")
            reports[name] = {"refused": str(error)}
            continue
        directory.adopt(file)
        reports[name] = {**report, "path": file}
    return reports


def record_of(
    plan: Plan, run_id: str, played: Played, concluded: Concluded, rows_sha: str, files: Mapping[str, str]
) -> RunRecord:
    rows, ledger = played.rows, played.ledger
    status = "incomplete" if played.execution.incomplete else "refused" if concluded.refused else "complete"
    counts = {
        "situations": len({(task.situation.situation_id, task.world.seed) for task in played.draw.tasks}),
        "combinations": len({task.situation.situation_id for task in played.draw.tasks}),
        "tasks": len(played.draw.tasks),
        "rows": len(rows),
        "judged": sum(row.get("judge_status") == "ok" for row in rows),
        "passed": n_passed(rows),
        "selected": len(concluded.selection.rows),
    }
    return RunRecord(
        run_id=run_id,
        experiment=plan.name,
        status=status,
        config=plan.config,
        origins=plan.origins,
        code=code_identity(),
        environment=environment(),
        roles=roles_of(plan, rows),
        shas=shas_of(plan, rows_sha),
        counts=counts,
        measures=concluded.measures,
        gates=concluded.gates,
        selection={key: value for key, value in concluded.selection.report.items() if key != "tasks"},
        files=dict(files),
        warnings=tuple(ledger.warnings),
        degraded=dict(ledger.degraded),
        usage=dict(concluded.reports["usage"]),
        timings=dict(ledger.timings),
        report={name: report for name, report in concluded.reports.items() if name != "usage"},
    )


def record_dict(record: RunRecord, files: Mapping[str, str]) -> dict[str, Any]:
    """The record as JSON; `record.json` itself is not among its files."""
    out = {name: getattr(record, name) for name in RunRecord.__slots__}
    out["measures"] = [measure.to_dict() for measure in record.measures]
    out["gates"] = [gate.to_dict() for gate in record.gates]
    out["files"] = dict(files)
    return out


def roles_of(plan: Plan, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Who did which job, as the rows say."""
    first: Mapping[str, Any] = rows[0] if rows else {}
    return {
        "agent": first.get("model_version"),
        "writer": sorted({str(row.get("writer_model")) for row in rows}),
        "user": first.get("user_model"),
        "judge": first.get("judge_name"),
    }


def sidecar_of(plan: Plan, played: Played, concluded: Concluded | None) -> dict[str, Any]:
    """`rows.meta.json`: what the rows need to be read alone."""
    rows, ledger = played.rows, played.ledger
    return {
        "schema_version": "1",
        "system_prompts": {plan.spec.prompt_sha: plan.spec.system_prompt},
        "tools": [tool.wire() for tool in plan.spec.tools],
        "roles": roles_of(plan, rows),
        "coverage": played.draw.coverage,
        "search": {"groups": played.execution.report},
        "pass_at": concluded.passes.to_dict() if concluded else None,
        "warnings": ledger.warnings,
        "degraded": ledger.degraded,
        "config": plan.config,
        "origins": plan.origins,
    }


def yaml_text(config: Mapping[str, Any]) -> str:
    """The resolved configuration as YAML that any YAML reader reads back to the same values, in the same order.

    Order is part of it: a tool's properties are asked about in the order they are declared.
    """
    import yaml

    return yaml.safe_dump(dict(config), sort_keys=False, allow_unicode=True, width=120)
