"""Numbers of the selection stage."""

from __future__ import annotations

from ._knob import Knobs, chapter, convention, derived, knob, measured, paper


class SelectionKnobs(Knobs):
    """Knobs that selection reads."""

    band_low: float = knob(
        0.2,
        ge=0,
        le=1,
        unit="pass rate",
        why="tasks the policy solves less often than this carry too little to learn from",
        source=chapter("Reasoning"),
    )
    band_high: float = knob(
        0.8,
        ge=0,
        le=1,
        unit="pass rate",
        why="tasks the policy solves more often than this carry too little to learn from",
        source=chapter("Reasoning"),
    )
    band_certainty: float = knob(
        0.5,
        ge=0,
        le=1,
        unit="probability",
        why="a task stays while its rate lies in the band with at least this posterior probability (Jeffreys' prior)",
        source=derived("more likely inside than outside"),
    )
    band_sure: float = knob(
        0.8,
        ge=0.5,
        le=1,
        unit="probability",
        why="a task whose place is less sure than this, either way, is counted as uncertain",
        source=derived("two passes of four are inside the default band with 0.85"),
    )
    select_target: int = knob(
        1000,
        ge=1,
        le=100_000_000,
        unit="rows",
        why="rows to select; whole groups are taken until it is reached",
        source=convention(),
    )
    sft_min_reward: float = knob(
        1.0,
        ge=0,
        le=1,
        unit="reward",
        why="lowest reward of a row that supervised training imitates",
        source=paper("2407.21783", "section 4.2.2, rejection sampling keeps the best"),
    )
    sft_per_task: int = knob(
        1, ge=1, le=1024, unit="rows", why="most rows of one task in supervised data", source=convention("top per prompt")
    )
    sft_min_completions: int = knob(
        10,
        ge=1,
        le=10_000,
        unit="rows",
        why="fewer passing rows per task than this to pick the best from draw a note",
        source=paper("2407.21783", "section 4.2.2, 10 to 30 outputs per prompt"),
    )
    pair_check_floor: int = knob(
        8, ge=1, le=10_000, unit="pairs", why="fewest pairs whose lengths are checked for a lean", source=convention()
    )
    chosen_longer_flag: float = knob(
        0.75,
        ge=0.5,
        le=1,
        unit="share",
        why="pairs whose chosen reply is longer this often teach length",
        source=convention(),
    )
    shingle_words: int = knob(
        8,
        ge=1,
        le=64,
        unit="words",
        why="words in a run that two texts have in common (characters in scripts without spaces)",
        source=paper("2411.15124", "Tulu 3, 8-gram matching"),
    )
    shingle_chars: int = knob(
        24,
        ge=4,
        le=256,
        unit="characters",
        why="letters and digits in a run, for texts that share their wording and not their words",
        source=convention("about five English words"),
    )
    overlap_share: float = knob(
        0.8,
        gt=0,
        le=1,
        unit="share",
        why="a row is contaminated when common runs cover this much of it or of the evaluation text",
        source=paper("2307.09288", "Llama 2, 80% of tokens"),
    )
    semantic_similarity: float = knob(
        0.85,
        gt=0,
        le=1,
        unit="cosine",
        why="asks at least this alike mean the same, when an embedder is given",
        source=convention(),
    )
    shingle_postings: int = knob(
        32,
        ge=1,
        le=10_000,
        unit="texts",
        why="evaluation texts kept of each run; a phrase that thousands share finds the first of them",
        source=derived("linear growth on templated text"),
    )
    shingle_rarest: int = knob(
        64,
        ge=1,
        le=10_000,
        unit="runs",
        why="runs of a text that are looked up, rarest first",
        source=measured("with 8 candidates 90% of what looking at every pair finds, on 3,000 asks of 40 templates; 16 runs: 42%"),
    )
    shingle_candidates: int = knob(
        8,
        ge=1,
        le=1000,
        unit="texts",
        why="evaluation texts verified per text, most runs in common first",
        source=measured("with 64 runs 90% of what looking at every pair finds, on 3,000 asks of 40 templates; 12: 93%, 32: 97%"),
    )
    duplicate_similarity: float = knob(
        0.8, gt=0, le=1, unit="Jaccard", why="asks whose words overlap this much are near-duplicates", source=convention()
    )
    quote_chars: int = knob(
        12,
        ge=4,
        le=1000,
        unit="characters",
        why="shortest stretch of privileged text whose appearance in a reply counts as a leak",
        source=convention(),
    )
