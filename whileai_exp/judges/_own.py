"""A row that a judge may change as it likes: a dict whose nested values are copied when they are first looked at.

Most judges read two or three keys of a row; copying the whole of it costs more than they do.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

_FLAT = frozenset({str, int, float, bool, type(None)})


def copied(value: Any) -> Any:
    """A copy of JSON data that shares nothing changeable with the original; other objects by their own `deepcopy`."""
    kind = type(value)
    if kind in _FLAT:
        return value
    if kind is dict:
        return {key: item if type(item) is str else copied(item) for key, item in value.items()}
    if kind is list:
        return [item if type(item) is str else copied(item) for item in value]
    if kind is OwnRow:
        return OwnRow(value)
    return copy.deepcopy(value)


class OwnRow(dict[str, Any]):
    """A dict that never hands out a nested value of the row it was made from, only its own copy of it."""

    __slots__ = ("_copied",)

    def __init__(self, row: Any) -> None:
        super().__init__(row)
        self._copied: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        value = super().__getitem__(key)
        if type(value) in _FLAT or key in self._copied:
            return value
        value = copied(value)
        self._copied.add(key)
        super().__setitem__(key, value)
        return value

    def __setitem__(self, key: str, value: Any) -> None:
        self._copied.add(key)
        super().__setitem__(key, value)

    def __iter__(self) -> Iterator[str]:
        """Overridden so that `dict(row)` and `{**row}` go through `__getitem__` as well."""
        return super().__iter__()

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self else default  # noqa: SIM401

    def setdefault(self, key: str, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: str, *default: Any) -> Any:
        if key in self:
            value = self[key]
            del self[key]
            return value
        return super().pop(key, *default)

    def popitem(self) -> tuple[str, Any]:
        key = next(reversed(self))
        return key, self.pop(key)

    def values(self) -> Any:
        return [self[key] for key in self]

    def items(self) -> Any:
        return [(key, self[key]) for key in self]

    def update(self, *args: Any, **more: Any) -> None:
        for key, value in dict(*args, **more).items():
            self[key] = value

    def copy(self) -> dict[str, Any]:
        return {key: self[key] for key in self}

    def __or__(self, other: Any) -> dict[str, Any]:
        return {**self.copy(), **other}

    def __ior__(self, other: Any) -> OwnRow:  # pyright: ignore[reportIncompatibleMethodOverride]
        self.update(other)
        return self

    def __deepcopy__(self, memo: Any) -> dict[str, Any]:
        return {key: copied(self[key]) for key in self}

    def __reduce__(self) -> Any:
        return dict, (self.copy(),)
