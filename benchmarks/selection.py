"""Selection at size: seconds, memory and growth.

    python benchmarks/selection.py                 10,000 rows and 20,000, so that the growth is seen
    python benchmarks/selection.py --rows 100000   at the size of the goals

Times are CPU seconds of this process. The asks are templated: few templates, many fillers, which is the hard case for finding
texts that share most of their words.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from whileai_exp.selection import build_preference_pairs, decontaminate, near_duplicate_prompts, optimize

GOALS_S = {"optimize": 60, "decontaminate": 30, "decontaminate, every row a new ask": 30, "near duplicates": 10}


def asks(count: int, seed: int, *, templates: int = 40, words: int = 30) -> list[str]:
    """Asks of few templates: each has a tenth of its words filled in, so that asks of a template share nine tenths."""
    g = np.random.Generator(np.random.PCG64(1))
    frames = [[f"w{i}" for i in g.integers(0, 600, words)] for _ in range(templates)]
    g = np.random.Generator(np.random.PCG64(seed))
    out = []
    for _ in range(count):
        said = list(frames[g.integers(0, templates)])
        for at in g.choice(words, words // 10, replace=False):
            said[at] = f"x{g.integers(0, 50_000)}"
        out.append(" ".join(said))
    return out


def rows_of(n: int, seed: int, *, repeats: int = 8) -> list[dict[str, Any]]:
    """Judged rollouts with replies of their own, two tool calls and a marker."""
    g = np.random.Generator(np.random.PCG64(seed))
    prompts = asks(n // repeats, seed)
    said = [f"r{i}" for i in range(2000)]
    out = []
    for at in range(n):
        task = at // repeats
        reply = " ".join(said[i] for i in g.integers(0, 2000, 35))
        messages = [{"role": "user", "content": prompts[task]}, {"role": "assistant", "content": reply}]
        out.append(
            {
                "scenario_id": f"t{task}",
                "rollout_id": f"t{task}/{at % repeats}",
                "rollout_index": at % repeats,
                "prompt": prompts[task],
                "messages": messages,
                "final_text": reply,
                "reward": int(g.random() < 0.1 + 0.8 * (task % 10) / 9),
                "judge_status": "ok",
                "status": "ok",
                "behavior_signature": f"b{g.integers(0, 40)}",
                "steps": [
                    {"tool": "get", "arguments": {}, "result": 1},
                    {"tool": f"put{g.integers(0, 4)}", "arguments": {}, "result": 1},
                ],
                "markers": {"score": float(g.random())},
            }
        )
    return out


def timed(name: str, n: int, call: Callable[[], Any]) -> float:
    start = time.process_time()
    told = call()
    took = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:40} {n:>8,} {took:8.2f} s   peak {peak:6.0f} MB   {told}", flush=True)
    return took


def at_size(n: int) -> dict[str, float]:
    rows = rows_of(n, 1)
    evals = [{"prompt": ask} for ask in asks(5_000, 2)]
    distinct = [{"scenario_id": f"d{i}", "prompt": ask} for i, ask in enumerate(asks(n, 3))]

    def decontaminated(given: list[dict[str, Any]]) -> str:
        return f"{decontaminate(given, evals)[1]['n_contaminated']} contaminated"

    return {
        "optimize": timed("optimize, rl", n, lambda: f"{len(optimize(rows, mode='rl', target=n)[0])} kept"),
        "optimize without the hack scan": timed(
            "  without the hack scan", n, lambda: f"{len(optimize(rows, mode='rl', target=n, scan=False)[0])} kept"
        ),
        "sft": timed("optimize, sft", n, lambda: f"{len(optimize(rows, mode='sft')[0])} kept"),
        "pairs": timed("build_preference_pairs", n, lambda: f"{len(build_preference_pairs(rows)[0])} pairs"),
        "decontaminate": timed("decontaminate, 5,000 templated texts", n, lambda: decontaminated(rows)),
        "decontaminate, every row a new ask": timed("  every row a new ask", n, lambda: decontaminated(distinct)),
        "near duplicates": timed(
            f"near duplicates, {n // 8:,} asks", n, lambda: f"{near_duplicate_prompts(rows).n_near} near an earlier one"
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=0)
    given = parser.parse_args()
    if given.rows:
        at_size(given.rows)
        return
    one, two = at_size(10_000), at_size(20_000)
    print("\n| call | growth for twice the rows | at 100,000 rows, extrapolated | goal |\n| --- | ---: | ---: | ---: |")
    for name, seconds in two.items():
        goal = f"{GOALS_S[name]} s" if name in GOALS_S else ""
        print(f"| {name} | {seconds / max(one[name], 1e-9):.2f} | {one[name] + (seconds - one[name]) * 9:.1f} s | {goal} |")


if __name__ == "__main__":
    main()
