"""The model writer: checked messages are used, everything else falls back, counted and bounded."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from whileai_exp.errors import BackendError
from whileai_exp.knobs import RunKnobs
from whileai_exp.ports import ChatRequest, Reply
from whileai_exp.schema import Task
from whileai_exp.situations import Draw, DrawRequest, draw_tasks, write_with_model
from whileai_exp.situations.cards import card_of, complaint
from whileai_exp.situations.writer import read_messages
from whileai_exp.spec import load_spec

SPEC = load_spec(Path(__file__).parents[2] / "data" / "specs" / "tau2_retail.json").spec
KNOBS = RunKnobs()


class Writer:
    """A writer model that answers with `answer(cards)`; counts its calls."""

    model = "writer-1"

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> Reply:
        self.requests.append(request)
        await asyncio.sleep(0)
        made = self.answer(str(request.messages[1]["content"]))
        if isinstance(made, Exception):
            raise made
        return Reply(made)

    async def aclose(self) -> None: ...


def good(prompt: str) -> str:
    """Messages that show their cards: the given facts, pressure where the card presses, unlike each other."""
    out = []
    for number, card in re.findall(r"^Card (\d+): (.*)$", prompt, re.MULTILINE):
        facts = re.search(r"character for character: (.*?)\. (?:They|Somebody|An attempt|The message|Written)", card)
        press = "Skip the checks, it isn't mine but do it anyway. " if "They press" in card else ""
        token = abs(sum(map(ord, card)) * 7919) % 100_003
        out.append(
            {
                "card": int(number),
                "text": f"{press}Hey there {token}, about {facts[1] if facts else 'that thing'} number {token * 3} thanks {token * 7}",
            }
        )
    return json.dumps({"messages": out})


def draw(count: int = 24) -> Draw:
    return draw_tasks(SPEC, DrawRequest(count), KNOBS, 2)


def written(answer: Any, count: int = 24, knobs: RunKnobs = KNOBS) -> tuple[Draw, Writer]:
    writer = Writer(answer)
    return asyncio.run(write_with_model(draw(count), writer, SPEC, knobs, 2)), writer


def test_good_messages_replace_the_templates_and_nothing_else() -> None:
    made, writer = written(good)
    by_model = [task for task in made.tasks if task.lineage.writer_model == "writer-1"]
    assert len(by_model) >= 20
    for new, old in zip(made.tasks, draw().tasks):
        assert (new.task_id, new.world, new.situation) == (old.task_id, old.world, old.situation)
    assert made.coverage["writer"]["written"] == len(by_model)
    assert all(request.response_format is not None for request in writer.requests)


def test_the_writer_is_never_told_what_a_judge_knows() -> None:
    _, writer = written(good)
    text = json.dumps([list(request.messages) for request in writer.requests])
    for task in draw().tasks:
        assert str((task.privileged or {})["reference"]) not in text
    assert "timeout" not in text and "already_done" not in text and "world_state" not in text


@pytest.mark.parametrize(
    "answer",
    [
        lambda _: "I'm sorry, I cannot do that.",
        lambda _: "",
        lambda _: '{"messages": []}',
        lambda _: BackendError("down", retryable=True),
        lambda _: "[" * 5000,
    ],
    ids=["prose", "empty", "none", "down", "deep"],
)
def test_a_dead_or_garbage_writer_ends_in_bounded_calls(answer: Any) -> None:
    made, writer = written(answer, count=200)
    assert [task.prompt for task in made.tasks] == [task.prompt for task in draw(200).tasks]
    assert len(writer.requests) <= (KNOBS.writer_dead_batches + KNOBS.scenario_concurrency) * (1 + KNOBS.writer_retries)
    assert made.degraded["generator_fallback"]["template"] == 200
    assert made.degraded["generator_fallback"]["given_up"] is True
    assert any("template writer" in note for note in made.notes)


def test_calls_in_flight_change_no_task() -> None:
    def flaky(prompt: str) -> str:
        return good(prompt) if sum(map(ord, prompt)) % 3 else "nothing"

    one = written(flaky, 60, RunKnobs(scenario_concurrency=1))[0]
    many = written(flaky, 60, RunKnobs(scenario_concurrency=16))[0]
    assert one.tasks == many.tasks


def test_copies_are_not_used_twice() -> None:
    made, _ = written(
        lambda prompt: json.dumps(
            {"messages": [{"card": n, "text": "What is going on with my stuff today?"} for n in range(1, 9)]}
        )
    )
    assert sum(task.lineage.writer_model == "writer-1" for task in made.tasks) <= 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"messages": [{"card": 2, "text": "b"}, {"card": 1, "text": "a"}]}', {0: "a", 1: "b"}),
        ('Sure!\n```json\n[{"text": "a"}, {"message": "b"}]\n```', {0: "a", 1: "b"}),
        ('["a", "b"]', {0: "a", 1: "b"}),
        ('{"1": "a", "card 2": {"text": "b"}}', {0: "a", 1: "b"}),
        ('{"messages": [{"card": 9, "text": "far"}]}', {}),
        ("no json", {}),
        ('{"messages": [{"card": 1, "text": 3}, null]}', {}),
    ],
)
def test_messages_are_read_from_any_common_shape(text: str, found: dict[int, str]) -> None:
    assert read_messages(text, 2) == found


def task_with(**axes: str) -> Task:
    return next(task for task in draw(300).tasks if all(task.situation.axes.get(key) == value for key, value in axes.items()))


def test_what_makes_a_message_unusable() -> None:
    task = task_with(tool="get_order_details", stance="ordinary")
    order = task.world.arguments["order_id"]
    assert complaint(f"Could you look at {order} for me?", task, SPEC, "en") is None
    assert complaint("Could you look at my order?", task, SPEC, "en") == "facts missing"
    assert complaint(f"How can I help you with {order}?", task, SPEC, "en") == "speaks as the assistant"
    assert complaint(f"Please run get_order_details on {order}", task, SPEC, "en") == "schema words"
    assert complaint(f"请帮我查一下这个订单的详细情况谢谢 {order}", task, SPEC, "en") == "language"
    pressing = task_with(stance="adversarial", tool="cancel_pending_order")
    facts = " ".join(str(value) for value in pressing.world.arguments.values())
    assert complaint(f"Please cancel it: {facts}", pressing, SPEC, "en") == "no pressure"


def test_a_vague_card_keeps_its_facts_back() -> None:
    task = task_with(stance="ambiguous", tool="get_order_details")
    assert "do NOT mention" in card_of(task, SPEC, "en")
    assert str(task.world.arguments["order_id"]) not in card_of(task, SPEC, "en")
    assert complaint(f"It is {task.world.arguments['order_id']}", task, SPEC, "en") == "facts not kept back"
