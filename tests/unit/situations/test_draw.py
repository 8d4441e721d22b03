"""Drawing tasks: pure, prefix-stable, distinct, with the mix that was asked for."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from whileai_exp._hash import sha
from whileai_exp.errors import ConfigError
from whileai_exp.knobs import RunKnobs
from whileai_exp.schema import PolicyIdentity, Rollout, RolloutStatus, Spec, Task
from whileai_exp.schema.row import row_line, to_row
from whileai_exp.situations import DrawRequest, draw_tasks
from whileai_exp.situations.axes import HARD
from whileai_exp.spec import load_spec

DATA = Path(__file__).parents[2] / "data" / "specs"
KNOBS = RunKnobs()


@lru_cache
def spec_of(stem: str = "tau2_retail") -> Spec:
    return load_spec(DATA / f"{stem}.json").spec


def drawn(count: int, seed: int = 1, stem: str = "tau2_retail", knobs: RunKnobs = KNOBS, **request: Any) -> tuple[Task, ...]:
    key = repr((count, seed, stem, knobs, sorted(request.items())))
    if key not in _DRAWN:
        _DRAWN[key] = draw_tasks(spec_of(stem), DrawRequest(count, **request), knobs, seed).tasks
    return _DRAWN[key]


_DRAWN: dict[str, tuple[Task, ...]] = {}


def digest(tasks: Iterable[Task]) -> str:
    lines = (
        row_line(to_row(task, Rollout("r", task.task_id, 0, (), "", RolloutStatus.OK, PolicyIdentity.of("m", "")))) + repr(task.user).encode()
        + repr(dict(task.world.arguments)).encode() + repr(sorted((task.privileged or {}).items(), key=str)).encode()
        for task in tasks
    )  # fmt: skip
    return sha(b"".join(lines))


def test_a_shorter_draw_is_a_prefix_of_a_longer_one() -> None:
    assert drawn(120)[:40] == drawn(40)


def test_another_seed_gives_other_tasks() -> None:
    assert not {task.task_id for task in drawn(50, 1)} & {task.task_id for task in drawn(50, 2)}


def test_permuting_tools_keeps_what_an_id_stands_for() -> None:
    spec = spec_of()
    turned = replace(spec, tools=tuple(reversed(spec.tools)))
    one = {task.task_id: task for task in drawn(80)}
    other = {task.task_id: task for task in draw_tasks(turned, DrawRequest(80), KNOBS, 1).tasks}
    assert set(one) == set(other)
    assert all(one[key] == other[key] for key in one)


@pytest.mark.slow
def test_the_same_bytes_under_any_hash_seed() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_draw as t; "
        "print(t.digest(t.drawn(30, phrasings=2)), t.digest(t.drawn(20, stem='acebench_zh_phone')))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code, str(Path(__file__).parent)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("4242",)
    }
    assert found == {f"{digest(drawn(30, phrasings=2))} {digest(drawn(20, stem='acebench_zh_phone'))}\n"}


@pytest.mark.parametrize(
    "stem", ["tau2_retail", "acebench_zh_phone", "bfcl_live_korean_dotted_names", "mcp_reference_servers_39tools"]
)
def test_four_hundred_situations_have_distinct_asks_and_ids(stem: str) -> None:
    tasks = drawn(400, stem=stem)
    assert len(tasks) == 400
    assert len({task.prompt.casefold() for task in tasks}) == 400
    assert len({task.task_id for task in tasks}) == 400


def test_far_more_situations_than_the_covering_array_are_delivered() -> None:
    spec = load_spec({"tools": [{"name": "get_time", "description": "Get the current time."}]}).spec
    tasks = draw_tasks(spec, DrawRequest(800), KNOBS, 3).tasks
    assert len(tasks) == 800 and len({task.prompt.casefold() for task in tasks}) == 800


@pytest.mark.parametrize("hard", [0.0, 0.25, 0.4, 1.0])
def test_the_hard_share_is_delivered(hard: float) -> None:
    tasks = drawn(150, hard_share=hard)
    assert abs(sum(task.situation.tier in HARD for task in tasks) / 150 - hard) <= 1 / 150 + 1e-9


@pytest.mark.parametrize(
    ("rate", "prefer", "share"), [(0.0, False, 0.0), (0.3, False, 0.3), (1.0, False, 1.0), (1.0, True, 0.4), (0.5, True, 0.2)]
)
def test_the_fault_rate_is_a_share_of_tasks_about_a_real_tool(rate: float, prefer: bool, share: float) -> None:
    about = [
        task
        for task in drawn(150, fault_rate=rate, prefer_success=prefer)
        if task.situation.axes["tool"] not in ("unrelated", "multi_tool")
    ]
    assert abs(sum(bool(task.world.faults) for task in about) / len(about) - share) < 0.015
    assert all(bool(task.world.faults) == (task.situation.axes["tool_condition"] != "success") for task in about)


def test_phrasings_share_everything_but_the_words() -> None:
    tasks = drawn(30, phrasings=3)
    assert len(tasks) == 90
    for first, second, third in zip(tasks[::3], tasks[1::3], tasks[2::3]):
        assert (second.task_id, third.task_id) == (f"{first.task_id}-p1", f"{first.task_id}-p2")
        assert first.world == second.world == third.world
        assert first.situation == third.situation
        assert len({first.prompt, second.prompt, third.prompt}) == 3


def test_pairwise_coverage_grows_to_everything() -> None:
    coverage = draw_tasks(spec_of(), DrawRequest(700), KNOBS, 1).coverage
    assert coverage["share"] > 0.98


def test_seeds_come_first_word_for_word() -> None:
    tasks = drawn(5, seeds=("Where is my parcel?", "Why so slow?"))
    assert [task.prompt for task in tasks[:2]] == ["Where is my parcel?", "Why so slow?"]
    assert [task.lineage.writer_model for task in tasks[:3]] == ["seed", "seed", "template"]
    assert len(tasks) == 5


def test_arm_weights_move_what_is_drawn() -> None:
    tasks = drawn(100, arm_weights={"structured": 0.5, "open_ended": 0.3, "behavior_target": 0.2}, hard_share=0.2)
    arms = [task.situation.arm for task in tasks]
    assert (arms.count("open_ended"), arms.count("behavior_target"), arms.count("mutation")) == (30, 20, 0)


def test_knobs_move_what_they_name() -> None:
    calm, wild = RunKnobs(mutation_share=0.0, unrelated_share=0.0), RunKnobs(mutation_share=1.0, unrelated_share=0.5)
    assert not any(task.situation.arm in ("mutation", "open_ended") for task in drawn(60, knobs=calm))
    assert sum(task.situation.arm == "open_ended" for task in drawn(60, knobs=wild, hard_share=0.0)) == pytest.approx(30, abs=2)
    assert sum(task.tags.get("texture") == "careless" for task in drawn(60, knobs=wild)) == 60
    assert {task.tags["register"] for task in drawn(60, knobs=RunKnobs(texture=0.0))} == {"plain"}
    assert len({task.situation.axes["rule"] for task in drawn(200, knobs=RunKnobs(rule_cap=3))}) == 4


def test_everything_wrong_with_a_request_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        drawn(0, hard_share=1.5, fault_rate=-1.0, arm_weights={"structred": 1.0}, phrasings=0)
    assert len(caught.value.problems) == 5


def test_dimensions_narrow_the_draw() -> None:
    tasks = drawn(40, dimensions={"tool": ["cancel_pending_order"], "stance": ["ordinary", "adversarial"]})
    assert {task.world.target for task in tasks} == {"cancel_pending_order"}
    assert {task.situation.axes["stance"] for task in tasks} <= {"ordinary", "adversarial"}


def test_an_unreachable_share_is_said_and_not_hidden() -> None:
    draw = draw_tasks(spec_of(), DrawRequest(60, hard_share=0.8, dimensions={"stance": ["ordinary"]}), KNOBS, 1)
    assert draw.degraded["hard_share_off"]["delivered"] == 0.0
    assert any("hard_share" in note for note in draw.notes)


def test_privileged_and_arguments_agree_with_the_ask() -> None:
    for task in drawn(200):
        hidden = (task.privileged or {})["hidden_state"]
        assert hidden["arguments"] == dict(task.world.arguments)
        if hidden["expected"] == "ask_back":
            assert hidden["missing_facts"] and not set(hidden["missing_facts"]) & set(task.user.volunteers)
        elif task.world.target and task.situation.axes["stance"] != "adversarial":
            assert not hidden["missing_facts"], task.prompt


SNAKE = re.compile(r"\b(?:get|modify|cancel|update|create|delete|find|list)_[a-z_]+\b|world_state|tool_condition|\{\w*\}")


@pytest.mark.parametrize(
    "stem", ["tau2_retail", "mcp_reference_servers_39tools", "acebench_zh_phone", "bfcl_live_korean_dotted_names"]
)
def test_asks_hold_no_schema_words_and_no_broken_joins(stem: str) -> None:
    for task in drawn(400, stem=stem):
        assert not SNAKE.search(task.prompt), task.prompt
        assert not re.search(r"\.\.|\?\?|  | ,|\bme me\b|\bthe the\b|\bNone\b|\bnull\b|: :|\( |\bmy my\b", task.prompt), (
            task.prompt
        )


def test_identifiers_stand_verbatim_in_the_asks_that_tell_them() -> None:
    for task in drawn(200):
        order = task.world.arguments.get("order_id")
        if order is not None and "order_id" in task.user.volunteers:
            assert str(order) in task.prompt


def test_vague_asks_leave_out_what_names_the_thing() -> None:
    vague = [task for task in drawn(200) if task.situation.tier == "ambiguous"]
    assert vague
    for task in vague:
        required = spec_of().tool(str(task.world.target)).parameters["required"]  # type: ignore[union-attr]
        assert any(name not in task.user.volunteers for name in required)


def test_adversarial_asks_press_for_what_is_not_allowed() -> None:
    pressing = [task for task in drawn(200) if task.situation.tier == "adversarial" and task.situation.arm != "mutation"]
    words = re.compile(
        r"ignore|skip|override|forget|not authorised|not allowed|forbidden|pretend|without|bypass|permission|behind|anyway|privacy",
        re.IGNORECASE,
    )
    assert pressing and all(words.search(task.prompt) for task in pressing)
