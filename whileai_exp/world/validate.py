"""Are these arguments what the tool declares? Real JSON Schema (draft 2020-12), with messages a model can act on.

Accepting is the common case and must cost microseconds, so the common keywords are compiled to closures that can only
say "certainly valid"; anything they do not know or do not accept goes to `jsonschema`, which alone decides and words
the refusal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from .._text import did_you_mean
from ..errors import Problem, SpecError
from ..spec._bounded import TooLong, Unbounded, schema_validator, searcher

Check = Callable[[Any], bool]
_PLAIN = frozenset(["title", "description", "default", "examples", "example", "$schema", "$id", "deprecated", "readOnly", "writeOnly", "nullable"])  # fmt: skip
_FORMATS = ("date", "email", "ipv4", "uuid")
_MAX_MESSAGES = 4


class Validator:
    """One tool's argument check."""

    __slots__ = ("_fast", "_properties", "_reject_unknown", "_schema", "_slow")

    def __init__(self, schema: Mapping[str, Any], *, reject_unknown: bool = True) -> None:
        self._schema = schema
        self._properties = schema.get("properties", {})
        self._reject_unknown = reject_unknown and not (
            "additionalProperties" in schema or "patternProperties" in schema or any(key in schema for key in ("anyOf", "oneOf", "allOf", "$ref"))
        )  # fmt: skip
        self._fast = _compiled(schema)
        self._slow: Any = None

    def problems(self, arguments: Mapping[str, Any]) -> list[str]:
        """Why the arguments are refused, in a few short sentences; empty when they are right."""
        unknown = [name for name in arguments if name not in self._properties] if self._reject_unknown else []
        if not unknown and self._fast is not None and self._fast(arguments):
            return []
        out = [f"unknown argument {name!r} ({did_you_mean(name, self._properties)})" for name in unknown]
        out += [_worded(error) for error in sorted(self._validator().iter_errors(dict(arguments)), key=_place)]
        if len(out) > _MAX_MESSAGES:
            out = [*out[:_MAX_MESSAGES], f"and {len(out) - _MAX_MESSAGES} more"]
        return out

    def _validator(self) -> Any:
        if self._slow is None:
            from jsonschema import Draft202012Validator
            from jsonschema.exceptions import SchemaError

            try:
                Draft202012Validator.check_schema(dict(self._schema))
            except SchemaError as error:
                raise SpecError(Problem("tool.parameters", f"is not a JSON Schema: {error.message}")) from error
            self._slow = schema_validator(dict(self._schema), _FORMATS)
        return self._slow


def _place(error: Any) -> str:
    return ".".join(map(str, error.absolute_path))


def _worded(error: Any) -> str:
    where = _place(error)
    message = str(error.message)
    if len(message) > 200:
        message = message[:197] + "…"
    if error.validator == "required":
        return f"{where + ': ' if where else ''}{message.replace('is a required property', 'is required')}"
    return f"{where}: {message}" if where else message


def _compiled(schema: Any) -> Check | None:
    """A check that returns True only for values that are certainly valid; None when a keyword is not known here."""
    if schema is True or schema == {}:
        return lambda value: True
    if not isinstance(schema, Mapping):
        return None
    checks: list[Check] = []
    for key, value in schema.items():
        if key in _PLAIN:
            continue
        maker = _MAKERS.get(key)
        made = maker(value, schema) if maker is not None else None
        if made is None:
            return None
        checks.append(made)
    if not checks:
        return lambda value: True
    if len(checks) == 1:
        return checks[0]
    fixed = tuple(checks)

    def every(value: Any) -> bool:
        for check in fixed:  # noqa: SIM110 - a generator costs twice the time here
            if not check(value):
                return False
        return True

    return every


def _integer(value: Any) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())


_TYPES: dict[str, Check] = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": _integer,
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
}


def _type(given: Any, _: Mapping[str, Any]) -> Check | None:
    names = given if isinstance(given, list) else [given]
    checks = [_TYPES[name] for name in names if name in _TYPES]
    if len(checks) != len(names):
        return None
    return checks[0] if len(checks) == 1 else lambda value: any(check(value) for check in checks)


def _enum(given: Any, _: Mapping[str, Any]) -> Check | None:
    if not all(isinstance(item, str) for item in given):
        return None
    allowed = frozenset(given)
    return lambda value: isinstance(value, str) and value in allowed


def _properties(given: Any, _: Mapping[str, Any]) -> Check | None:
    checks: dict[str, Check] = {}
    for name, part in given.items():
        made = _compiled(part)
        if made is None:
            return None
        checks[name] = made

    def check(value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        for name, item in value.items():
            own = checks.get(name)
            if own is not None and not own(item):
                return False
        return True

    return check


def _required(given: Any, _: Mapping[str, Any]) -> Check | None:
    names = frozenset(given)
    return lambda value: not isinstance(value, dict) or names <= value.keys()


def _closed(given: Any, schema: Mapping[str, Any]) -> Check | None:
    if given is True or given == {}:
        return lambda value: True
    if given is not False or "patternProperties" in schema:
        return None
    known = frozenset(schema.get("properties", {}))
    return lambda value: not isinstance(value, dict) or value.keys() <= known


def _items(given: Any, schema: Mapping[str, Any]) -> Check | None:
    made = _compiled(given) if "prefixItems" not in schema else None
    if made is None:
        return None
    return lambda value: not isinstance(value, list) or all(made(item) for item in value)


def _pattern(given: Any, _: Mapping[str, Any]) -> Check | None:
    try:
        found = searcher(given)
    except (re.error, Unbounded):
        return None

    def check(value: Any) -> bool:
        try:
            return not isinstance(value, str) or found(value)
        except TooLong:
            return False

    return check


def _bound(test: Callable[[Any, Any], bool], sized: type[Any] = int) -> Callable[[Any, Mapping[str, Any]], Check | None]:
    """A bound on a number (`sized` is int), or on the length of a text or list."""

    def maker(given: Any, _: Mapping[str, Any]) -> Check | None:
        if sized is int:
            return lambda value: not isinstance(value, (int, float)) or isinstance(value, bool) or test(value, given)
        return lambda value: not isinstance(value, sized) or test(len(value), given)

    return maker


_MAKERS: dict[str, Callable[[Any, Mapping[str, Any]], Check | None]] = {
    "type": _type,
    "enum": _enum,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _closed,
    "items": _items,
    "pattern": _pattern,
    "minimum": _bound(lambda value, bound: value >= bound),
    "maximum": _bound(lambda value, bound: value <= bound),
    "exclusiveMinimum": _bound(lambda value, bound: value > bound),
    "exclusiveMaximum": _bound(lambda value, bound: value < bound),
    "minLength": _bound(lambda size, bound: size >= bound, str),
    "maxLength": _bound(lambda size, bound: size <= bound, str),
    "minItems": _bound(lambda size, bound: size >= bound, list),
    "maxItems": _bound(lambda size, bound: size <= bound, list),
}
