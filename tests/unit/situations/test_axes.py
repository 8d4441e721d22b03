"""The grid of a spec: axes from its tools and policy, feasibility, overrides."""

from __future__ import annotations

from typing import Any

import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.situations.axes import grid_of, tier_of
from whileai_exp.situations.policy import clauses_of, theme_of
from whileai_exp.spec import load_spec


def spec_of(*names: str, policy: str = "") -> Any:
    properties = {"order_id": {"type": "string"}}
    tools = [
        {"name": name, "parameters": {"type": "object", "properties": properties, "required": ["order_id"]}} for name in names
    ]
    tools.append({"name": "get_time", "description": "Get the time.", "parameters": {}})
    return load_spec({"tools": tools, "policy": policy}).spec


def test_pseudo_tools_stand_beside_the_real_ones() -> None:
    assert grid_of(spec_of("get_order", "cancel_order"), 16).axes["tool"] == (
        "get_order",
        "cancel_order",
        "get_time",
        "unrelated",
        "multi_tool",
    )


def test_a_tool_named_like_a_pseudo_tool_is_escaped() -> None:
    grid = grid_of(spec_of("unrelated"), 16)
    assert grid.axes["tool"][0] == "tool:unrelated" and grid.tools["tool:unrelated"] == "unrelated"


@pytest.mark.parametrize(
    ("axis_a", "a", "axis_b", "b", "allowed"),
    [
        ("tool", "get_time", "world_state", "missing", False),
        ("tool", "get_order", "world_state", "missing", True),
        ("tool", "get_order", "world_state", "already_done", False),
        ("tool", "cancel_order", "world_state", "already_done", True),
        ("tool", "unrelated", "tool_condition", "timeout", False),
        ("tool", "get_time", "stance", "ambiguous", False),
        ("tool", "cancel_order", "tool_condition", "stale", False),
        ("stance", "adversarial", "tool_condition", "timeout", False),
        ("world_state", "missing", "tool_condition", "timeout", False),
        ("stance", "retry", "history", "fresh", False),
        ("history", "prior_failure", "stance", "retry", True),
    ],
)
def test_what_can_stand_together(axis_a: str, a: str, axis_b: str, b: str, allowed: bool) -> None:
    grid = grid_of(spec_of("get_order", "cancel_order"), 16)
    assert grid.allows(axis_a, a, axis_b, b) is allowed
    assert grid.allows(axis_b, b, axis_a, a) is allowed


def test_dimensions_replace_an_axis_and_add_new_ones() -> None:
    grid = grid_of(spec_of("get_order"), 16, {"stance": ["ordinary", "hurried"], "device": ["phone", "desktop"]})
    assert grid.axes["stance"] == ("ordinary", "hurried") and grid.axes["device"] == ("phone", "desktop")
    assert grid.extra == ("device",)


def test_every_wrong_dimension_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigError) as caught:
        grid_of(
            spec_of("get_order"), 16, {"tool": ["get_oder"], "stance": ["angry"], "tool_conditon": ["timeout"], "history": []}
        )
    text = str(caught.value)
    assert len(caught.value.problems) == 4
    assert "get_order" in text and "tool_condition" in text and "angry" in text


def test_the_rule_cap_is_reported() -> None:
    policy = "\n".join(f"- Refunds for item type {word} need approval first." for word in ("alpha", "beta", "gamma", "delta"))
    grid = grid_of(spec_of("get_order", policy=policy), 2)
    assert len(grid.axes["rule"]) == 3 and grid.rules_left_out == 2
    assert "2 of 4" in grid.notes[0]


def test_clauses_leave_out_identity_headings_and_duplicates() -> None:
    policy = "# Policy\nYou are a retail agent.\n- Cancel only pending orders.\n- Cancel only pending orders.\n1. Ask for the zip code first; then act."
    assert clauses_of(policy) == ("Cancel only pending orders.", "Ask for the zip code first; then act.")


def test_a_long_policy_is_read_quickly_and_cut_at_words() -> None:
    policy = "\n\n".join(
        f"Rule {i}: the agent must treat case number {i} with the greatest possible care and never, ever, without asking." * 3
        for i in range(400)
    )
    assert all(len(clause) <= 120 for clause in clauses_of(policy))


@pytest.mark.parametrize(
    ("clause", "theme"),
    [
        ("Verify the identity of the user first.", "identity"),
        ("Obtain explicit user confirmation before acting.", "confirm"),
        ("Refunds go to the gift card.", "about:gift card"),
        ("Make at most one tool call at a time.", None),
        ("订外卖前，需要登录。", "identity"),
    ],
)
def test_what_a_person_would_bring_up_about_a_clause(clause: str, theme: str | None) -> None:
    assert theme_of(clause) == theme


def test_tiers_follow_stances() -> None:
    assert [tier_of({"stance": s}) for s in ("ordinary", "unsure", "conflicting", "adversarial", "hurried")] == [
        "ordinary", "ambiguous", "boundary", "adversarial", "ordinary",
    ]  # fmt: skip
