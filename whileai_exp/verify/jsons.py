"""Is the reply JSON, of the right shape, with the right value in the right place?"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any

from ..errors import ConfigError, Problem
from . import _schemas
from ._base import MISSING, Row, Unjudged, Verifier
from ._knobs import current
from ._worker import workers

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*\n(.*?)^[ \t]*(?:```|~~~)", re.DOTALL | re.MULTILINE)
_TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
_MOST_STARTS = 100
_PATTERNS = ("pattern", "patternProperties")


class _NotJson(ValueError):
    pass


def _refuse(name: str) -> Any:
    raise _NotJson(f"{name} is not JSON")


def read_json(text: str) -> Any:
    """The one JSON value of a reply: the whole text, its only fenced block that is JSON, or its only object or array.

    MISSING when there is none, or more than one to choose from.
    """
    whole = _loaded(text)
    if whole is not MISSING:
        return whole
    fenced = [value for value in map(_loaded, _FENCE.findall(text)) if value is not MISSING]
    if fenced:
        return fenced[0] if len(fenced) == 1 else MISSING
    decoder = json.JSONDecoder(parse_constant=_refuse)
    found: list[Any] = []
    at = _start(text, 0)
    for _ in range(_MOST_STARTS):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(text, at)
            found.append(value)
        except (ValueError, RecursionError):
            end = at + 1
        at = _start(text, end)
    return found[0] if len(found) == 1 else MISSING


def _start(text: str, at: int) -> int:
    return min((i for i in (text.find("{", at), text.find("[", at)) if i >= 0), default=-1)


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return MISSING


@dataclass(frozen=True, kw_only=True)
class JSONValid(Verifier):
    """Whether the reply is one JSON value (null is one, NaN and two objects are not), of `top_type` when given."""

    top_type: str | None = None
    needs_reference = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.top_type is not None and self.top_type not in _TYPES:
            raise ConfigError(Problem("top_type", f"{self.top_type!r} is not one of {', '.join(_TYPES)}"))

    def check(self, candidate: str, reference: Any, row: Row) -> Any:
        value = read_json(candidate)
        if value is MISSING:
            return 0.0, "the reply is not one JSON value"
        kind = _TYPES[self.top_type] if self.top_type else None
        right = kind is None or (isinstance(value, kind) and (self.top_type in ("boolean", None) or not isinstance(value, bool)))
        return float(right), "valid" if right else f"the reply is JSON but no {self.top_type}"


@dataclass(frozen=True)
class JSONSchema(Verifier):
    """Whether the reply is JSON that follows `schema`, checked by jsonschema in the draft that `$schema` or `draft` names.

    `draft`: "7", "2020-12", …; None: `$schema`, else 2020-12. `formats`: whether `format` is asserted. `resources`:
    schemas by the URI that `$ref` uses; nothing is fetched. An invalid schema is a ConfigError here, not a zero per row.
    """

    schema: Any
    draft: str | None = None
    formats: bool = False
    resources: Mapping[str, Any] | None = dataclass_field(default=None, repr=False)
    needs_reference = False

    def __post_init__(self) -> None:
        super().__post_init__()
        _schemas.checked(self.schema, self.draft, self.resources)
        try:
            text = json.dumps(self.schema)
        except (TypeError, ValueError) as error:
            raise ConfigError(Problem("schema", f"is not JSON: {error}")) from error
        object.__setattr__(self, "_risky", any(f'"{word}"' in text for word in _PATTERNS) and not self.resources)

    _risky = False

    def check(self, candidate: str, reference: Any, row: Row) -> Any:
        value = read_json(candidate)
        if value is MISSING:
            return 0.0, "the reply is not one JSON value"
        if self._risky:
            told = workers().call("schema", [self.schema, self.draft, value, self.formats], current().regex_timeout_s)
            said = told[0] if told else None
        else:
            said = _schemas.complaint(self.schema, self.draft, value, self.formats, self.resources)
        return float(said is None), said or "valid"


@dataclass(frozen=True)
class JSONField(Verifier):
    """Whether the value at `path` of the reply's JSON is `equals`, or the reference when `equals` is not given.

    `path`: dotted names and list positions (`items.0.id`), or a JSON Pointer (`/items/0/a.b`) for names with dots.
    Values are compared as JSON: 1 is 1.0, the order of keys does not count, true is not 1.
    """

    path: str
    equals: Any = MISSING

    needs_reference = False

    def check(self, candidate: str, reference: Any, row: Row) -> Any:
        wanted = self.equals
        if wanted is MISSING:
            if reference is None:
                raise Unjudged("the row has no reference")
            wanted = reference
        value = read_json(candidate)
        if value is MISSING:
            return 0.0, "the reply is not one JSON value"
        for part in _parts(self.path):
            if isinstance(value, dict) and part in value:
                value = value[part]
            elif isinstance(value, list) and re.fullmatch(r"-?\d+", part) and -len(value) <= int(part) < len(value):
                value = value[int(part)]
            else:
                return 0.0, f"there is no {self.path}"
        right = same_json(value, wanted)
        return float(right), "right" if right else f"{self.path} is another value"


def _parts(path: str) -> list[str]:
    if path.startswith("/"):
        return [part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/")]
    return path.split(".") if path else []


def same_json(a: Any, b: Any) -> bool:
    """Equality of JSON values: numbers by value, bools apart from numbers, keys in any order."""
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same_json(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same_json, a, b))
    return type(a) is type(b) and a == b
