"""Every block of the docs that can be run is run: the tutorial as a newcomer would, the how-tos as one program."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
_BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
_FILE = re.compile(r"# file: (\S+)\n")
RUNNABLE = ("python", "bash")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


def environment() -> dict[str, str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("WHILEAI", "MLFLOW", "OPENAI"))}
    return {**clean, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


@pytest.mark.parametrize("page", sorted(path.name for path in DOCS.glob("*.md")))
def test_the_blocks_of_a_page_run_in_order(page: str, tmp_path: Path) -> None:
    program: list[str] = []
    for language, text in _BLOCK.findall((DOCS / page).read_text("utf-8")):
        if language not in RUNNABLE:
            continue
        if named := _FILE.match(text):
            (tmp_path / named[1]).write_text(text, "utf-8")
        elif language == "python":
            program.append(text)
        else:
            done = subprocess.run(
                ["bash", "-ec", text], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=110
            )
            assert done.returncode == 0, text + done.stdout + done.stderr
    if program:
        (tmp_path / "page.py").write_text("\n\n".join(program), "utf-8")
        done = subprocess.run(
            [sys.executable, "page.py"], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=110
        )
        assert done.returncode == 0, done.stdout + done.stderr
