"""File formats by name: what one trainer reads.

To add one: a frozen dataclass under `@formats.register(name)` whose fields are its settings. `records` takes the rows and a
`Maker` and gives what the file holds, one record at a time; every record has the same keys, and a key has one type.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Protocol

from ...registry import Registry
from ..maker import Maker


class Format(Protocol):
    """One file format."""

    suffix: ClassVar[str]
    """How such a file's name ends: `.jsonl` or `.parquet`."""
    imitated: ClassVar[bool]
    """Whether a trainer learns the agent's turns from it, rather than rolling out or reading."""
    trains: ClassVar[str]
    """What a trainer makes of it, one sentence for the report."""

    def records(self, rows: Iterable[Mapping[str, Any]], maker: Maker) -> Iterator[Mapping[str, Any]]:
        """The file's records. Rows that it cannot hold are counted with `maker.leave_out`."""
        ...

    def schema(self, arrow: Any) -> Any:
        """The columns of a `.parquet` file in pyarrow's words; None for `.jsonl`."""
        ...


formats: Registry[Format] = Registry("export format", "whileai_exp.export.formats")
