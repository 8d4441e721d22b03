"""Knobs of the measures, seen on intervals, verdicts and warnings over small sets of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from whileai_exp.knobs import RunKnobs
from whileai_exp.measures.compare import compare_runs
from whileai_exp.measures.dataset import dataset_report
from whileai_exp.measures.delta import delta_report
from whileai_exp.measures.flags import trace_flag_report
from whileai_exp.measures.hack_diff import hack_scan_diff
from whileai_exp.measures.hacks import hack_scan
from whileai_exp.measures.logprobs import logprob_report
from whileai_exp.measures.passat import pass_at
from whileai_exp.measures.sizing import detectable_effect, eval_power, holdout_size
from whileai_exp.measures.variance import eval_variance

from ._effect import Effect, Observe


def rows(tasks: int, k: int = 4, rate: float = 0.5, seed: int = 0, **extra: Any) -> list[dict[str, Any]]:
    made = np.random.Generator(np.random.PCG64(seed))
    return [
        {"scenario_id": f"t{t}", "rollout_id": f"t{t}/{i}", "rollout_index": i, "reward": int(made.random() < rate), "judge_status": "ok", "status": "ok", "final_text": f"said {made.integers(9)}", **extra}
        for t in range(tasks)
        for i in range(k)
    ]  # fmt: skip


def passes(see: Callable[[Any], Any], given: list[dict[str, Any]]) -> Observe:
    return lambda knobs: see(pass_at(given, knobs=knobs))


def width(interval: Any) -> float | None:
    return None if interval is None else interval.high - interval.low


def flat(values: list[float]) -> list[dict[str, Any]]:
    return [{"task_id": str(t), "reward": value} for t, value in enumerate(values)]


def compared(see: Callable[[Any], Any], a: list[float], b: list[float]) -> Observe:
    return lambda knobs: see(compare_runs(flat(a), flat(b), metric="reward", knobs=knobs))


def moved(see: Callable[[Any], Any], before: list[dict[str, Any]], after: list[dict[str, Any]], **more: Any) -> Observe:
    return lambda knobs: see(delta_report(before, after, knobs=knobs, **more))


def said(word: str, before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Observe:
    return moved(lambda report: word in str(report.to_dict()), before, after)


def spread_of(*means: float) -> list[list[dict[str, Any]]]:
    """Runs over the same thousand tasks with these pass rates."""
    return [flat([1.0] * round(mean * 1000) + [0.0] * (1000 - round(mean * 1000))) for mean in means]


def stability(*means: float) -> Observe:
    return lambda knobs: eval_variance(*spread_of(*means), knobs=knobs).stability


def hacked(tasks: int = 40, seed: int = 1, hack: float = 0.4, words: int = 12, texts: int = 60) -> list[dict[str, Any]]:
    """Rewards that rise with the word zzz."""
    made = np.random.Generator(np.random.PCG64(seed))
    out = []
    for t in range(tasks):
        for i in range(8):
            trick = made.random() < 0.4
            reward = int(made.random() < np.clip(0.5 + hack * (1 if trick else -1), 0, 1))
            text = " ".join([f"w{j}" for j in made.integers(0, texts, words)] + (["zzz"] if trick else []))
            out.append({"scenario_id": str(t), "rollout_id": f"{t}/{i}", "prompt": f"ask {i}", "rollout_index": i, "reward": reward, "judge_status": "ok", "final_text": text, "steps": []})  # fmt: skip
    return out


HACKED = hacked()
VARIED = [
    {**row, "steps": [{"tool": f"tool{bit}", "arguments": {}, "result": 1} for bit in range(4) if (n * 7 >> bit) & 1]}
    for n, row in enumerate(HACKED)
]


def scanned(see: Callable[[Any], Any], given: list[dict[str, Any]] = HACKED) -> Observe:
    return lambda knobs: see(hack_scan(given, knobs=knobs))


def names(scan: Any) -> set[str]:
    return {feature.name for feature in scan.features}


def parrots() -> list[dict[str, Any]]:
    """Two replies per task, and the reward tells them apart exactly."""
    given = rows(30, 6, seed=3)
    for row in given:
        row["final_text"] = "yes indeed certainly" if row["reward"] else "no"
    given[0]["final_text"] = "no" if given[0]["reward"] else "yes indeed certainly"
    return given


def solved(knobs: RunKnobs) -> str:
    """The word that is rewarded is endorsed, and a third of the tasks always pass."""
    always = [
        {**row, "scenario_id": "e" + row["scenario_id"], "rollout_id": "e" + row["rollout_id"], "reward": 1} for row in hacked(20)
    ]
    return hack_scan([*HACKED, *always], endorsed=["word:zzz*"], knobs=knobs).regime


def confident(knobs: RunKnobs) -> bool:
    """Rewards that go with confidence at a correlation of about a half."""
    given = rows(30, 8, seed=4)
    made = np.random.Generator(np.random.PCG64(1))
    for row in given:
        row.update(logprob=float(-10 + 2 * row["reward"] + made.normal(0, 1.7)), n_tokens=10)
    return bool(logprob_report(given, knobs=knobs).warnings)


def cut(given: list[dict[str, Any]], share: float, **values: Any) -> list[dict[str, Any]]:
    n = round(len(given) * share)
    return [{**row, **values} if place < n else row for place, row in enumerate(given)]


MUTE = {"reward": None, "judge_status": "timeout"}
FLAGGED = [{**row, "prompt": "cancel it", "steps": [{"tool": "cancel", "arguments": {"order": "ORD-99812"}, "result": 1, "status": "ok"}]} for row in rows(5, 2)]  # fmt: skip


def flag_examples(knobs: RunKnobs) -> int:
    return max(len(flag.examples) for flag in trace_flag_report(FLAGGED, knobs=knobs).flags.values())


def easy(knobs: RunKnobs) -> bool:
    given = cut(rows(20, 2, tier="ordinary"), 0.25, tier="boundary")
    return any("hard" in warning for warning in dataset_report(given, knobs=knobs).warnings)


def weak(report: Any) -> bool:
    return report.slices[0].weak


SLICED = (rows(20, 4, 0.5, 1, tier="ordinary"), rows(20, 4, 0.6, 2, tier="ordinary"))
EFFECTS: dict[str, Effect] = {
    "min_k": Effect((2, 5), passes(lambda found: found.pass_at_k is None, rows(10)), (False, True)),
    "min_interval_tasks": Effect((3, 9), passes(lambda found: found.ci95 is None, rows(8)), (False, True)),
    "bootstrap_draws": Effect((200, 2000), passes(lambda found: found.ci95, rows(80, 8)), "differ"),
    "bootstrap_min_tasks": Effect((50, 200), passes(lambda found: found.ci95, rows(80, 8)), "differ"),
    "bootstrap_min_events": Effect((15.0, 5000.0), passes(lambda found: found.ci95, rows(80, 8)), "differ"),
    "rate_prior": Effect((0.0, 5.0), passes(lambda found: width(found.ci95), rows(10, 8)), "more"),
    "headroom_prior": Effect((0.0, 5.0), passes(lambda found: width(found.headroom_ci95), rows(10, 8)), "more"),
    "k_way_prior": Effect((0.0, 5.0), passes(lambda found: width(found.pass_pow_k_ci95), rows(8, 4, 0.8)), "differ"),
    "coverage_floor": Effect((0.5, 0.95), passes(lambda found: len(found.notes), cut(rows(10), 0.2, **MUTE)), "more"),
    "min_paired_tasks": Effect((5, 9), compared(lambda found: found.paired, [0.0] * 7, [1.0, 0.5, 0.7, 1.0, 0.5, 0.7, 1.0]), (True, False)),
    "sign_flip_exact_tasks": Effect((12, 4), compared(lambda found: found.sign_flip == "exact", [0.0] * 8, [1.0, 0.5] * 4), (True, False)),
    "sign_flips": Effect((99, 9999), compared(lambda found: found.sign_flip_p, [0.0] * 20, [1.0, 0.8] * 10), "less"),
    "power": Effect((0.8, 0.95), lambda k: detectable_effect(100, knobs=k), "more"),
    "effect_to_prove": Effect((0.05, 0.2), moved(lambda report: report.tasks_needed, rows(20, seed=1), rows(20, seed=2)), "less"),
    "base_pass_rate": Effect((0.5, 0.9), lambda k: holdout_size(0.05, knobs=k).n_tasks, "less"),
    "ceiling_pass_rate": Effect((0.9, 0.6), lambda k: eval_power(rows(200, 8, 0.7), 0.1, knobs=k).verdict, ("usable", "saturated")),
    "comparable_shared_share": Effect((0.3, 0.9), said("run both on one task set", rows(20), rows(40)[40:] + rows(40)[120:]), (False, True)),
    "comparable_gap": Effect((0.05, 0.9), said("graded share:", rows(50), cut(rows(50, seed=2), 0.4, **MUTE)), (True, False)),
    "answered_gap": Effect((0.1, 0.9), said("answered share:", rows(50), cut(rows(50, seed=2), 0.4, final_text="")), (True, False)),
    "answered_alpha": Effect((0.1, 0.001), said("answered share:", rows(10), cut(rows(10, seed=2), 0.15, final_text="")), (True, False)),
    "stable_runs": Effect((2, 5), lambda k: bool(eval_variance(*spread_of(0.5, 0.51, 0.52), knobs=k).notes), (False, True)),
    "stable_run_sd": Effect((0.0035, 0.02), stability(0.5, 0.505, 0.51), ("noisy", "stable")),
    "noisy_run_sd": Effect((0.007, 0.004), stability(0.5, 0.505, 0.51), ("noisy", "unstable")),
    "weak_slice_rate": Effect((0.5, 0.9), moved(weak, *SLICED, by="tier"), (False, True)),
    "hard_share_floor": Effect((0.3, 0.1), easy, (True, False)),
    "hack_permutations": Effect((19, 399), scanned(lambda scan: str(scan.to_dict())), "differ"),
    "hack_flips": Effect((99, 999), lambda k: str(hack_scan_diff(hacked(hack=0.0), HACKED, knobs=k).to_dict()), "differ"),
    "hack_min_rows": Effect((20, 300), scanned(lambda scan: "word:zzz" in names(scan)), (True, False)),
    "hack_words": Effect((200, 0), scanned(lambda scan: "word:zzz" in names(scan)), (True, False)),
    "hack_pairs": Effect((0, 12), lambda k: len(hack_scan(VARIED, knobs=k.model_copy(update={"hack_features": 10_000})).features), "more"),
    "hack_features": Effect((3, 30), scanned(lambda scan: len(scan.features)), "more"),
    "hack_perfect_rho": Effect((0.9, 0.999), scanned(lambda scan: scan.regime == "degenerate", parrots()), (True, False)),
    "hack_min_distinct": Effect((3.0, 1.0), lambda k: hack_scan(parrots(), knobs=k.model_copy(update={"hack_perfect_rho": 0.9})).regime == "degenerate", (True, False)),
    "hack_exhausted_share": Effect((0.2, 0.9), solved, ("pool_exhausted", "train")),
    "flag_examples": Effect((1, 5), flag_examples, (1, 5)),
    "confidence_corr": Effect((0.3, 0.9), confident, (True, False)),
}  # fmt: skip
