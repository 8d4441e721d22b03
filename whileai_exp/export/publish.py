"""Publishing rows to a versioned local registry, behind checks.

A version is a folder named by its number and content; its manifest holds hashes, counts, every check's verdict and the
parent version. It appears whole or not at all, and the same rows pushed twice are the same version.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

import orjson

from .._hash import sha
from ..errors import ConfigError, GateError, Problem
from ..gates import refused
from ..knobs import RunKnobs
from ..schema import GateResult, reward_of, task_key
from ..schema.row import row_line
from ..stats.intervals import wilson
from .checks import MODES, checked

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One published version."""

    name: str
    version: int
    sha256: str
    path: Path
    n_rows: int
    gates: tuple[GateResult, ...]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}: {self.n_rows} rows, sha256 {self.sha256[:12]}, {self.path}"


def push_rows(
    rows: Iterable[Mapping[str, Any]],
    name: str,
    *,
    gate: bool = True,
    mode: str = "rl",
    registry: str | os.PathLike[str] = "outputs/registry",
    holdout: Iterable[Mapping[str, Any]] | None = None,
    require_trust: bool = False,
    config: Mapping[str, Any] | None = None,
    knobs: RunKnobs | None = None,
) -> Entry:
    """Publish rows under `name`; the entry says where and as which version.

    `gate=True` checks first: every row judged, groups that disagree (rl), no row that recites its answer key, none graded
    as an evaluation, nothing that looks like a key of somebody's, no ask of `holdout`, and with `require_trust` a judge that
    was measured against gold. GateError (the seeds' PublishGateError) carries every check and nothing is written. Rows
    are stamped with their task's `calibration`; `config` goes into the manifest. Privileged data is never part of what
    is written, gated or not.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(
            Problem("name", f"{name!r} is not a name", "use letters, digits, dot, dash and underscore, at most 100")
        )
    if mode not in MODES:
        raise ConfigError(Problem("mode", f"{mode!r} is not a publishing mode", f"use {' or '.join(MODES)}"))
    given = list(rows)
    kept_out = list(holdout) if holdout is not None else None
    results = checked(given, mode, knobs or RunKnobs(), holdout=kept_out, require_trust=require_trust) if gate else ()
    stopped = refused(results)
    if stopped:
        raise GateError("; ".join(f"{r.gate}: {r.reason}" + (f" ({r.fix})" if r.fix else "") for r in stopped), results)
    lines = [row_line(row) for row in calibrated(given)]
    digest = sha(b"".join(lines))
    home = Path(registry) / name
    home.mkdir(parents=True, exist_ok=True)
    versions = sorted((int(p.name.split("-")[0][1:]), p) for p in home.iterdir() if re.fullmatch(r"v\d+-[0-9a-f]{12}", p.name))
    same = next((p for _, p in versions if p.name.endswith(digest[:12])), None)
    if same is not None:
        return Entry(name, int(same.name.split("-")[0][1:]), digest, same, len(given), results)
    version = versions[-1][0] + 1 if versions else 1
    final = home / f"v{version}-{digest[:12]}"
    manifest = {
        "name": name,
        "version": version,
        "mode": mode,
        "sha256": digest,
        "n_rows": len(given),
        "parent": versions[-1][1].name if versions else None,
        "gated": gate,
        "gates": [result.to_dict() for result in results],
        "policy_versions": sorted({str(row["policy_version"]) for row in given if row.get("policy_version")}),
        "code": version_of("whileai-exp"),
        "holdout": {"n_rows": len(kept_out), "sha256": sha(b"".join(map(row_line, kept_out)))} if kept_out is not None else None,
        "config": config,
        "judges": sorted({str(row["judge_name"]) for row in given if row.get("judge_name")}),
    }
    _write_whole(
        final,
        {
            "rows.jsonl": b"".join(lines),
            "manifest.json": orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS),
        },
    )
    return Entry(name, version, digest, final, len(given), results)


def calibrated(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Copies that say how hard their task is: `calibration {n, pass_rate, pass_rate_ci95}` over the task's judged rows.

    A row that was calibrated before, on more rollouts than are published, keeps that.
    """
    copies = [dict(row) for row in rows]
    judged: dict[Any, list[float]] = {}
    for row in copies:
        reward = reward_of(row.get("reward"))
        if reward is not None:
            judged.setdefault(task_key(row), []).append(float(reward >= 1.0))
    for row in copies:
        found = judged.get(task_key(row))
        if found and not isinstance(row.get("calibration"), Mapping):
            ends = wilson(sum(found), len(found))
            row["calibration"] = {
                "n": len(found),
                "pass_rate": sum(found) / len(found),
                "pass_rate_ci95": [ends.low, ends.high] if ends is not None else None,
            }
    return copies


def _write_whole(final: Path, files: Mapping[str, bytes]) -> None:
    partial = final.with_name(final.name + ".part")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    for name, data in files.items():
        (partial / name).write_bytes(data)
    os.replace(partial, final)
