"""A value that a real person or system would have for an argument: valid for its schema, believable for its name.

`draw_value` and `draw_arguments` are pure functions of the stream handed in. A schema is compiled once into a maker
(cached by identity), so that drawing costs microseconds. `spoken` is how a person says a value: identifiers and quoted
text stay verbatim, because an agent that only reads the conversation has to pass them on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

from .._rng import Stream
from ..errors import Problem, SpecError
from ..schema import Spec, Tool
from ._bounded import schema_validator
from ._kept import KEPT, kept_per_tool
from ._makers import Draft
from ._numbers import number_maker
from ._pools import MONTHS
from ._spoken import said_as
from ._texts import text_maker
from .effects import words_of
from .sound import Size, target_of

Json = Any
Maker = Callable[[Draft], Json]
_DEEP = 6
"""Levels below which only what is required is drawn."""
_DEEPEST = 64
_BORING = re.compile(
    r"^(?:page|limit|count|cursor|offset|sort|sort_?\w+|include_\w+|exclude_\w+|max_\w+|start_?index|raw|format|response|highlight|"
    r"arguments|batch_\w+|presence_sub|dry_?run|\w*_format|context_lines|units|head|tail|api_key|cuisine|date_range|language|exclude_?patterns?|hash|external_id|contains|not_contains)$",
    re.IGNORECASE,
)


def draw_value(
    name: str,
    schema: Mapping[str, Json],
    stream: Stream,
    *,
    root: Mapping[str, Json] | None = None,
    description: str | None = None,
    lang: str = "en",
) -> Json:
    """A value for the argument `name`, valid against `schema`. `root` resolves `$ref`; None means the schema itself."""
    return _maker(name, schema, root if root is not None else schema, description or "", lang, "")(Draft(stream, lang))


def draw_arguments(
    tool: Tool, stream: Stream, *, optional_share: float = 0.25, lang: str = "en", today: date | None = None
) -> dict[str, Json]:
    """Arguments of one call: every required one and a share of the optional ones, consistent with each other.

    Dates lie after `today` (None: a fixed day) and ends after starts; an email belongs to the name beside it; two
    people, places or lists that belong together differ and match in length.
    """
    plan, valid = _plan_of(tool, lang)
    out: dict[str, Json] = {}
    for _ in range(_REDRAWS):
        draft = Draft(stream, lang, today)
        out = {}
        for name, maker, needed, rate in plan:
            if needed or (rate > 0 and stream.chance(optional_share * rate)):
                out[name] = maker(draft)
        if valid is None or valid(out):
            break
    return out


@lru_cache(maxsize=64)
def _language_of(text: str) -> str:
    letters = {"zh": 0, "ko": 0, "ja": 0, "latin": 0, "other": 0}
    for char in text:
        code = ord(char)
        if 0x4E00 <= code <= 0x9FFF:
            letters["zh"] += 1
        elif 0xAC00 <= code <= 0xD7A3:
            letters["ko"] += 1
        elif 0x3040 <= code <= 0x30FF:
            letters["ja"] += 1
        elif char.isascii() and char.isalpha():
            letters["latin"] += 1
        elif char.isalpha() and code > 0x24F:
            letters["other"] += 1
    if letters["ja"] > 0.1 * max(1, letters["zh"]) and letters["ja"] > 10:
        return "ja"
    for lang in ("zh", "ko"):
        if 3 * letters[lang] > letters["latin"]:
            return lang
    return "other" if letters["other"] > letters["latin"] else "en"


def language_of(spec: Spec) -> str:
    """The language that people write to this agent in: en, zh, ko, ja or other, by the letters of descriptions and policy.

    One Chinese or Korean character weighs three Latin letters, since a word of theirs is one or two characters. Without
    a policy, a tool whose only valid choices are written in another script decides: its people write that language.
    """
    texts = [spec.system_prompt[:4000], *(tool.description for tool in spec.tools)]
    found = _language_of("\n".join(texts))
    if found != "en" or spec.system_prompt:
        return found
    choices = "".join(str(item) for tool in spec.tools for part in (tool.parameters.get("properties") or {}).values()
                      if isinstance(part, Mapping) for item in part.get("enum") or ())  # fmt: skip
    foreign = "".join(char for char in choices if ord(char) > 0x2E80)
    return _language_of(foreign) if len(foreign) >= 8 else found


def spoken(value: Json, name: str = "", schema: Mapping[str, Json] | None = None, lang: str = "en") -> str:
    """How a person says a value. Text stays verbatim (identifiers above all); ISO dates, lists and objects are put in words."""
    if isinstance(value, bool):
        return {"zh": ("不", "是"), "ko": ("아니요", "네")}.get(lang, ("no", "yes"))[value]
    if isinstance(value, (int, float)):
        return f"{value:g}" if isinstance(value, float) and abs(value) < 1e6 else str(value)
    if isinstance(value, str):
        return _spoken_text(value, schema, lang)
    if isinstance(value, (list, tuple)):
        return _joined([spoken(item, name, _items(schema), lang) for item in value], lang)
    if isinstance(value, Mapping):
        return _spoken_object(value, schema, lang)
    return ""


_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::\d\d)?Z?)?$")
_WORDS_JOINED = re.compile(r"(?:[a-z]+|\d[a-z]|[a-z]\d)(?:_(?:[a-z]+|\d[a-z]|[a-z]\d))+$")
"""A choice such as `front_row` or `4g_only`; identifiers carry longer numbers."""
_US = re.compile(r"(\d\d)/(\d\d)/(\d{4})$")


def _spoken_text(value: str, schema: Mapping[str, Json] | None, lang: str) -> str:
    if lang != "en" and schema is not None and "enum" in schema:
        return said_as(value, lang)
    found = _ISO.match(value) if value[:1].isdigit() else None
    if found:
        year, month, day = int(found[1]), int(found[2]), int(found[3])
        clock = f"{found[4]}:{found[5]}" if found[4] else ""
        if not 1 <= month <= 12:
            return value
        if lang == "zh":
            return f"{year}年{month}月{day}日" + clock
        if lang == "ko":
            return f"{year}년 {month}월 {day}일" + (f" {clock}" if clock else "")
        return f"{day} {MONTHS[month - 1]} {year}" + (f" at {clock}" if clock else "")
    us = _US.match(value) if value[2:3] == "/" else None
    if us and lang == "en" and 1 <= int(us[1]) <= 12:
        return f"{MONTHS[int(us[1]) - 1]} {int(us[2])}, {us[3]}"
    if ("_" in value and _WORDS_JOINED.match(value)) or (
        schema is not None and "enum" in schema and value.isupper() and len(value) > 3
    ):
        return value.replace("_", " ").lower()
    return value


def _items(schema: Mapping[str, Json] | None) -> Mapping[str, Json] | None:
    items = schema.get("items") if schema else None
    return items if isinstance(items, Mapping) else None


def _joined(parts: list[str], lang: str) -> str:
    parts = [part for part in parts if part]
    if not parts:
        return ""
    if lang == "zh":
        return "、".join(parts)
    if lang == "ko":
        return ", ".join(parts)
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


_COUNTS = frozenset({"quantity", "count", "qty", "amount", "number"})


def _spoken_object(value: Mapping[str, Json], schema: Mapping[str, Json] | None, lang: str) -> str:
    properties = (schema or {}).get("properties", {})
    if lang == "en" and {"from", "to"} <= value.keys() and len(value) == 3:
        link = next(item for key, item in value.items() if key not in ("from", "to"))
        return f"{spoken(value['from'])} {spoken(link)} {spoken(value['to'])}"
    swap = [item for key, item in value.items() if words_of(key)[:1] in (["old"], ["new"]) and isinstance(item, str)]
    if lang == "en" and len(swap) == 2:
        return f'"{swap[0]}" becomes "{swap[1]}"'
    count = next((item for key, item in value.items() if key in _COUNTS and isinstance(item, (int, float))), None)
    rest = [(key, item) for key, item in value.items() if not (key in _COUNTS and item is count)]
    said = [text for key, item in rest if (text := spoken(item, key, properties.get(key), lang)) and not isinstance(item, bool)]
    if count is not None and said:
        head = (
            f"{spoken(count)} x {said[0]}"
            if lang == "en"
            else f"{said[0]}{spoken(count)}份"
            if lang == "zh"
            else f"{said[0]} {spoken(count)}개"
        )
        said = [head, *said[1:]]
    if lang == "en" and count is None and len(said) > 1:
        return f"{said[0]} ({'; '.join(said[1:])})"
    return ", ".join(said) if lang == "en" else "，".join(said) if lang == "zh" else ", ".join(said)


_Plan = tuple[list[tuple[str, Maker, bool, float]], Callable[[Json], bool] | None]
_MAKERS: dict[tuple[int, int, str, str, str, str], tuple[Any, Any, Maker]] = {}

_REDRAWS = 24
"""Draws of what a schema's rarer keywords refuse, before the last one stands."""


@kept_per_tool
def _plan_of(tool: Tool, lang: str) -> _Plan:
    """(name, maker, required, how often an optional one is worth giving) per property, compiled once per tool.

    With it, the check that arguments have to pass where the schema says more than its properties do; else None.
    """
    whole = _whole(tool.parameters)
    required = set(whole.get("required") or ())
    owner = " ".join(words_of(tool.name)) + " " + tool.description[:120]
    plan: list[tuple[str, Maker, bool, float]] = []
    for name, schema in (whole.get("properties") or {}).items():
        dull = (
            not isinstance(schema, Mapping)
            or _BORING.match("_".join(words_of(name)))
            or name in ("reason", "category")
            and "enum" in schema
        )
        rate = 0.0 if dull else 1.0
        plan.append((name, _maker(name, schema, tool.parameters, "", lang, owner), name in required, rate))
    known = {name for name, *_ in plan}
    plan.extend((name, _maker(name, {}, tool.parameters, "", lang, owner), True, 1.0) for name in sorted(required - known))
    valid = None
    if any(word in tool.parameters for word in (*_RARE, "anyOf", "$ref")):
        valid = schema_validator(tool.parameters).is_valid
    return plan, valid


def _whole(parameters: Mapping[str, Json]) -> Mapping[str, Json]:
    """The parameters with what stands beside the properties taken in: `allOf`, and one branch of `anyOf` or `oneOf`."""
    whole = dict(_resolved(parameters, parameters))
    for part in parameters.get("allOf") or ():
        whole = _merged(whole, _resolved(part, parameters))
    for word in ("anyOf", "oneOf"):
        branches = parameters.get(word)
        if branches:
            whole = _merged(whole, _resolved(_Site(parameters).branch(branches, False), parameters))
    return whole


def _maker(name: str, schema: Any, root: Mapping[str, Json], description: str, lang: str, owner: str) -> Maker:
    key = (id(schema), id(root), name, description, lang, owner)
    held = _MAKERS.get(key)
    if held is not None and held[0] is schema and held[1] is root:
        return held[2]
    made = _checked(_build(name, schema, _Site(root), description, lang, owner, 0), schema, root)
    if len(_MAKERS) >= KEPT:
        _MAKERS.clear()
    _MAKERS[key] = (schema, root, made)
    return made


_RARE = ("not", "if", "contains", "dependentRequired", "dependentSchemas", "propertyNames", "oneOf", "patternProperties", "allOf")


def _checked(maker: Maker, schema: Any, root: Mapping[str, Json]) -> Maker:
    """The maker itself, or, for keywords that drawing does not follow, one that draws until a validator agrees."""
    if not isinstance(schema, Mapping) or not any(f'"{word}"' in text for text in [_text_of(schema)] for word in _RARE):
        return maker
    validator = schema_validator(root).evolve(schema=schema)

    def draw(draft: Draft) -> Json:
        value = maker(draft)
        for _ in range(24):
            if validator.is_valid(value):
                break
            value = maker(draft)
        return value

    return draw


def _text_of(schema: Mapping[str, Json]) -> str:
    import json

    return json.dumps(schema, default=str)


def _resolved(schema: Any, root: Mapping[str, Json]) -> Mapping[str, Json]:
    """`schema` with its local `$ref` followed; what stands beside the ref wins."""
    seen = 0
    while isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str) and seen < 16:
        seen += 1
        target = target_of(schema["$ref"], root)
        schema = {**(target if isinstance(target, Mapping) else {}), **{k: v for k, v in schema.items() if k != "$ref"}}
    return schema if isinstance(schema, Mapping) else {}


class _Site:
    """One compilation: the document that references point into, and how many more makers it may take."""

    __slots__ = ("left", "root", "size")

    def __init__(self, root: Mapping[str, Json]) -> None:
        self.root, self.left, self.size = root, _MAKERS_AT_MOST, Size(root)

    def branch(self, branches: Sequence[Json], deep: bool) -> Json:
        """The branch to draw from: the first, or deep down the smallest one, so that recursion ends."""
        return min(branches, key=self.size.of) if deep or self.size.of(branches[0]) == math.inf else branches[0]


_MAKERS_AT_MOST = 2000
"""Makers of one argument after which what is optional is left out: recursive schemas grow without end."""


def _build(name: str, raw: Any, site: _Site, description: str, lang: str, owner: str, depth: int) -> Maker:
    schema = _resolved(raw, site.root)
    site.left -= 1
    if site.left < 0:
        depth = max(depth, _DEEP)
    if depth > _DEEPEST:
        raise SpecError(Problem(name, "is nested too deeply to draw values for"))
    text = str(schema.get("description") or "") or description
    if "const" in schema:
        return lambda draft: schema["const"]
    if isinstance(schema.get("enum"), (list, tuple)) and schema["enum"]:
        typed = [item for item in schema["enum"] if _is_of(item, schema.get("type"))] or list(schema["enum"])
        options = [item for item in typed if item not in (None, "")] or typed
        return lambda draft: draft.stream.choice(options)
    for word in ("anyOf", "oneOf"):
        branches = [branch for branch in schema.get(word) or () if _resolved(branch, site.root).get("type") != "null"]
        if branches:
            base = {key: value for key, value in schema.items() if key != word}
            chosen = _resolved(site.branch(branches, depth >= _DEEP), site.root)
            return _build(name, _merged(base, chosen), site, text, lang, owner, depth + 1)
        if schema.get(word):
            return lambda draft: None
    if schema.get("allOf"):
        merged: dict[str, Json] = {key: value for key, value in schema.items() if key != "allOf"}
        for part in schema["allOf"]:
            merged = _merged(merged, _resolved(part, site.root))
        return _build(name, merged, site, text, lang, owner, depth + 1)
    kind = schema.get("type")
    if isinstance(kind, (list, tuple)):
        kind = next((item for item in kind if item != "null"), "null")
    if kind is None:
        kind = "object" if "properties" in schema else "array" if "items" in schema else "string"
    if kind == "object":
        return _object_maker(name, schema, site, lang, owner, depth)
    if kind == "array":
        return _array_maker(name, schema, site, text, lang, owner, depth)
    if kind == "boolean":
        return lambda draft: draft.stream.chance(0.7)
    if kind in ("integer", "number"):
        return number_maker(name, schema, text, owner, whole=kind == "integer")
    if kind == "null":
        return lambda draft: None
    return text_maker(name, schema, text, owner, lang)


_PYTHON: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int, float), "number": (int, float), "boolean": (bool,), "array": (list,), "object": (dict,), "null": (type(None),),
}  # fmt: skip


def _is_of(value: Json, kind: Json) -> bool:
    """Whether a listed choice has the declared type, as far as that is one."""
    kinds = kind if isinstance(kind, (list, tuple)) else [kind] if kind is not None else []
    if not kinds:
        return True
    return any(isinstance(value, _PYTHON.get(name, ())) and (name == "boolean" or not isinstance(value, bool)) for name in kinds)


def _merged(left: dict[str, Json], right: Mapping[str, Json]) -> dict[str, Json]:
    out = {**left, **right}
    if "properties" in left and "properties" in right:
        out["properties"] = {**left["properties"], **right["properties"]}
    if "required" in left and "required" in right:
        out["required"] = list(dict.fromkeys((*left["required"], *right["required"])))
    if "enum" in left and "enum" in right:
        out["enum"] = [item for item in left["enum"] if item in right["enum"]] or right["enum"]
    for key, tighter in _TIGHTER.items():
        if key in left and key in right:
            out[key] = tighter(left[key], right[key])
    return out


_TIGHTER: Mapping[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
}  # fmt: skip


def _object_maker(name: str, schema: Mapping[str, Json], site: _Site, lang: str, owner: str, depth: int) -> Maker:
    required = list(schema.get("required") or ())
    properties: Mapping[str, Json] = schema.get("properties") or {}
    owner = f"{owner} {' '.join(words_of(name))}"
    inner: list[tuple[str, Maker, bool]] = []
    for key, part in properties.items():
        if depth < _DEEP or key in required:
            inner.append((key, _build(key, part, site, "", lang, owner, depth + 1), key in required))
    inner.extend((key, _build(key, {}, site, "", lang, owner, depth + 1), True) for key in required if key not in properties)
    least = int(schema.get("minProperties") or 0)
    extra = schema.get("additionalProperties")
    free = (
        _build("value", extra if isinstance(extra, Mapping) else {}, site, "", lang, owner, depth + 1)
        if extra is not False and least > len(inner)
        else None
    )

    def draw(draft: Draft) -> dict[str, Json]:
        out = {key: maker(draft) for key, maker, needed in inner if needed or draft.stream.chance(0.3)}
        for key, maker, _ in inner:
            if len(out) >= max(least, 1 if not required else 0):
                break
            out.setdefault(key, maker(draft))
        count = 0
        while free is not None and len(out) < least:
            count += 1
            out[f"field_{count}"] = free(draft)
        return out

    return draw


def _array_maker(name: str, schema: Mapping[str, Json], site: _Site, text: str, lang: str, owner: str, depth: int) -> Maker:
    fixed = [_build(name, part, site, "", lang, owner, depth + 1) for part in schema.get("prefixItems") or ()]
    items = schema.get("items")
    if depth >= _DEEP and not schema.get("minItems"):
        return lambda draft: []
    single = name[:-1] if name.endswith("s") and not name.endswith("ss") and not name.endswith("Ids") else name.removesuffix("s")
    item = _build(
        single, items if isinstance(items, Mapping) else {}, site, text, lang, f"{owner} {' '.join(words_of(name))}", depth + 1
    )
    low = int(schema.get("minItems") or 0)
    high = int(schema["maxItems"]) if "maxItems" in schema else max(low, 2)
    least = min(2, high) if "multiple" in owner else 1
    partner = re.sub(r"^(?:new|old|target|replacement)_", "", name)

    def draw(draft: Draft) -> list[Json]:
        if low == 0 and high == 0:
            return []
        wanted = draft.length_of(partner) or draft.stream.integer(max(low, least), max(min(high, 2), low, least))
        wanted = max(low, min(high, wanted))
        draft.keep_length(partner, wanted)
        out: list[Json] = [make(draft) for make in fixed[:wanted]]
        if items is False:
            return out
        for _ in range(4 * wanted):
            if len(out) >= wanted:
                break
            value = item(draft)
            if value not in out:
                out.append(value)
        while len(out) < wanted and not schema.get("uniqueItems"):
            out.append(item(draft))
        return out

    return draw
