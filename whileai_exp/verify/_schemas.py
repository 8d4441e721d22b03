"""JSON Schema, checked by jsonschema with real drafts and without a network."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from ..errors import ConfigError, Problem

DRAFTS = {
    "3": "Draft3Validator",
    "4": "Draft4Validator",
    "6": "Draft6Validator",
    "7": "Draft7Validator",
    "2019-09": "Draft201909Validator",
    "2020-12": "Draft202012Validator",
}


def checked(schema: Any, draft: str | None, resources: Mapping[str, Any] | None = None) -> None:
    """ConfigError when the schema itself is none."""
    from jsonschema.exceptions import SchemaError

    if draft is not None and draft not in DRAFTS:
        raise ConfigError(Problem("draft", f"{draft!r} is not one of {', '.join(DRAFTS)}"))
    try:
        _class(schema, draft).check_schema(schema)
    except SchemaError as error:
        where = "/".join(map(str, error.absolute_path)) or "the schema"
        raise ConfigError(Problem("schema", f"{where}: {error.message}"[:300])) from error


def complaint(
    schema: Any, draft: str | None, instance: Any, formats: bool, resources: Mapping[str, Any] | None = None
) -> str | None:
    """Where an instance breaks the schema, and which keyword it breaks; None when it does not."""
    validator = _validator(orjson.dumps(schema), draft, formats, orjson.dumps(dict(resources or {})))
    error = next(iter(validator.iter_errors(instance)), None)
    if error is None:
        return None
    where = "/".join(map(str, error.absolute_path)) or "the value"
    return f"{where} breaks {error.validator}"[:200]


def _class(schema: Any, draft: str | None) -> Any:
    import jsonschema
    from jsonschema.validators import validator_for

    if draft is not None:
        return getattr(jsonschema, DRAFTS[draft])
    return validator_for(schema, default=jsonschema.Draft202012Validator)


@lru_cache(maxsize=256)
def _validator(schema: bytes, draft: str | None, formats: bool, resources: bytes) -> Any:
    from jsonschema_specifications import REGISTRY
    from referencing import Registry, Resource
    from referencing.jsonschema import DRAFT202012, specification_with

    loaded = orjson.loads(schema)
    made = _class(loaded, draft)
    spec = specification_with(made.META_SCHEMA["$schema"]) or DRAFT202012
    registry = REGISTRY.with_resources(
        (uri, Resource.from_contents(body, default_specification=spec)) for uri, body in orjson.loads(resources).items()
    )
    assert isinstance(registry, Registry)
    return made(loaded, registry=registry, format_checker=made.FORMAT_CHECKER if formats else None)
