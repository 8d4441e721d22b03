"""Each number of the environment export changes what it says."""

from __future__ import annotations

from pathlib import Path

import whileai_exp as wai
from whileai_exp.knobs import RunKnobs

from .conftest import asked
from .test_tasks import HALF, made, words


def test_the_share_that_is_held_out() -> None:
    rows = [row for n in range(40) for row in asked(f"t{n}", HALF, prompt=words(n))]
    assert len(made(rows, environment_holdout_share=0.5).holdout) == 20
    assert len(made(rows).holdout) == 8


def test_the_tasks_that_policies_without_work_play(run: wai.SimulationData, tmp_path: Path) -> None:
    report = wai.export_environment(run, tmp_path / "a", knobs=RunKnobs(environment_battery_tasks=3))
    (battery,) = [gate for gate in report["gates"] if gate["gate"] == "battery"]
    assert {policy["n"] for policy in battery["numbers"]["policies"]} == {3}
