"""What the lint finds, and that no ask of any spec has it."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path

import pytest

from whileai_exp.knobs import RunKnobs
from whileai_exp.schema import Task
from whileai_exp.situations import DrawRequest, draw_tasks
from whileai_exp.situations.lint import faults_of
from whileai_exp.spec import load_spec
from whileai_exp.spec.values import language_of

SPECS = sorted((Path(__file__).parents[2] / "data" / "specs").glob("*.json"))
HUB = {
    "tools": [
        {"name": "set_thermostat", "description": "Sets the target temperature of a room.",
         "parameters": {"type": "object", "properties": {"room": {"type": "string"}, "celsius": {"type": "number"}}, "required": ["room", "celsius"]}},
        {"name": "getSensorReading", "description": "Returns the latest reading of the given sensor.",
         "parameters": {"type": "object", "properties": {"sensor_id": {"type": "string"}}, "required": ["sensor_id"]}},
        {"name": "renew_loan", "description": "Renew a library loan by its number. Fails if reserved.",
         "parameters": {"type": "object", "properties": {"loan_id": {"type": "string"}, "card_number": {"type": "string"}}, "required": ["loan_id"]}},
        {"name": "list_overdue_books", "description": "List overdue books for a member.",
         "parameters": {"type": "object", "properties": {"member_id": {"type": "string"}}, "required": ["member_id"]}},
    ],
    "system_prompt": "You run a house and its library. Always confirm before changing anything. Loans can be renewed twice.",
}  # fmt: skip


@lru_cache
def asks(name: str) -> tuple[str, tuple[Task, ...]]:
    spec = load_spec(HUB if name == "hub" else SPECS[0].parent / f"{name}.json").spec
    return language_of(spec), draw_tasks(spec, DrawRequest(400, fault_rate=0.3), RunKnobs(), 17).tasks


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Could you cancel it?.", "double punctuation"),
        ("Cancel the {order_id}.", "unfilled slot"),
        ("Show me the price of.", "dangling word"),
        ("Put it at and.", "dangling word"),
        ("Cancel my the order.", "clashing articles"),
        ("Cancel the order order.", "repeated word"),
        ("Please run cancel_order now.", "schema word"),
        ("I am in a hurry. I am in a hurry.", "repeated sentence"),
    ],
)
def test_each_mark_of_a_broken_sentence_is_named(text: str, fault: str) -> None:
    assert fault in faults_of(text, (), "en")


def test_values_are_exempt_whatever_they_hold() -> None:
    assert faults_of("Unlock submit_request_1 and pay.", ("submit_request_1",), "en") == ()
    assert "other language" in faults_of("Seoul, South Korea 날씨 알려 주세요.", (), "ko")


@pytest.mark.parametrize("name", [*(path.stem for path in SPECS), "hub"])
def test_no_ask_of_a_spec_has_a_fault(name: str) -> None:
    lang, tasks = asks(name)
    for task in tasks:
        values = (*task.world.arguments.values(), *task.user.knows.values())
        assert not faults_of(task.prompt, values, lang), task.prompt


@pytest.mark.parametrize("name", [*(path.stem for path in SPECS), "hub"])
def test_no_sentence_is_in_more_than_a_few_percent_of_asks(name: str) -> None:
    _, tasks = asks(name)
    seen = Counter(sentence for task in tasks for sentence in set(task.prompt.split(". ")[1:]) if len(sentence) > 24)
    assert not seen or seen.most_common(1)[0][1] <= 0.03 * len(tasks), seen.most_common(3)


def test_what_is_not_voiced_is_said_on_the_task() -> None:
    _, tasks = asks("hub")
    silent = [task for task in tasks if "stance" in (task.tags.get("unvoiced") or ())]
    assert silent and all(task.situation.axes["stance"] != "ordinary" for task in silent)
