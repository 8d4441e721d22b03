"""Tools as people write them, turned into `Tool`: OpenAI envelopes, bare dicts, Anthropic's shape, typed functions.

Schemas are checked here, because a malformed one is a refused request on every call later. Type names that only other
languages know ("list", "float", "dict") are translated and noted; what cannot be understood is a problem with a name.
"""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..errors import Problem, SpecError
from ..schema import Tool
from .sound import problems_of, target_of

_TYPES = {"string", "number", "integer", "boolean", "array", "object", "null"}
_TRANSLATED = {
    "str": "string",
    "text": "string",
    "char": "string",
    "date": "string",
    "datetime": "string",
    "float": "number",
    "double": "number",
    "decimal": "number",
    "int": "integer",
    "long": "integer",
    "bool": "boolean",
    "list": "array",
    "tuple": "array",
    "set": "array",
    "dict": "object",
    "map": "object",
    "hashmap": "object",
    "none": "null",
}
_ANY = {"any", "all", "mixed"}
_EMPTY_OBJECT: dict[str, Any] = {"type": "object", "properties": {}}
_MAX_DEPTH = 32
_MAX_NODES = 100_000

F = typing.TypeVar("F", bound=Callable[..., Any])


def tool(function: F) -> F:
    """Mark a typed function as a tool; `tools=[my_function]` reads its signature and docstring.

    >>> @tool
    ... def get_order(order_id: str) -> dict:
    ...     "Look up an order."
    """
    function.__whileai_tool__ = True  # type: ignore[attr-defined]
    return function


def as_tools(raw: Iterable[Any]) -> tuple[tuple[Tool, ...], list[Problem], list[str]]:
    """Tools in their order, the problems found (all of them), and notes about what was translated."""
    tools: list[Tool] = []
    problems: list[Problem] = []
    notes: list[str] = []
    seen: dict[str, int] = {}
    if isinstance(raw, (str, bytes, Mapping)) or not isinstance(raw, Iterable):
        return (), [Problem("spec.tools", f"is {type(raw).__name__}, not a list of tools")], []
    for index, item in enumerate(raw):
        if expanded(item) > _MAX_NODES:
            problems.append(Problem(f"spec.tools.{index}", f"holds more than {_MAX_NODES} values, or itself", "cut it down"))
            continue
        try:
            made = as_tool(item, notes, f"spec.tools.{index}")
        except SpecError as error:
            problems.extend(error.problems)
            continue
        found = problems_of(made, f"spec.tools.{index} ({made.name})")
        if found:
            problems.extend(found)
            continue
        if made.name in seen:
            problems.append(
                Problem(
                    f"spec.tools.{index}",
                    f"the name {made.name!r} was already used by tool {seen[made.name]}",
                    "give each tool its own name",
                )
            )
            continue
        seen[made.name] = index
        tools.append(made)
    return tuple(tools), problems, notes


def expanded(value: Any) -> int:
    """How many values a declaration holds when everything shared is written out; counting stops beyond the limit."""
    count, stack = 0, [value]
    while stack and count <= _MAX_NODES:
        item = stack.pop()
        count += 1
        if isinstance(item, Mapping):
            stack.extend(item.values())
        elif isinstance(item, (list, tuple)):
            stack.extend(item)
    return count


def as_tool(raw: Any, notes: list[str] | None = None, where: str = "tool") -> Tool:
    """One tool. SpecError names what is wrong with it; `notes` collects what was translated."""
    notes = notes if notes is not None else []
    if isinstance(raw, Tool):
        return raw
    if callable(raw) and not isinstance(raw, Mapping):
        return _from_function(raw, where)
    if not isinstance(raw, Mapping):
        raise SpecError(Problem(where, f"is {type(raw).__name__}, not a tool declaration or a function"))
    body = raw.get("function", raw) if raw.get("type", "function") == "function" or "function" in raw else raw
    if not isinstance(body, Mapping):
        raise SpecError(Problem(f"{where}.function", f"is {type(body).__name__}, not an object"))
    name = body.get("name")
    if not isinstance(name, str) or not name.strip():
        raise SpecError(Problem(f"{where}.name", f"{name!r} is not a name", "every tool needs a non-empty name"))
    description = body.get("description") or ""
    if not isinstance(description, str):
        raise SpecError(Problem(f"{where}.description", f"is {type(description).__name__}, not text"))
    parameters = body.get("parameters", body.get("input_schema", body.get("inputSchema")))
    schema = _object_schema(parameters, f"{where} ({name})", notes)
    returns = next(
        (holder[key] for holder in (body, raw) for key in ("returns", "response", "outputSchema") if key in holder), None
    )
    kind = str(raw.get("kind", body.get("kind", "tool")))
    return Tool(
        name,
        description,
        schema,
        _schema(returns, f"{where}.returns", [], 0) if isinstance(returns, Mapping) else None,
        kind,
        bool(body.get("strict", False)),
    )


def _object_schema(parameters: Any, where: str, notes: list[str]) -> dict[str, Any]:
    if parameters is None or parameters == {}:
        return dict(_EMPTY_OBJECT)
    if not isinstance(parameters, Mapping):
        raise SpecError(Problem(f"{where}.parameters", f"is {type(parameters).__name__}, not a JSON Schema object"))
    schema = _schema(parameters, f"{where}.parameters", notes, 0)
    if isinstance(schema.get("$ref"), str) and isinstance(target := target_of(schema["$ref"], schema), Mapping):
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref" or target is schema}}
    if schema.setdefault("type", "object") != "object":
        raise SpecError(Problem(f"{where}.parameters.type", f"is {schema['type']!r}; arguments are always an object"))
    properties = schema.setdefault("properties", {})
    required = schema.get("required", [])
    if isinstance(required, list) and schema.get("additionalProperties") is False:
        unknown = [name for name in required if name not in properties]
        if unknown:
            raise SpecError(Problem(f"{where}.parameters.required", f"names {unknown}, which are not properties"))
    return schema


def _schema(raw: Any, where: str, notes: list[str], depth: int) -> dict[str, Any]:
    """A copy with translated type names; problems are raised with the path of the part."""
    if isinstance(raw, bool):
        return {} if raw else {"not": {}}
    if not isinstance(raw, Mapping):
        raise SpecError(Problem(where, f"is {type(raw).__name__}, not a JSON Schema"))
    if depth > _MAX_DEPTH:
        raise SpecError(Problem(where, f"is nested deeper than {_MAX_DEPTH} levels"))
    out: dict[str, Any] = {str(key): value for key, value in raw.items() if value is not None or key in ("const", "default")}
    _modernise(out, where, notes)
    if "type" in out:
        _translate_type(out, where, notes)
    for key in ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"):
        if key in out:
            if not isinstance(out[key], Mapping):
                raise SpecError(Problem(f"{where}.{key}", f"is {type(out[key]).__name__}, not an object"))
            out[key] = {str(name): _schema(part, f"{where}.{key}.{name}", notes, depth + 1) for name, part in out[key].items()}
    for key in ("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"):
        if isinstance(out.get(key), Mapping):
            out[key] = _schema(out[key], f"{where}.{key}", notes, depth + 1)
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        if isinstance(out.get(key), (list, tuple)):
            out[key] = [_schema(part, f"{where}.{key}.{i}", notes, depth + 1) for i, part in enumerate(out[key])]
    required = out.get("required")
    if isinstance(required, bool):
        del out["required"]
        notes.append(f"{where}.required is {required}, not a list of names: ignored")
    elif required is not None and not (isinstance(required, (list, tuple)) and all(isinstance(n, str) for n in required)):
        raise SpecError(Problem(f"{where}.required", f"is {required!r}, not a list of names"))
    elif required is not None:
        out["required"] = list(dict.fromkeys(required))
    return out


def _modernise(schema: dict[str, Any], where: str, notes: list[str]) -> None:
    """What older drafts wrote otherwise, put in today's words; remarks that are no text are dropped."""
    for side, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(schema.get(side), bool) and schema.pop(side) and bound in schema:
            schema[side] = schema.pop(bound)
    if isinstance(schema.get("items"), (list, tuple)):
        schema["prefixItems"] = list(schema.pop("items"))
    for key, kind in (("title", str), ("description", str), ("examples", list)):
        if key in schema and not isinstance(schema[key], kind):
            notes.append(f"{where}.{key} is {type(schema[key]).__name__}: ignored")
            del schema[key]
    for key in ("enum", "examples"):
        if isinstance(schema.get(key), tuple):
            schema[key] = list(schema[key])


def _translate_type(schema: dict[str, Any], where: str, notes: list[str]) -> None:
    given = schema["type"]
    names = list(given) if isinstance(given, (list, tuple)) else [given]
    out: list[str] = []
    for name in names:
        word = str(name).strip().lower()
        base = re.split(r"[<\[(]", word)[0].strip()
        if word in _TYPES:
            out.append(word)
        elif base in _ANY:
            schema.pop("type")
            notes.append(f"{where}.type {name!r} means any value: left open")
            return
        elif base in _TRANSLATED:
            out.append(_TRANSLATED[base])
            notes.append(f"{where}.type {name!r} is not JSON Schema: read as {_TRANSLATED[base]!r}")
        else:
            raise SpecError(
                Problem(f"{where}.type", f"{name!r} is not a JSON Schema type", f"use one of {', '.join(sorted(_TYPES))}")
            )
    schema["type"] = out[0] if len(out) == 1 and not isinstance(given, (list, tuple)) else out


_ARG_LINE = re.compile(r"^\s*(\w+)\s*(?:\([^)]*\))?\s*:\s*(.+)$")


def _from_function(function: Callable[..., Any], where: str) -> Tool:
    """A tool from a typed function: annotations become the schema, the docstring's Args block the descriptions."""
    if isinstance(function, type):
        raise SpecError(Problem(where, f"{function.__name__} is a class; pass a function or an instance's method"))
    from pydantic import TypeAdapter

    name = getattr(function, "__name__", "")
    if not name or name == "<lambda>":
        raise SpecError(Problem(where, "a tool function needs a name; a lambda has none"))
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except Exception as error:  # a user's annotations may evaluate to anything
        raise SpecError(Problem(f"{where} ({name})", f"its annotations cannot be read: {error}")) from error
    summary, notes = _docstring(inspect.getdoc(function) or "")
    properties: dict[str, Any] = {}
    required: list[str] = []
    definitions: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        schema = TypeAdapter(hints[parameter.name]).json_schema() if parameter.name in hints else {}
        definitions.update(schema.pop("$defs", {}))
        schema.pop("title", None)
        if parameter.name in notes:
            schema["description"] = notes[parameter.name]
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        elif parameter.default is None or isinstance(parameter.default, (str, int, float, bool)):
            schema["default"] = parameter.default
        properties[parameter.name] = schema
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    if definitions:
        schema["$defs"] = definitions
    returns = None
    if "return" in hints and hints["return"] not in (dict, list, Any, type(None)):
        returns = TypeAdapter(hints["return"]).json_schema()
    return Tool(name, summary, schema, returns)


def _docstring(text: str) -> tuple[str, dict[str, str]]:
    head, _, args = text.partition("\nArgs:")
    notes: dict[str, str] = {}
    for line in args.splitlines():
        if line.strip() in ("Returns:", "Raises:", "Yields:"):
            break
        found = _ARG_LINE.match(line)
        if found:
            notes[found[1]] = found[2].strip()
    return " ".join(head.split("\nReturns:")[0].split()), notes
