"""Selections by name, and the two doors to them: `select` for the pipeline, `optimize` for the library.

A selection never changes the rows it is given and never forgets one: what is not in `rows` is in `drops`, by reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._text import did_you_mean
from ..errors import ConfigError, Problem
from ..knobs import RunKnobs
from ..registry import Registry
from ..schema import Drop, Selection

Row = Mapping[str, Any]
selections: Registry[Selection] = Registry("selection", "whileai_exp.selection")


def select(rows: Sequence[Row], config: Mapping[str, Any], knobs: RunKnobs) -> Selection:
    """Apply the selection that `config` names (`{kind: rl, band: [0.2, 0.8]}`) to judged rows."""
    arguments = {key: value for key, value in config.items() if key not in ("kind", "target_attr")}
    made = selections.factory(str(config.get("kind", "none")))
    try:
        return made(rows, knobs=knobs, **arguments)
    except TypeError as error:
        raise ConfigError(Problem(f"selection {config.get('kind')}", str(error).split(") ", 1)[-1])) from error


def optimize(
    source: Any,
    *,
    mode: str | None = None,
    target: int | None = None,
    band: tuple[float, float] | None = None,
    knobs: RunKnobs | None = None,
    **options: Any,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Prune judged rows to what carries training signal.

    `source`: a run, a scored run, or rows. `mode`: rl or sft; None takes the run's own and else rl. Returns the kept rows
    (copies, calibration stamped) and the report: every gate in order with its counts, `report["dropped"]` with the
    rollout ids by reason. ConfigError: an unknown mode.

    >>> rows, report = optimize(scored, mode="rl")  # doctest: +SKIP
    """
    rows = list(getattr(source, "trajectories", None) or getattr(source, "rows", None) or source)
    name = mode or getattr(source, "mode", None) or "rl"
    if name not in ("rl", "sft"):
        raise ConfigError(Problem("mode", f"{name!r} is not a selection mode", did_you_mean(str(name), ("rl", "sft"))))
    config: dict[str, Any] = {"kind": str(name), **options}
    if target is not None:
        config["target"] = target
    if band is not None:
        config["band"] = tuple(band)
    chosen = select(rows, config, knobs or RunKnobs())
    return [dict(row) for row in chosen.rows], {
        **chosen.report,
        "dropped": {drop.reason: list(drop.rollout_ids) for drop in chosen.drops},
    }


@selections.register("none")
def keep_all(rows: Sequence[Row], *, knobs: RunKnobs) -> Selection:
    """Every row, as it is."""
    return Selection(list(rows), (), {"kind": "none", "n": len(rows), "n_selected": len(rows), "gates": []})


class Sieve:
    """Rows passing through named gates in order, each removal remembered with its reason."""

    def __init__(self, rows: Sequence[Row]) -> None:
        """A rollout that is given twice passes once; the repeats are the first thing dropped."""
        self.rows: list[Row] = list(rows)
        self._drops: dict[str, list[str]] = {}
        self.gates: list[dict[str, Any]] = []
        seen: set[tuple[str, str]] = set()

        def repeated(row: Row) -> str | None:
            if row.get("rollout_id") is None:
                return None
            identity = (str(row["rollout_id"]), str(row.get("policy_version", "")))
            if identity in seen:
                return "repeated_rollout"
            seen.add(identity)
            return None

        self.gate("repeated_rollout", repeated)

    def gate(self, name: str, keep: Callable[[Row], str | None]) -> None:
        """`keep` answers None for a row that stays, else the reason it goes."""
        before = len(self.rows)
        kept: list[Row] = []
        reasons: dict[str, int] = {}
        for index, row in enumerate(self.rows):
            reason = keep(row)
            if reason is None:
                kept.append(row)
            else:
                reasons[reason] = reasons.get(reason, 0) + 1
                self._drops.setdefault(reason, []).append(str(row.get("rollout_id", f"#{index}")))
        self.rows = kept
        self.gates.append({"gate": name, "before": before, "dropped": before - len(kept), "reasons": reasons})

    @property
    def drops(self) -> tuple[Drop, ...]:
        return tuple(Drop(reason, len(ids), tuple(ids)) for reason, ids in self._drops.items())
