"""Selections by name, and the two doors to them: `select` for the pipeline, `optimize` for the library.

A selection never changes the rows it is given and never forgets one: what is not in `rows` is in `drops`, by reason.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .._text import did_you_mean
from ..errors import ConfigError, Problem
from ..knobs import RunKnobs
from ..measures._sources import rows_of
from ..measures.hacks import HACK, hack_scan
from ..registry import Registry
from ..schema import Drop, Selection
from ..schema.row import row_line
from ._hygiene import from_eval
from ._report import SelectionReport, row_id

Row = Mapping[str, Any]
MODES = ("rl", "sft")
selections: Registry[Selection] = Registry("selection", "whileai_exp.selection")


def select(rows: Sequence[Row], config: Mapping[str, Any], knobs: RunKnobs) -> Selection:
    """Apply the selection that `config` names (`{kind: rl, band: [0.2, 0.8]}`) to judged rows."""
    arguments = {key: value for key, value in config.items() if key not in ("kind", "target_attr")}
    made = selections.factory(str(config.get("kind", "none")))
    try:
        inspect.signature(made).bind(rows, knobs=knobs, **arguments)
    except TypeError as error:
        raise ConfigError(Problem(f"selection {config.get('kind')}", str(error))) from error
    return made(rows, knobs=knobs, **arguments)


def optimize(
    source: Any,
    *,
    mode: str | None = None,
    target: int | None = None,
    band: tuple[float, float] | None = None,
    endorsed: Iterable[str] = (),
    scan: bool = True,
    output: str | os.PathLike[str] | None = None,
    knobs: RunKnobs | None = None,
    **options: Any,
) -> tuple[list[dict[str, Any]], SelectionReport]:
    """Prune judged rows to what carries training signal.

    `source`: a run, a scored run, rows, or a JSON-lines file. `mode`: rl or sft; None takes the run's own and else rl.
    `target`: rows wanted. `band`: pass rates to keep (rl). `endorsed`: what the reward is supposed to go with, for the hack
    scan of the rows given (rl; `scan=False` leaves it out). `output`: a file to write the kept rows to, without privileged
    data. `knobs`: None takes the run's. Options of rl: `enforce_band`, `truncated` (drop, keep, penalize), `order` (spread, middle), `prior` (rows of the
    round before). Options of sft: `min_reward`, `per_task`, `pick` (top or random), `seed`.

    Returns the kept rows (copies, calibration stamped) and the report: every gate in order with its counts,
    `report["dropped"]` with the ids by reason and `report.dropped` with the rows. ConfigError: an unknown mode or option.

    >>> rows, report = optimize(scored, mode="rl")  # doctest: +SKIP
    """
    rows = rows_of(source if not hasattr(source, "trajectories") else source.trajectories)
    name = mode or getattr(source, "mode", None) or "rl"
    if name not in MODES:
        raise ConfigError(Problem("mode", f"{name!r} is not a selection mode", did_you_mean(str(name), MODES)))
    config: dict[str, Any] = {"kind": str(name), **options}
    if target is not None:
        config["target"] = target
    if band is not None:
        config["band"] = tuple(band)
    knobs = knobs or _knobs_of(source)
    chosen = select(rows, config, knobs)
    facts = dict(chosen.report)
    facts["eval_sourced"] = sum(from_eval(row) for row in chosen.rows)
    told = list(facts.get("warnings", ()))
    if facts["eval_sourced"]:
        told.append(f"{facts['eval_sourced']} kept rows were graded as an evaluation: training on them spends the evaluation")
    if name == "rl" and scan:
        wanted = tuple(endorsed)
        found = hack_scan(rows, endorsed=wanted, knobs=knobs)
        facts["hack_scan"] = found.to_dict()
        if found.regime == HACK:
            hint = "" if wanted else "; say what the reward should go with in endorsed=[…], or this is all that can be told"
            told.append(f"hack scan: {found.reason}{hint}")
        told += [f"hack scan: {warning}" for warning in found.warnings]
    kept = [dict(row) for row in chosen.rows]
    if output is not None:
        facts["path"] = str(_written(Path(output), kept))
    return kept, SelectionReport.of({**facts, "warnings": told}, chosen.drops, rows)


def _knobs_of(source: Any) -> RunKnobs:
    """Those that a run or a scored run was made under, else the defaults."""
    found = getattr(source, "knobs", None) or getattr(getattr(source, "plan", None), "knobs", None)
    return found if isinstance(found, RunKnobs) else RunKnobs()


def _written(path: Path, rows: Sequence[Row]) -> Path:
    """The file, which appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    with partial.open("wb") as file:
        file.writelines(map(row_line, rows))
    partial.replace(path)
    return path


@selections.register("none")
def keep_all(rows: Sequence[Row], *, knobs: RunKnobs) -> Selection:
    """Every row, as it is."""
    return Selection(list(rows), (), {"kind": "none", "n": len(rows), "n_selected": len(rows), "gates": []})


class Sieve:
    """Rows passing through named gates in order, each removal remembered with its reason and the row's position."""

    def __init__(self, rows: Sequence[Row]) -> None:
        """A rollout that is given twice passes once; the repeats are the first thing dropped."""
        self.rows: list[Row] = list(rows)
        self.gates: list[dict[str, Any]] = []
        self._at = list(range(len(self.rows)))
        self._drops: dict[str, list[tuple[int, str]]] = {}
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
        places: list[int] = []
        reasons: dict[str, int] = {}
        for at, row in zip(self._at, self.rows):
            reason = keep(row)
            if reason is None:
                kept.append(row)
                places.append(at)
            else:
                reasons[reason] = reasons.get(reason, 0) + 1
                self._drops.setdefault(reason, []).append((at, row_id(row, at)))
        self.rows, self._at = kept, places
        self.gates.append({"gate": name, "before": before, "dropped": before - len(kept), "reasons": reasons})

    def only(self, name: str, reason: str, chosen: Iterable[Row]) -> None:
        """The gate that the rows of `chosen` (the same objects) pass and all others do not."""
        kept = {id(row) for row in chosen}
        self.gate(name, lambda row: None if id(row) in kept else reason)

    @property
    def drops(self) -> tuple[Drop, ...]:
        return tuple(
            Drop(reason, len(found), tuple(name for _, name in found), tuple(at for at, _ in found))
            for reason, found in self._drops.items()
        )
