"""Situations held back and drawn where the first ones failed; groups that the end of a run cut."""

from __future__ import annotations

from typing import Any

import pytest

import whileai_exp as wai
from whileai_exp.errors import ConfigError

TOOLS = [
    {
        "name": name,
        "description": about,
        "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
    }
    for name, about in (("get_order", "Look up an order."), ("refund_order", "Refund an order."))
]


def no_refunds(row: dict[str, Any]) -> int:
    return 0 if "refund_order" in row["tools_used"] else 1


def simulate(**more: Any) -> wai.SimulationData:
    given = {"situations": 60, "repeats": 2, "repeat_policy": "fixed", "seed": 3, "simulator": False, **more}
    return wai.simulate(agent="scripted", tools=TOOLS, system_prompt="You work for a shop.", mode="rl", **given)


def share_of_refunds(rows: list[dict[str, Any]]) -> float:
    about = [row["scenario_dimensions"]["tool"] for row in rows]
    return about.count("refund_order") / (about.count("refund_order") + about.count("get_order"))


def test_held_back_situations_are_drawn_where_the_first_ones_failed():
    data = simulate(grader=no_refunds, advanced={"failure_wave_share": 0.5})
    first = [row for row in data.rows if row["arm"] != "failures"]
    second = [row for row in data.rows if row["arm"] == "failures"]
    assert len(data.rows) == 120 and len({row["task_id"] for row in second}) == 30
    assert share_of_refunds(second) > share_of_refunds(first) + 0.15
    assert not {row["prompt"] for row in first} & {row["prompt"] for row in second}
    assert any("30 of 60 situations were drawn where the first ones failed" in said for said in data.warnings)


def test_the_same_seed_draws_the_same_second_wave_at_any_concurrency():
    runs = [simulate(grader=no_refunds, concurrency=c, advanced={"failure_wave_share": 0.3}).rows for c in (1, 16)]
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "no judge"),
        ({"grader": no_refunds, "runs": 2}, "counts.runs=2"),
        ({"grader": no_refunds, "tasks": [{"prompt": "Hi"}]}, "given task set"),
    ],
)
def test_a_second_wave_that_cannot_be_is_an_error_before_anything_is_played(more: dict[str, Any], words: str):
    with pytest.raises(ConfigError, match=words):
        simulate(advanced={"failure_wave_share": 0.5}, **more)


def test_groups_that_the_clock_cut_are_marked_and_whole_ones_are_not():
    import time

    def slow(prompt: str) -> str:
        time.sleep(0.02)
        return "Done."

    data = wai.simulate(
        slow, tools=TOOLS, system_prompt="Shop.", situations=40, repeats=4, repeat_policy="fixed", simulator=False,
        concurrency=3, time_budget=0.4, advanced={"closing_margin": 0.0},
    )  # fmt: skip
    sizes: dict[str, int] = {}
    for row in data.rows:
        sizes[row["task_id"]] = sizes.get(row["task_id"], 0) + (row["status"] != "cancelled")
    cut = {row["task_id"] for row in data.rows if row.get("group_cut")}
    assert 0 < len(data.rows) < 160
    assert cut == {task for task, size in sizes.items() if size < 4}
