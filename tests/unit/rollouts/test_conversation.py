"""One episode: what is carried out, what is written down, and every way it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import orjson
import pytest

from whileai_exp.errors import BackendError, KeyRefused
from whileai_exp.knobs import RolloutKnobs
from whileai_exp.ports import ChatRequest, PersonReply, Reply, ToolCall, WorldEvent
from whileai_exp.rollouts import ModelAgent
from whileai_exp.schema import (
    AgentStep,
    Rollout,
    Sampling,
    Situation,
    Spec,
    Task,
    TaskLineage,
    Tool,
    ToolStep,
    Usage,
    UserBrief,
    UserStep,
    WorldSeed,
    from_row,
    to_row,
)

SPEC = Spec(
    tools=(
        Tool("get", "", {"type": "object", "properties": {}}),
        Tool("ask_person", "", {"type": "object", "properties": {"question": {"type": "string"}}}, kind="human"),
    ),
    system_prompt="SYS",
)


class Script:
    """A model that says its lines and keeps the requests it got."""

    model = "scripted-model"

    def __init__(self, *lines: Any) -> None:
        self.lines = list(lines)
        self.requests: list[dict[str, Any]] = []

    async def complete(self, request: ChatRequest) -> Reply:
        self.requests.append(
            {
                "messages": orjson.loads(orjson.dumps(list(request.messages))),
                "sampling": request.sampling,
                "address": request.address,
                "tools": request.tools,
            }
        )
        line = self.lines.pop(0)
        if isinstance(line, BaseException):
            raise line
        return Reply(text=line) if isinstance(line, str) else line

    async def aclose(self) -> None: ...


class Box:
    """A world that answers everything and remembers the calls."""

    def __init__(self, fault: str | None = None) -> None:
        self.calls: list[tuple[str, dict]] = []
        self.ledger: list[WorldEvent] = []
        self.fault = fault

    async def call(self, tool: str, arguments: Any, call_id: str = "") -> ToolStep:
        self.calls.append((tool, dict(arguments)))
        self.ledger.append(
            WorldEvent(len(self.ledger), tool, arguments, "ok", self.fault, ({"tool": tool, "entity": "e", "op": "update"},))
        )
        return ToolStep(tool, arguments, {"n": len(self.calls)}, "ok", call_id)

    def state_hash(self) -> str:
        return f"state{len(self.calls)}"


class Talker:
    """A person with lines: text, or a whole reply, or an error."""

    model = "template"

    def __init__(self, *lines: Any) -> None:
        self.lines = list(lines)
        self.turns: list[int] = []

    async def reply(self, messages: Sequence[Any], turn: int) -> PersonReply:
        self.turns.append(turn)
        line = self.lines.pop(0) if self.lines else PersonReply("", done=True)
        if isinstance(line, BaseException):
            raise line
        return PersonReply(line) if isinstance(line, str) else line


def calls(*names: str, text: str = "", finish: str = "tool_calls", **more: Any) -> Reply:
    made = tuple(ToolCall(f"id{i}", name, {"i": i}) for i, name in enumerate(names))
    return Reply(text=text, calls=more.pop("calls", made), finish_reason=finish, usage=Usage(10, 5), **more)


def task(**more: Any) -> Task:
    return Task("t", "please", Situation("s", {}), UserBrief("g"), WorldSeed(1), **more)


class Played:
    def __init__(
        self,
        *lines: Any,
        person: Talker | None = None,
        max_turns: int = 8,
        sampling: Sampling = Sampling(),
        world: Box | None = None,
        the_task: Task | None = None,
        **more: Any,
    ) -> None:
        self.model, self.world = Script(*lines), world or Box()
        self.task = the_task or task()
        agent = ModelAgent(
            self.model,
            SPEC,
            world=lambda _task, _repeat: self.world,
            person=(lambda _task, _repeat: person) if person else None,
            sampling=sampling,
            max_turns=max_turns,
            knobs=RolloutKnobs(),
            **more,
        )
        self.rollout: Rollout = asyncio.run(agent.play(self.task, 2, 7))

    @property
    def shape(self) -> list[str]:
        return [type(step).__name__[0] for step in self.rollout.steps]


def end(played: Played) -> tuple[str, str | None, str]:
    return str(played.rollout.status), played.rollout.ended_by, played.rollout.finish_reason


def test_one_ask_and_one_answer():
    played = Played("hello")
    assert end(played) == ("ok", "agent", "stop") and played.rollout.final_text == "hello"
    assert played.rollout.rollout_id == "t/2" and played.rollout.seed == 7 and played.rollout.user_model is None
    assert [m["role"] for m in played.model.requests[0]["messages"]] == ["system", "user"]


def test_all_calls_of_a_turn_are_carried_out_in_order_and_answered_by_id():
    played = Played(calls("get", "get", text="let me look"), "done")
    assert played.world.calls == [("get", {"i": 0}), ("get", {"i": 1})] and played.shape == ["A", "T", "T", "A"]
    sent = played.model.requests[1]["messages"]
    assert [m["role"] for m in sent[2:]] == ["assistant", "tool", "tool"]
    assert [m["tool_call_id"] for m in sent[3:]] == [c["id"] for c in sent[2]["tool_calls"]]
    assert played.rollout.changes and played.rollout.world_before == "state0" and played.rollout.world_after == "state2"
    assert played.rollout.usage == Usage(10, 5)


def test_ids_are_unique_over_the_whole_conversation_and_the_same_every_time():  # B26
    same = (ToolCall("call_0", "get", {}), ToolCall("call_0", "get", {}))
    ids = [
        [s.call_id for s in Played(calls(calls=same), calls(calls=same), "x").rollout.steps if isinstance(s, ToolStep)]
        for _ in range(2)
    ]
    assert ids[0] == ids[1] and len(set(ids[0])) == 4 and all(len(i) == 9 and i.isalnum() for i in ids[0])
    kimi = (ToolCall("functions.get:0", "get", {}), ToolCall("functions.get:0", "get", {}))
    kept = [s.call_id for s in Played(calls(calls=kimi), "x").rollout.steps if isinstance(s, ToolStep)]
    assert kept[0] == "functions.get:0" and kept[1] != kept[0]


def test_malformed_calls_get_an_error_to_read_and_the_rollout_goes_on():  # B18, B21
    bad = (ToolCall("a", "get", {}, raw="{oops", error="the arguments are not valid JSON"), ToolCall("b", "get", {"ok": 1}))
    played = Played(calls(calls=bad), "sorry")
    broken = played.rollout.steps[1]
    assert isinstance(broken, ToolStep) and broken.status == "error" and broken.raw_arguments == "{oops"
    assert played.world.calls == [("get", {"ok": 1})] and end(played)[0] == "ok"
    sent = played.model.requests[1]["messages"]
    assert "not valid JSON" in sent[3]["content"] and "oops" not in orjson.dumps(sent).decode()


def test_a_cut_turn_is_never_carried_out():  # B23
    played = Played(calls("get", finish="length", text="I will"))
    assert end(played) == ("truncated", "length", "length") and played.world.calls == []
    step = played.rollout.steps[0]
    assert isinstance(step, AgentStep) and step.truncated and played.rollout.final_text == "I will"
    assert isinstance(played.rollout.steps[1], ToolStep) and "not carried out" in played.rollout.steps[1].result["error"]


def test_the_person_answers_until_they_are_done():
    person = Talker("and another", "")
    played = Played("one", calls("get"), "two", person=person)
    assert end(played) == ("ok", "user_done", "stop") and played.shape == ["A", "U", "A", "T", "A"]
    assert person.turns == [1, 2] and played.rollout.user_model == "template"


def test_a_last_word_is_acted_on_before_the_end():
    played = Played("shall I cancel it?", calls("get"), "cancelled", person=Talker(PersonReply("yes, do it", done=True)))
    assert end(played) == ("ok", "user_done", "stop")
    assert played.world.calls and played.rollout.final_text == "cancelled"


def test_a_person_who_leaves_ends_it_at_once():
    played = Played("what is your number?", person=Talker(PersonReply("forget it", left=True)))
    assert end(played) == ("ok", "user_left", "stop")
    assert played.rollout.steps[-1] == UserStep("forget it") and played.rollout.final_text == "what is your number?"


@pytest.mark.parametrize("reply", ["", "  \n"])
def test_an_empty_user_turn_is_never_sent(reply):  # B51
    played = Played("one", person=Talker(reply))
    assert end(played)[1] == "user_done" and len(played.model.requests) == 1


def test_a_failing_person_says_nothing_about_the_agent():  # B51
    played = Played("one", person=Talker(RuntimeError("simulator down")))
    assert end(played) == ("user_error", "user_error", "error") and "simulator down" in (played.rollout.error or "")
    backend = Played("one", person=Talker(BackendError("down")))
    assert end(backend)[0] == "user_error"


def test_the_turn_cap_truncates_but_lets_the_agent_speak_to_a_pending_result():
    chatty = Played("a", "b", "c", person=Talker("1", "2", "3"), max_turns=2)
    assert end(chatty) == ("truncated", "max_turns", "length") and len(chatty.model.requests) == 2
    assert chatty.shape == ["A", "U", "A"]
    pending = Played(calls("get"), calls("get"), "finally", max_turns=2)
    assert end(pending) == ("ok", "agent", "stop") and pending.rollout.final_text == "finally"
    endless = Played(*[calls("get")] * 9, max_turns=2)
    assert end(endless) == ("truncated", "max_turns", "length") and len(endless.model.requests) == 3


def test_an_agent_that_is_done_at_its_cap_is_done():
    assert end(Played("a", "b", person=Talker("1", PersonReply("thanks", done=True)), max_turns=2)) == ("ok", "user_done", "stop")


def test_the_user_and_the_agent_alternate_from_the_first_message():  # B50
    played = Played("a", "b", "c", person=Talker("1", "2", ""), max_turns=3)
    roles = [m["role"] for m in played.model.requests[-1]["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (BackendError("8192 tokens", kind="context_length", status=400), ("truncated", "context_length", "length")),  # B25
        (BackendError("slow", kind="timeout"), ("timeout", "timeout", "error")),
        (BackendError("HTTP 500"), ("agent_error", "error", "error")),
        (BackendError("blocked", kind="content_filter", status=400), ("empty_reply", "content_filter", "stop")),
    ],
)
def test_a_failed_call_is_a_status_and_keeps_what_was_done(error, expected):
    played = Played(calls("get"), error)
    assert end(played) == expected and played.rollout.error == str(error) and len(played.rollout.steps) == 2


def test_a_refused_key_stops_the_run():
    with pytest.raises(KeyRefused):
        Played(KeyRefused("no"))


def test_an_empty_reply_is_its_own_status_and_a_filtered_one_says_so():  # B38
    assert end(Played("")) == ("empty_reply", "agent", "stop")
    assert end(Played(Reply(text="", finish_reason="content_filter"))) == ("empty_reply", "content_filter", "stop")
    assert end(Played(Reply(text="I cannot", finish_reason="content_filter"))) == ("ok", "content_filter", "stop")


def test_a_null_finish_reason_is_a_normal_turn():  # B33
    assert end(Played(Reply(text="hi", finish_reason=None)))[0] == "ok"


def test_a_human_tool_is_answered_by_the_person():
    ask = Reply(text="", calls=(ToolCall("x", "ask_person", {"question": "which one?"}),), finish_reason="tool_calls")
    played = Played(ask, "ok", person=Talker("the blue one", ""))
    step = played.rollout.steps[1]
    assert isinstance(step, ToolStep) and step.result == "the blue one" and played.world.calls == []


def test_the_scaffold_is_sent_and_is_not_part_of_the_identity():
    plain, scaffolded = Played("x"), Played("x", scaffold="EXTRA")
    assert scaffolded.model.requests[0]["messages"][0]["content"] == "SYS\n\nEXTRA"
    assert plain.rollout.policy == scaffolded.rollout.policy


def test_a_sampling_seed_is_different_for_every_call_and_the_same_every_time():
    first, again = (Played(calls("get"), "x", sampling=Sampling(seed=5)) for _ in range(2))
    seeds = [request["sampling"].seed for request in first.model.requests]
    assert len(set(seeds)) == 2 and seeds == [request["sampling"].seed for request in again.model.requests]
    assert first.rollout.sampling == Sampling(seed=5, model="scripted-model")


def test_a_later_run_of_the_same_tasks_is_kept_apart():
    played = Played("x", the_task=task(lineage=TaskLineage(eval_run=1)))
    assert played.rollout.rollout_id == "t/2@r1" and played.model.requests[0]["address"].task_id == "t@r1"


def test_faults_are_those_that_fired():
    played = Played(calls("get"), "x", world=Box(fault="timeout"))
    assert played.rollout.fired == ({"tool": "get", "mode": "timeout", "call": 0},)


def test_a_prefix_stands_before_the_ask():
    prefix = ({"role": "user", "content": "earlier"}, {"role": "assistant", "content": "yes"})
    roles = [m["role"] for m in Played("x", the_task=task(prefix=prefix)).model.requests[0]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]


def test_the_rollout_survives_the_row():
    played = Played(calls("get", "get", text="t"), "mid", calls("get"), "end", person=Talker("more", ""))
    assert from_row(to_row(played.task, played.rollout)).rollout == played.rollout
