"""Recommended sizes come from the grid and say how."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.knobs import RunKnobs
from whileai_exp.situations import DrawRequest, draw_tasks, recommend
from whileai_exp.spec import load_spec

SPEC = load_spec(Path(__file__).parents[2] / "data" / "specs" / "bfcl_live_korean_dotted_names.json").spec


def test_the_recommended_size_covers_the_pairs_it_promises() -> None:
    found = recommend(SPEC, "rl", target=1)
    request = DrawRequest(found["situations"], fault_rate=0.8, prefer_success=False)
    assert draw_tasks(SPEC, request, RunKnobs(), 7).coverage["share"] >= 0.94


def test_rl_needs_more_groups_when_fewer_are_mixed() -> None:
    many, few = recommend(SPEC, "rl", target=4000, mixed_rate=0.1), recommend(SPEC, "rl", target=4000, mixed_rate=0.5)
    assert many["situations"] == 5000 and few["situations"] == 1000
    assert few["budget"] == 8000 == few["simulate_kwargs"]["budget"]
    assert len(few["reasoning"]) == 3


@pytest.mark.parametrize(("mode", "options"), [("banana", {}), ("rl", {"target": 0}), ("sft", {"mixed_rate": 2.0})])
def test_nonsense_is_refused(mode: str, options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        recommend(SPEC, mode, **options)
