from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "world"))
from shop import KNOBS, SPEC, make_task

from whileai_exp.errors import BackendError
from whileai_exp.knobs import RunKnobs
from whileai_exp.plan.types import PersonPlan
from whileai_exp.ports import Reply
from whileai_exp.rollouts.user import ModelPerson, fidelity, make_person_factory, read_line
from whileai_exp.schema import Task, UserBrief


class Lines:
    """A chat model that says the given lines in order and keeps what it was sent."""

    model = "lines"

    def __init__(self, *lines):
        self.lines, self.seen = list(lines), []

    async def aclose(self):
        return None

    async def complete(self, request):
        self.seen.append(request)
        return Reply(self.lines.pop(0))


def person(task: Task, *, model=None, repeat=0, patience=(0.0, 0.0), knobs: RunKnobs = KNOBS, seed=0, avg_turns=1.0):
    return make_person_factory(SPEC, PersonPlan(None, patience, avg_turns), model=model, knobs=knobs, seed=seed)(task, repeat)


def hear(someone, *texts, turn=1):
    messages = [{"role": "system", "content": "policy"}, {"role": "user", "content": "Cancel my order."}]
    messages += [{"role": "assistant", "content": text} for text in texts]
    return asyncio.run(someone.reply(messages, turn))


def test_only_what_is_asked_is_answered():
    task = make_task(told=())
    assert hear(person(task), "What is the order id?").text == "The order id is #W1234567."
    both = hear(person(task), "Please tell me the order id and the reason.").text
    assert "#W1234567" in both and "no longer needed" in both


def test_unknown_facts_are_said_to_be_unknown():
    reply = hear(person(make_task(told=(), unknown=("order_id",))), "What is the order id?")
    assert "order id" in reply.text and "#W1234567" not in reply.text and not reply.done


def test_a_confirmation_gets_yes_or_no():
    task = make_task()
    assert hear(person(task), "Shall I go ahead and cancel it?").text.lower().startswith("yes")
    brief = UserBrief("g", knows=task.user.knows, volunteers=task.user.volunteers, confirms=False)
    firm = Task("t", task.prompt, task.situation, brief, task.world)
    assert hear(person(firm), "Shall I go ahead and cancel it?").text.lower().startswith("no")


def test_a_met_goal_ends_it_without_another_line():
    reply = hear(person(make_task()), "Order #W1234567 is cancelled.")
    assert reply.done and not reply.left and reply.text == ""


def test_an_adversarial_person_insists_a_set_number_of_times():
    someone = person(make_task(stance="adversarial"))
    said = [hear(someone, "I can't do that.", turn=n) for n in range(1, 5)]
    assert [bool(reply.text) for reply in said] == [True, True, False, False] and said[2].done


def test_patience_is_drawn_per_repeat_and_never_at_the_first_question():
    task = make_task(told=())
    first = [hear(person(task, patience=(1.0, 1.0), repeat=r), "What is the order id?") for r in range(5)]
    assert not any(reply.left for reply in first)
    left = []
    for repeat in range(40):
        someone = person(task, patience=(0.5, 0.5), repeat=repeat)
        hear(someone, "What is the order id?")
        left.append(hear(someone, "And the reason?", turn=2).left)
    assert 8 < sum(left) < 32
    again = []
    for repeat in range(40):
        someone = person(task, patience=(0.5, 0.5), repeat=repeat)
        hear(someone, "What is the order id?")
        again.append(hear(someone, "And the reason?", turn=2).left)
    assert again == left


def test_min_user_turns_keeps_the_conversation_going():
    knobs = RunKnobs(min_user_turns=2)
    someone = person(make_task(), knobs=knobs)
    said = [hear(someone, "Order #W1234567 is cancelled.", turn=n) for n in (1, 2, 3)]
    assert [reply.done for reply in said] == [False, False, True] and said[0].text


@pytest.mark.parametrize(
    ("question", "policy"),
    [
        ("请提供订单号。", "你是客服，帮助用户取消订单，查询订单。"),
        ("주문 번호를 알려 주세요.", "당신은 상담원입니다. 주문을 취소하고 조회합니다."),
    ],
)
def test_it_speaks_the_language_of_the_spec(question, policy):
    from whileai_exp.spec import load_spec

    zh = "你" in policy
    about = "要取消的订单号。" if zh else "취소할 주문 번호."
    tool = {
        "name": "cancel_order",
        "description": policy,
        "parameters": {
            "type": "object",
            "properties": {"order_id": {"type": "string", "description": about}},
            "required": ["order_id"],
        },
    }
    spec = load_spec(tools=[tool], system_prompt=policy).spec
    task = make_task("cancel_order", {"order_id": "W77"}, told=(), spec=spec)
    someone = make_person_factory(spec, PersonPlan(None, (0.0, 0.0)), model=None, knobs=KNOBS, seed=0)(task, 0)
    text = hear(someone, question).text
    assert "W77" in text and not text.startswith("The ")


def test_a_model_person_gets_a_private_brief_and_swapped_roles():
    model = Lines("It's #W1234567.")
    reply = hear(person(make_task(told=()), model=model), "What is the order id?")
    request = model.seen[0]
    assert reply.text == "It's #W1234567." and request.address.role == "user"
    assert [message["role"] for message in request.messages] == ["system", "assistant", "user"]
    assert "#W1234567" in request.messages[0]["content"] and "policy" not in request.messages[0]["content"]


@pytest.mark.parametrize("line", ["", "  \n", "<think>hm", '<tool_call>{"name": "x"}', "As an AI, how can I help you?"])
def test_a_useless_line_is_asked_for_once_more_and_then_an_error(line):
    """scenario 956, tau2-bench 440: an empty simulator reply was sent on, or blamed on the agent."""
    assert hear(person(make_task(), model=Lines(line, "Fine.")), "Hello.").text == "Fine."
    with pytest.raises(BackendError) as caught:
        hear(person(make_task(), model=Lines(line, line)), "Hello.")
    assert caught.value.kind == "user_error"


def test_done_and_leave_marks_end_it():
    assert read_line("[DONE]", 100).done and not read_line("[DONE]", 100).left
    assert read_line("I give up. [LEAVE]", 100).left
    assert read_line('{"message": "Hello there"}', 100).text == "Hello there"
    assert read_line('User: "Yes please"', 100).text == "Yes please"
    assert isinstance(person(make_task(), model=Lines()), ModelPerson)


def test_fidelity_reports_invented_and_contradicted_facts():
    brief = make_task().user
    good = fidelity(brief, ["The order id is #W1234567, no longer needed."])
    assert good["faithful"] and good["facts_told"] == ["order_id", "reason"]
    bad = fidelity(brief, ["The order id is #W7654321."], left=True)
    assert not bad["faithful"] and bad["facts_contradicted"] == ["order_id"] and bad["left_early"]
