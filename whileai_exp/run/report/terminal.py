"""The summary a person sees when a run ends: plain lines, no colour needed to read them."""

from __future__ import annotations

from collections.abc import Iterable

from ..._text import printable
from ...schema import RunRecord
from .numbers import HEADLINE, label, shown


def summary_lines(record: RunRecord, where: str, tracked: str | None) -> Iterable[str]:
    """Measures with intervals, gates with what to do next, where the record is."""
    counts = record.counts
    yield f"{record.experiment}: {record.status}"
    yield f"  {counts['situations']} situations over {counts['combinations']} combinations of the axes, {counts['tasks']} tasks, {counts['rows']} rollouts, {counts['judged']} judged, {counts['selected']} kept"
    yield from _headline(record)
    if record.gates:
        yield "gates"
        for gate in record.gates:
            yield f"  {gate.status!s:10s} {gate.gate}: {gate.reason}" + (
                f" -> {gate.fix}" if gate.fix and gate.status != "pass" else ""
            )
    for warning in record.warnings:
        yield f"warning: {printable(warning)}"
    for name, detail in record.degraded.items():
        yield f"degraded: {name}: {printable(str(detail))}"
    yield f"rows     sha256 {record.shas.get('rows', '')[:16]}"
    yield f"record   {where}"
    if tracked:
        yield f"mlflow   {tracked}"


def _headline(record: RunRecord) -> Iterable[str]:
    k = (record.report.get("pass_at") or {}).get("k")
    missing: dict[str, list[str]] = {}
    for measure in (m for name in HEADLINE for m in record.measures if m.name == name):
        if measure.value is None:
            missing.setdefault(measure.note, []).append(label(measure, None))
        else:
            yield f"  {label(measure, k):10s} {shown(measure)}  n={measure.n}"
    for note, names in missing.items():
        yield f"  {', '.join(names)} not measured: {note}"
