"""Runs the corpus of hostile and honest programs against CodeExec and prints the level and the table (`make sandbox-check`).

    python tests/sandbox_check.py [--level N] [--parallel N] [--times N]

Ends with 1 when a wrong answer was paid, a control was not, or a reason quoted a hidden test.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from whileai_exp.verify import CodeExec
from whileai_exp.verify._levels import held, level_of_this_machine

CORPUS = Path(__file__).resolve().parent / "data" / "hostile"
FURTHER = CORPUS.with_name("hostile_more")
NEEDS_PROCESSES = frozenset({"c07_multiprocessing.py", "c21_leaves_child.py"})
"""Honest programs that start processes, which level 2 does not allow."""


class Program(NamedTuple):
    """One program of the corpus."""

    name: str
    kind: str
    task: str
    reward: float
    reply: str
    forbidden: str | None


def corpus(folder: Path = CORPUS) -> list[Program]:
    """All programs of a folder, with their fences and transformations."""
    return [_read(path) for path in sorted(folder.glob("*.py"))]


def _read(path: Path) -> Program:
    head, body = path.read_text("utf-8").split("# ---\n", 1)
    given = dict(re.findall(r"^# (\w+): ?(.*)$", head, re.MULTILINE))
    if given.get("transform") == "surrogate":
        body = body.replace("@@SURR@@", "\ud800")
    if given.get("transform") == "crlf":
        body = body.replace("\n", "\r\n")
    if given.get("wrap") == "usage":
        body = f"Here:\n```python\n{body}\n```\nUse it:\n```python\nprint(solve(3))\n```\n"
    elif "wrap" in given:
        body = f"Sure.\n```{given['wrap']}\n{body}\n```\nDone."
    return Program(
        path.name, given["class"], given["task"], float(given["expect"].split("=")[1]), body, given.get("forbid_in_reason")
    )


def check(program: Program, tests: dict[str, str], level: int) -> tuple[list[str], dict[str, Any], float]:
    """What went wrong with one program, its verdict, and the seconds it took."""
    judge = CodeExec(tests=tests[program.task], level=level, min_level=level)
    start = time.monotonic()
    told = judge({"final_text": program.reply})
    took = time.monotonic() - start
    wrong = []
    if program.kind != "weak_tests" and told["reward"] != program.reward and not (level == 2 and program.name in NEEDS_PROCESSES):
        wrong.append("PAID" if told["reward"] else "not paid" if program.reward else "not judged")
    said = str(told)
    if (
        "HIDDEN_TEST_CANARY" in said
        or "CANARY-SECRET" in said
        or (program.forbidden and re.search(program.forbidden, str(told["reason"])))
    ):
        wrong.append("LEAK")
    if took > 12.0 + 0.5 * (os.getloadavg()[0] > 4):
        wrong.append("late")
    return wrong, told, took


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    best, why = level_of_this_machine()
    parser.add_argument("--level", type=int, default=best)
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("--times", type=int, default=1)
    asked = parser.parse_args()
    print(f"this machine holds at level {best}{f' ({why})' if why else ''}; running at {asked.level}")
    if held(asked.level):
        print(f"level {asked.level} does not hold: {held(asked.level)}")
        return 1
    failures = 0
    for folder in (CORPUS, FURTHER) * asked.times:
        tests = json.loads((folder / "tests.json").read_text("utf-8"))
        programs = corpus(folder)
        with ThreadPoolExecutor(asked.parallel) as pool:
            found = list(pool.map(lambda program: check(program, tests, asked.level), programs))
        for program, (wrong, told, took) in zip(programs, found):
            print(
                f"{program.name:32} {program.kind:13} {told['reward']!s:5} {told['reason'][:32]:32} {took:5.2f} s  {' '.join(wrong) or 'ok'}"
            )
        bad = sum(bool(wrong) for wrong, _, _ in found)
        hostile = [f for p, f in zip(programs, found) if p.reward == 0 and p.kind != "weak_tests"]
        controls = [f for p, f in zip(programs, found) if p.reward == 1]
        print(
            f"{len(hostile)} hostile: {sum(f[1]['reward'] == 1 for f in hostile)} paid, {sum(not f[0] for f in hostile)} contained; "
            f"{sum(f[1]['reward'] == 1 for f in controls)} of {len(controls)} controls right; "
            f"median {sorted(f[2] for f in found)[len(found) // 2]:.2f} s"
        )
        if weak := [
            f"{p.name} {'paid' if f[1]['reward'] == 1 else 'not paid'}" for p, f in zip(programs, found) if p.kind == "weak_tests"
        ]:
            print(f"not counted, their tests cannot tell them from right answers: {', '.join(weak)}")
        failures += bad
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
