"""Drawn argument values are valid, believable and consistent with each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from whileai_exp._rng import Rng, Stream
from whileai_exp.schema import Tool
from whileai_exp.spec import as_tool, load_spec
from whileai_exp.spec.values import draw_arguments, draw_value, language_of, spoken

SPECS = sorted((Path(__file__).parents[2] / "data" / "specs").glob("*.json"))


def tool_of(
    properties: dict[str, Any], required: list[str] | None = None, name: str = "do_it", description: str = "Do it."
) -> Tool:
    return as_tool(
        {
            "name": name,
            "description": description,
            "parameters": {"type": "object", "properties": properties, "required": required or list(properties)},
        }
    )


def draws(name: str, schema: dict[str, Any], count: int = 20, **more: Any) -> list[Any]:
    return [draw_value(name, schema, Stream(index), **more) for index in range(count)]


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_arguments_of_real_tools_validate(path: Path) -> None:
    spec = load_spec(path).spec
    lang = language_of(spec)
    for tool in spec.tools:
        validator = jsonschema.Draft202012Validator(dict(tool.parameters))
        for index in range(6):
            validator.validate(draw_arguments(tool, Rng(1).at(tool.name, index), optional_share=1.0, lang=lang))


HARD: list[dict[str, Any]] = [
    {"type": "string", "pattern": r"^[A-Z]{3}-\d{4}$"},
    {"type": "string", "pattern": r"^(foo|bar)_[a-f0-9]{8,}$"},
    {"type": "string", "minLength": 80, "maxLength": 120},
    {"type": "string", "maxLength": 3},
    {"type": "string", "format": "date-time"},
    {"type": "string", "format": "uuid"},
    {"type": "string", "format": "email"},
    {"type": "integer", "minimum": 7, "maximum": 9},
    {"type": "integer", "exclusiveMinimum": -3, "exclusiveMaximum": 0},
    {"type": "number", "multipleOf": 0.25, "minimum": 1, "maximum": 2},
    {"type": "integer", "multipleOf": 15},
    {"type": ["null", "boolean"]},
    {"type": "null"},
    {"const": {"a": [1, None]}},
    {"enum": [None, 3, "x"]},
    {"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 1000}]},
    {
        "allOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
        ]
    },
    {"type": "array", "items": {"enum": ["p", "q", "r"]}, "minItems": 3, "uniqueItems": True},
    {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False, "minItems": 2, "maxItems": 2},
    {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2},
    {"type": "string", "not": {"enum": ["black"]}},
    {"oneOf": [{"type": "integer"}, {"type": "string"}]},
    {
        "type": "object",
        "properties": {"kind": {"enum": ["a", "b"]}},
        "required": ["kind"],
        "if": {"properties": {"kind": {"const": "a"}}},
        "then": {"maxProperties": 1},
    },
]


@pytest.mark.parametrize("schema", HARD, ids=lambda schema: str(schema)[:50])
def test_awkward_schemas_get_valid_values(schema: dict[str, Any]) -> None:
    validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
    for value in draws("thing", schema):
        validator.validate(value)


def test_references_resolve_in_the_root_and_recursion_ends() -> None:
    root = {
        "type": "object",
        "properties": {"node": {"$ref": "#/$defs/node"}},
        "required": ["node"],
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
                "required": ["name"],
            }
        },
    }
    for index in range(20):
        jsonschema.Draft202012Validator(root).validate(draw_value("tree", root, Stream(index)))


def test_an_id_has_the_shape_its_description_shows() -> None:
    schema = {"type": "string", "description": "The order id, such as '#W0000000'."}
    for value in draws("order_id", schema):
        assert value[:2] == "#W" and len(value) == 9 and value[2:].isdigit()


def test_choices_quoted_in_a_description_are_the_only_values() -> None:
    schema = {"type": "string", "description": "The reason, which should be either 'no longer needed' or 'ordered by mistake'."}
    assert set(draws("reason", schema, 40)) == {"no longer needed", "ordered by mistake"}


@pytest.mark.parametrize(
    ("name", "description", "check"),
    [
        ("email", "", lambda v: "@" in v),
        ("departure_date", "in format MM/DD/YYYY", lambda v: v[2] == "/" and v[5] == "/"),
        ("start_time", "Must be in format YYYY-MM-DD HH:MM.", lambda v: v[4] == "-" and v[13] == ":"),
        ("url", "", lambda v: v.startswith("https://example.")),
        ("zip", "", lambda v: v.isdigit() and len(v) == 5),
        ("timezone", "", lambda v: "/" in v),
        ("expression", "", lambda v: any(op in v for op in "+-*/")),
    ],
)
def test_text_values_fit_their_names(name: str, description: str, check: Any) -> None:
    assert all(check(value) for value in draws(name, {"type": "string", "description": description}))


def test_ends_come_after_starts_and_places_differ() -> None:
    tool = tool_of(
        {
            "origin": {"type": "string"},
            "destination": {"type": "string"},
            "start_day": {"type": "string", "description": "ISO format 'YYYY-MM-DD'"},
            "end_day": {"type": "string", "description": "ISO format 'YYYY-MM-DD'"},
            "min_price": {"type": "integer"},
            "max_price": {"type": "integer"},
        }
    )
    for index in range(60):
        made = draw_arguments(tool, Stream(index))
        assert made["start_day"] < made["end_day"]
        assert made["origin"] != made["destination"]
        assert made["min_price"] <= made["max_price"]


def test_lists_that_belong_together_have_one_length() -> None:
    items = {"type": "array", "items": {"type": "string"}, "description": "item ids, each such as '1008292230'"}
    tool = tool_of({"item_ids": items, "new_item_ids": items})
    for index in range(40):
        made = draw_arguments(tool, Stream(index))
        assert len(made["item_ids"]) == len(made["new_item_ids"])
        assert not set(made["item_ids"]) & set(made["new_item_ids"])


def test_an_email_belongs_to_the_person_beside_it() -> None:
    tool = tool_of({"first_name": {"type": "string"}, "last_name": {"type": "string"}, "email": {"type": "string"}})
    made = draw_arguments(tool, Stream(5))
    assert made["email"].startswith(f"{made['first_name']}.{made['last_name']}".lower())


def test_chinese_and_korean_values_are_in_their_language() -> None:
    assert all(ord(draw_value("city", {"type": "string"}, Stream(i), lang="zh")[0]) > 0x4E00 for i in range(10))
    assert all(0xAC00 <= ord(draw_value("city", {"type": "string"}, Stream(i), lang="ko")[0]) <= 0xD7A3 for i in range(10))


def test_optional_arguments_come_in_their_share_and_dull_ones_never() -> None:
    tool = tool_of({"query": {"type": "string"}, "category": {"type": "string"}, "page": {"type": "integer"}}, ["query"])
    made = [draw_arguments(tool, Stream(index), optional_share=0.5) for index in range(400)]
    assert 0.4 < sum("category" in item for item in made) / 400 < 0.6
    assert not any("page" in item for item in made)


def test_the_same_stream_draws_the_same() -> None:
    tool = tool_of({"name": {"type": "string"}, "when": {"type": "string", "format": "date"}})
    assert draw_arguments(tool, Stream(9)) == draw_arguments(tool, Stream(9))


@pytest.mark.parametrize(
    ("value", "lang", "said"),
    [
        ("2026-03-12", "en", "12 March 2026"),
        ("2026-03-12 09:30", "en", "12 March 2026 at 09:30"),
        ("2026-03-12", "zh", "2026年3月12日"),
        ("#W4821937", "en", "#W4821937"),
        ("tok_1f4f5e2b74e3", "en", "tok_1f4f5e2b74e3"),
        ("front_row", "en", "front row"),
        (["a", "b", "c"], "en", "a, b and c"),
        ([{"product": "soup", "quantity": 2}], "en", "2 x soup"),
        ({"from": "Apollo", "to": "Nora", "relationType": "depends on"}, "en", "Apollo depends on Nora"),
        (33.0, "en", "33"),
        (True, "en", "yes"),
    ],
)
def test_values_are_said_as_people_say_them(value: Any, lang: str, said: str) -> None:
    assert spoken(value, "x", None, lang) == said


@pytest.mark.parametrize(
    ("stem", "lang"), [("tau2_retail", "en"), ("acebench_zh_phone", "zh"), ("bfcl_live_korean_dotted_names", "ko")]
)
def test_the_language_of_a_spec(stem: str, lang: str) -> None:
    assert language_of(load_spec(next(path for path in SPECS if path.stem == stem)).spec) == lang
