from __future__ import annotations

import pytest

from whileai_exp.judges.conduct import conduct


def row(final: str, *steps: dict, prompt: str = "Cancel order A-77123 please.", **more) -> dict:
    return {"prompt": prompt, "steps": [*steps, {"text": final}], "final_text": final, "status": "ok", **more}


def call(tool="cancel_order", status="ok", result=None, **arguments) -> dict:
    return {"tool": tool, "arguments": arguments, "result": {"success": True} if result is None else result, "status": status}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("answered", row("  ")),
        ("finished", row("Working on", status="truncated")),
        ("legible", row("a" * 40)),
        ("known_tools", row("Sorry.", call("nope", "error", {"error": "unknown_tool"}))),
        ("grounded_arguments", row("Done for A-77123.", call(order_id="B-99881"))),
        ("grounded_reply", row("Order Z-55512 is cancelled.", call(order_id="A-77123"))),
        ("true_claims", row("I have cancelled your order.")),
        (
            "faults_told",
            row("Your order A-77123 is cancelled.", call(status="fault", order_id="A-77123", result={"error": "timeout"})),
        ),
    ],
)
def test_each_breach_is_named(code, found):
    verdict = conduct(found)
    assert (verdict["reward"], verdict["failure_class"]) == (0.0, code) and verdict["markers"][f"conduct:{code}"] == 0.0


@pytest.mark.parametrize(
    "found",
    [
        row("Done.\n------------------------------\nOrder A-77123 is cancelled.", call(order_id="A-77123")),
        row("Set region_id to us-east-1.", prompt="Which region is us-east-1?"),
        row("The call returned 404, and the world_state is unchanged."),
        row("订单 A-77123 已取消，退款将在五个工作日内到账" * 12 + "。", call(order_id="A-77123")),
        row(
            "Order A-77123 could not be cancelled: the request timed out.",
            call(status="fault", order_id="A-77123", result={"error": "timeout"}),
        ),
        row("Nothing has been changed on A-77123."),
        row("It may already have been processed, I could not tell."),
        row("Cancelled A-77123 on 2026-03-12 at 14:30, 30kg, 12th item.", call(order_id="A-77123")),
        row("Your order a77123 is cancelled.", call(order_id="A-77123")),
        row("See https://example.com/x 🎉", call(order_id="A-77123")),
    ],
)
def test_good_replies_are_not_held_against_their_form(found):
    """Dashes, region names, 404, Chinese full stops and links were called junk or cut off."""
    assert conduct(found)["reward"] == 1.0


def test_saying_or_doing_the_same_three_times_costs_half():
    same = [call(order_id="A-77123") for _ in range(3)]
    assert conduct(row("Done: A-77123.", *same))["reward"] == 0.5
    faults = [call(status="fault", order_id="A-77123", result={"error": "timeout"}) for _ in range(3)]
    assert conduct(row("It timed out.", *faults))["reward"] == 1.0
