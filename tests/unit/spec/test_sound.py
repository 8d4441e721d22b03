"""What no call can be drawn for is refused when the spec is loaded, by tool and path, in bounded time."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from whileai_exp._rng import Rng
from whileai_exp.errors import SpecError
from whileai_exp.schema import Spec
from whileai_exp.spec import load_spec
from whileai_exp.spec.values import draw_arguments

_SELF = {"type": "object", "properties": {"child": {"$ref": "#/$defs/n"}}, "required": ["child"]}


def with_x(schema: Any, needed: bool = True, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": schema}, "required": ["x"] if needed else [], **more}


def load(parameters: Any) -> Spec:
    return load_spec({"tools": [{"name": "get_x", "description": "Get it.", "parameters": parameters}]}).spec


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = with_x(schema)
    return schema


_WIDE = {
    f"d{i}": {
        "type": "object",
        "properties": {f"p{j}": {"$ref": f"#/$defs/d{i + 1}"} for j in range(10)},
        "required": [f"p{j}" for j in range(10)],
    }
    for i in range(9)
} | {"d9": {"type": "string"}}


@pytest.mark.parametrize(
    "parameters",
    [
        with_x({"$ref": "#/nope"}),
        with_x({"$ref": "http://example.com/schema.json"}),
        with_x({"type": "array", "items": {"$ref": "#/nope"}}, needed=False),
        with_x({"type": "string", "pattern": "("}),
        with_x({"type": "string", "pattern": "[a-z]{100000}"}),
        with_x({"type": "string", "pattern": "((a{100}){100}){100}"}),
        with_x({"anyOf": []}),
        with_x({"enum": []}),
        with_x({"type": "string", "enum": [1, 2]}),
        {"$ref": "#"},
        with_x({"$ref": "#/$defs/n"}, **{"$defs": {"n": _SELF}}),
        with_x({"$ref": "#/$defs/d0"}, needed=False, **{"$defs": _WIDE}),
        with_x({"anyOf": [{"$ref": "#/properties/x"}, {"type": "string"}]}),
        with_x({"type": "string", "minLength": 10, "maxLength": 2}),
        with_x({"type": "string", "minLength": 10, "maxLength": 2}, needed=False),
        with_x({"allOf": [{"type": "string", "minLength": 10}, {"maxLength": 2}]}),
        with_x({"type": "integer", "minimum": 5, "maximum": 2}),
        with_x({"type": "integer", "minimum": "5"}),
        with_x({"type": "number", "minimum": math.inf}),
        with_x({"type": "number", "multipleOf": 1e-300, "minimum": 1e308}),
        with_x({"type": "array", "minItems": 5, "maxItems": 2}),
        with_x({"type": "array", "minItems": 10**9, "items": {"type": "string"}}),
        with_x({"type": "array", "minItems": 3, "uniqueItems": True, "items": {"enum": ["a", "b"]}}),
        with_x({"not": {}}),
        nested(40),
    ],
)
def test_a_schema_without_a_valid_call_is_refused_naming_tool_and_path(parameters: Any) -> None:
    with pytest.raises(SpecError, match=r"get_x\)\.parameters"):
        load(parameters)


_TREE = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/t"}}},
    "required": ["name", "kids"],
}
_BUSHY = {"type": "object", "properties": {f"c{i}": {"$ref": "#/$defs/t"} for i in range(10)}}


@pytest.mark.parametrize(
    "parameters",
    [
        with_x({"$ref": "#/$defs/t"}, **{"$defs": {"t": _TREE}}),
        with_x({"$ref": "#/$defs/t"}, **{"$defs": {"t": _BUSHY}}),
        with_x({"$ref": "#/$defs/t"}, **{"$defs": {"t": {"type": "object", "additionalProperties": {"$ref": "#/$defs/t"}}}}),
        {"$ref": "#/$defs/t", "$defs": {"t": with_x({"type": "string"})}},
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        with_x({"type": "string", "description": None, "enum": None}),
        with_x({"type": "integer", "minimum": 0, "exclusiveMinimum": True}),
        with_x({"type": "array", "items": [{"type": "string"}, {"type": "integer"}], "minItems": 2}),
        with_x({"type": "string", "format": "ipv4"}),
        with_x({"type": "string", "pattern": r"^(?=x)[a-z]{2}$", "examples": ["xy"]}),
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "dependentRequired": {"a": ["b"]}},
    ],
)  # fmt: skip
def test_what_real_servers_write_is_drawn(parameters: Any) -> None:
    tool = load(parameters).tools[0]
    validator = Draft202012Validator(tool.parameters)
    for seed in range(20):
        assert validator.is_valid(draw_arguments(tool, Rng(seed).at("x"), optional_share=0.5))


def test_every_broken_tool_is_named_at_once() -> None:
    tools = [{"name": f"get_{i}", "parameters": with_x({"$ref": "#/nope"})} for i in range(3)]
    with pytest.raises(SpecError) as caught:
        load_spec({"tools": tools})
    assert [problem.where.split(".")[2] for problem in caught.value.problems] == ["0 (get_0)", "1 (get_1)", "2 (get_2)"]


def test_a_key_given_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "spec.yaml").write_text("policy: a\ntools: []\npolicy: b\n")
    with pytest.raises(SpecError, match="'policy' is given twice"):
        load_spec(tmp_path / "spec.yaml")
    (tmp_path / "spec.json").write_text('{"policy": "a", "policy": "b"}')
    with pytest.raises(SpecError, match="'policy' is given twice"):
        load_spec(tmp_path / "spec.json")


def test_aliases_that_multiply_or_hold_themselves_are_refused(tmp_path: Path) -> None:
    lines = ["a0: &a0 {type: string}"]
    lines += [f"a{i}: &a{i} {{properties: {{" + ", ".join(f"p{j}: *a{i - 1}" for j in range(9)) + "}}" for i in range(1, 9)]
    lines.append("tools: [{name: get_x, parameters: *a8}]")
    (tmp_path / "spec.yaml").write_text("\n".join(lines))
    with pytest.raises(SpecError, match="more than"):
        load_spec(tmp_path / "spec.yaml")
    held: dict[str, Any] = {"type": "object"}
    held["properties"] = {"x": held}
    with pytest.raises(SpecError, match="holds"):
        load(held)


_NAMES = st.sampled_from(["order_id", "amount", "date", "items", "x"])
_NUMBERS = st.integers(-5, 20) | st.sampled_from([0.5, math.inf, 1e300, "5"])
_LEAVES = st.one_of(
    st.fixed_dictionaries({"type": st.just("string")}, optional={"minLength": st.integers(0, 9), "maxLength": st.integers(0, 9), "pattern": st.sampled_from(["^[A-Z]{2}\\d+$", "(", "a+", "^$", "(?=a)b"]), "format": st.sampled_from(["date", "email", "uuid", "odd"])}),
    st.fixed_dictionaries({"type": st.sampled_from(["integer", "number"])}, optional={"minimum": _NUMBERS, "maximum": _NUMBERS, "exclusiveMinimum": _NUMBERS, "multipleOf": st.sampled_from([0, 1, 3, 0.5, -1])}),
    st.fixed_dictionaries({"enum": st.lists(st.sampled_from(["a", "b", 1, None, True]), max_size=3)}, optional={"type": st.sampled_from(["string", "integer", "boolean"])}),
    st.sampled_from([{"$ref": "#"}, {"$ref": "#/properties/x"}, {"$ref": "#/$defs/n"}, {"type": "boolean"}, {"type": "null"}, {}, True, False, {"type": "list"}]),
)  # fmt: skip
_SCHEMAS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}, optional={"minItems": st.integers(0, 4), "maxItems": st.integers(0, 4), "uniqueItems": st.booleans()}),
        st.fixed_dictionaries({"type": st.just("object"), "properties": st.dictionaries(_NAMES, inner, max_size=3)}, optional={"required": st.lists(_NAMES, max_size=3), "additionalProperties": st.booleans() | inner}),
        st.fixed_dictionaries({"anyOf": st.lists(inner, max_size=3)}),
        st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=2)}),
    ),
    max_leaves=6,
)  # fmt: skip


@settings(max_examples=120, deadline=3000, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(_NAMES, _SCHEMAS, min_size=1, max_size=3), st.lists(_NAMES, max_size=2), _SCHEMAS)
def test_any_schema_is_refused_or_drawn(properties: dict[str, Any], required: list[str], definition: Any) -> None:
    try:
        tool = load({"type": "object", "properties": properties, "required": required, "$defs": {"n": definition}}).tools[0]
    except SpecError:
        return
    validator = Draft202012Validator(tool.parameters)
    drawn = [draw_arguments(tool, Rng(seed).at("x"), optional_share=0.5) for seed in range(4)]
    assert any(validator.is_valid(arguments) for arguments in drawn)
