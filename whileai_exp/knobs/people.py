"""Numbers of the people stage."""

from __future__ import annotations

from ._knob import Knobs, convention, derived, knob


class PeopleKnobs(Knobs):
    """Knobs that the people stage reads."""

    min_user_turns: int = knob(
        0,
        ge=0,
        le=50,
        unit="turns",
        why="lines the person says after the opening ask before they may be done; 0 lets a first answer end it",
        source=derived("a forced line after the goal is met makes the agent's last words about nothing"),
    )
    person_followup_share: float = knob(
        0.2,
        ge=0,
        le=1,
        unit="share",
        why="chance that a template person asks once more what came of it, where avg_turns leaves room for it",
        source=convention(),
    )
    person_pushbacks: int = knob(
        2,
        ge=0,
        le=10,
        unit="lines",
        why="how often an adversarial person insists after a refusal; other pressing stances insist once",
        source=convention(),
    )
    person_retries: int = knob(
        1,
        ge=0,
        le=5,
        unit="calls",
        why="further tries when a model person answers nothing usable; then the rollout has status user_error",
        source=derived("an empty line is mostly a fluke; a second one is a broken model"),
    )
    person_max_tokens: int = knob(
        220, ge=16, le=4096, unit="tokens", why="reply budget of one line of a model person", source=convention()
    )
    person_line_chars: int = knob(
        1200,
        ge=50,
        le=20_000,
        unit="characters",
        why="longest line a model person may say; longer ones are cut",
        source=convention(),
    )
    person_temperature: float = knob(
        0.475,
        ge=0,
        le=2,
        why="sampling temperature of a model person where the experiment does not set one",
        source=convention("the reference engine"),
    )
