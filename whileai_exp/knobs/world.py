"""Numbers of the world stage."""

from __future__ import annotations

from ._knob import Knobs, convention, derived, knob


class WorldKnobs(Knobs):
    """Knobs that the world stage reads."""

    world_search_hits: int = knob(
        3,
        ge=0,
        le=50,
        unit="records",
        why="most records a search shows beside the ones the situation is about; few enough to be read in one turn",
        source=convention("the reference engine shows 1 to 6"),
    )
    world_strangers_exist: float = knob(
        0.0,
        ge=0,
        le=1,
        unit="share",
        why="share of identifiers nobody mentioned that exist all the same; 0 makes an invented identifier visible as not found",
        source=derived("an agent that guesses an identifier must not be rewarded by luck"),
    )
    world_timeout_s: float = knob(
        30.0,
        gt=0,
        le=3600,
        unit="seconds",
        why="simulated time after which a timed-out tool says so, and what a slow one takes; no real time passes",
        source=convention(),
    )
    world_retry_after_s: int = knob(
        20, ge=0, le=3600, unit="seconds", why="what a rate-limited tool asks the caller to wait", source=convention()
    )
    world_max_digits: int = knob(
        60,
        ge=5,
        le=4000,
        unit="digits",
        why="largest number a calculator tool works with; beyond it the tool answers with an error instead of hanging",
        source=derived("9**9**9 has 369 million digits; no argument of a tool needs more than a few dozen"),
    )
    world_result_chars: int = knob(
        4000,
        ge=200,
        le=1_000_000,
        unit="characters",
        why="longest message that an error of a user's own world carries to the agent; results themselves are never cut",
        source=convention(),
    )
