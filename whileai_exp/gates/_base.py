"""Gates by name, and running them. To add one: `gates/<name>.py` with a frozen dataclass under `@gates.register(name)`
whose fields are its settings (a field `knobs` is filled with the run's) and whose `check(evidence)` returns a GateResult.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..errors import ConfigError, Problem
from ..knobs import GateKnobs
from ..ports import Evidence, Gate
from ..registry import Registry
from ..schema import GateResult, GateStatus

gates: Registry[Gate] = Registry("gate", "whileai_exp.gates")


def build_gates(config: Mapping[str, Mapping[str, Any]], knobs: GateKnobs) -> dict[str, Gate]:
    """Gates from `{name: settings}`; a `kind` in the settings lets one gate stand under several names.

    ConfigError carries every unknown name and setting.
    """
    problems: list[Problem] = []
    built: dict[str, Gate] = {}
    for name, settings in config.items():
        try:
            gate = gates.create({"kind": name, **settings} if "target" not in settings else settings)
            problems += [
                Problem(f"gates.{name}.{field}", f"{value!r} is not a share in [0, 1]")
                for field, value in _shares(settings)
                if not 0 <= value <= 1
            ]
            built[name] = _with_knobs(gate, knobs)
        except ConfigError as error:
            problems += [
                Problem(f"gates.{name}" + (f".{p.where}" if p.where not in ("", "gate") else ""), p.what, p.fix, p.origin)
                for p in error.problems
            ]
    if problems:
        raise ConfigError(problems)
    return built


def check_gates(config: Mapping[str, Mapping[str, Any]], evidence: Evidence, knobs: GateKnobs) -> tuple[GateResult, ...]:
    """Every gate's verdict, in configuration order."""
    return tuple(_named(gate.check(evidence), name) for name, gate in build_gates(config, knobs).items())


def _shares(settings: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Settings that are shares by their name."""
    return [(name, value) for name, value in settings.items() if name.endswith("_share") and isinstance(value, (int, float))]


def _with_knobs(gate: Any, knobs: GateKnobs) -> Gate:
    """The gate reading this run's knobs, where it reads any."""
    made: Any = gate
    if is_dataclass(gate) and any(field.name == "knobs" for field in fields(gate)):
        made = replace(made, knobs=knobs)
    return made


def refused(results: Iterable[GateResult]) -> tuple[GateResult, ...]:
    """The gates that stop a run: those that failed, and those whose evidence is absent."""
    return tuple(result for result in results if result.status in (GateStatus.FAIL, GateStatus.UNMEASURED))


def _named(result: GateResult, name: str) -> GateResult:
    return result if result.gate == name else GateResult(name, result.status, result.reason, result.numbers, result.fix)


def share_gate(
    name: str, share: float | None, n: int, *, least: float | None = None, most: float | None = None, what: str, fix: str
) -> GateResult:
    """A gate on a share with a floor or a ceiling."""
    if share is None:
        return GateResult(name, GateStatus.UNMEASURED, f"{what} cannot be measured: n=0", {"n": n}, fix)
    bound = least if least is not None else most
    good = share >= least if least is not None else share <= (most if most is not None else 1.0)
    numbers = {"value": share, "bound": bound, "n": n}
    sign = "at least" if least is not None else "at most"
    return GateResult(
        name,
        GateStatus.PASS if good else GateStatus.FAIL,
        f"{what}: {share:.3f}, {sign} {bound:g} is asked (n={n})",
        numbers,
        "" if good else fix,
    )
