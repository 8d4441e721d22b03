from __future__ import annotations

import asyncio

import pytest
from shop import ask, make_task, make_world

from whileai_exp.errors import ConfigError, WorldError
from whileai_exp.knobs import RunKnobs
from whileai_exp.schema import Fault
from whileai_exp.spec import load_spec
from whileai_exp.world.env import make_world_factory
from whileai_exp.world.faults import fault_mode


def test_a_cancelled_order_reads_as_cancelled_and_is_not_cancelled_twice():
    world = make_world(make_task())
    assert ask(world, "cancel_order", order_id="#W1234567", reason="no longer needed").status == "ok"
    assert ask(world, "get_order", order_id="#W1234567").result["status"] == "cancelled"
    again = ask(world, "cancel_order", order_id="#W1234567", reason="no longer needed")
    assert (again.status, again.result["error"]) == ("error", "already_done")


def test_an_update_is_what_later_reads_show():
    world = make_world(make_task("update_address", {"order_id": "#W1234567", "address": "1 Elm St"}))
    assert ask(world, "get_order", order_id="#W1234567").result["address"] != "1 Elm St"
    ask(world, "update_address", order_id="#W1234567", address="1 Elm St")
    assert ask(world, "get_order", order_id="#W1234567").result["address"] == "1 Elm St"


def test_a_created_thing_is_found_by_the_id_it_was_given():
    task = make_task("create_order", {"product": "lamp", "quantity": 2}, prompt="Order two lamps for me, I am C-1.")
    world = make_world(task)
    made = ask(world, "create_order", product="lamp", quantity=2).result
    read = ask(world, "get_order", order_id=made["order_id"])
    assert read.status == "ok" and read.result["product"] == "lamp" and read.result["quantity"] == 2
    listed = ask(world, "list_orders", customer_id="C-1").result["orders"]
    assert made["order_id"] in [order["order_id"] for order in listed]


def test_a_deleted_thing_is_gone():
    world = make_world(make_task("delete_note", {"note_id": 33}))
    assert ask(world, "get_note", note_id=33).status == "ok"
    assert ask(world, "delete_note", note_id=33).status == "ok"
    assert ask(world, "get_note", note_id=33).result["error"] == "not_found"


def test_33_and_33_point_0_are_one_number():
    """tau2-bench 397: one JSON number in two spellings gave different ids and state hashes."""
    hashes = []
    for amount in (33, 33.0):
        world = make_world(make_task("pay_bill", {"bill_id": "B-77", "amount": 33}))
        assert ask(world, "pay_bill", bill_id="B-77", amount=amount).status == "ok"
        hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]
    world = make_world(make_task("delete_note", {"note_id": 33}))
    assert ask(world, "get_note", note_id=33.0).status == "ok"


def test_an_integer_field_given_a_fraction_is_a_tool_error_not_a_truncation():
    world = make_world(make_task("create_order", {"product": "lamp", "quantity": 2}))
    step = ask(world, "create_order", product="lamp", quantity=2500.5)
    assert step.status == "error" and "2500.5" in step.result["message"] and not world.ledger[-1].changes


def test_reads_never_change_the_state_hash():
    """tau2-bench 329: a further read made a right run fail."""
    world, other = make_world(make_task()), make_world(make_task())
    before = world.state_hash()
    ask(world, "get_order", order_id="#W1234567")
    ask(world, "list_orders", customer_id="C-1")
    assert world.state_hash() == before
    for one in (world, other):
        ask(one, "cancel_order", order_id="#W1234567", reason="no longer needed")
    assert world.state_hash() == other.state_hash() != before


def test_numbers_are_worked_out_in_code_across_calls():
    """strands-evals 208: 100 - 30 + 5 + 1 was answered 74."""
    world = make_world(make_task(None), entities={"sku": {"SKU-1": {"stock": 100}}})
    for tool, quantity in (("ship_item", 30), ("return_item", 5), ("reimburse_item", 1)):
        assert ask(world, tool, sku="SKU-1", quantity=quantity).status == "ok"
    assert ask(world, "get_stock", sku="SKU-1").result == {"sku": "SKU-1", "stock": 76}
    short = ask(world, "ship_item", sku="SKU-1", quantity=500)
    assert (short.status, short.result["error"]) == ("error", "not_enough")


def test_bad_arguments_and_unknown_tools_come_back_as_errors_that_say_what_to_do():
    world = make_world(make_task())
    for arguments, part in (
        ({"order_id": "#W1234567"}, "'reason' is required"),
        ({"order_id": 5, "reason": "no longer needed"}, "order_id"),
        ({"order_id": "#W1234567", "reason": "bored"}, "bored"),
        ({"order_id": "#W1234567", "reason": "no longer needed", "orderid": "x"}, "did you mean 'order_id'"),
    ):
        step = ask(world, "cancel_order", **arguments)
        assert step.status == "error" and part in step.result["message"]
    step = ask(world, "cancel_ordr", order_id="x")
    assert step.status == "error" and "cancel_order" in step.result["message"]
    assert not any(event.changes for event in world.ledger)


def test_an_identifier_nobody_mentioned_does_not_exist():
    world = make_world(make_task())
    assert ask(world, "get_order", order_id="#W9999999").result["error"] == "not_found"
    assert ask(make_world(make_task(), strangers_exist=1.0), "get_order", order_id="#W9999999").status == "ok"


def test_what_a_result_showed_exists_afterwards():
    world = make_world(make_task("list_orders", {"customer_id": "C-1"}, prompt="List my orders, I am C-1."))
    shown = ask(world, "list_orders", customer_id="C-1").result["orders"]
    assert shown
    read = ask(world, "get_order", order_id=shown[0]["order_id"])
    assert read.status == "ok" and {key: read.result[key] for key in ("order_id", "status")} == {
        key: shown[0][key] for key in ("order_id", "status")
    }


@pytest.mark.parametrize(
    ("state", "code"),
    [("missing", "not_found"), ("already_done", "already_done"), ("duplicate", "ambiguous"), ("permission", "permission_denied")],
)
def test_world_states_decide_what_a_write_meets(state, code):
    world = make_world(make_task(state=state))
    step = ask(world, "cancel_order", order_id="#W1234567", reason="no longer needed")
    assert (step.status, step.result["error"]) == ("error", code) and not world.ledger[-1].changes


def test_a_duplicate_shows_two_candidates_and_takes_the_one_that_is_named():
    world = make_world(make_task(state="duplicate"))
    read = ask(world, "get_order", order_id="#W1234567").result
    assert read["count"] == 2
    first = read["matches"][0]["order_id"]
    assert ask(world, "cancel_order", order_id=first, reason="no longer needed").status == "ok"
    assert ask(world, "get_order", order_id=first).result["status"] == "cancelled"


def test_partial_work_is_visible_and_gone_once_finished():
    world = make_world(make_task(state="prior_partial_action"))
    assert "2 of 3" in ask(world, "get_order", order_id="#W1234567").result["progress"]
    ask(world, "cancel_order", order_id="#W1234567", reason="no longer needed")
    assert "progress" not in ask(world, "get_order", order_id="#W1234567").result


def test_the_target_of_a_task_exists_before_the_call_that_would_change_it():
    world = make_world(make_task())
    read = ask(world, "get_order", order_id="#W1234567")
    assert read.status == "ok" and read.result["status"] != "cancelled"


def test_answers_depend_on_the_seed_and_on_nothing_else():
    def answers(seed: int) -> list[object]:
        world = make_world(make_task(seed=seed))
        return [ask(world, "get_order", order_id="#W1234567").result, ask(world, "list_orders", customer_id="C-1").result]

    assert answers(7) == answers(7) and answers(7) != answers(8)


# Faults


@pytest.mark.parametrize("mode", ["timeout", "malformed", "stale", "permission_denied", "rate_limited", "partial", "wrong_type"])
def test_a_fault_fires_at_its_index_and_a_retry_succeeds(mode):
    world = make_world(make_task(faults=(Fault("cancel_order", mode, (0,)),)))
    first = ask(world, "cancel_order", order_id="#W1234567", reason="no longer needed")
    assert first.status == "fault" and world.ledger[0].fault == mode and not world.ledger[0].changes
    assert ask(world, "cancel_order", order_id="#W1234567", reason="no longer needed").status == "ok"
    assert [event.fault for event in world.ledger] == [mode, None]


@pytest.mark.parametrize("mode", ["timeout", "malformed", "stale", "partial", "wrong_type"])
def test_a_spoiled_read_is_not_the_right_answer(mode):
    task = make_task("get_order", {"order_id": "#W1234567"}, faults=(Fault("*", mode, (0,)),))
    world = make_world(task)
    spoiled, right = ask(world, "get_order", order_id="#W1234567"), ask(world, "get_order", order_id="#W1234567")
    assert spoiled.status == "fault" and right.status == "ok" and spoiled.result != right.result


def test_a_slow_tool_gives_the_right_answer_later():
    world = make_world(make_task(faults=(Fault("cancel_order", "slow", (0,)),)))
    step = ask(world, "cancel_order", order_id="#W1234567", reason="no longer needed")
    assert step.status == "ok" and step.result["elapsed_s"] > 10 and world.ledger[0].fault == "slow" and world.ledger[0].changes


def test_a_refused_call_does_not_use_up_a_planned_fault():
    world = make_world(make_task(faults=(Fault("cancel_order", "timeout", (0,)),)))
    assert ask(world, "cancel_order", order_id="#W1234567").status == "error"
    assert ask(world, "cancel_order", order_id="#W1234567", reason="no longer needed").status == "fault"


def test_a_users_fault_mode_is_a_function_of_the_call():
    fault_mode("test_maintenance")(lambda call: {"error": "maintenance", "tool": call.tool})
    world = make_world(make_task(faults=(Fault("cancel_order", "test_maintenance", (0,)),)))
    assert ask(world, "cancel_order", order_id="#W1234567", reason="no longer needed").result == {
        "error": "maintenance",
        "tool": "cancel_order",
    }
    with pytest.raises(WorldError, match="not registered"):
        ask(make_world(make_task(faults=(Fault("*", "test_unheard_of", (0,)),))), "get_order", order_id="#W1234567")


# Options, results, users' worlds


def test_every_wrong_option_is_named_at_once():
    with pytest.raises(ConfigError) as caught:
        make_world(
            make_task(),
            search_hit=3,
            search_hits=-1,
            results={"get_ordr": {}},
            entities={"order": 5},
            unknown_arguments="maybe",
            now="noon",
        )
    text = str(caught.value)
    for part in (
        "did you mean 'search_hits'",
        "world.search_hits",
        "did you mean 'get_order'",
        "world.entities.order",
        "world.unknown_arguments",
        "world.now",
    ):
        assert part in text


def test_a_result_builder_sees_the_record_and_shapes_the_answer():
    results = {"get_order": lambda tool, arguments, record: {"seen": record["order_id"]}, "calculate": {"result": 7}}
    world = make_world(make_task(), results=results)
    assert ask(world, "get_order", order_id="#W1234567").result == {"seen": "#W1234567"}
    assert ask(world, "calculate", expression="1 + 1").result == {"result": 7}


def test_two_handles_of_one_thing_lead_to_one_record():
    tools = [
        {"name": "get_user_by_email", "description": "d", "parameters": {"type": "object", "properties": {"email": {"type": "string"}}, "required": ["email"]}},
        {"name": "get_user", "description": "d", "parameters": {"type": "object", "properties": {"user_id": {"type": "string"}}, "required": ["user_id"]}},
    ]  # fmt: skip
    spec = load_spec(tools=tools).spec
    world = make_world(make_task("get_user_by_email", {"email": "ana@example.com"}, spec=spec), spec)
    found = ask(world, "get_user_by_email", email="ana@example.com").result
    assert found["email"] == "ana@example.com"
    assert ask(world, "get_user", user_id=found["user_id"]).result == found


def test_a_declared_result_shape_is_kept():
    returns = {
        "type": "object",
        "properties": {
            "success": {"type": "boolean"},
            "orders": {
                "type": "array",
                "items": {"type": "object", "properties": {"id": {"type": "string"}, "total": {"type": "number"}}},
            },
        },
    }
    spec = load_spec(tools=[{"name": "list_orders", "description": "List orders", "parameters": {}, "returns": returns}]).spec
    result = ask(make_world(make_task("list_orders", {}, spec=spec), spec), "list_orders").result
    assert result["success"] is True and result["orders"] and all(set(order) == {"id", "total"} for order in result["orders"])


def test_a_users_world_gets_faults_first_and_its_exceptions_are_results():
    seen = []

    def execute(tool, arguments, context):
        seen.append((tool, context.repeat, context.state))
        if arguments["order_id"] == "boom":
            raise RuntimeError("no database")
        return 42

    from shop import SPEC

    factory = make_world_factory(SPEC, knobs=RunKnobs(), seed=3, execute=execute)
    world = factory(make_task(faults=(Fault("get_order", "timeout", (0,)),)), 2)

    async def play():
        return [await world.call("get_order", {"order_id": key}) for key in ("a", "a", "boom")]

    first, second, third = asyncio.run(play())
    assert first.status == "fault" and second.result == {"status": "ok", "result": 42} and third.status == "error"
    assert "no database" in third.result["message"] and world.state_hash() is None and seen == [("get_order", 2, "exists")] * 2


def test_an_async_world_without_context_works_too():
    async def execute(tool, arguments):
        return {"status": "not_found"}

    from shop import SPEC

    world = make_world_factory(SPEC, knobs=RunKnobs(), execute=execute)(make_task(), 0)
    step = asyncio.run(world.call("get_order", {"order_id": "a"}))
    assert (step.status, step.result) == ("error", {"status": "not_found"})
