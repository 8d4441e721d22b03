"""All benchmarks, one after the other, into one file: `make bench`.

    python benchmarks/all.py             short forms, about ten minutes on two idle cores
    python benchmarks/all.py --full      the forms that may be quoted

Ratios within a round are what counts; run it where nothing else runs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPTS: dict[str, tuple[list[str], list[str]]] = {
    "client": (["--quick"], []),
    "rollouts": (["--quick"], []),
    "offline": (["--rows", "1000", "5000", "--rounds", "2"], ["--rows", "1000", "20000"]),
    "judging": (["--rounds", "2"], []),
    "selection": ([], ["--rows", "100000"]),
    "stats": ([], []),
}
"""Script to its arguments in the short and in the full form."""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--out", type=Path, default=HERE.parent / "outputs" / "benchmarks.txt")
    arguments = parser.parse_args()
    arguments.out.parent.mkdir(exist_ok=True)
    failed = []
    with arguments.out.open("w", encoding="utf-8") as table:
        for name, forms in SCRIPTS.items():
            began = time.monotonic()
            command = [sys.executable, str(HERE / f"{name}.py"), *forms[arguments.full]]
            done = subprocess.run(command, capture_output=True, text=True)
            text = f"== {name} ({time.monotonic() - began:.0f} s)\n{done.stdout}"
            if done.returncode:
                failed.append(name)
                text += f"failed with {done.returncode}: {done.stderr.strip().splitlines()[-1:]}\n"
            print(text, flush=True)
            table.write(text)
    print(f"written to {arguments.out}" + (f"; failed: {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
