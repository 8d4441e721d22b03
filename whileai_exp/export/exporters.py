"""Exports by name: what a run writes for others beside its own record, as its configuration says.

To add one: a frozen dataclass under `@exporters.register(name)` whose fields are its settings and whose
`write(rows, path, spec)` writes one file and returns its report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ..errors import ConfigError, Problem
from ..registry import Registry
from ..schema import Spec
from .dataset import export_dataset


class Exporter(Protocol):
    def write(self, rows: Sequence[Mapping[str, Any]], path: Path, spec: Spec) -> dict[str, Any]:
        """Write `path` and say what is in it. ExportError, with nothing written, when it would be wrong or would leak."""
        ...


exporters: Registry[Exporter] = Registry("exporter", "whileai_exp.export")


def build_exporters(config: Mapping[str, Mapping[str, Any]]) -> dict[str, Exporter]:
    """Exports from `{name: settings}`. ConfigError carries every unknown name and setting."""
    problems: list[Problem] = []
    built: dict[str, Exporter] = {}
    for name, settings in config.items():
        try:
            built[name] = exporters.create({"kind": name, **settings})
        except ConfigError as error:
            problems += [Problem(f"export.{name}", p.what, p.fix, p.origin) for p in error.problems]
    if problems:
        raise ConfigError(problems)
    return built


@exporters.register("dataset")
@dataclass(frozen=True, slots=True)
class DatasetExport:
    """Selected rows as chat training data, in OpenAI's fine-tuning shape."""

    failures: bool = False
    """Whether rows that did not pass are exported too."""

    def write(self, rows: Sequence[Mapping[str, Any]], path: Path, spec: Spec) -> dict[str, Any]:
        return export_dataset(rows, path, system_prompt=spec.system_prompt, tools=spec.tools, failures=self.failures)
