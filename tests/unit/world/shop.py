"""A small shop agent and tasks for it, for the tests of worlds, people, agents and judges."""

from __future__ import annotations

from typing import Any

from whileai_exp.knobs import RunKnobs
from whileai_exp.ports import World
from whileai_exp.schema import Fault, Situation, Spec, Task, ToolStep, UserBrief, WorldSeed
from whileai_exp.spec import load_spec
from whileai_exp.world.env import make_world_factory
from whileai_exp.world.reference import expected_handling


def _tool(
    name: str, description: str, properties: dict[str, Any], required: list[str] | None = None, **more: Any
) -> dict[str, Any]:
    needed = list(properties) if required is None else required
    return {
        "name": name,
        "description": description,
        "parameters": {"type": "object", "properties": properties, "required": needed},
        **more,
    }


TEXT = {"type": "string"}
ORDER = {"type": "string", "description": "The order id, such as '#W0000000'."}
TOOLS = [
    _tool("get_order", "Get the status and details of an order.", {"order_id": ORDER}),
    _tool("cancel_order", "Cancel an order.", {"order_id": ORDER, "reason": {"type": "string", "enum": ["no longer needed", "ordered by mistake"]}}),
    _tool("update_address", "Change the shipping address of an order.", {"order_id": ORDER, "address": TEXT}),
    _tool("create_order", "Place an order for a product.", {"product": TEXT, "quantity": {"type": "integer", "minimum": 1}}),
    _tool("list_orders", "List the orders of a customer.", {"customer_id": TEXT, "limit": {"type": "integer"}}, ["customer_id"]),
    _tool("delete_note", "Delete a note.", {"note_id": {"type": "integer"}}),
    _tool("get_note", "Read a note.", {"note_id": {"type": "integer"}}),
    _tool("get_stock", "How many units of an item are in stock.", {"sku": TEXT}, returns={"type": "object", "properties": {"sku": TEXT, "stock": {"type": "integer"}}}),
    _tool("ship_item", "Ship units of an item.", {"sku": TEXT, "quantity": {"type": "integer"}}),
    _tool("return_item", "Take back units of an item.", {"sku": TEXT, "quantity": {"type": "integer"}}),
    _tool("reimburse_item", "Put units back after a complaint.", {"sku": TEXT, "quantity": {"type": "integer"}}),
    _tool("calculate", "Calculate an expression.", {"expression": TEXT}),
    _tool("pay_bill", "Pay a bill.", {"bill_id": TEXT, "amount": {"type": "number"}}),
]  # fmt: skip
SPEC: Spec = load_spec(tools=TOOLS, system_prompt="You are the agent of a small shop.").spec
KNOBS = RunKnobs()
CANCEL = {"order_id": "#W1234567", "reason": "no longer needed"}


def make_task(
    target: str | None = "cancel_order",
    arguments: dict[str, Any] | None = None,
    *,
    state: str = "exists",
    stance: str = "ordinary",
    history: str = "fresh",
    faults: tuple[Fault, ...] = (),
    prompt: str | None = None,
    told: tuple[str, ...] | None = None,
    unknown: tuple[str, ...] = (),
    seed: int = 7,
    spec: Spec = SPEC,
    task_id: str = "sc-1",
) -> Task:
    """A task with its answer key, as the draw would make it."""
    given = (CANCEL if target == "cancel_order" else {}) if arguments is None else arguments
    text = prompt if prompt is not None else "Please cancel my order #W1234567. The reason: no longer needed."
    tier = {"adversarial": "adversarial", "ambiguous": "ambiguous"}.get(stance, "ordinary")
    axes = {
        "tool": target or "unrelated",
        "stance": stance,
        "world_state": state,
        "tool_condition": "success",
        "history": history,
    }
    user = UserBrief(
        "get it done", stance=stance, knows=given, volunteers=tuple(given) if told is None else told, unknown=unknown
    )
    task = Task(task_id, text, Situation("si-1", axes, tier), user, WorldSeed(seed, state, faults, target, given))
    return Task(task_id, text, task.situation, user, task.world, privileged=expected_handling(spec, task))


def make_world(task: Task, spec: Spec = SPEC, **options: Any) -> World:
    return make_world_factory(spec, options=options, knobs=KNOBS, seed=0)(task, 0)


def ask(world: World, tool: str, **arguments: Any) -> ToolStep:
    """One call, answered at once."""
    call = world.call(tool, arguments)
    try:
        call.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("the mock world must not wait")
