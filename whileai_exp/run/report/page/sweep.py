"""The figures of a sweep: every job as a line across its settings, and how much of the objective each setting explains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._figures import bars, parallel

_MOST_AXES = 8


def sweep_figures(jobs: Sequence[Mapping[str, Any]], objective: str) -> dict[str, Any]:
    """Figures by name. `jobs`: those with an objective, each with its `overrides`. Empty when nothing varied."""
    varied = varied_settings(jobs)
    if len(jobs) < 2 or not varied:
        return {}
    values = [float(job["objective"]) for job in jobs]
    shares = {name: explained(settings, values) for name, settings in varied.items()}
    names = sorted(varied, key=lambda name: -shares[name])[:_MOST_AXES]
    return {
        "parallel": parallel({name: varied[name] for name in names}, values, objective),
        "importance": bars({name: shares[name] for name in names}, f"share of the variance of {objective}"),
    }


def varied_settings(jobs: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Setting to its value in each job, for settings that are not the same in all of them."""
    given = [dict(token.lstrip("+").partition("=")[::2] for token in job["overrides"]) for job in jobs]
    names = dict.fromkeys(name for settings in given for name in settings)
    found = {name: [settings.get(name, "") for settings in given] for name in names}
    return {name: values for name, values in found.items() if len(set(values)) > 1}


def explained(settings: Sequence[str], values: Sequence[float]) -> float:
    """The share of the variance of `values` that lies between the groups of equal settings (eta squared), 0 to 1.

    Of a setting with many values, four groups in their order are looked at, so that one value per job explains nothing
    by itself.
    """
    mean = sum(values) / len(values)
    total = sum((value - mean) ** 2 for value in values)
    if total == 0:
        return 0.0
    groups: dict[Any, list[float]] = {}
    for key, value in zip(_groups(settings), values):
        groups.setdefault(key, []).append(value)
    return sum(len(group) * (sum(group) / len(group) - mean) ** 2 for group in groups.values()) / total


def _groups(settings: Sequence[str]) -> list[Any]:
    numbers = [number_of(text) for text in settings]
    if len(set(settings)) <= 4 or any(number is None for number in numbers):
        return list(settings)
    ordered = sorted(number for number in numbers if number is not None)
    cuts = [ordered[len(ordered) * quarter // 4] for quarter in (1, 2, 3)]
    return [sum(number >= cut for cut in cuts) for number in numbers if number is not None]


def number_of(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
