"""Tools load from every common shape; broken declarations are named, never dropped."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from whileai_exp.errors import SpecError
from whileai_exp.spec import as_tool, as_tools

PARAMETERS = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}


@pytest.mark.parametrize(
    "raw",
    [
        {"type": "function", "function": {"name": "f", "description": "d", "parameters": PARAMETERS}},
        {"name": "f", "description": "d", "parameters": PARAMETERS},
        {"name": "f", "description": "d", "input_schema": PARAMETERS},
        {"name": "f", "description": "d", "inputSchema": PARAMETERS},
    ],
)
def test_common_shapes_are_one_tool(raw: dict[str, Any]) -> None:
    tool = as_tool(raw)
    assert (tool.name, tool.description, dict(tool.parameters)) == ("f", "d", PARAMETERS)


def test_a_typed_function_becomes_a_schema() -> None:
    def book(city: str, nights: int = 1, room: Literal["single", "double"] = "single") -> dict:
        """Book a room.

        Args:
            city: Where to stay.
        """
        return {}

    tool = as_tool(book)
    assert tool.description == "Book a room."
    assert tool.parameters["required"] == ["city"]
    assert tool.parameters["properties"]["city"]["description"] == "Where to stay."
    assert tool.parameters["properties"]["room"]["enum"] == ["single", "double"]


@pytest.mark.parametrize(
    "raw",
    [
        {"name": "f", "parameters": []},
        {"name": "f", "parameters": {"type": "object", "properties": []}},
        {"type": "function", "function": None},
        {"name": " "},
        {"name": "f", "parameters": {"type": "nonsense"}},
        {"name": "f", "parameters": {"type": "object", "required": "id", "properties": {}}},
        lambda x: x,
        3,
    ],
)
def test_broken_declarations_are_problems(raw: Any) -> None:
    with pytest.raises(SpecError):
        as_tool(raw)


def test_the_same_name_twice_is_a_problem() -> None:
    _, problems, _ = as_tools([{"name": "f"}, {"name": "f"}])
    assert "already used" in problems[0].what


def test_foreign_type_names_are_translated_and_noted() -> None:
    notes: list[str] = []
    tool = as_tool(
        {"name": "f", "parameters": {"type": "dict", "properties": {"x": {"type": "float"}, "y": {"type": "any"}}}}, notes
    )
    assert tool.parameters["properties"]["x"]["type"] == "number"
    assert "type" not in tool.parameters["properties"]["y"]
    assert len(notes) >= 2


def test_an_optional_argument_stays_optional_under_strict() -> None:
    raw = {
        "name": "f",
        "strict": True,
        "parameters": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]},
    }
    assert as_tool(raw).parameters["required"] == ["a"]
