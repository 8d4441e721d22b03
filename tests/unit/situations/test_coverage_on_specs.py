"""On every real spec the recommended size covers the pairs it promises, in the tasks that are delivered."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from whileai_exp.knobs import RunKnobs
from whileai_exp.plan.modes import PRESETS
from whileai_exp.plan.types import Mode
from whileai_exp.situations import DrawRequest, draw_tasks, recommend
from whileai_exp.situations.axes import grid_of
from whileai_exp.situations.cover import Coverer
from whileai_exp.spec import load_spec

SPECS = sorted((Path(__file__).parents[2] / "data" / "specs").glob("*.json"))


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["rl", "sft"])
@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_the_recommended_size_delivers_the_pairs(path: Path, mode: str) -> None:
    assert len(SPECS) == 9
    spec, knobs, preset = load_spec(path).spec, RunKnobs(), PRESETS[Mode(mode)]
    size = recommend(spec, mode, target=1)["situations"]
    request = DrawRequest(size, fault_rate=preset.fault_rate, prefer_success=preset.prefer_success)
    draw = draw_tasks(spec, request, knobs, seed=11)
    pairs = {
        (a, task.situation.axes[a], b, task.situation.axes[b])
        for task in draw.tasks
        for a, b in combinations(sorted(task.situation.axes), 2)
    }
    assert len(draw.tasks) == size
    assert len(pairs) == draw.coverage["covered"], "coverage counts what is in the tasks, and nothing else"
    assert draw.coverage["planned"] == Coverer(grid_of(spec, knobs.rule_cap)).planned
    assert len(pairs) / draw.coverage["planned"] >= 0.96
