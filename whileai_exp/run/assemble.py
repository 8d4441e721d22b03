"""The run record: everything about a run that is not a row, made of what the stages left."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Mapping
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from .._hash import sha
from ..plan import Plan

_PACKAGES = ("whileai-exp", "hydra-core", "omegaconf", "pydantic", "numpy", "scipy", "aiohttp", "orjson", "mlflow", "jsonschema")


@lru_cache(maxsize=1)
def code_identity() -> Mapping[str, Any]:
    """Package version, and the commit of the checkout the code runs from (None outside one)."""
    root = Path(__file__).resolve().parents[2]
    commit = _git(root, "rev-parse", "HEAD")
    dirty = bool(_git(root, "status", "--porcelain")) if commit else None
    return {"version": _version("whileai-exp"), "commit": commit, "dirty": dirty}


@lru_cache(maxsize=1)
def environment() -> Mapping[str, Any]:
    """What the run ran on: interpreter, platform and package versions."""
    return {
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "platform": platform.system(),
        "machine": platform.machine(),
        "packages": {name: version for name in _PACKAGES if (version := _version(name)) is not None},
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _git(root: Path, *arguments: str) -> str | None:
    if not (root / ".git").exists():
        return None
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def config_sha(config: Mapping[str, Any]) -> str:
    """Identity of what is run: the resolved configuration without where it is recorded. Versioned, so it may change."""
    return "v1:" + sha({key: value for key, value in config.items() if key != "record"}, 16)


def shas_of(plan: Plan, rows_sha: str | None) -> dict[str, str]:
    out = {"spec": plan.spec.sha, "prompt": plan.spec.prompt_sha, "config": config_sha(plan.config)}
    if plan.spec.rubric:
        out["rubric"] = sha(plan.spec.rubric, 16)
    if rows_sha:
        out["rows"] = rows_sha
    return out


def run_id_of(plan: Plan, salt: str) -> str:
    """12 hex that name this run; `salt` (the run directory) keeps two runs of one configuration apart."""
    return sha([config_sha(plan.config), salt], 12)
