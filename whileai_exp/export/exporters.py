"""Exports by name: what a run writes for others beside its own record, as its configuration says.

To add one: a frozen dataclass under `@exporters.register(name)` whose fields are its settings and whose
`write(rows, path, spec)` writes one file and returns its report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ..errors import ConfigError, Problem
from ..registry import Registry
from ..schema import Spec
from .dataset import export_dataset
from .formats import formats
from .maker import Maker


class Exporter(Protocol):
    @property
    def suffix(self) -> str:
        """How the file's name ends: `.jsonl`, `.parquet`."""
        ...

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
    """Selected rows as a file that a trainer loads; see `export_dataset`."""

    format: str = "openai"
    failures: bool = False
    """Whether rows that did not pass are exported too."""
    mask: str = "assistant"
    """Which turns the loss sees: `assistant`, every turn of the agent, or `final`, its last."""
    reasoning: str = "drop"
    """Closed think blocks: `drop` or `keep`."""
    answer: str | None = None
    """The row key whose value a reward function is handed (grpo, verl)."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the format itself."""

    def __post_init__(self) -> None:
        formats.create({"kind": self.format, **self.options})
        Maker(mask=self.mask, reasoning=self.reasoning, answer=self.answer)

    @property
    def suffix(self) -> str:
        """How the file's name ends."""
        return formats.create({"kind": self.format, **self.options}).suffix

    def write(self, rows: Sequence[Mapping[str, Any]], path: Path, spec: Spec) -> dict[str, Any]:
        return export_dataset(
            rows,
            path,
            format=self.format,
            system_prompt=spec.system_prompt,
            tools=spec.tools,
            failures=self.failures,
            mask=self.mask,
            reasoning=self.reasoning,
            answer=self.answer,
            **self.options,
        )
