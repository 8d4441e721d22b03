"""Which policies say to look before changing, and for which tools that is in force."""

from __future__ import annotations

from pathlib import Path

import pytest

from whileai_exp.spec import load_spec
from whileai_exp.spec.rules import look_first, rules_to_look

DATA = Path(__file__).parents[2] / "data" / "specs"


@pytest.mark.parametrize(
    "policy",
    [
        "Look an order up before you change it.",
        "Always check the record before you change anything.",
        "Before cancelling, read the order.",
        "Never cancel an order without looking it up.",
        "You must first look up the order.",
        "You should check its status before taking the action.",
        "修改订单之前必须先查询订单。",
        "先查看订单，再取消。",
        "주문을 변경하기 전에 먼저 조회하세요.",
        "예약을 확인한 후에 취소하세요.",
    ],
)
def test_a_rule_to_look_first_is_heard(policy: str) -> None:
    assert rules_to_look(f"You help people. {policy} Be kind.")


@pytest.mark.parametrize(
    "policy",
    [
        "",
        "Be kind and brief.",
        "Verify the user's identity before making changes.",
        "Confirm with the user before you change an order.",
        "You can look up orders. You can cancel orders.",
        "修改前请先核实用户身份。",
        "변경 전에 본인 확인을 하세요.",
    ],
)
def test_other_rules_are_not(policy: str) -> None:
    assert not rules_to_look(policy)


def test_it_holds_for_the_things_it_names_where_a_tool_can_show_them() -> None:
    spec = load_spec(DATA / "tau2_retail.json").spec
    due = {tool.name for tool in spec.tools if look_first(spec.system_prompt, tool, spec.tools)}
    assert "cancel_pending_order" in due and "modify_user_address" not in due
    cancel = spec.tool("cancel_pending_order")
    assert cancel is not None
    assert [tool.name for tool in look_first(spec.system_prompt, cancel, spec.tools)] == ["get_order_details"]
    assert not look_first(spec.system_prompt, cancel, [cancel])
    assert not look_first("", cancel, spec.tools)
