"""How large a run should be for this agent, with the arithmetic said out loud.

The number of situations comes from really covering this spec's grid, and (for rl) from how many groups turn out mixed:
only groups with both outcomes carry a gradient.
"""

from __future__ import annotations

import math
from typing import Any

from .._text import did_you_mean
from ..errors import ConfigError, Problem
from ..knobs import RunKnobs
from ..plan.modes import PRESETS
from ..plan.types import Mode
from ..schema import Spec
from .draw import DrawRequest, situations_to_cover


def recommend(
    spec: Spec,
    mode: str = "sft",
    *,
    target: int = 800,
    mixed_rate: float = 0.5,
    hard_share: float = 0.4,
    knobs: RunKnobs | None = None,
) -> dict[str, Any]:
    """The size of a run in `mode`: numbers, the keywords that ask for it (`simulate_kwargs`) and the reasoning, line by line.

    `target`: rows wanted (rl: rows in mixed groups). `mixed_rate`: share of groups with both outcomes.

    ConfigError for an unknown mode, a target below 1 or a rate outside [0, 1].
    """
    knobs = knobs or RunKnobs()
    problems: list[Problem] = []
    known = [str(item) for item in Mode]
    if mode.lower() not in known:
        problems.append(Problem("mode", f"{mode!r} is not a mode", did_you_mean(mode.lower(), known)))
    if target < 1:
        problems.append(Problem("target", f"{target!r} is below 1"))
    if not 0 <= mixed_rate <= 1:
        problems.append(Problem("mixed_rate", f"{mixed_rate!r} is not a share in [0, 1]"))
    if problems:
        raise ConfigError(problems)
    preset = PRESETS[Mode(mode.lower())]
    request = DrawRequest(1, hard_share=hard_share, fault_rate=preset.fault_rate, prefer_success=preset.prefer_success)
    cells, covering = situations_to_cover(spec, request, knobs, knobs.recommend_coverage)
    per = preset.phrasings * preset.repeats
    covers = f"{len(spec.tools)} tools and the policy give {cells} situations that cover every feasible pair of axis values"
    reach = f"{covering} of a draw at hard_share={hard_share:g} and fault_rate={preset.fault_rate:g} reach {knobs.recommend_coverage:.0%} of the pairs"
    lines = [f"{covers}; {reach}"]
    if mode.lower() == "rl":
        rate = max(mixed_rate, knobs.recommend_mixed_floor)
        groups = math.ceil(target / (preset.repeats * rate))
        situations = max(covering, groups)
        lines.append(f"{target} rows in mixed groups of {preset.repeats} at a mixed rate of {rate:g} need {groups} groups")
    else:
        rows = max(knobs.recommend_rows_per_cell * cells, target)
        situations = max(covering, math.ceil(rows / per))
        lines.append(
            f"{knobs.recommend_rows_per_cell} rows for each of {cells} combinations, and at least {target}, need {math.ceil(rows / per)} situations"
        )
    budget = situations * per
    lines.append(f"{situations} situations x {preset.phrasings} phrasings x {preset.repeats} repeats = {budget} rollouts")
    kwargs: dict[str, Any] = {
        "mode": mode.lower(),
        "situations": situations,
        "requests_per_situation": preset.phrasings,
        "rollouts_per_request": preset.repeats,
        "budget": budget,
    }
    return {
        "situations": situations,
        "phrasings": preset.phrasings,
        "repeats": preset.repeats,
        "budget": budget,
        "cells": cells,
        "simulate_kwargs": kwargs,
        "reasoning": lines,
    }
