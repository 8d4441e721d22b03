"""On real specs every situation's state and fault is what the world shows: the label on a row is never only a label."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from shop import ask

from whileai_exp.knobs import RunKnobs
from whileai_exp.schema import Spec, Task
from whileai_exp.situations import DrawRequest, draw_tasks
from whileai_exp.situations.axes import FAULT_MODES
from whileai_exp.spec import effect_of, load_spec
from whileai_exp.world.env import make_world_factory

PATHS = sorted((Path(__file__).parents[2] / "data" / "specs").glob("*.json"))
KNOBS = RunKnobs()
FAST = {"agentdojo_travel", "tau2_airline"}
each_spec = pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.stem, marks=() if path.stem in FAST else pytest.mark.slow) for path in PATHS]
)


@cache
def spec_of(path: Path) -> Spec:
    return load_spec(path).spec


def tasks_of(path: Path, count: int, **request: Any) -> list[Task]:
    draw = draw_tasks(spec_of(path), DrawRequest(count, **request), KNOBS, 5)
    return [task for task in draw.tasks if task.situation.axes["tool"] in {tool.name for tool in spec_of(path).tools}]


def first_answer(path: Path, task: Task) -> Any:
    world = make_world_factory(spec_of(path), options={}, knobs=KNOBS, seed=0)(task, 0)
    return ask(world, str(task.world.target), **task.world.arguments), world


CODES = {"missing": "not_found", "already_done": "already_done", "duplicate": "ambiguous", "permission": "permission_denied"}


@each_spec
@pytest.mark.parametrize("state", sorted(CODES))
def test_the_right_call_meets_the_state_of_its_situation(path: Path, state: str) -> None:
    dimensions = {"world_state": [state], "stance": ["ordinary", "hurried"], "history": ["fresh"]}
    for task in tasks_of(path, 120, fault_rate=0.0, hard_share=0.0, dimensions=dimensions):
        tool = spec_of(path).tool(str(task.world.target))
        if task.world.state != state or tool is None:
            continue
        step, world = first_answer(path, task)
        if state == "duplicate" and step.status == "ok":
            assert step.result.get("count") == 2 and not effect_of(tool).writes
            continue
        assert (step.status, step.result["error"]) == ("error", CODES[state]), (tool.name, task.world.arguments, step.result)
        assert not any(event.changes for event in world.ledger)


@each_spec
def test_an_ordinary_situation_is_open_to_the_right_call(path: Path) -> None:
    for task in tasks_of(
        path, 150, fault_rate=0.0, dimensions={"world_state": ["unspecified", "exists", "prior_partial_action"]}
    ):
        step, _ = first_answer(path, task)
        assert step.status == "ok", (task.world.target, task.world.arguments, step.result)


@each_spec
def test_a_planned_fault_fires_on_the_call_it_is_planned_for_and_on_no_other(path: Path) -> None:
    tasks = tasks_of(path, 150, fault_rate=1.0, prefer_success=False)
    met = set()
    for task in tasks:
        assert len(task.world.faults) == 1
        fault = task.world.faults[0]
        world = make_world_factory(spec_of(path), options={}, knobs=KNOBS, seed=0)(task, 0)
        for index in range(max(fault.calls) + 2):
            ask(world, fault.tool, **task.world.arguments)
            assert world.ledger[index].fault == (fault.mode if index in fault.calls else None), (task.world, index)
        met.add(fault.mode)
    assert met == set(FAULT_MODES)


def test_every_state_is_met_on_some_spec() -> None:
    """So that the loop above is not an empty one."""
    dimensions = {"world_state": [*CODES], "history": ["fresh"]}
    drawn = tasks_of(next(path for path in PATHS if path.stem == "tau2_retail"), 200, fault_rate=0.0, dimensions=dimensions)
    assert {task.world.state for task in drawn} >= set(CODES)


def violations(schema: dict[str, Any], right: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Ways to get a right call wrong by its schema: a wrong type, a value off the list, a thing left out or made up."""
    found: list[tuple[str, dict[str, Any]]] = [("made up", {**right, "no_such_argument_at_all": 1})]
    found += [("left out", {key: value for key, value in right.items() if key != name}) for name in schema.get("required") or ()]
    for name, part in (schema.get("properties") or {}).items():
        kinds = part.get("type")
        if isinstance(kinds, str) and name in right:
            found.append(("wrong type", {**right, name: {"a": 1} if kinds != "object" else "text"}))
        if isinstance(part.get("enum"), list) and name in right:
            found.append(("off the list", {**right, name: "none of these, surely"}))
    return found


@each_spec
def test_every_call_that_breaks_its_schema_is_refused_and_changes_nothing(path: Path) -> None:
    seen = set()
    for task in tasks_of(path, 50, fault_rate=0.0, dimensions={"world_state": ["unspecified"]}):
        tool = spec_of(path).tool(str(task.world.target))
        assert tool is not None
        for kind, arguments in violations(dict(tool.parameters), dict(task.world.arguments)):
            if kind == "made up" and ("additionalProperties" in tool.parameters or not tool.parameters.get("properties")):
                continue
            world = make_world_factory(spec_of(path), options={}, knobs=KNOBS, seed=0)(task, 0)
            before = world.state_hash()
            step = ask(world, tool.name, **arguments)
            assert step.status == "error", (tool.name, kind, arguments, step.result)
            assert world.state_hash() == before and not any(event.changes for event in world.ledger)
            seen.add(kind)
    assert seen >= {"left out", "wrong type"}
