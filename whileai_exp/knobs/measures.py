"""Numbers of the measures stage."""

from __future__ import annotations

from ._knob import Knobs, chapter, convention, derived, knob, measured, paper


class MeasureKnobs(Knobs):
    """Knobs that the measures read."""

    min_k: int = knob(
        4,
        ge=1,
        le=1024,
        unit="rollouts",
        why="fewest repeats per task for pass^k and pass@k; below it they are None with a note",
        source=paper("2506.07982", "the smallest k with a reported k-way number"),
    )
    min_interval_tasks: int = knob(
        3,
        ge=2,
        le=1000,
        unit="tasks",
        why="fewest tasks for any interval",
        source=convention("two points have no spread worth the name"),
    )
    bootstrap_draws: int = knob(
        2000,
        ge=200,
        le=1_000_000,
        unit="resamples",
        why="bootstrap resamples",
        source=paper("Efron & Tibshirani 1993", "above their floor of 1000"),
    )
    bootstrap_min_tasks: int = knob(
        50,
        ge=3,
        le=1_000_000,
        unit="tasks",
        why="from how many tasks the bootstrap is used instead of the clustered Wilson interval",
        source=measured("coverage of the bootstrap: 0.52 at 5 tasks, 0.94 from 50"),
    )
    bootstrap_min_events: float = knob(
        15.0,
        ge=0,
        le=10_000,
        unit="events",
        why="effective passes and failures, each, that the bootstrap needs; below it the clustered Wilson interval is used",
        source=measured("coverage of the bootstrap with a rate of 0.997 and 50 tasks: 0.17"),
    )
    rate_prior: float = knob(
        0.5,
        ge=0,
        le=10,
        unit="tasks",
        why="how much of the largest possible variance is mixed into the variance of task pass rates",
        source=measured("coverage from 5 tasks up; without it 0.89 at 5 tasks of 8 repeats"),
    )
    headroom_prior: float = knob(
        0.75,
        ge=0,
        le=10,
        unit="tasks",
        why="the same for headroom",
        source=measured("coverage from 5 tasks up; without it 0.86 at 5 tasks of 8 repeats"),
    )
    k_way_prior: float = knob(
        2.0,
        ge=0,
        le=10,
        unit="tasks",
        why="the same for pass^k and pass@k, whose task values crowd at 0 and 1",
        source=measured("coverage from 5 tasks up; with 0.5 it is 0.90 at 6 tasks of 16 repeats"),
    )
    min_paired_tasks: int = knob(
        5,
        ge=2,
        le=1000,
        unit="tasks",
        why="fewest shared tasks for a paired comparison; below it the two sides are compared as if independent",
        source=measured("false alarms of the paired t interval: 4.3% from 5 tasks"),
    )
    sign_flip_exact_tasks: int = knob(
        12,
        ge=1,
        le=20,
        unit="tasks",
        why="up to this many differing tasks all sign flips are enumerated",
        source=derived("2^12 sums take well under a millisecond"),
    )
    sign_flips: int = knob(
        9999, ge=99, le=1_000_000, unit="flips", why="Monte-Carlo sign flips beyond that", source=derived("p down to 0.0001")
    )
    power: float = knob(
        0.8,
        gt=0,
        le=0.999,
        unit="share",
        why="power that sizes and detectable effects are stated at",
        source=paper("2411.00640", "s.5"),
    )
    effect_to_prove: float = knob(
        0.05, gt=0, le=1, unit="share", why="the change that `tasks needed` is stated for", source=convention()
    )
    base_pass_rate: float = knob(
        0.6,
        gt=0,
        le=1,
        unit="share",
        why="pass rate assumed for sizing when no rows are given",
        source=convention("middle of the band"),
    )
    ceiling_pass_rate: float = knob(
        0.9,
        ge=0,
        le=1,
        unit="share",
        why="from this pass rate on there is little room to improve, and the report says so",
        source=convention(),
    )
    comparable_shared_share: float = knob(
        0.5, ge=0, le=1, unit="share", why="least share of tasks that both sides must have", source=convention()
    )
    comparable_gap: float = knob(
        0.05,
        ge=0,
        le=1,
        unit="share",
        why="graded or truncated shares of two sides that differ by more are named",
        source=convention(),
    )
    answered_gap: float = knob(
        0.1,
        ge=0,
        le=1,
        unit="share",
        why="answered shares that differ by more, and not by chance, make two sides incomparable",
        source=convention(),
    )
    answered_alpha: float = knob(
        0.01, gt=0, le=0.5, unit="", why="p below which a gap of shares is not put down to chance", source=convention()
    )
    stable_runs: int = knob(
        3, ge=2, le=1000, unit="runs", why="fewest runs before a run-to-run sd is taken at its word", source=convention()
    )
    stable_run_sd: float = knob(
        0.0035, ge=0, le=1, unit="share", why="a run-to-run sd below it is called stable", source=convention("a third of a point")
    )
    noisy_run_sd: float = knob(
        0.007,
        ge=0,
        le=1,
        unit="share",
        why="a run-to-run sd from it on is called unstable",
        source=convention("two thirds of a point"),
    )
    weak_slice_rate: float = knob(
        0.5, ge=0, le=1, unit="share", why="slices that end below it are named as weak", source=convention()
    )
    hard_share_floor: float = knob(
        0.3,
        ge=0,
        le=1,
        unit="share",
        why="fewer rows of a hard tier than this draw a warning: easy sets are soon solved and then show nothing",
        source=convention(),
    )
    hack_permutations: int = knob(
        199,
        ge=19,
        le=100_000,
        unit="shuffles",
        why="shuffles of rewards within tasks behind a hack scan's floor",
        source=derived("p down to 0.005"),
    )
    hack_flips: int = knob(
        999,
        ge=19,
        le=100_000,
        unit="flips",
        why="before/after swaps of tasks behind a hack scan's test of change",
        source=derived("p down to 0.001"),
    )
    hack_min_rows: int = knob(
        20, ge=1, le=100_000, unit="rows", why="fewest rows a word must be in to be looked at", source=convention()
    )
    hack_words: int = knob(
        200,
        ge=0,
        le=10_000,
        unit="words",
        why="commonest words and word pairs a hack scan looks at",
        source=convention("time grows with it"),
    )
    hack_pairs: int = knob(
        12,
        ge=0,
        le=100,
        unit="properties",
        why="yes/no properties, of those that vary most within tasks, also looked at two by two",
        source=convention(),
    )
    hack_features: int = knob(
        20,
        ge=1,
        le=10_000,
        unit="properties",
        why="strongest properties a hack scan lists beside those above its floor",
        source=convention(),
    )
    hack_perfect_rho: float = knob(
        0.999, gt=0, le=1, unit="", why="from it on a property tells passes from failures exactly", source=convention("rounding")
    )
    hack_min_distinct: float = knob(
        3.0,
        ge=1,
        le=1000,
        unit="replies",
        why="median different replies per task under which nothing is named",
        source=convention(),
    )
    hack_exhausted_share: float = knob(
        0.2,
        ge=0,
        le=1,
        unit="share",
        why="tasks that always pass, above which the scan says the pool is used up",
        source=convention(),
    )
    flag_examples: int = knob(
        3, ge=0, le=1000, unit="rows", why="flagged rows a flag report shows per marker", source=convention()
    )
    confidence_corr: float = knob(
        0.3,
        ge=0,
        le=1,
        unit="",
        why="correlation of reward and confidence within tasks from which the logprob report warns",
        source=convention(),
    )
    coverage_floor: float = knob(
        0.95,
        ge=0,
        le=1,
        unit="share",
        why="under this share of judged rows the pass numbers carry a warning",
        source=convention(),
    )
    gold_floor: int = knob(
        50,
        ge=1,
        le=100_000,
        unit="labels",
        why="fewest gold labels before a judge's agreement is taken at its word",
        source=chapter("Reward Modeling"),
    )
    gold_per_class: int = knob(
        5,
        ge=1,
        le=10_000,
        unit="labels",
        why="fewest gold passes and gold failures each; with one class only, a constant judge would agree",
        source=convention(),
    )
    min_agreement: float = knob(
        0.8,
        ge=0,
        le=1,
        unit="share",
        why="the lower end of the agreement interval must reach it",
        source=paper("2306.05685", "people agree with people on 81%"),
    )
    min_kappa: float = knob(
        0.6,
        ge=-1,
        le=1,
        unit="",
        why="least Cohen's kappa of a trusted judge",
        source=paper("Landis & Koch 1977", "substantial agreement"),
    )
    max_pass_when_gold_fail: float = knob(
        0.1,
        ge=0,
        le=1,
        unit="share",
        why="above this share of gold failures passed, training would learn the failure from the judge",
        source=convention(),
    )
