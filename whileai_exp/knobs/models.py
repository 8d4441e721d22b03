"""Numbers of the models stage: the call path, and the journal under it."""

from __future__ import annotations

from ._knob import Knobs, convention, derived, knob, measured


class ModelKnobs(Knobs):
    """Knobs that the models stage reads."""

    connect_timeout_s: float = knob(
        5.0, gt=0, le=300, unit="seconds", why="deadline of opening a connection (name lookup, TCP, TLS)", source=convention()
    )
    idle_timeout_s: float = knob(
        60.0,
        gt=0,
        le=3600,
        unit="seconds",
        why="longest silence inside an answer that has begun; a stalled body is retried after it",
        source=convention(),
    )
    cold_start_s: float = knob(
        300.0,
        gt=0,
        le=86400,
        unit="seconds",
        why="how long the one probe before a run waits for an endpoint that is starting or scaled to zero",
        source=measured("the seeds: 2 to 3 minutes for a first answer"),
    )
    unreachable_s: float = knob(
        8.0,
        ge=0,
        le=3600,
        unit="seconds",
        why="how long an address that never answered is tried, by that probe and by calls",
        source=convention("a wrong address is told within 10 s"),
    )
    retry_for_s: float = knob(
        600.0,
        ge=0,
        le=86400,
        unit="seconds",
        why="how long one call is retried while its endpoint fails; outlasts an outage or a restart of the server",
        source=convention("ten times the 60 s outage that must cost no row"),
    )
    retry_attempts: int = knob(
        64,
        ge=1,
        le=10000,
        unit="attempts",
        why="most attempts of one call, the first included; the clock retry_for_s usually ends it first",
        source=derived("retry_for_s over half of retry_cap_s, rounded up"),
    )
    retry_base_s: float = knob(
        0.5,
        gt=0,
        le=60,
        unit="seconds",
        why="first back-off is drawn from [0, this), the next from twice that",
        source=convention(),
    )
    retry_cap_s: float = knob(
        20.0,
        gt=0,
        le=600,
        unit="seconds",
        why="largest upper end of a back-off draw when the server names no time",
        source=convention(),
    )
    bad_response_attempts: int = knob(
        6,
        ge=1,
        le=1000,
        unit="attempts",
        why="attempts that may come back as 200 with an unusable body before the call fails; a broken server answers so for ever",
        source=derived("3% of malformed bodies: 0.03^6 is below one call in a billion"),
    )
    park_max_s: float = knob(
        900.0,
        ge=0,
        le=86400,
        unit="seconds",
        why="longest Retry-After that is waited out; a longer one fails the call with the time it named",
        source=convention(),
    )
    endpoint_concurrency: int = knob(
        1024,
        ge=1,
        le=65536,
        unit="calls",
        why="most calls in flight to one endpoint; 429s shrink it while they last",
        source=convention(),
    )
    limiter_tolerance: float = knob(
        0.3,
        ge=0,
        le=1,
        unit="share",
        why="share of recent calls answered 429 above which the endpoint itself is slowed down; below it only the call waits",
        source=derived("10% of stray 429s stay below it by four standard deviations of a running share over 16 calls"),
    )
    limiter_backoff: float = knob(
        0.5,
        gt=0,
        le=0.99,
        unit="share",
        why="what is left of the calls in flight when the endpoint is slowed down",
        source=convention("TCP's halving"),
    )
    response_cap_mb: float = knob(
        16.0, gt=0, le=1024, unit="MB", why="largest answer that is read; a larger one fails the call", source=convention()
    )
    json_depth_cap: int = knob(
        64, ge=8, le=500, unit="levels", why="deepest nesting accepted in a tool call's arguments", source=convention()
    )
    calls_per_turn_cap: int = knob(
        128,
        ge=1,
        le=10000,
        unit="calls",
        why="most tool calls accepted in one model turn",
        source=convention("OpenAI's limit on tools"),
    )
    anthropic_max_tokens: int = knob(
        4096,
        ge=1,
        le=1_000_000,
        unit="tokens",
        why="output cap sent to the Messages API, which demands one, when sampling.max_tokens is None",
        source=convention(),
    )
    journal_commit_s: float = knob(
        0.004,
        ge=0,
        le=1,
        unit="seconds",
        why="how long the journal's writer gathers answers before one commit to disk, where answers come fast enough to be gathered",
        source=measured("here: 15 us of CPU per answer at 4 per commit, 59 us at one"),
    )
    journal_sync_s: float = knob(
        1.0,
        ge=0,
        le=600,
        unit="seconds",
        why="most work that a power cut can make the journal forget (a killed process forgets none); 0 syncs every commit",
        source=measured("here: a synced commit costs 275 us of CPU and 2 ms, one that is not 59 us and 0.1 ms"),
    )
