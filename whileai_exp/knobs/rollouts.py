"""Numbers of the rollouts stage: who gets another rollout, and when a run stops."""

from __future__ import annotations

from ._knob import Knobs, chapter, convention, derived, knob, measured, paper


class RolloutKnobs(Knobs):
    """Knobs that the rollouts stage reads."""

    probe: int = knob(
        2,
        ge=1,
        le=64,
        unit="rollouts",
        why="rollouts every group starts with under successive repeats; two are the fewest that can disagree",
        source=derived("structural minimum"),
    )
    pass_threshold: float = knob(
        0.5,
        ge=0,
        le=1,
        unit="reward",
        why="a reward below it is a failure to adaptive allocation, which then spends its repeats there, and to the running pass rate",
        source=chapter("Reward Modeling"),
    )
    progress_every_s: float = knob(
        10.0,
        ge=0.1,
        le=3600,
        unit="seconds",
        why="longest gap between two progress lines where there is no terminal",
        source=convention(),
    )
    smoothing_alpha: float = knob(
        1.0,
        gt=0,
        le=100,
        unit="counts",
        why="pseudo-count a in (s + a) / (n + 2a), for the chance that a unanimous group still splits and for the share of mixed groups",
        source=paper("2503.14476", "unanimous groups carry no gradient; the prior is Laplace's, untested against 0.5"),
    )
    rehearsal_situations: int = knob(
        12,
        ge=1,
        le=500,
        unit="situations",
        why="offline rollouts of the embedded agent whose turns and lengths an estimate scales up",
        source=measured("here: under 0.1 s on the shipped specs"),
    )
    assumed_latency_s: float = knob(
        2.0,
        gt=0,
        le=600,
        unit="seconds",
        why="time of one model call in an estimate, where nothing was measured yet",
        source=convention(),
    )
    failure_wave_share: float = knob(
        0.0,
        ge=0,
        le=0.9,
        unit="share",
        why="situations held back and drawn where the first ones failed, by their verdicts; needs a judge; 0 draws all at once",
        source=convention("aiming at failures biases pass@1 downwards, so nothing is aimed unless asked"),
    )
    allocation_cohort: int = knob(
        32,
        ge=1,
        le=100_000,
        unit="groups",
        why="a group's decision looks at the finished groups of earlier cohorts only, so that arrival order cannot change it",
        source=convention(),
    )
    saturation_share: float = knob(
        0.05,
        ge=0,
        le=1,
        unit="share",
        why="under until=saturation: a cohort in which fewer groups than this show a new behaviour is the last but one",
        source=convention(),
    )
    dead_agent_errors: int = knob(
        16,
        ge=1,
        le=1_000_000,
        unit="rollouts",
        why="failed rollouts, with none that worked, after which the agent is called dead and the run stops",
        source=convention(),
    )
    closing_margin: float = knob(
        2.0,
        ge=0,
        le=100,
        unit="durations",
        why="under a clock no further group is opened when less than this many median rollout durations are left",
        source=derived("one duration for the rollouts in flight, one for the group"),
    )
    closing_window_rollouts: int = knob(
        20, ge=1, le=10_000, unit="rollouts", why="latest rollouts whose durations give that median", source=convention()
    )
    stop_grace_s: float = knob(
        5.0,
        ge=0,
        le=3600,
        unit="seconds",
        why="time that rollouts in flight get to finish when a run is stopped",
        source=convention(),
    )
    pending_turns: int = knob(
        1,
        ge=0,
        le=10,
        unit="turns",
        why="extra turns of an agent whose turn cap fell on a tool call, so that it can speak to the result",
        source=convention("the reference engine gives one"),
    )
