"""Offline cost per row: how it grows with the run, and how far it is from a bare loop doing the same work.

    python benchmarks/offline.py                     1,000 and 20,000 rows, interleaved, five rounds
    python benchmarks/offline.py --rows 500 2000     other sizes
    python benchmarks/offline.py --rounds 2          fewer rounds

Ratios only: absolute times depend on the machine. Each measurement is a fresh process on one core; the two sizes of a
round run one after the other, so that a slow minute slows both. Exit code 1 when a goal is missed: every row of the
budget delivered, and CPU per row of the large run at most 1.1 times that of the small one.

  pinned    the engine over a given task set (drawn before the clock starts), k = 8, with a trivial agent function: mock
            world bound, rows built and judged
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
from collections.abc import Callable, Mapping
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


def engine(rows: int, repeats: int, agent: Any, pinned: bool) -> Callable[[], int]:
    """The run, ready to start: what is returned plays `rows` rollouts and says how many rows came of it."""
    import asyncio

    from whileai_exp.knobs import RunKnobs
    from whileai_exp.plan import resolve_plan
    from whileai_exp.run.pipeline import play
    from whileai_exp.run.ports import Given
    from whileai_exp.situations import DrawRequest, draw_tasks
    from whileai_exp.spec import load_spec

    situations = rows // repeats
    config = {
        "mode": "rl",
        "spec": {"path": str(SPEC)},
        "counts": {"situations": situations, "repeats": repeats},
        "budget": {"rollouts": rows},
        "allocation": {"kind": "fixed" if repeats > 1 else "none"},
        "judge": {"kind": "task_checklist"},
    }
    plan = resolve_plan(config)
    request = DrawRequest(situations, fault_rate=0.8, prefer_success=False)
    tasks = draw_tasks(load_spec(SPEC).spec, request, RunKnobs(), 0) if pinned else None
    return lambda: len(asyncio.run(play(plan, Given(agent=agent, tasks=tasks), judge=True)).rows)


async def trivial(message: str) -> str:
    return "Your request has been noted."


WORK: dict[str, Callable[[int], Callable[[], int]]] = {
    "floor": lambda rows: lambda: floor(rows),
    "pinned": lambda rows: engine(rows, 8, trivial, pinned=True),
    "written": lambda rows: engine(rows, 1, None, pinned=False),
}
MOST_GROWTH = 1.1
"""G9: CPU per row of the large run over that of the small one."""


def measure(name: str, rows: int) -> dict[str, float]:
    """One fresh process: CPU seconds per row without its start-up, rows delivered, peak memory in MB."""
    done = subprocess.run([sys.executable, __file__, "--one", name, str(rows)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


def one(name: str, rows: int) -> None:
    import resource

    WORK[name](16)()  # imports and caches are not part of the growth
    work = WORK[name](rows)
    start = time.process_time()
    delivered = work()
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


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", nargs=2, type=int, default=(1000, 20_000), metavar=("SMALL", "LARGE"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--one", nargs=2, metavar=("NAME", "ROWS"))
    arguments = parser.parse_args()
    if arguments.one:
        one(arguments.one[0], int(arguments.one[1]))
        return 0
    small, large = arguments.rows
    seen: dict[tuple[str, int], list[dict[str, float]]] = {}
    for _ in range(arguments.rounds):
        for name in WORK:
            for rows in (small, large):
                seen.setdefault((name, rows), []).append(measure(name, rows))
    print(f"median of {arguments.rounds} rounds; us is CPU microseconds per row on this machine, for the ratios beside it")
    missed = [line for name in WORK for line in told(name, small, large, seen)]
    print("\n".join(missed) or "goals met: every row delivered, growth within bounds")
    return bool(missed)


def told(name: str, small: int, large: int, seen: Mapping[tuple[str, int], list[dict[str, float]]]) -> list[str]:
    """Print one kind of work; the goals it misses."""
    per = {rows: [run["us_per_row"] for run in seen[name, rows]] for rows in (small, large)}
    growth = statistics.median(b / a for a, b in zip(per[small], per[large]))
    over = statistics.median(a / b for a, b in zip(per[large], [run["us_per_row"] for run in seen["floor", large]]))
    delivered = {rows: min(int(run["rows"]) for run in seen[name, rows]) for rows in (small, large)}
    print(
        f"{name:8s} {statistics.median(per[small]):8.0f} us at {small}  {statistics.median(per[large]):8.0f} us at {large}"
        f"  growth {growth:5.2f}x  {over:7.1f}x floor  rows {delivered[large]}/{large}"
        f"  peak {max(run['peak_mb'] for run in seen[name, large]):.0f} MB"
    )
    missed = [f"MISSED {name}: {delivered[rows]} of {rows} rows" for rows in delivered if delivered[rows] != rows]
    if name != "floor" and growth > MOST_GROWTH:
        missed.append(f"MISSED {name}: growth {growth:.2f}x, above {MOST_GROWTH}x")
    return missed


if __name__ == "__main__":
    sys.exit(main())
