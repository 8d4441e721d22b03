"""Number values: a price, a percentage, a year, within what the schema and its description allow."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ._kinds import kind_of
from ._makers import Draft
from .effects import words_of

Json = Any
Maker = Callable[[Draft], Json]

_RANGES: Mapping[str, tuple[float, float, float]] = {
    "amount": (20, 900, 5), "percent": (1, 20, 0.5), "rating": (3, 5, 1), "year": (2023, 2026, 1), "month": (1, 12, 1), "duration": (1, 12, 1),
    "page": (1, 3, 1), "limit": (5, 20, 5), "quantity": (1, 4, 1), "latitude": (30, 55, 0.1), "longitude": (-10, 30, 0.1),
    "temperature": (18, 24, 0.5), "age": (19, 70, 1), "weight": (1, 40, 0.5), "thoughts": (1, 5, 1),
}  # fmt: skip
_BETWEEN = re.compile(r"between (-?\d+(?:\.\d+)?) and (-?\d+(?:\.\d+)?)", re.IGNORECASE)


def number_maker(name: str, schema: Mapping[str, Json], text: str, owner: str, *, whole: bool) -> Maker:
    """The maker of a number argument: a believable range for its name, moved into the schema's bounds."""
    kind = kind_of(name, text, owner)
    named = any(word in ("id", "number", "no", "code") for word in words_of(name)[-1:]) or kind in ("id", "phone", "card")
    low, high, step = (10_000, 99_999, 1) if named and kind not in _RANGES else _RANGES.get(kind, (1, 10, 1))
    if words_of(name)[-1:] == ["number"] and kind == "quantity" and len(words_of(name)) > 1:
        low, high, step = 1, 5, 1
    between = _BETWEEN.search(text)
    if between:
        low, high = max(low, float(between[1])), min(max(low, high), float(between[2]))
        if low > high:
            low, high = float(between[1]), float(between[2])
    floor, ceiling = _bounds(schema, whole)
    if floor is not None and low < floor:
        low, high = floor, max(high, floor + (0 if ceiling is not None else 10))
    if ceiling is not None and high > ceiling:
        high = ceiling
        low = min(low, high) if floor is None else max(min(low, high), floor)
    multiple = schema.get("multipleOf")
    step = float(multiple) if multiple else max(step, 1) if whole else step

    def draw(draft: Draft) -> int | float:
        if multiple:
            first = -(-low // step)
            value = (first + draft.stream.integer(0, max(0, int(high // step - first)))) * step
        else:
            value = low + draft.stream.integer(0, max(0, int((high - low) / step + 1e-9))) * step
        if kind == "amount" and not whole and not multiple and value + 0.99 <= high and draft.stream.chance(0.4):
            value += draft.stream.choice((0.5, 0.99, 0.25))
        value = draft.ordered_number(name, value, low, high)
        return int(value) if whole or float(value).is_integer() else round(value, 6)

    return draw


def _bounds(schema: Mapping[str, Json], whole: bool) -> tuple[float | None, float | None]:
    nudge = 1 if whole else 0.01
    low, high = schema.get("minimum"), schema.get("maximum")
    under, over = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if isinstance(under, (int, float)) and not isinstance(under, bool):
        low = under + nudge if low is None else max(low, under + nudge)
    elif under is True and low is not None:
        low += nudge
    if isinstance(over, (int, float)) and not isinstance(over, bool):
        high = over - nudge if high is None else min(high, over - nudge)
    elif over is True and high is not None:
        high -= nudge
    return low, high
