"""Knobs of selection and of the checks of a judge, seen on what is kept, flagged or said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import whileai_exp as wai
from whileai_exp.knobs import RunKnobs
from whileai_exp.measures.probes import cheat_probes
from whileai_exp.measures.trust import judge_agreement, judge_trust
from whileai_exp.ports import ChatRequest, Reply
from whileai_exp.schema import Privileged
from whileai_exp.selection import build_preference_pairs, decontaminate, near_duplicate_prompts
from whileai_exp.selection._hygiene import leak_reason
from whileai_exp.selection.rl import select_rl
from whileai_exp.selection.sft import select_sft

from ._effect import Effect, Observe


def rows_of(groups: dict[str, list[Any]], **extra: Any) -> list[dict[str, Any]]:
    return [
        {
            "scenario_id": task,
            "rollout_id": f"{task}/{n}",
            "rollout_index": n,
            "reward": reward,
            "judge_status": "ok",
            "status": "ok",
            "final_text": f"reply {task} {n}",
            "prompt": "same",
            "behavior_signature": f"{task}{n}",
            **extra,
        }
        for task, rewards in groups.items()
        for n, reward in enumerate(rewards)
    ]


def kept(groups: dict[str, list[Any]], select: Callable[..., Any] = select_rl) -> Observe:
    return lambda knobs: len(select(rows_of(groups), knobs=knobs).rows)


LOW, HIGH, MIXED = [1] * 3 + [0] * 17, [1] * 17 + [0] * 3, [1, 0] * 4


def unsure(knobs: RunKnobs) -> int:
    return select_rl(rows_of({"a": [1, 0, 0, 0, 0, 0]}), knobs=knobs).report["n_band_uncertain"]


def few_completions(knobs: RunKnobs) -> bool:
    return bool(select_sft(rows_of({"a": [1] * 5}), knobs=knobs).report["warnings"])


def longer_warned(knobs: RunKnobs) -> bool:
    """Ten tasks whose chosen reply is the longer one in eight."""
    rows = rows_of({f"t{n}": [1, 0] for n in range(10)})
    for row in rows:
        long = (row["reward"] == 1) == (int(row["scenario_id"][1:]) < 8)
        row["final_text"] = "x" * (40 if long else 20)
    return bool(build_preference_pairs(rows, knobs=knobs)[1].warnings)


ASK = "Please tell me how many red apples the farmer has left after the market closed on Tuesday evening last week"


def contaminated(mine: str, theirs: str, **options: Any) -> Observe:
    return lambda knobs: decontaminate([{"prompt": mine}], [theirs], knobs=knobs, **options)[1]["n_contaminated"]


def meaning(texts: Any) -> Any:
    """Vectors at a cosine of 0.8 for any two different texts."""
    import numpy as np

    return np.array([[1.0, 0.0] if "alpha" in text else [0.8, 0.6] for text in texts])


def many_alike(knobs: RunKnobs) -> int:
    """An evaluation in which the text that is meant comes late among many that share its template."""
    template = "Please look at my order {} and tell me in detail when it will be delivered to the address that I gave you"
    against = [
        template.format(f"number {n} of the blue shop") + f" and {n * 7919} more words so that it differs {n}" for n in range(60)
    ]
    rows = [{"prompt": against[n]} for n in range(59, 60)]
    for row in rows:
        row["prompt"] = row["prompt"].replace("Please look", "Kindly look")
    report = decontaminate(rows, against, knobs=knobs)[1]
    return report["n_contaminated"], str(report["examples"])


def crossed(knobs: RunKnobs) -> int:
    """Evaluations put together of few openings and few endings: each half alone leads to another text first."""
    openings = [" ".join(f"open{n}word{i}" for i in range(12)) for n in range(4)]
    endings = [" ".join(f"end{n}word{i}" for i in range(12)) for n in range(4)]
    against = [f"{one} {two}" for one in openings for two in endings]
    row = {"prompt": f"{openings[2]} well {endings[3]}"}
    return decontaminate([row], against, knobs=knobs.model_copy(update={"shingle_chars": 256}))[1]["n_contaminated"]


def near(knobs: RunKnobs) -> int:
    rows = [
        {"prompt": "cancel my order number nine right now please thanks"},
        {"prompt": "cancel my order number nine right now please bye"},
    ]
    return near_duplicate_prompts(rows, knobs=knobs).n_near


def leaked(knobs: RunKnobs) -> bool:
    row = {"final_text": "It is 4471-A, they say.", "privileged": Privileged(reference="4471-A, they"), "prompt": "what is it"}
    return leak_reason(row, knobs.quote_chars) is not None


def pairs(*counts: int) -> list[dict[str, Any]]:
    """Rows with (reward, gold) 11, 00, 01 and 10, so many of each."""
    kinds = ((1.0, 1.0), (0.0, 0.0), (0.0, 1.0), (1.0, 0.0))
    found = [pair for kind, n in zip(kinds, counts) for pair in [kind] * n]
    return [
        {"rollout_id": str(n), "scenario_id": f"t{n}", "reward": r, "gold_reward": g, "judge_status": "ok", "final_text": "x" * (n % 50)}
        for n, (r, g) in enumerate(found)
    ]  # fmt: skip


def trusted(name: str, *counts: int) -> Observe:
    return lambda knobs: next(check.ok for check in judge_trust(pairs(*counts), knobs=knobs).checks if check.name == name)


def length_bias(knobs: RunKnobs) -> bool:
    """A judge that fails long passes: how large a gap is called a bias."""
    rows = pairs(200, 60, 0, 0)
    passes = sorted((row for row in rows if row["gold_reward"] == 1.0), key=lambda row: len(row["final_text"]))
    for row in passes[-40:]:
        row["reward"] = 0.0
    return next(check.ok for check in judge_trust(rows, knobs=knobs).checks if check.name == "length:passes")


def failed_rows(n: int) -> list[dict[str, Any]]:
    return [{"rollout_id": f"r{i}", "scenario_id": f"t{i}", "prompt": f"ask {i}", "final_text": "no", "reward": 0.0, "steps": []} for i in range(n)]  # fmt: skip


def pays_some(share: float) -> Callable[[dict[str, Any]], float]:
    """A judge that passes that share of rows, by their number."""
    return lambda row: float(int(str(row["rollout_id"])[1:]) % 100 < share * 100)


def probed(see: Callable[[Any], Any], n: int, share: float) -> Observe:
    return lambda knobs: see(
        next(p for p in cheat_probes(failed_rows(n), pays_some(share), knobs=knobs).probes if p.name == "refuse")
    )


class Biased:
    """A judging model that prefers whatever is shown first in one pair of three."""

    model = "biased"

    def __init__(self) -> None:
        self.count = 0

    async def complete(self, request: ChatRequest) -> Reply:
        await asyncio.sleep(0)
        text = str(request.messages[1]["content"])
        first = "GOOD" in text.split("BAD")[0]
        self.count += 1
        return Reply('{"better": "A"}' if self.count <= 2 or first else '{"better": "B"}')

    async def aclose(self) -> None: ...


def order_bias(knobs: RunKnobs) -> bool:
    rows = [({"rollout_id": f"a{n}", "final_text": "GOOD", "prompt": "p"}, {"rollout_id": f"b{n}", "final_text": "BAD", "prompt": "p"}) for n in range(3)]  # fmt: skip
    return wai.compare_pairs(rows, Biased(), knobs=knobs)["warnings"] != []


EFFECTS: dict[str, Effect] = {
    "band_low": Effect((0.0, 0.5), kept({"a": LOW}), (20, 0)),
    "band_high": Effect((1.0, 0.5), kept({"a": HIGH}), (20, 0)),
    "band_certainty": Effect((0.1, 0.99), kept({"a": [1, 0, 0]}), (3, 0)),
    "band_sure": Effect((0.5, 1.0), unsure, (0, 1)),
    "select_target": Effect((8, 16), kept({f"t{n}": MIXED for n in range(4)}), (8, 16)),
    "sft_min_reward": Effect((1.0, 0.5), kept({"a": [0.6], "b": [1.0]}, select_sft), (1, 2)),
    "sft_per_task": Effect((1, 3), kept({"a": [1] * 5}, select_sft), (1, 3)),
    "sft_min_completions": Effect((10, 3), few_completions, (True, False)),
    "pair_check_floor": Effect((10, 11), longer_warned, (True, False)),
    "chosen_longer_flag": Effect((0.75, 0.9), longer_warned, (True, False)),
    "shingle_words": Effect((8, 30), lambda k: contaminated(ASK.replace("Tuesday", "Friday"), ASK, overlap=0.5)(k.model_copy(update={"shingle_chars": 256})), (1, 0)),
    "shingle_chars": Effect((24, 200), contaminated(ASK.replace(" ", "") + "now", ASK), (1, 0)),
    "overlap_share": Effect((0.5, 1.0), contaminated(ASK + " and also what the weather was like there", ASK.replace("last week", "this year")), (1, 0)),
    "semantic_similarity": Effect((0.75, 0.85), contaminated("alpha one", "beta two", embedder=meaning), (1, 0)),
    "shingle_postings": Effect((1, 64), crossed, (0, 1)),
    "shingle_rarest": Effect((1, 64), many_alike, "differ"),
    "shingle_candidates": Effect((1, 64), many_alike, "differ"),
    "duplicate_similarity": Effect((0.7, 0.9), near, (1, 0)),
    "quote_chars": Effect((8, 60), leaked, (True, False)),
    "gold_floor": Effect((10, 500), lambda k: any("fewer than" in w for w in judge_agreement(pairs(60, 40, 1, 1), knobs=k).warnings), (False, True)),
    "gold_per_class": Effect((5, 50), lambda k: judge_trust(pairs(60, 40, 1, 1), knobs=k).measured, (True, False)),
    "min_agreement": Effect((0.8, 0.95), trusted("agreement", 60, 40, 4, 4), (True, False)),
    "min_kappa": Effect((0.6, 0.95), trusted("kappa", 60, 40, 4, 4), (True, False)),
    "max_pass_when_gold_fail": Effect((0.1, 0.05), trusted("leak", 60, 40, 4, 4), (True, False)),
    "length_gap_flag": Effect((0.15, 0.9), length_bias, (False, True)),
    "trust_sample": Effect((30, 60), probed(lambda probe: probe.n, 100, 0.0), (30, 60)),
    "probe_min_n": Effect((20, 60), probed(lambda probe: probe.flagged, 40, 0.0), (False, None)),
    "probe_flag": Effect((0.1, 0.9), lambda k: probed(lambda probe: probe.flagged, 100, 0.3)(k.model_copy(update={"trust_sample": 100})), (True, False)),
    "position_flip_flag": Effect((0.2, 0.9), order_bias, (True, False)),
}  # fmt: skip
