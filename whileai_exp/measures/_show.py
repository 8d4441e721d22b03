"""How measures print, and how they become JSON: finite numbers only, an interval beside its value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any

import numpy as np

from ..schema import Interval, Measure


def shown(value: float | None, interval: Interval | None = None, digits: int = 3) -> str:
    """`0.850 [0.731, 0.922]`, or `not measured`."""
    if value is None:
        return "not measured"
    return f"{value:.{digits}f}" + (f" [{interval.low:.{digits}f}, {interval.high:.{digits}f}]" if interval else "")


def signed(value: float | None, interval: Interval | None = None) -> str:
    """The same with a sign: `+0.120 [+0.010, +0.230]`."""
    if value is None:
        return "not measured"
    return f"{value:+.3f}" + (f" [{interval.low:+.3f}, {interval.high:+.3f}]" if interval else "")


def plain(value: Any) -> Any:
    """JSON of a report: dataclasses by field, intervals by their ends and method, NaN and infinity as None."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, (float, np.floating)):
        return float(value) if isfinite(value) else None
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, Interval):
        return {"low": plain(value.low), "high": plain(value.high), "level": value.level, "method": value.method}
    if isinstance(value, Measure):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value) if not f.name.startswith("_")}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value.tolist()]
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return str(value)


class Report:
    """Base of every report: `to_dict()` is the JSON twin of what it prints."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        return plain(self)

    def __getitem__(self, name: str) -> Any:
        return self.to_dict()[name]

    def __contains__(self, name: object) -> bool:
        return name in self.to_dict()


def notes(items: tuple[str, ...] | list[str]) -> list[str]:
    return [f"note: {item}" for item in items]
