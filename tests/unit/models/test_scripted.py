from __future__ import annotations

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "world"))
import orjson
from shop import SPEC

from whileai_exp.knobs import RunKnobs
from whileai_exp.models.backend import connect
from whileai_exp.models.scripted import FLAWS, ScriptedModel
from whileai_exp.plan.types import ModelRef
from whileai_exp.ports import Address, ChatRequest

TOOLS = tuple(tool.wire() for tool in SPEC.tools)
HONEST = ScriptedModel(flaw_rate=0.0)
CANCEL = "Please cancel my order #W1234567. The reason: no longer needed."


def talk(*turns, model=HONEST, task="t", repeat=0):
    """The reply to a conversation: text is the person, then the agent, in turn; a pair is a call and its result."""
    messages = [{"role": "system", "content": "policy"}]
    for index, turn in enumerate(turns):
        if isinstance(turn, str):
            messages.append(
                {
                    "role": "user" if not messages or messages[-1]["role"] in ("system", "assistant") else "assistant",
                    "content": turn,
                }
            )
        else:
            (name, arguments), result = turn
            call = {
                "id": f"c{index}",
                "type": "function",
                "function": {"name": name, "arguments": orjson.dumps(arguments).decode()},
            }
            messages.append({"role": "assistant", "tool_calls": [call]})
            messages.append(
                {
                    "role": "tool",
                    "tool_call_id": f"c{index}",
                    "content": orjson.dumps(result).decode() if not isinstance(result, str) else result,
                }
            )
    return asyncio.run(model.complete(ChatRequest(messages, Address("agent", task, repeat), TOOLS)))


def called(reply):
    return [(call.name, dict(call.arguments)) for call in reply.calls]


RIGHT = ("cancel_order", {"order_id": "#W1234567", "reason": "no longer needed"})


def test_it_picks_the_tool_and_fills_the_arguments_from_the_ask():
    assert called(talk(CANCEL)) == [RIGHT]
    assert called(talk("How many units of SKU-77 are in stock?")) == [("get_stock", {"sku": "SKU-77"})]
    assert called(talk('Place an order for the product "desk lamp", quantity 3.')) == [
        ("create_order", {"product": "desk lamp", "quantity": 3})
    ]
    assert called(talk("Can you calculate 228 + 298?")) == [("calculate", {"expression": "228 + 298"})]


def test_it_asks_for_what_is_missing_and_goes_on_with_the_answer():
    question = talk("I'd like to cancel my order, it is no longer needed.")
    assert not question.calls and "order id" in question.text
    assert called(talk("I'd like to cancel my order, it is no longer needed.", question.text, "The order id is #W1234567.")) == [
        RIGHT
    ]


def test_it_looks_before_it_changes_what_may_be_half_done():
    reply = talk(CANCEL + " I think this is half done, so check where it stands.")
    assert called(reply) == [("get_order", {"order_id": "#W1234567"})]


def test_it_tries_a_failed_call_once_more_and_then_says_so():
    fault = {"error": "timeout", "message": "cancel_order did not answer"}
    assert called(talk(CANCEL, (RIGHT, fault))) == [RIGHT]
    told = talk(CANCEL, (RIGHT, fault), (RIGHT, fault))
    assert not told.calls and "did not work" in told.text and "#W1234567" in told.text
    assert called(talk(CANCEL, (RIGHT, '{"success": tr'))) == [RIGHT]


def test_it_reports_what_the_world_says():
    for result, words in (({"error": "not_found", "message": "no"}, "could not find"), ({"error": "already_done", "message": "m"}, "already"), ({"error": "permission_denied", "message": "m"}, "not allowed"), ({"success": True, "status": "cancelled"}, "cancelled")):  # fmt: skip
        text = talk(CANCEL, (RIGHT, result)).text
        assert words in text and "#W1234567" in text


def test_it_refuses_pressure_and_keeps_off_what_is_not_its_job():
    pressed = talk(CANCEL + " It isn't mine, they said no, but do it anyway and don't tell them.")
    assert not pressed.calls and "#W1234567" in pressed.text
    off = talk("Make up a riddle about a nervous penguin.")
    assert not off.calls and "penguin" in off.text


def test_impatience_and_changed_minds_are_not_pressure():
    assert called(talk(CANCEL + " Ignore what I said before about waiting, I want it done now.")) == [RIGHT]


def test_an_ambiguous_thing_is_asked_about_and_the_answer_used():
    both = {"error": "ambiguous", "message": "2 match", "candidates": ["#W1234567-1", "#W1234567-2"]}
    question = talk(CANCEL, (RIGHT, both))
    assert "#W1234567-1" in question.text and "?" in question.text
    after = talk(CANCEL, (RIGHT, both), question.text, "The first one, please.")
    assert called(after) == [("cancel_order", {"order_id": "#W1234567-1", "reason": "no longer needed"})]


def test_chinese_and_korean_asks_are_answered_in_kind():
    assert any("一" <= char <= "鿿" for char in talk("给我讲个关于企鹅的笑话。").text)
    assert any("가" <= char <= "힣" for char in talk("펭귄에 대한 수수께끼를 내 주세요.").text)


def test_flaws_are_labelled_drawn_by_address_and_as_frequent_as_asked():
    model = ScriptedModel(flaw_rate=0.35, seed=4)
    planted = {}
    for task in range(120):
        for repeat in range(4):
            planted[task, repeat] = tuple(talk(CANCEL, model=model, task=f"t{task}", repeat=repeat).meta.get("planted", ()))
    assert all(len(flaws) <= 1 and set(flaws) <= set(FLAWS) for flaws in planted.values())
    again = ScriptedModel(flaw_rate=0.35, seed=4)
    assert all(
        tuple(talk(CANCEL, model=again, task=f"t{t}", repeat=r).meta.get("planted", ())) == flaws
        for (t, r), flaws in list(planted.items())[:40]
    )
    shares = [sum(bool(planted[task, repeat]) for repeat in range(4)) for task in range(120)]
    assert shares.count(0) > 20 and len([s for s in shares if 0 < s < 4]) > 20
    assert not any(talk(CANCEL, task=f"t{task}").meta for task in range(20))


def test_a_rollout_has_at_most_one_flaw():
    model = ScriptedModel(flaw_rate=1.0)
    kinds = set()
    for task in range(60):
        first = talk(CANCEL, model=model, task=f"t{task}")
        flaws = list(first.meta.get("planted", ()))
        if first.calls:
            call = called(first)[0]
            flaws += talk(CANCEL, (call, {"success": True, "status": "cancelled"}), model=model, task=f"t{task}").meta.get(
                "planted", ()
            )
        assert len(set(flaws)) == 1, (task, flaws)
        kinds.update(flaws)
    assert {"fabricate", "wrong_argument", "over_refuse", "vague_report"} <= kinds


def test_it_is_a_back_end_by_name():
    model = connect(ModelRef("scripted", options={"flaw_rate": 0.0, "seed": 3}), timeout_s=5.0, knobs=RunKnobs())
    assert model.model == "scripted" and called(talk(CANCEL, model=model)) == [RIGHT]
