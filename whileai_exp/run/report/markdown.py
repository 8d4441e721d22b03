"""The report in Markdown: what was measured, what the gates say, what was kept, and what to know about it."""

from __future__ import annotations

from collections.abc import Iterable

from ...schema import RunRecord
from .numbers import HEADLINE, label, seconds, shown


def markdown_report(record: RunRecord) -> str:
    return "\n".join(_lines(record)) + "\n"


def _lines(record: RunRecord) -> Iterable[str]:
    k = (record.report.get("pass_at") or {}).get("k")
    yield f"# {record.experiment}"
    yield ""
    yield f"Run {record.run_id}, {record.status}. Rows sha256 `{record.shas.get('rows', '')[:16]}`."
    yield ""
    yield "## Measures"
    yield ""
    yield "| measure | value | n | interval by | note |"
    yield "| --- | --- | ---: | --- | --- |"
    ordered = [m for name in HEADLINE for m in record.measures if m.name == name] + [
        m for m in record.measures if m.name not in HEADLINE
    ]
    for measure in ordered:
        method = measure.interval.method if measure.interval else ""
        yield f"| {label(measure, k if measure.value is not None else None)} | {shown(measure)} | {measure.n} | {method} | {_cell(measure.note)} |"
    yield ""
    notes = (record.report.get("pass_at") or {}).get("notes") or ()
    if notes:
        yield from (f"- {_cell(note)}" for note in notes)
        yield ""
    if record.gates:
        yield "## Gates"
        yield ""
        yield "| gate | verdict | why | what to do |"
        yield "| --- | --- | --- | --- |"
        for gate in record.gates:
            yield f"| {gate.gate} | {gate.status} | {_cell(gate.reason)} | {_cell(gate.fix)} |"
        yield ""
    yield "## Selection"
    yield ""
    yield "| step | rows before | dropped | reasons |"
    yield "| --- | ---: | ---: | --- |"
    for step in record.selection.get("gates", ()):
        reasons = ", ".join(f"{name} {count}" for name, count in step["reasons"].items())
        yield f"| {step['gate']} | {step['before']} | {step['dropped']} | {reasons} |"
    yield ""
    yield f"Kept {record.counts['selected']} of {record.counts['rows']} rows."
    yield ""
    for title, items in (
        ("Warnings", record.warnings),
        ("Degraded", [f"{key}: {value}" for key, value in record.degraded.items()]),
    ):
        if items:
            yield f"## {title}"
            yield ""
            yield from (f"- {_cell(str(item))}" for item in items)
            yield ""
    yield "## Time"
    yield ""
    yield ", ".join(f"{name} {seconds(value)}" for name, value in record.timings.items())


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
