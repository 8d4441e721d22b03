"""Running the product as a person does: as a process, in an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """`run(*arguments, env=…)`: `python -m whileai_exp …` in an empty folder."""

    def call(
        *arguments: str, env: dict[str, str] | None = None, check: bool = False, timeout: float = 110
    ) -> subprocess.CompletedProcess[str]:
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("WHILEAI", "MLFLOW", "OPENAI"))}
        done = subprocess.run(
            [sys.executable, "-m", "whileai_exp", *arguments],
            cwd=tmp_path,
            env={**clean, **(env or {})},
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        if check and done.returncode != 0:
            raise AssertionError(f"exit {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    return call


@pytest.fixture
def run_dir(tmp_path: Path) -> Callable[[str], Path]:
    """The only run directory of an experiment."""

    def find(name: str = "rl_v1") -> Path:
        (found,) = [path for path in (tmp_path / "outputs" / name).iterdir() if path.is_dir()]
        return found

    return find
