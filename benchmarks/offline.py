"""Offline cost per row: how it grows with the run, and how far it is from a bare loop doing the same work.

    python benchmarks/offline.py            1,000 and 20,000 rows, interleaved, five rounds
    python benchmarks/offline.py --quick    1,000 and 5,000 rows, two rounds

Ratios only: absolute times depend on the machine. Each measurement is a fresh process on one core; the two sizes of a
round run one after the other, so that a slow minute slows both.

  pinned    the engine with a trivial agent function over a drawn task set, k = 8: mock world bound, rows built and judged
  written   situations drawn and worded by templates for every row (k = 1), the embedded agent playing
  floor     a bare loop: three dict look-ups as a world, a row dict, one JSON line
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

SPEC = Path(__file__).resolve().parent.parent / "experiments" / "refunds"


def floor(rows: int) -> int:
    import orjson

    store = {f"A-{n}": {"status": "delivered", "total": n} for n in range(100)}
    out = []
    for index in range(rows):
        steps = [
            {
                "tool": "get_order",
                "arguments": {"order_id": f"A-{(index + call) % 100}"},
                "result": store[f"A-{(index + call) % 100}"],
            }
            for call in range(3)
        ]
        row = {"prompt": f"refund A-{index}", "steps": steps, "final_text": "done", "reward": 1.0, "rollout_index": index}
        out.append(orjson.dumps(row))
    return len(out)


def engine(rows: int, repeats: int, agent: Any) -> int:
    import asyncio

    from whileai_exp.plan import resolve_plan
    from whileai_exp.run.pipeline import play
    from whileai_exp.run.ports import Given

    config = {
        "mode": "rl",
        "spec": {"path": str(SPEC)},
        "counts": {"situations": rows // repeats, "repeats": repeats},
        "allocation": {"kind": "fixed" if repeats > 1 else "none"},
        "judge": {"kind": "task_checklist"},
    }
    played = asyncio.run(play(resolve_plan(config), Given(agent=agent), judge=True))
    return len(played.rows)


async def trivial(message: str) -> str:
    return "Your request has been noted."


WORK = {
    "floor": floor,
    "pinned": lambda rows: engine(rows, 8, trivial),
    "written": lambda rows: engine(rows, 1, None),
}


def measure(name: str, rows: int) -> dict[str, float]:
    """One fresh process: CPU seconds per row without its start-up, rows delivered, peak memory in MB."""
    done = subprocess.run([sys.executable, __file__, "--one", name, str(rows)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


def one(name: str, rows: int) -> None:
    import resource

    WORK[name](16)  # imports and caches are not part of the growth
    start = time.process_time()
    delivered = WORK[name](rows)
    cpu = time.process_time() - start
    print(
        json.dumps(
            {
                "rows": delivered,
                "us_per_row": cpu / rows * 1e6,
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--one", nargs=2, metavar=("NAME", "ROWS"))
    arguments = parser.parse_args()
    if arguments.one:
        one(arguments.one[0], int(arguments.one[1]))
        return
    small, large, rounds = (1000, 5000, 2) if arguments.quick else (1000, 20000, 5)
    seen: dict[tuple[str, int], list[dict[str, float]]] = {}
    for _ in range(rounds):
        for name in WORK:
            for rows in (small, large):
                seen.setdefault((name, rows), []).append(measure(name, rows))
    print(f"median of {rounds} rounds; us is CPU microseconds per row on this machine, for the ratios beside it")
    for name in WORK:
        per = {rows: [run["us_per_row"] for run in seen[name, rows]] for rows in (small, large)}
        growth = statistics.median(b / a for a, b in zip(per[small], per[large]))
        over = statistics.median(a / b for a, b in zip(per[large], [run["us_per_row"] for run in seen["floor", large]]))
        delivered = min(run["rows"] for run in seen[name, large])
        print(
            f"{name:8s} {statistics.median(per[small]):8.0f} us at {small}  {statistics.median(per[large]):8.0f} us at {large}"
            f"  growth {growth:5.2f}x  {over:7.1f}x floor  rows {int(delivered)}/{large}  peak {max(run['peak_mb'] for run in seen[name, large]):.0f} MB"
        )


if __name__ == "__main__":
    main()
