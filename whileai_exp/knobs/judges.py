"""Numbers of the judging stage: judges, verifiers, the code sandbox and the probes of a judge."""

from __future__ import annotations

from ._knob import Knobs, convention, derived, knob, measured, paper


class JudgeKnobs(Knobs):
    """Knobs that judging reads."""

    judge_concurrency: int = knob(8, ge=1, le=4096, unit="calls", why="judge calls in flight", source=convention())
    judge_timeout_s: float = knob(
        300.0,
        gt=0,
        le=86400,
        unit="seconds",
        why="deadline of one judge call, from its start; past it the row is unjudged with status timeout",
        source=convention("the agent's own default"),
    )
    judge_reason_chars: int = knob(
        2000, ge=0, le=100_000, unit="characters", why="longest reason kept on a row", source=convention()
    )
    judge_retries: int = knob(
        2, ge=0, le=20, unit="tries", why="further tries after a broken connection or an unreadable verdict", source=convention()
    )
    judge_max_tokens: int = knob(
        512,
        ge=16,
        le=100_000,
        unit="tokens",
        why="longest verdict of a model; a cut verdict is unjudged, never guessed",
        source=convention("one sentence and a score take under 120; criteria take more"),
    )
    judge_temperature: float = knob(
        0.0, ge=0, le=2, unit="", why="sampling of a judging model", source=convention("the same row gets the same verdict")
    )
    judge_payload_chars: int = knob(
        24_000,
        ge=1_000,
        le=10_000_000,
        unit="characters",
        why="longest record of a rollout shown to a judging model; structure is left out, JSON is never sliced",
        source=derived("fits a window of 8k tokens at 3 characters each"),
    )
    judge_situation_chars: int = knob(
        4_000, ge=100, le=1_000_000, unit="characters", why="longest opening ask shown to a judging model", source=convention()
    )
    judge_reply_chars: int = knob(
        6_000, ge=100, le=1_000_000, unit="characters", why="longest final reply shown to a judging model", source=convention()
    )
    judge_policy_chars: int = knob(
        4_000, ge=100, le=1_000_000, unit="characters", why="longest agent policy shown to a judging model", source=convention()
    )
    math_timeout_s: float = knob(
        5.0,
        gt=0,
        le=600,
        unit="seconds",
        why="longest comparison of two expressions before its worker is killed",
        source=convention(),
    )
    regex_timeout_s: float = knob(
        1.0, gt=0, le=600, unit="seconds", why="longest regular-expression match before its worker is killed", source=convention()
    )
    code_timeout_s: float = knob(10.0, gt=0, le=3600, unit="seconds", why="wall time of one code verdict", source=convention())
    code_cpu_s: float = knob(
        5.0, gt=0, le=3600, unit="seconds", why="CPU time of a candidate program, the same on a busy machine", source=convention()
    )
    code_memory_mb: int = knob(
        512, ge=64, le=65_536, unit="megabytes", why="memory of a candidate program and its children", source=convention()
    )
    code_processes: int = knob(
        32, ge=4, le=4096, unit="processes", why="processes and threads of a candidate program", source=convention()
    )
    sandbox_min_level: int = knob(
        2,
        ge=1,
        le=3,
        unit="level",
        why="weakest containment in which candidate code may run: 3 namespaces, 2 Landlock and seccomp, 1 limits only",
        source=measured("levels 2 and 3 pay no hostile program of the corpus; level 1 is for trusted code"),
    )
    trust_sample: int = knob(
        40, ge=5, le=100_000, unit="rows", why="rows that a probe or a second look at a judge takes", source=convention()
    )
    probe_min_n: int = knob(
        20, ge=1, le=100_000, unit="rows", why="fewest rows before a probe may flag or clear a judge", source=convention()
    )
    probe_flag: float = knob(
        0.1, gt=0, le=1, unit="share", why="share of verdicts a probe may raise before the judge is flagged", source=convention()
    )
    position_flip_flag: float = knob(
        0.2,
        gt=0,
        le=1,
        unit="share",
        why="share of pairs whose winner changes with the order shown",
        source=paper("2306.05685", "order bias of judges"),
    )
    length_gap_flag: float = knob(
        0.15,
        gt=0,
        le=1,
        unit="share",
        why="gap in error between short and long replies that is called a length bias",
        source=convention(),
    )
