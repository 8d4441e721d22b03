"""Can a call of this tool be made at all? What is refused when a spec is loaded, before anything is spent.

A schema must be JSON Schema, stand on its own (local references only), have a smallest value of bearable size, and give
way to drawing: arguments are drawn a few times, and some must be valid. Every problem names the tool and the path.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from .._rng import Rng
from ..errors import Problem
from ..schema import Tool
from ._bounded import Unbounded, backtracks, schema_validator, searcher
from ._patterns import shortest

Json = Any
LARGEST = 4096
"""Values in the smallest valid call, and characters in the shortest text of a pattern, beyond which a tool is refused."""
_STEPS = 20_000
_DATA = frozenset({"enum", "const", "default", "examples", "example", "required", "type"})
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_FORMATS = ("date", "email", "ipv4", "uuid")
_PAIRS = (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"), ("minProperties", "maxProperties"))
_TRIES = 6


def problems_of(tool: Tool, where: str) -> list[Problem]:
    """Why no call of this tool can be drawn, or its results not be shown; empty when all is well."""
    found = _schema_problems(tool.parameters, f"{where}.parameters")
    if tool.returns is not None:
        found += _schema_problems(tool.returns, f"{where}.returns")
    return found or _drawing_problems(tool, where)


def target_of(reference: str, root: Json) -> Json:
    """What a local `$ref` points at; None when it points at nothing or out of the document."""
    if not reference.startswith("#"):
        return None
    target: Json = root
    for part in reference[1:].split("/")[1:]:
        part = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(target, Mapping):
            target = target.get(part)
        elif isinstance(target, (list, tuple)) and part.isdigit() and int(part) < len(target):
            target = target[int(part)]
        else:
            return None
    return target if reference in ("#", "#/") or reference.startswith("#/") else None


def _schema_problems(schema: Mapping[str, Json], where: str) -> list[Problem]:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    try:
        broken = best_match(Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema))
    except RecursionError:
        return [Problem(where, "is nested too deeply to be read")]
    if broken is not None:
        path = ".".join((where, *map(str, broken.absolute_path)))
        return [Problem(path, f"is not JSON Schema: {_short(broken.message)}")]
    found = [problem for part, path in _parts(schema, where) for problem in _part_problems(part, path, schema)]
    if found:
        return found[:20]
    size = Size(schema)
    for part, path in _parts(schema, where):
        least = size.of(part)
        if least == math.inf:
            return [Problem(path, "has no finite value: it requires itself", "make the reference back to it optional")]
        if least > LARGEST:
            return [Problem(path, f"needs {least:.0f} values or more; {LARGEST} is the limit", "lower minItems or minLength")]
    return []


def _parts(schema: Json, where: str) -> Iterator[tuple[Mapping[str, Json], str]]:
    """Every schema inside a schema, with its path."""
    stack: list[tuple[Json, str]] = [(schema, where)]
    while stack:
        part, path = stack.pop()
        if isinstance(part, (list, tuple)):
            stack.extend((item, f"{path}.{index}") for index, item in enumerate(part))
        elif isinstance(part, Mapping):
            yield part, path
            for key, value in part.items():
                if key in _NAMED and isinstance(value, Mapping):
                    stack.extend((item, f"{path}.{key}.{name}") for name, item in value.items())
                elif key not in _DATA:
                    stack.append((value, f"{path}.{key}"))


def _part_problems(part: Mapping[str, Json], path: str, root: Mapping[str, Json]) -> Iterator[Problem]:
    reference = part.get("$ref")
    if isinstance(reference, str) and not isinstance(target_of(reference, root), (Mapping, bool)):
        remote = not reference.startswith("#")
        why = "lies outside this schema and is not fetched" if remote else "points at nothing in this schema"
        yield Problem(f"{path}.$ref", f"{reference!r:.80} {why}", "put the definition under $defs and point at it: '#/$defs/…'")
    for key in ("$dynamicRef", "$recursiveRef"):
        if key in part:
            yield Problem(f"{path}.{key}", "is not followed", "use $ref with a definition under $defs")
    patterns = [("pattern", part["pattern"])] if isinstance(part.get("pattern"), str) else []
    patterns += [("patternProperties", name) for name in part.get("patternProperties") or ()]
    for key, pattern in patterns:
        why = _pattern_trouble(pattern)
        if not why and key == "patternProperties" and backtracks(pattern):
            why = "can take for ever to match a long name"
        if why:
            yield Problem(f"{path}.{key}", f"{pattern!r:.60} {why}", "write a shorter one in the syntax of Python's re")
    if isinstance(part.get("enum"), list) and not part["enum"]:
        yield Problem(f"{path}.enum", "is empty: no value is valid", "list the choices or drop it")
    for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"):
        value = part.get(key)
        if isinstance(value, float) and not math.isfinite(value):
            yield Problem(f"{path}.{key}", f"{value} is not a finite number", "drop the bound")
    for low, high in _PAIRS:
        if low in part and high in part and part[low] > part[high]:
            yield Problem(path, f"{low} {part[low]} is above {high} {part[high]}: no value is valid", "swap or drop one")


def _pattern_trouble(pattern: str) -> str:
    if len(pattern) > LARGEST:
        return f"is longer than {LARGEST} characters"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
        least = shortest(pattern)
        searcher(pattern)
    except Unbounded as error:
        return f"can take for ever to match: it has {error}"
    except (re.error, OverflowError, RecursionError) as error:
        return f"is not a regular expression: {_short(str(error))}"
    return f"matches only texts of {least} characters or more; {LARGEST} is the limit" if least > LARGEST else ""


class Size:
    """How many values the smallest valid value holds; infinite when it requires itself. Bounded work for any schema."""

    def __init__(self, root: Json) -> None:
        self._root, self._left = root, _STEPS
        self._known: dict[int, float] = {}
        self._open: set[int] = set()

    def of(self, raw: Json) -> float:
        if not isinstance(raw, Mapping):
            return 1.0 if raw is not False else math.inf
        key = id(raw)
        if key in self._known:
            return self._known[key]
        self._left -= 1
        if key in self._open or self._left < 0 or len(self._open) > 200:
            return math.inf
        self._open.add(key)
        size = self._of(raw)
        self._open.discard(key)
        if size < math.inf:
            self._known[key] = size
        return size

    def _of(self, schema: Mapping[str, Json]) -> float:
        if "const" in schema or "enum" in schema:
            return 1.0
        size = 1.0
        if isinstance(schema.get("$ref"), str):
            size += self.of(target_of(schema["$ref"], self._root))
        size += sum(self.of(part) for part in schema.get("allOf") or ())
        for key in ("anyOf", "oneOf"):
            if schema.get(key):
                size += min(self.of(part) for part in schema[key])
        types = schema.get("type")
        if isinstance(types, list) and len(types) > 1 and "null" in types:
            return size
        properties = schema.get("properties") or {}
        if types in (None, "object", ["object"]):
            size += sum(self.of(properties.get(name, True)) for name in dict.fromkeys(schema.get("required") or ()))
        if types in (None, "array", ["array"]) and schema.get("minItems"):
            size += max(0, schema["minItems"]) * self.of(schema.get("items", True))
        if schema.get("minLength"):
            size += schema["minLength"] / 4
        return size + (schema.get("minProperties") or 0)


def _drawing_problems(tool: Tool, where: str) -> list[Problem]:
    """Arguments drawn with and without the optional ones: some of each kind must be valid."""
    from jsonschema.exceptions import best_match

    from .values import draw_arguments

    validator = schema_validator(tool.parameters, _FORMATS)
    alternatives = any(word in tool.parameters for word in ("anyOf", "oneOf", "not", "if"))
    for share, kind in ((0.0, "required"), (0.5 if alternatives else 1.0, "optional")):
        last = None
        for turn in range(_TRIES):
            try:
                last = best_match(validator.iter_errors(draw_arguments(tool, Rng(turn).at("sound", kind), optional_share=share)))
            except Exception as error:  # what a schema from outside can do to the drawing is open
                return [
                    Problem(
                        f"{where}.parameters", f"cannot be drawn from: {_short(str(error) or type(error).__name__)}", _SIMPLER
                    )
                ]
            if last is None:
                break
        if last is not None:
            path = ".".join((f"{where}.parameters", *(str(key) for key in last.absolute_path)))
            return [Problem(path, f"no valid value could be drawn: {_short(last.message)}", _SIMPLER)]
    return []


_SIMPLER = "loosen this part of the schema, or give it an enum or examples of valid values"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 160 else text[:159] + "…"
