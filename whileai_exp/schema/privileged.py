"""Answer keys and hidden state: what a judge may read and nothing else may carry.

The separation is by type. A `Privileged` is a read-only mapping that no serialiser accepts: it is not a dict, json and
orjson raise on it, copying and pickling it raise, and its repr shows no content. Text-level checks (an agent that
recites the key) are a matter for judges and gates, not for this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn


class Privileged(Mapping[str, Any]):
    """Judge-only knowledge about one task, read like a dict: `row["privileged"]["reference"]`.

    Fields in use: `reference` (the right answer or outcome), `principle` (why), `hidden_state` (facts of the world the
    agent must find out), `rubric`, `tests`. Any other field is carried as given.
    """

    __slots__ = ("_fields",)

    def __init__(self, fields: Mapping[str, Any] | None = None, **more: Any) -> None:
        self._fields: dict[str, Any] = {**(fields or {}), **more}

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __repr__(self) -> str:
        return f"<Privileged: {len(self._fields)} fields, not shown>"

    __str__ = __repr__

    def __reduce__(self) -> NoReturn:
        raise TypeError("privileged data cannot be pickled or deep-copied: it stays with the judge")

    def __deepcopy__(self, memo: dict[int, Any]) -> Privileged:
        return self

    def __copy__(self) -> Privileged:
        return self


def is_privileged(key: str, value: Any) -> bool:
    """Whether `key: value` found inside some carried data is a privileged block.

    A mapping under the key `privileged` is one, whatever its fields; a tool argument called `reference`, or a field
    called `privileged` that holds a plain value, is the caller's own data and stays.
    """
    return isinstance(value, Privileged) or (key == "privileged" and isinstance(value, Mapping))


def without_privileged(value: Any) -> Any:
    """`value` without privileged blocks at any depth, JSON text inside strings included.

    The very object is returned when there was nothing to remove.
    """
    if isinstance(value, Privileged):
        return None
    if isinstance(value, dict):
        kept = {k: without_privileged(v) for k, v in value.items() if not is_privileged(str(k), v)}
        return value if len(kept) == len(value) and all(kept[k] is value[k] for k in kept) else kept
    if isinstance(value, (list, tuple)):
        items = [without_privileged(item) for item in value]
        return value if all(new is old for new, old in zip(items, value)) else items
    if isinstance(value, bytes):
        return without_privileged(value.decode("utf-8", "replace")) if b"privileged" in value else value
    if isinstance(value, str) and '"privileged"' in value:
        return _text_without_privileged(value)
    return value


def _text_without_privileged(text: str) -> str:
    """Text in which every JSON value that holds a privileged block is written without it, prose around it kept."""
    import json

    decoder = json.JSONDecoder()
    out: list[str] = []
    at = 0
    while (start := _next_bracket(text, at)) >= 0:
        out.append(text[at:start])
        try:
            parsed, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            out.append(text[start])
            at = start + 1
            continue
        cleaned = without_privileged(parsed)
        out.append(text[start:end] if cleaned is parsed else json.dumps(cleaned, ensure_ascii=False))
        at = end
    return "".join((*out, text[at:]))


def _next_bracket(text: str, at: int) -> int:
    found = [place for place in (text.find("{", at), text.find("[", at)) if place >= 0]
    return min(found, default=-1)
