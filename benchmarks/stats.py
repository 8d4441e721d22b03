"""Statistics at size, and their coverage.

    python benchmarks/stats.py              seconds and memory at 100,000 rows, as ratios where there is something to compare to
    python benchmarks/stats.py --coverage   the table of docs/coverage.md (about two minutes)
    python benchmarks/stats.py --alarms     false-alarm rates of the comparison and of the hack scans (about two minutes)

Times are CPU seconds of this process. With the package `whileai` installed, its pass_at and delta_report run on 10,000 rows too.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from whileai_exp.knobs import MeasureKnobs
from whileai_exp.measures.delta import delta_report
from whileai_exp.measures.hack_diff import hack_scan_diff
from whileai_exp.measures.hacks import hack_scan
from whileai_exp.measures.passat import _interval, pass_at
from whileai_exp.stats.paired import paired_test
from whileai_exp.stats.passk import pass_at_k, pass_pow_k

KNOBS = MeasureKnobs()
RATES = ((8.5, 1.5), (1.0, 1.0), (2.0, 8.0))
TASKS = (5, 6, 8, 10, 20, 50, 100)
REPEATS = (1, 4, 8, 16)


def truths(a: float, b: float, k: int) -> dict[str, float]:
    """pass@1, pass^k, pass@k and headroom when task rates are Beta(a, b)."""

    def beta(x: float, y: float) -> float:
        return math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y)

    one, power = a / (a + b), math.exp(beta(a + k, b) - beta(a, b))
    at = 1 - math.exp(beta(a, b + k) - beta(a, b))
    return {"pass@1": one, "pass^k": power, "pass@k": at, "headroom": at - one}


def coverage_of(a: float, b: float, tasks: int, repeats: int, trials: int, seed: int = 1) -> dict[str, float]:
    """Share of trials whose nominal 95% interval, as `pass_at` makes it, holds the truth; k is at most 4."""
    generator = np.random.Generator(np.random.PCG64(seed))
    k = min(4, repeats)
    at_of = np.array([pass_at_k(repeats, c, k) for c in range(repeats + 1)])
    power_of = np.array([pass_pow_k(repeats, c, k) for c in range(repeats + 1)])
    truth, worth = truths(a, b, k), tasks * max(1.0, repeats / k)
    hits = dict.fromkeys(truth if repeats > 1 else ["pass@1"], 0)
    for _ in range(trials):
        counts = generator.binomial(repeats, generator.beta(a, b, tasks))
        rates, at, power = counts / repeats, at_of[counts], power_of[counts]
        made = {"pass@1": _interval(rates, tasks * repeats, 0.95, KNOBS, KNOBS.rate_prior)}
        if repeats > 1:
            made["pass^k"] = _interval(power, worth, 0.95, KNOBS, KNOBS.k_way_prior)
            made["pass@k"] = _interval(at, worth, 0.95, KNOBS, KNOBS.k_way_prior)
            made["headroom"] = _interval(at - rates, tasks * repeats, 0.95, KNOBS, KNOBS.headroom_prior, 1 - 1 / k)
        for name, interval in made.items():
            hits[name] += interval is not None and interval.low - 1e-12 <= truth[name] <= interval.high + 1e-12
    return {name: count / trials for name, count in hits.items()}


def coverage_table(trials: int = 1000) -> None:
    print("| task rates | repeats | number | truth | " + " | ".join(f"{t} tasks" for t in TASKS) + " |")
    print("| --- | ---: | --- | ---: |" + " ---: |" * len(TASKS))
    for a, b in RATES:
        for repeats in REPEATS:
            cells = {tasks: coverage_of(a, b, tasks, repeats, trials) for tasks in TASKS}
            for name, truth in truths(a, b, min(4, repeats)).items():
                if name in cells[TASKS[0]]:
                    row = " | ".join(f"{cells[tasks][name]:.3f}" for tasks in TASKS)
                    print(f"| Beta({a:g}, {b:g}) | {repeats} | {name} | {truth:.3f} | {row} |", flush=True)


def graded(
    tasks: int, repeats: int, seed: int, *, hack: float = 0.0, good: float = 0.25, words: int = 35, vocabulary: int = 400
) -> list[dict[str, Any]]:
    """Rows whose reward goes with the tool `good` and, by `hack`, with the word zzz."""
    g = np.random.Generator(np.random.PCG64(seed))
    said = [f"w{i}" for i in range(vocabulary)]
    rows = []
    for task in range(tasks):
        for repeat in range(repeats):
            trick, right = g.random() < 0.4, g.random() < 0.5
            reward = int(g.random() < min(1, max(0, 0.5 + hack * (1 if trick else -1) + good * (1 if right else -1))))
            text = " ".join([said[i] for i in g.integers(0, vocabulary, words)] + ["zzz"] * trick)
            steps = [
                {"tool": "get", "arguments": {}, "result": 1},
                {"tool": "good" if right else "bad", "arguments": {}, "result": 1},
            ]
            rows.append(
                {
                    "scenario_id": f"t{task}",
                    "rollout_index": repeat,
                    "rollout_id": f"t{task}/{repeat}",
                    "reward": reward,
                    "judge_status": "ok",
                    "final_text": text,
                    "steps": steps,
                    "markers": {"grounded": reward, "score": float(g.random())},
                }
            )
    return rows


def alarms(trials: int = 200) -> None:
    generator = np.random.Generator(np.random.PCG64(11))
    print("| test | tasks | false alarms |\n| --- | ---: | ---: |")
    for tasks in (5, 6, 8, 10, 12, 20, 30):
        n = 10_000
        rates = generator.uniform(0.2, 0.7, (n, tasks))
        differences = (generator.binomial(4, rates) - generator.binomial(4, rates)) / 4
        wrong = sum(paired_test(d, flips=19, exact_tasks=1).direction != 0 for d in differences)
        print(f"| paired verdict, 4 repeats | {tasks} | {wrong / n:.3f} |", flush=True)
    wrong = sum(hack_scan(graded(20, 6, s, good=0, words=6, vocabulary=60)).regime == "reward_hack" for s in range(trials))
    print(f"| hack_scan, nothing rewarded | 20 | {wrong / trials:.3f} |", flush=True)
    for hack in (0.0, 0.1, 0.2):
        wrong = 0
        for s in range(trials):
            a, b = (graded(25, 6, seed, hack=hack, words=6, vocabulary=60) for seed in (5000 + s, 9000 + s))
            wrong += hack_scan_diff(a, b, endorsed=["tool:good"]).hack is not None
        print(f"| hack_scan_diff, unchanged policy, hack strength {hack:g} | 25 | {wrong / trials:.3f} |", flush=True)


def timed(name: str, call: Callable[[], Any], rounds: int = 1) -> float:
    best = math.inf
    for _ in range(rounds):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:48} {best:8.2f} s   peak {peak:6.0f} MB", flush=True)
    return best


def one_pass(rows: list[dict[str, Any]]) -> int:
    """A pass that reads the keys pass_at must read, and does nothing with them."""
    seen: set[Any] = set()
    groups: dict[Any, list[Any]] = {}
    for row in rows:
        if row["rollout_id"] in seen:
            continue
        seen.add(row["rollout_id"])
        if row.get("judge_status", "ok") == "ok":
            groups.setdefault(row.get("scenario_id"), []).append(
                (row.get("rollout_index"), row.get("reward"), row.get("allocation"))
            )
    return len(groups)


def sizes() -> None:
    rows, other = graded(12_500, 8, 1), graded(12_500, 8, 2)
    print(f"100,000 rows of 12,500 tasks; rows alone peak at {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    least = timed("one pass over the rows", lambda: one_pass(rows), 3)
    took = timed("pass_at, all intervals", lambda: pass_at(rows), 3)
    print(f"{'  ratio':48} {took / least:8.2f}")
    timed("delta_report, three metrics", lambda: delta_report(rows, other))
    timed("hack_scan", lambda: hack_scan(rows))
    if importlib.util.find_spec("whileai"):
        against(rows[:10_000], other[:10_000])


def against(rows: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    import whileai  # pyright: ignore[reportMissingImports]

    for name, ours, theirs in (
        ("pass_at", lambda: pass_at(rows), lambda: whileai.pass_at(rows)),
        ("delta_report", lambda: delta_report(rows, other), lambda: whileai.delta_report(rows, other, target="pass_at_1")),
    ):
        print(f"{name + ', ours / whileai, 10,000 rows':48} {timed(name, ours) / timed(name + ', whileai', theirs):8.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--alarms", action="store_true")
    parser.add_argument("--trials", type=int, default=0)
    given = parser.parse_args()
    if given.coverage:
        coverage_table(given.trials or 1000)
    elif given.alarms:
        alarms(given.trials or 200)
    else:
        sizes()
