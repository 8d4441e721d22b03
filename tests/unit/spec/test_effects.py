"""What tools do is read from their names, then their descriptions."""

from __future__ import annotations

from typing import Any

import pytest

from whileai_exp.spec import as_tool, effect_of
from whileai_exp.spec.effects import EffectKind, words_of


def made(name: str, description: str = "", properties: dict[str, Any] | None = None) -> Any:
    properties = properties or {}
    return as_tool(
        {
            "name": name,
            "description": description,
            "parameters": {"type": "object", "properties": properties, "required": list(properties)},
        }
    )


@pytest.mark.parametrize(
    ("name", "description", "kind"),
    [
        ("get_order_details", "", EffectKind.READ),
        ("searchFlights", "", EffectKind.SEARCH),
        ("cancel_pending_order", "", EffectKind.DELETE),
        ("users.setPresence", "", EffectKind.UPDATE),
        ("create_event", "", EffectKind.CREATE),
        ("send_email", "", EffectKind.SEND),
        ("calculate", "", EffectKind.COMPUTE),
        ("reminders_list", "", EffectKind.SEARCH),
        ("工具", "删除一条消息", EffectKind.DELETE),
        ("도구", "날씨를 조회합니다", EffectKind.READ),
        ("frobnicate", "", EffectKind.OTHER),
    ],
)
def test_kind(name: str, description: str, kind: EffectKind) -> None:
    assert effect_of(made(name, description)).kind is kind


def test_an_unknown_tool_counts_as_a_write() -> None:
    assert effect_of(made("frobnicate")).writes


def test_required_identifiers_name_a_thing_and_choices_do_not() -> None:
    tool = made("get_order", "", {"order_id": {"type": "string"}, "note": {"type": "string"}, "code": {"enum": ["a", "b"]}})
    assert effect_of(tool).id_params == ("order_id",)


def test_words_of_mixed_identifiers() -> None:
    assert words_of("get_orderStatus.v2") == ["get", "order", "status", "v", "2"]


def test_the_effect_of_a_tool_is_kept_per_object() -> None:
    tool = made("get_order")
    assert effect_of(tool) is effect_of(tool)
