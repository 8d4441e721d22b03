"""A real model behind a real server, where its parts are installed by hand."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec

import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.knobs import RunKnobs
from whileai_exp.models import connect, warm_up
from whileai_exp.plan.types import ModelRef
from whileai_exp.ports import Address, ChatRequest, Reply
from whileai_exp.schema import Sampling

TOOL = {
    "type": "function",
    "function": {
        "name": "get_order",
        "description": "Look up an order by its id.",
        "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
    },
}


def test_what_is_not_installed_is_named():
    with pytest.raises(ConfigError, match="pip install xllamacpp|neither one of smollm2"):
        connect(ModelRef("local", "nothing"), timeout_s=1, knobs=RunKnobs())


@pytest.mark.optin
@pytest.mark.skipif(find_spec("xllamacpp") is None, reason="xllamacpp is not installed")
def test_a_small_model_talks_calls_a_tool_and_is_repeatable():
    def ask(*messages: dict, **more) -> ChatRequest:
        return ChatRequest(messages, Address("agent"), sampling=Sampling(0.0, 40, seed=1), **more)

    async def play() -> list[Reply]:
        model = connect(ModelRef("local", "smollm2"), timeout_s=120, knobs=RunKnobs())
        await warm_up(model)
        user = {"role": "user", "content": "Please get order A17."}
        called = await model.complete(ask(user, tools=(TOOL,)))
        again = await model.complete(ask(user, tools=(TOOL,)))
        calls = [{"id": "call00001", "type": "function", "function": {"name": "get_order", "arguments": '{"order_id":"A17"}'}}]
        spoken = await model.complete(
            ask(
                user,
                {"role": "assistant", "tool_calls": calls},
                {"role": "tool", "tool_call_id": "call00001", "content": '{"status":"shipped"}'},
                tools=(TOOL,),
                logprobs=True,
            )
        )
        schema = {
            "type": "object",
            "properties": {"reward": {"enum": [0, 1]}},
            "required": ["reward"],
            "additionalProperties": False,
        }
        judged = await model.complete(ask({"role": "user", "content": "Grade it."}, response_format=schema))
        await model.aclose()
        return [called, again, spoken, judged]

    called, again, spoken, judged = asyncio.run(play())
    assert called.text == again.text and [c.name for c in called.calls] == [c.name for c in again.calls]
    assert called.calls and called.calls[0].name == "get_order" and "order_id" in called.calls[0].arguments
    assert spoken.n_tokens and spoken.logprob is not None and spoken.usage.input_tokens
    assert '"reward"' in judged.text
