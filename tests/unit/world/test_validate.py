from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from whileai_exp.world.validate import Validator

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-5, 5, allow_nan=False) | st.sampled_from(["a", "bb", "1", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3),
    max_leaves=6,
)
_SCHEMAS = [
    {"type": "object", "properties": {"a": {"type": "integer", "minimum": 0, "maximum": 3}, "b": {"enum": ["a", "bb"]}}, "required": ["a"], "additionalProperties": False},
    {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1, "maxItems": 2}, "b": {"type": ["string", "null"]}}, "additionalProperties": True},
    {"type": "object", "properties": {"a": {"anyOf": [{"type": "integer"}, {"const": "bb"}]}, "c": {"type": "object", "properties": {"a": {"type": "number", "exclusiveMinimum": 0}}, "required": ["a"]}}, "additionalProperties": {"type": "integer"}},
    {"type": "object", "properties": {"a": {"type": "string", "pattern": "^a"}, "b": {"type": "boolean"}, "c": {"type": "integer", "exclusiveMaximum": 2}}, "additionalProperties": False, "required": ["b"]},
]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(st.sampled_from(_SCHEMAS), st.dictionaries(st.sampled_from(["a", "b", "c"]), _JSON, max_size=3))
def test_the_quick_check_and_jsonschema_never_disagree(schema, arguments):
    assert (not Validator(schema).problems(arguments)) is Draft202012Validator(schema).is_valid(arguments)


def test_messages_are_few_short_and_name_the_place():
    validator = Validator(
        {
            "type": "object",
            "properties": {"a": {"type": "array", "items": {"type": "integer"}}, "b": {"type": "string"}},
            "required": ["b"],
        }
    )
    assert validator.problems({"a": [1, "x"], "b": "y"}) == ["a.1: 'x' is not of type 'integer'"]
    many = validator.problems({"a": ["x"] * 30, "z": 1})
    assert len(many) == 5 and many[-1].startswith("and ")


@pytest.mark.parametrize(("value", "right"), [("2026-02-28", True), ("2026-02-31", False), ("soon", False)])
def test_dates_are_checked_as_dates(value, right):
    schema = {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}}
    assert (not Validator(schema).problems({"day": value})) is right


def test_unknown_arguments_may_be_allowed():
    assert Validator({"type": "object", "properties": {}}, reject_unknown=False).problems({"x": 1}) == []
