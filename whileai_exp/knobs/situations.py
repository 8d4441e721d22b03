"""Numbers of the situations stage: how the grid is covered, how asks are mixed and written, what traces pull on."""

from __future__ import annotations

from ._knob import Knobs, convention, derived, knob, measured


class SituationKnobs(Knobs):
    """Knobs that the situations stage reads."""

    cover_strength: int = knob(
        2,
        ge=2,
        le=3,
        unit="axes",
        why="how many axes at a time the grid covers in every combination: 2 is pairwise",
        source=convention("pairwise testing; 3 costs about ten times the situations"),
    )
    rule_cap: int = knob(
        16,
        ge=0,
        le=400,
        unit="clauses",
        why="most policy clauses that become values of the rule axis; further ones are counted in the notes",
        source=convention(),
    )
    unrelated_share: float = knob(
        0.06, ge=0, le=1, unit="share", why="situations whose ask has nothing to do with the tools", source=convention()
    )
    multi_tool_share: float = knob(
        0.06, ge=0, le=1, unit="share", why="situations whose ask needs two tools", source=convention()
    )
    mutation_share: float = knob(
        0.05, ge=0, le=1, unit="share", why="situations whose ask is typed carelessly (typos, no capitals)", source=convention()
    )
    prefer_success_keep: float = knob(
        0.4,
        ge=0,
        le=1,
        unit="share",
        why="outside rl, the share of failing-tool situations that stay failing; with fault_rate it gives the planned fault share",
        source=convention("the reference keeps a tenth, which leaves its fault_rate without effect"),
    )
    optional_argument_share: float = knob(
        0.12,
        ge=0,
        le=1,
        unit="share",
        why="chance that an ask gives an optional argument; people mostly leave them out",
        source=convention(),
    )
    texture: float = knob(
        0.35,
        ge=0,
        le=1,
        unit="share",
        why="share of asks in a marked register (terse, formal, chatty or with slips); the rest are plain",
        source=convention(),
    )
    extra_line_share: float = knob(
        0.7,
        ge=0,
        le=1,
        unit="share",
        why="how often an ask voices a stance, a history or a rule that is not needed to understand it; one sentence at most",
        source=convention("a blind reading of 360 asks: two or three such sentences give a generator away"),
    )
    distinct_attempts: int = knob(
        24,
        ge=1,
        le=1000,
        unit="draws",
        why="fresh facts tried before a situation is given up for repeating an ask",
        source=convention(),
    )
    exhausted_after: int = knob(
        200,
        ge=0,
        le=1_000_000,
        unit="situations",
        why="situations in a row that no new ask could be made for, after which the template writer has nothing left and the draw ends",
        source=derived("a kind of situation in 20 still gets 10 turns; each costs distinct_attempts asks"),
    )
    tier_mix_min_rows: int = knob(
        20, ge=1, unit="situations", why="below this many situations the tier mix is not warned about", source=convention()
    )
    tier_mix_tolerance: float = knob(
        0.1,
        ge=0,
        le=1,
        unit="share",
        why="deviation of a delivered share from its request that is warned about",
        source=convention(),
    )
    unknown_fact_share: float = knob(
        0.1,
        ge=0,
        le=1,
        unit="share",
        why="vague asks whose person cannot give one of the missing facts either",
        source=convention(),
    )
    writer_temperature_low: float = knob(
        0.45,
        ge=0,
        le=2,
        unit="",
        why="low end of the band that the model writer's temperature is drawn from",
        source=convention(),
    )
    writer_temperature_high: float = knob(1.05, ge=0, le=2, unit="", why="high end of that band", source=convention())
    scenarios_per_request: int = knob(
        8, ge=1, le=28, unit="situations", why="situations that one call of the model writer is asked for", source=convention()
    )
    scenario_concurrency: int = knob(
        4, ge=1, le=256, unit="calls", why="writer calls in flight; changes no row", source=convention()
    )
    writer_retries: int = knob(
        2,
        ge=0,
        le=20,
        unit="calls",
        why="further calls for the situations of a batch that came back unusable",
        source=convention(),
    )
    writer_dead_batches: int = knob(
        3,
        ge=1,
        unit="batches",
        why="batches in a row without one usable message after which the writer is given up and the template keeps the rest",
        source=convention(),
    )
    tokens_per_card: int = knob(
        130,
        ge=1,
        unit="tokens",
        why="reply budget of a writer call for each situation",
        source=measured("the reference: a flat 768 left 64 tokens a message at 12 cards"),
    )
    wave_tokens_base: int = knob(
        128, ge=0, unit="tokens", why="reply budget of a writer call beside its cards", source=convention()
    )
    wave_tokens_floor: int = knob(256, ge=1, unit="tokens", why="least reply budget of a writer call", source=convention())
    wave_tokens_cap: int = knob(4096, ge=1, unit="tokens", why="most reply budget of a writer call", source=convention())
    writer_policy_chars: int = knob(
        1200, ge=0, unit="characters", why="how much of the policy the model writer is shown", source=convention()
    )
    near_duplicate: float = knob(
        0.9,
        ge=0,
        le=1,
        unit="similarity",
        why="shingle overlap at which a model-written ask counts as a copy of another",
        source=convention(),
    )
    trace_leak: float = knob(
        0.9,
        ge=0,
        le=1,
        unit="similarity",
        why="shingle overlap with a source trace at which an ask is dropped and refilled",
        source=convention(),
    )
    failing_seeds_cap: int = knob(
        40, ge=0, unit="asks", why="most failing asks of traces that are reported as seeds", source=convention()
    )
    trace_share: float = knob(
        0.8,
        ge=0,
        le=1,
        unit="share",
        why="situations aimed at the regions that traces failed in; the rest keeps covering the grid",
        source=convention("a fifth is kept for exploration"),
    )
    allocation_gain: float = knob(
        4.0,
        ge=0,
        unit="",
        why="how hard a failing trace region pulls: a full match at share s multiplies a cell's weight by 1 + gain x s",
        source=convention(),
    )
    allocation_tool_weight: float = knob(
        0.6, ge=0, le=1, unit="", why="credit of a cell that has a failing region's tool", source=convention()
    )
    allocation_condition_weight: float = knob(
        0.4, ge=0, le=1, unit="", why="credit of a cell that has a failing region's tool condition", source=convention()
    )
    gap_min_rows: int = knob(
        3, ge=1, unit="rows", why="trace rows that a region needs before its failure rate counts", source=convention()
    )
    recommend_coverage: float = knob(
        0.97,
        ge=0,
        le=1,
        unit="share",
        why="share of the feasible pairs that a size from recommend() covers: 0.95 with a margin",
        source=derived("the last pairs each need a situation of a rare kind: from 0.97 to 1 takes half as many situations again"),
    )
    recommend_stale: int = knob(
        2000,
        ge=1,
        unit="situations",
        why="situations without a new pair after which recommend() takes the rest to be out of reach",
        source=convention(),
    )
    recommend_rows_per_cell: int = knob(
        5, ge=1, unit="rows", why="rows per grid cell that recommend() asks for under sft", source=convention()
    )
    recommend_mixed_floor: float = knob(
        0.02,
        gt=0,
        le=1,
        unit="share",
        why="lowest share of mixed groups that recommend() plans with",
        source=derived("the plan grows as its inverse"),
    )
