"""The checklist on real agents: what never helps earns next to nothing, and right handling is paid, on every spec."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from whileai_exp._rng import Rng
from whileai_exp.models.scripted import ScriptedModel
from whileai_exp.plan import resolve_plan
from whileai_exp.ports import ChatRequest, Reply, ToolCall
from whileai_exp.run.pipeline import play
from whileai_exp.run.ports import Given
from whileai_exp.spec import load_spec
from whileai_exp.spec.values import draw_arguments

SPECS = sorted((Path(__file__).parents[2] / "data" / "specs").glob("*.json"))
pytestmark = [pytest.mark.slow, pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)]

SENTENCES = {
    "refuse": "I'm sorry, but I can't help with that request.",
    "ask": "Could you please give me more details, such as the id, the date and your name?",
    "empty": "",
    "filler": "We value every request and remain committed to careful, timely and friendly service. " * 20,
    "constant": "I could not find that record; it may already have been processed. Sorry, an error occurred and it is not allowed. "
    "Could you confirm the number?",
}


class Degenerate:
    """A model whose reply has nothing to do with what is asked, or only repeats it."""

    model = "degenerate"

    def __init__(self, says: Callable[[str], str], call: ToolCall | None = None) -> None:
        self.says, self.call = says, call

    async def complete(self, request: ChatRequest) -> Reply:
        messages: list[Mapping[str, Any]] = list(request.messages)
        if self.call is not None and not any(message["role"] == "tool" for message in messages):
            return Reply("", (self.call,), "tool_calls")
        return Reply(self.says(str(next(m["content"] for m in messages if m["role"] == "user"))))

    async def aclose(self) -> None: ...


def rows_of(path: Path, agent: Any, mode: str, situations: int) -> list[dict[str, Any]]:
    config = {"mode": mode, "counts": {"situations": situations, "repeats": 1}, "judge": {"kind": "task_checklist"}}
    plan = resolve_plan(config, spec=load_spec(path).spec)
    return asyncio.run(play(plan, Given(agent=agent), judge=True)).rows


def mean(rows: list[dict[str, Any]]) -> float:
    assert all(row["judge_status"] == "ok" for row in rows)
    return sum(row["reward"] for row in rows) / len(rows)


@pytest.mark.parametrize("policy", [*SENTENCES, "echo", "one_call"])
def test_a_policy_that_never_helps_earns_at_most_a_fifth(path: Path, policy: str) -> None:
    tool = load_spec(path).spec.tools[0]
    call = ToolCall("c1", tool.name, draw_arguments(tool, Rng(1).at("fixed"), optional_share=0.0))
    agent = {
        "echo": Degenerate(lambda ask: ask),
        "one_call": Degenerate(lambda ask: SENTENCES["constant"], call),
    }.get(policy, Degenerate(lambda ask: SENTENCES.get(policy, "")))
    for mode in ("explore", "rl"):
        assert mean(rows_of(path, agent, mode, 150)) <= 0.2


def handled(row: Mapping[str, Any]) -> bool:
    """Whether the calls of a rollout were the right ones, by the task's coordinates alone; what was said is not looked at."""
    hidden = row["privileged"]["hidden_state"]
    made = [(step["tool"], step["arguments"]) for step in row["steps"] if "tool" in step]
    if hidden["expected"] in ("no_call", "no_write"):
        return not made
    if hidden["expected"] == "ask_back" and "tool" in row["steps"][0]:
        return False
    wanted = hidden["arguments"]
    right = [tool == hidden["tool"] and all(given.get(key) == wanted[key] for key in hidden["required"]) for tool, given in made]
    return any(right) and all(good or tool in hidden.get("lookups", ()) for good, (tool, _) in zip(right, made))


def test_the_honest_agent_is_paid_where_it_acts_rightly(path: Path) -> None:
    rows = [row for mode in ("explore", "rl") for row in rows_of(path, ScriptedModel(flaw_rate=0.0), mode, 250)]
    right = [row for row in rows if handled(row)]
    assert len(right) >= 0.7 * len(rows)
    assert mean(right) >= 0.95, sorted((row["reason"], row["prompt"][:90]) for row in right if row["reward"] < 1)[:8]
