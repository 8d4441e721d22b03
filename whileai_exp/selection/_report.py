"""What a selection says about itself: plain facts that print, and the rows it left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..measures._show import notes, plain
from ..schema import Drop

Row = Mapping[str, Any]


class SelectionReport(dict[str, Any]):
    """The facts as a JSON dictionary (`gates`, `dropped` as ids by reason, …); `.dropped` has the rows themselves."""

    def __init__(self, facts: Mapping[str, Any], dropped: Mapping[str, Sequence[Row]], ids: Mapping[str, Sequence[str]]) -> None:
        super().__init__(plain({**facts, "dropped": {reason: list(names) for reason, names in ids.items()}}))
        self.dropped: dict[str, list[Row]] = {reason: list(rows) for reason, rows in dropped.items()}
        """Reason to the rows as they were given."""

    @classmethod
    def of(cls, facts: Mapping[str, Any], drops: Iterable[Drop], rows: Sequence[Row]) -> SelectionReport:
        """The report of a selection that was given `rows`."""
        kept = list(drops)
        return cls(facts, {d.reason: [rows[at] for at in d.at] for d in kept}, {d.reason: d.rollout_ids for d in kept})

    @property
    def n_dropped(self) -> int:
        return sum(map(len, self.dropped.values()))

    def to_dict(self) -> dict[str, Any]:
        """The same facts; strict JSON."""
        return dict(self)

    def __str__(self) -> str:
        lines = [f"{self.get('kind', 'selection')}: {self.get('n_selected')} of {self.get('n')} rows kept"]
        for gate in self.get("gates", ()):
            if gate["dropped"]:
                reasons = ", ".join(f"{reason} {count}" for reason, count in gate["reasons"].items())
                lines.append(f"  {gate['gate']}: {gate['dropped']} of {gate['before']} dropped ({reasons})")
        return "\n".join([*lines, *("  " + note for note in notes(list(self.get("warnings", ()))))])


def row_id(row: Row, at: int) -> str:
    """How a report names a row: its rollout id, else its position among the rows given."""
    found = row.get("rollout_id")
    return f"#{at}" if found is None else str(found)
