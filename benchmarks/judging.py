"""What judging costs beside the judge: seconds for the rows through `run_judge` over the judge's own seconds on them.

    python benchmarks/judging.py                 10,000 rows, five rounds, both ways in each
    python benchmarks/judging.py --rows 2000

Each round times the bare loop `for row in rows: judge(row)` and then `run_judge` with the same function, in CPU seconds of
this process. The judges are one that only reads a field, one that searches the reply, and one that reads every message.
`run_judge` owes each call a row of its own, a deadline, a status and a record, which the bare loop does not give.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from meter import spread
from selection import rows_of

import whileai_exp as wai

_GOAL = 5.0
_PROMISE = re.compile(r"\b(?:r1[0-9]{2}|r7[0-9]{2})\b(?=.*\br1[0-9]+\b)")


def reads_a_field(row: Mapping[str, Any]) -> float:
    return float(len(row["final_text"]) > 150)


def searches(row: Mapping[str, Any]) -> float:
    return float(_PROMISE.search(row["final_text"]) is not None)


def reads_all(row: Mapping[str, Any]) -> float:
    words = [word for message in row["messages"] for word in re.findall(r"\w+", message["content"].lower())]
    shown = json.dumps({"words": sorted(set(words)), "steps": row.get("steps") or []})
    return float(len(shown) % 2)


JUDGES: tuple[Callable[[Mapping[str, Any]], float], ...] = (reads_a_field, searches, reads_all)


def seconds(work: Callable[[], Any]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    rows = rows_of(arguments.rows, 1)
    for judge in JUDGES:
        own: list[float] = []
        through: list[float] = []
        for _ in range(arguments.rounds):
            own.append(seconds(lambda judge=judge: [judge(row) for row in rows]))
            through.append(seconds(lambda judge=judge: wai.run_judge(rows, judge)))
        each = [1e6 * min(times) / len(rows) for times in (own, through)]
        ratio = spread([a / b for a, b in zip(through, own, strict=True)])
        print(
            f"{judge.__name__:14s} {ratio}  goal < {_GOAL:.0f}   alone {each[0]:.1f} us per row, judged {each[1]:.1f} us per row"
        )


if __name__ == "__main__":
    main()
