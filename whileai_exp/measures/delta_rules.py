"""The words of a delta report and the rules behind them: what counts as moved, as noise, as over-optimised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from ..stats.runs import RunSpread, noise_band, run_spread
from ._table import RowTable, eval_run_of
from .compare import EQUIVALENT, INSUFFICIENT, Comparison
from .variance import run_mean, runs_of


class Role(StrEnum):
    """Why a metric is in the report."""

    TARGET = "target"
    GUARD = "guard"
    PROXY = "proxy"
    OTHER = "other"

    @property
    def rank(self) -> int:
        return list(Role).index(self)


class Moved(StrEnum):
    """What became of a metric."""

    MOVED = "moved"
    """Better, beyond the noise between runs."""
    UNREPLICATED = "moved_unreplicated"
    """Better over tasks; how much runs differ was not measured."""
    WITHIN_NOISE = "within_run_noise"
    NO_CHANGE = "no_change_detected"
    EQUIVALENT = "equivalent"
    """Shown to have changed by less than the margin."""
    WRONG_WAY = "moved_the_wrong_way"
    UNRESOLVED = "unresolved"
    """Trained once: what another training seed would give is not known."""
    NOT_MEASURED = "not_measured"


class Floor(NamedTuple):
    """How much a metric moves between runs; band None when that is not known."""

    band: float | None
    df: int | None
    given: bool = False


Runs = tuple[RowTable, ...]


def floor_of(
    runs: tuple[Runs, Runs],
    name: str,
    run_std: float | Mapping[str, float] | None,
    run_std_runs: int | None,
    level: float,
) -> Floor:
    """The noise band of a metric: from the sd given, else from the repeated runs that both sides carry."""
    sides = [[mean for run in side if (mean := run_mean(run, name)) is not None] for side in runs]
    n_a, n_b = max(1, len(sides[0])), max(1, len(sides[1]))
    given = run_std.get(name, run_std.get(name.removeprefix("marker:"))) if isinstance(run_std, Mapping) else run_std
    if given is not None:
        df = None if run_std_runs is None else max(0, run_std_runs - 1)
        return Floor(noise_band(given, n_a, n_b, df, level), df, True)
    spread: RunSpread | None = run_spread(*sides) if min(map(len, sides)) >= 2 else None
    if spread is None:
        return Floor(None, None)
    return Floor(noise_band(spread.sd, n_a, n_b, spread.df, level), spread.df)


def repeats_of(table: RowTable) -> Runs:
    """The tables of a side's runs; none when no row names a later run, for there is nothing to split."""
    if not any(eval_run_of(row) for row in table.rows):
        return ()
    return tuple(run for _, run in runs_of(table))


def moved(found: Comparison, floor: Floor) -> Moved:
    """What the interval over tasks and the noise between runs say together."""
    if found.verdict == INSUFFICIENT or found.delta is None:
        return Moved.NOT_MEASURED
    if found.verdict == EQUIVALENT:
        return Moved.EQUIVALENT
    if not found.direction:
        return Moved.NO_CHANGE
    if floor.band is not None and abs(found.delta) < floor.band:
        return Moved.WITHIN_NOISE
    if found.direction < 0:
        return Moved.WRONG_WAY
    return Moved.UNREPLICATED if floor.band is None else Moved.MOVED


def over_optimized(proxy: Moved, proxy_change: Comparison, target: Moved, target_change: Comparison) -> bool:
    """The proxy is up and the target did not follow, or followed by less beyond doubt (Gao et al. 2022, arXiv:2210.10760)."""
    up = (Moved.MOVED, Moved.UNREPLICATED)
    if proxy not in up:
        return False
    if target not in up:
        return True
    one, two = proxy_change.ci95, target_change.ci95
    return one is not None and two is not None and one.low > two.high


def headline(
    target: Moved, comparable: bool, regressions: Sequence[str], missing: Sequence[str], too_far: bool, name: str
) -> str:
    """One line: PASS, FAIL, NO DIFFERENCE, UNRESOLVED, NOT COMPARABLE or NOT MEASURED."""
    if name in missing:
        return "TARGET NOT MEASURED"
    if not comparable:
        return "NOT COMPARABLE"
    reasons = [f"{guard} regressed" for guard in regressions]
    reasons += [f"{other} is not measured" for other in missing]
    reasons += ["the proxy rose and the target did not follow"] if too_far else []
    reasons += ["the target got worse"] if target is Moved.WRONG_WAY else []
    if reasons:
        return "FAIL: " + "; ".join(reasons)
    if target is Moved.UNRESOLVED:
        return "UNRESOLVED: a trained arm has one training seed"
    if target is Moved.MOVED:
        return "PASS"
    if target is Moved.UNREPLICATED:
        return "PASS, one evaluation run per side"
    return "NO DIFFERENCE, shown equivalent" if target is Moved.EQUIVALENT else "NO DIFFERENCE"
