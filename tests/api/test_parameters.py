"""Every keyword of `simulate`, each alias and each experiment parameter changes what it says, and the report holds it as resolved."""

from __future__ import annotations

import asyncio
import inspect
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import whileai_exp as wai
from whileai_exp.api.data import SimulationData
from whileai_exp.api.simulate import plan_from
from whileai_exp.cli._jobs import confirmed
from whileai_exp.knobs.tables import parameter_infos
from whileai_exp.plan import PARAMETERS, ModelRef, nested, resolve_plan
from whileai_exp.plan.parameters import UNTIL, canonical_names
from whileai_exp.ports import ChatRequest, Reply, ToolCall
from whileai_exp.run.pipeline import play
from whileai_exp.run.report.page._browser import packed

TESTS = Path(__file__).resolve().parents[1]
RETAIL = str(TESTS / "data" / "specs" / "tau2_retail.json")
Data = Any


def sim(**given: Any) -> Data:
    return wai.simulate(**{"agent": "scripted", "spec": RETAIL, "situations": 12, "repeats": 1, "concurrency": 1, **given})


class Echo:
    """A model that keeps what it is sent; as an agent it may call a tool for ever, as a person or writer it says little."""

    model = "echo"

    def __init__(self, text: str = "Which order is it?", tool: str | None = None) -> None:
        self.text, self.tool, self.seen = text, tool, []

    async def complete(self, request: ChatRequest) -> Reply:
        self.seen.append(request)
        if self.tool:
            return Reply("", (ToolCall(f"c{len(self.seen)}", self.tool, {"order_id": "#W1"}),), "tool_calls")
        return Reply(self.text)

    async def aclose(self) -> None: ...


def asked(**given: Any) -> list[ChatRequest]:
    """What the agent's model was sent."""
    agent = Echo(given.pop("text", "Done."), given.pop("tool", None))
    sim(agent=agent, **given)
    return agent.seen


def axis(name: str) -> Callable[[Data], set[str]]:
    return lambda data: {row["scenario_dimensions"][name] for row in data.rows}


def faulted(data: Data) -> int:
    return sum(bool(row.get("faults")) for row in data.rows)


def prompts(data: Data) -> list[str]:
    return [row["prompt"] for row in data.rows]


def arms(data: Data) -> set[str]:
    return {row["arm"] for row in data.rows}


def people_said(data: Data) -> int:
    return sum("user" in step for row in data.rows for step in row["steps"])


def left(data: Data) -> int:
    return sum(row.get("ended_by") == "user_left" for row in data.rows)


def turns(data: Data) -> int:
    return max(sum("tool" in step or "text" in step for step in row["steps"]) for row in data.rows)


def talk(**given: Any) -> Data:
    """An agent that asks and asks."""
    return sim(agent=Echo("What is your order number, please?"), mode="rl", repeat_policy="fixed", **{"situations": 30, **given})


def person_temperature(value: float) -> float:
    person = Echo("It is #W1.")
    talk(user_model=person, situations=3, user_temperature=value)
    return person.seen[0].sampling.temperature


def writer_temperatures(value: Any) -> tuple[float, float]:
    writer = Echo("no")
    sim(simulator=writer, writer_temperature=value)
    found = [request.sampling.temperature for request in writer.seen]
    return min(found), max(found)


def slow(message: str) -> str:
    time.sleep(0.03)
    return "noted"


def traced(**given: Any) -> Data:
    steps = [{"tool": "get_order_details", "arguments": {}, "status": "fault", "result": {"error": "timeout"}}]
    rows = [{"prompt": f"where is my order, number {n}", "reward": 0.0, "steps": steps} for n in range(8)]
    return sim(**{"traces": rows, "situations": 60, **given})


def only_traced(data: Data) -> bool:
    return {row["scenario_dimensions"]["tool"] for row in data.rows} <= {"get_order_details", "unrelated", "multi_tool"}


def same_words(message: str) -> str:
    return "noted"


FIRST = sim(seed=5, situations=6)
Seen = tuple[Callable[[], Any], Callable[[], Any], Any, Any]
EFFECTS: dict[str, Seen] = {
    "agent": (lambda: sim(agent=same_words).rows[0]["model_version"], lambda: sim(agent="scripted").rows[0]["model_version"].split("@")[0] != "same_words", "same_words", True),
    "spec": (lambda: axis("tool")(sim(spec={"tools": [{"name": "get_time", "description": "Get the time."}]})), lambda: "get_time" in axis("tool")(sim()), {"get_time"}, False),
    "tools": (lambda: len(sim(spec=None, tools=[{"name": "get_time", "description": "Get the time."}]).declared_tools), lambda: len(sim().declared_tools), 1, 16),
    "system_prompt": (lambda: next(iter(sim(system_prompt="Be brief.").system_prompts.values())), lambda: next(iter(sim().system_prompts.values())) == "Be brief.", "Be brief.", False),
    "rubric": (lambda: sim(rubric="Be kind.").plan.spec.rubric, lambda: sim().plan.spec.rubric, "Be kind.", None),
    "seeds": (lambda: prompts(sim(seeds=["Where is it?"]))[0], lambda: prompts(sim())[0] == "Where is it?", "Where is it?", False),
    "mode": (lambda: len(sim(mode="sft", repeats=None, repeat_policy="fixed", situations=3).rows), lambda: len(sim(mode="rl", repeats=None, repeat_policy="fixed", situations=3).rows), 3 * 3 * 4, 3 * 8),
    "situations": (lambda: len(sim(situations=3).rows), lambda: len(sim(situations=7).rows), 3, 7),
    "requests_per_situation": (lambda: len(sim(requests_per_situation=1).rows), lambda: len(set(prompts(sim(requests_per_situation=3)))), 12, 36),
    "rollouts_per_request": (lambda: len(sim(repeats=None, rollouts_per_request=2, repeat_policy="fixed").rows), lambda: len(sim(repeats=None, rollouts_per_request=5, repeat_policy="fixed").rows), 24, 60),
    "unique_situations": (lambda: len(set(prompts(sim(repeats=None, unique_situations=True, mode="rl")))), lambda: len(sim(repeats=None, unique_situations=True, mode="rl").rows), 12, 12),
    "runs": (lambda: len(sim(runs=1).rows), lambda: len(sim(runs=3).rows), 12, 36),
    "budget": (lambda: len(sim(budget=5).rows), lambda: sim(budget=5).stopped_because, 5, "budget"),
    "time_budget": (lambda: sim(agent=slow, time_budget=0.1, situations=40).stopped_because, lambda: sim(agent=slow, time_budget=60, situations=4).stopped_because, "time_budget", "tasks_done"),
    "until": (lambda: sim(agent=same_words, until="saturation", situations=300).stopped_because, lambda: len(sim(agent=same_words, situations=300).rows), "saturation", 300),
    "repeat_policy": (lambda: len(sim(agent=same_words, repeats=4, repeat_policy="fixed").rows), lambda: len(sim(agent=same_words, repeats=4, repeat_policy="successive").rows), 48, 24),
    "concurrency": (lambda: sim(concurrency=1).rows == sim(concurrency=9).rows, lambda: sim(concurrency=9).report()["concurrency"], True, 9),
    "timeout": (lambda: {row["status"] for row in sim(agent=slow, timeout=0.005, situations=2).rows}, lambda: {row["status"] for row in sim(agent=slow, timeout=5, situations=2).rows}, {"timeout"}, {"ok"}),
    "max_turns": (lambda: turns(sim(agent=Echo(tool="get_order_details"), max_turns=2, situations=1, advanced={"pending_turns": 0})), lambda: turns(sim(agent=Echo(tool="get_order_details"), max_turns=6, situations=1, advanced={"pending_turns": 0})), 2, 6),
    "avg_turns": (lambda: people_said(sim(agent=Echo("Done."), avg_turns=1, situations=60)), lambda: people_said(sim(agent=Echo("Done."), avg_turns=12, situations=60)) > 5, 0, True),
    "fault_rate": (lambda: faulted(sim(fault_rate=0.0, mode="rl", situations=40)), lambda: faulted(sim(fault_rate=1.0, mode="rl", situations=40)) > 30, 0, True),
    "hard_share": (lambda: sim(hard_share=0.0, situations=40).report()["delivered"]["hard_share"], lambda: sim(hard_share=1.0, situations=40).report()["delivered"]["hard_share"], 0.0, 1.0),
    "world": (lambda: sim(world={"results": {"get_order_details": {"seen": 1}}}).report()["world"]["results"], lambda: any(step.get("result") == {"seen": 1} for row in sim(situations=40, world={"results": {"get_order_details": {"seen": 1}}}).rows for step in row["steps"]), {"get_order_details": {"seen": 1}}, True),
    "execute": (lambda: any(step.get("result") == {"mine": 1} for row in sim(execute=lambda tool, arguments: {"mine": 1}).rows for step in row["steps"]), lambda: any(step.get("result") == {"mine": 1} for row in sim().rows for step in row["steps"]), True, False),
    "strategy": (lambda: only_traced(traced(strategy="targeted")), lambda: only_traced(traced(strategy="broad")), True, False),
    "traces": (lambda: traced().report()["traces"], lambda: sim().report()["traces"], 8, 0),
    "dimensions": (lambda: axis("stance")(sim(dimensions={"stance": ["hurried"], "season": ["winter"]})) - {"ordinary"}, lambda: axis("season")(sim(dimensions={"season": ["winter", "summer"]})), {"hurried"}, {"winter", "summer"}),
    "arm_weights": (lambda: arms(sim(arm_weights={"open_ended": 1.0}, hard_share=0.0)), lambda: arms(sim(arm_weights={"structured": 1.0})), {"open_ended"}, {"structured"}),
    "writer_temperature": (lambda: writer_temperatures(0.7), lambda: writer_temperatures([0.1, 0.2])[1] <= 0.2, (0.7, 0.7), True),
    "patience": (lambda: left(talk(patience="endless")), lambda: left(talk(patience=(1.0, 1.0))) > 20, 0, True),
    "user_temperature": (lambda: person_temperature(0.1), lambda: person_temperature(1.5), 0.1, 1.5),
    "user_model": (lambda: talk(user_model=Echo("Hm, fine."), situations=3).metadata["user_model"], lambda: talk(situations=3).metadata["user_model"], "echo", "template"),
    "simulator": (lambda: sim(simulator=Echo("no")).report()["degraded"]["generator_fallback"]["template"], lambda: "generator_fallback" in sim(simulator=False).report()["degraded"], 12, False),
    "temperature": (lambda: asked(temperature=0.1)[0].sampling.temperature, lambda: asked(temperature=1.1)[0].sampling.temperature, 0.1, 1.1),
    "agent_max_tokens": (lambda: asked(agent_max_tokens=99)[0].sampling.max_tokens, lambda: asked()[0].sampling.max_tokens, 99, None),
    "sampling": (lambda: sim(agent=same_words, sampling={"temperature": 0.7}).rows[0]["sampling"]["temperature"], lambda: sim(agent=same_words).rows[0]["sampling"], 0.7, None),
    "logprobs": (lambda: asked(logprobs=True)[0].logprobs, lambda: asked(logprobs="tokens")[0].logprobs, True, "tokens"),
    "scaffold": (lambda: "Think first." in asked(scaffold="Think first.")[0].messages[0]["content"], lambda: "Think first." in asked()[0].messages[0]["content"], True, False),
    "seed": (lambda: prompts(sim(seed=1)) == prompts(sim(seed=2)), lambda: prompts(sim(seed=1)) == prompts(sim(seed=1)), False, True),
    "reproducible": (lambda: sim(reproducible=True).report()["reproducible"], lambda: sim().report()["reproducible"], True, False),
    "grader": (lambda: {row["reward"] for row in sim(grader=lambda row: 0.25).rows}, lambda: "reward" in sim().rows[0], {0.25}, False),
    "grade": (lambda: {row["judge_name"] for row in sim(grade=True).rows}, lambda: "judge_name" in sim(grade=False).rows[0], {"conduct"}, False),
    "tasks": (lambda: prompts(sim(tasks=FIRST, situations=None)), lambda: sim(tasks=FIRST, situations=None).report()["tasks"], prompts(FIRST), 6),
    "advanced": (lambda: sim(advanced={"probe": 3}).report()["knobs"]["probe"], lambda: sim().report()["knobs"]["probe"], 3, 2),
}  # fmt: skip
ELSEWHERE: dict[str, str] = {
    "output": "api/test_simulate.py::test_without_a_checkpoint_nothing_is_reused",
    "checkpoint": "api/test_simulate.py::test_a_checkpoint_takes_up_a_cut_run_and_refuses_another",
    "on_progress": "api/test_simulate.py::test_progress_tells_the_first_draws_apart_since_later_ones_are_chosen",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EFFECTS)
def test_a_parameter_changes_what_it_says(name: str) -> None:
    one, other, first, second = EFFECTS[name]
    assert one() == first
    assert other() == second


def test_no_parameter_is_without_an_observed_effect() -> None:
    keywords = {name for name in inspect.signature(wai.simulate).parameters if name != "more"}
    assert sorted({*keywords, *PARAMETERS} - set(EFFECTS) - set(ELSEWHERE)) == []


VALUES: dict[str, Any] = {"policy": "P", "seed_prompts": ["a?"], "extra_situations": ["a?"], "unique": True, "risk": 0.25}


@pytest.mark.parametrize("alias", sorted(set(canonical_names()) - set(PARAMETERS)))
def test_an_alias_is_its_parameter_and_may_not_contradict_it(alias: str) -> None:
    canonical, value = canonical_names()[alias], VALUES.get(alias, 2)
    assert nested({alias: value})[0] == nested({canonical: value})[0]
    assert nested({}, {alias: value})[0] == nested({canonical: value})[0]
    other = {True: False, "P": "Q", 2: 3, 0.25: 0.5}.get(value if not isinstance(value, list) else "", ["b?"])
    with pytest.raises(wai.ConfigError, match="they are one value"):
        nested({alias: value, canonical: other})


@pytest.mark.parametrize("spelling", UNTIL)
def test_every_spelling_of_until_is_one_of_two(spelling: str) -> None:
    assert plan_from({"until": spelling}, spec=RETAIL)[0].until == (
        "saturation" if spelling in ("saturation", "first") else "compute"
    )


def test_the_report_holds_every_parameter_as_resolved() -> None:
    given = {"mode": "rl", "seed": 3, "hard_share": 0.25, "dimensions": {"stance": ["ordinary", "boundary"]}, "budget": 400}
    data = sim(repeats=None, situations=None, max_turns=9, strategy="broad", arm_weights={"structured": 1.0}, **given)
    report = data.report()
    assert {key: report[key] for key in given} == {**given, "dimensions": {"stance": ["ordinary", "boundary"]}}
    assert (report["rollouts_per_request"], report["situations"], report["fault_rate"]) == (8, 50, 0.8)
    assert (report["max_turns"], report["strategy"], report["arm_weights"]) == (9, "broad", {"structured": 1.0})
    assert set(PARAMETERS) - {"tools", "system_prompt", "rubric"} <= set(report)
    assert report["world"]["default_fault_rate"] == 1.0 and "fault_rate" in report["world_note"]
    json.dumps(report, allow_nan=False)


EXPERIMENT_ELSEWHERE: dict[str, str] = {
    "budget.tokens": "unit/rollouts/test_executor.py::test_a_token_budget_stops_the_run",
    "budget.money": "unit/rollouts/test_executor.py::test_a_money_budget_needs_a_price_and_stops_the_run",
    "record.patience_s": "e2e/test_tracking.py::test_a_server_that_answers_gets_everything_and_one_that_hangs_is_left_after_a_second",
    "record.traces": "e2e/test_tracking.py::test_a_run_of_this_machine_has_traces_with_their_tools_and_verdicts",
    "sampling.top_p": "unit/models/test_openai_chat.py::test_sampling_goes_out_as_given",
    "sampling.seed": "unit/models/test_openai_chat.py::test_sampling_goes_out_as_given",
}


def in_a_file(see: Callable[[Any], Any], **sections: Any) -> Any:
    """What is seen of the plan of a configuration, where the library has no keyword."""
    priced = {"kind": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1", "price": {"input": 1.0, "output": 4.0}}
    counts = {"situations": 6, "repeats": 4}
    return see(resolve_plan({"spec": {"path": RETAIL}, "counts": counts, "agent": priced, **sections}))


def graded(plan: Any) -> Any:
    return SimulationData(asyncio.run(play(replace(plan, agent=ModelRef("scripted")), judge=True))).pass_at


def width(plan: Any) -> float:
    found = graded(plan).ci95
    return found.high - found.low


def goes_on(plan: Any) -> bool:
    try:
        return confirmed([plan], False)
    except wai.ConfigError:
        return False


OFFLINE = {"writer": {"kind": "template"}, "user": {"kind": "template"}}
JUDGED = {**OFFLINE, "judge": {"kind": "task_checklist"}, "allocation": {"kind": "fixed"}}
IN_A_FILE: dict[str, Seen] = {
    "measures.k": (lambda: in_a_file(graded, measures={"k": 2}, **JUDGED).k, lambda: in_a_file(graded, **JUDGED).k, 2, 4),
    "measures.level": (lambda: in_a_file(width, measures={"level": 0.99}, **JUDGED) > in_a_file(width, **JUDGED), lambda: in_a_file(width, measures={"level": 0.6}, **JUDGED) < in_a_file(width, **JUDGED), True, True),
    "record.html_rollouts": (lambda: in_a_file(lambda plan: packed(sim().rows, {}, plan.record["html_rollouts"])["shown"], record={"html_rollouts": 5}), lambda: in_a_file(lambda plan: packed(sim().rows, {}, plan.record["html_rollouts"])["shown"]), 5, 12),
    "budget.ask_calls": (lambda: in_a_file(goes_on, budget={"ask_calls": 5}, **OFFLINE), lambda: in_a_file(goes_on, budget={"ask_calls": 5000}, **OFFLINE), False, True),
    "budget.ask_money": (lambda: in_a_file(goes_on, budget={"ask_money": 0.0001}, **OFFLINE), lambda: in_a_file(goes_on, budget={"ask_money": 50.0}, **OFFLINE), False, True),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_A_FILE)
def test_a_value_of_a_file_changes_what_it_says(name: str) -> None:
    one, other, first, second = IN_A_FILE[name]
    assert one() == first
    assert other() == second


def test_no_bounded_experiment_parameter_is_without_an_observed_effect() -> None:
    seen = {path for name, (path, _) in PARAMETERS.items() if name in EFFECTS}
    missing = [name for name, _ in parameter_infos() if name not in {*seen, *EXPERIMENT_ELSEWHERE, *IN_A_FILE}]
    assert missing == []


@pytest.mark.parametrize("where", [*ELSEWHERE.values(), *EXPERIMENT_ELSEWHERE.values()])
def test_the_tests_that_are_named_exist(where: str) -> None:
    path, _, name = where.partition("::")
    assert f"def {name}(" in (TESTS / path).read_text("utf-8")
