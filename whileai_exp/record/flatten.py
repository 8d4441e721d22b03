"""A record as MLflow wants it: flat string params, finite metrics, tags; what does not fit becomes an artifact.

Names follow MLflow's rules (letters, digits, `_ - . / :` and space). Params are the whole resolved configuration, one
leaf each; a value longer than MLflow keeps is replaced by its hash and listed in `long_values`. A measure without a
value is a tag that says why, never a zero.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from .._hash import canonical, leaves, sha
from ..plan import Plan

MAX_PARAM = 5500
_BAD = re.compile(r"[^\w\-./: ]")


def key_of(name: str) -> str:
    """`name` with what MLflow rejects replaced, at most 250 characters."""
    cleaned = _BAD.sub("_", name).replace("//", "_/").strip("/") or "_"
    return cleaned if len(cleaned) <= 250 else cleaned[:230] + "_" + sha(name, 16)


def params_of(config: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """(params, long values): every leaf as text; leaves too long for a param are in the second, by name."""
    params: dict[str, str] = {}
    long: dict[str, str] = {}
    for path, value in leaves(config):
        text = value if isinstance(value, str) else canonical(value).decode()
        if len(text) > MAX_PARAM:
            long[path] = text
            text = f"sha256:{sha(text)} ({len(text)} characters, see long_values/)"
        params[key_of(path)] = text
    return params, long


def changed_of(plan: Plan) -> str:
    """The knobs that differ from their defaults, as `name=value` text; comparing runs starts here."""
    fields = type(plan.knobs).model_fields
    changed = [f"{name}={getattr(plan.knobs, name)}" for name in fields if getattr(plan.knobs, name) != fields[name].default]
    return ", ".join(changed)


def metrics_of(record: Mapping[str, Any]) -> tuple[dict[str, float], dict[str, str]]:
    """(metrics, tags for what has no number) of `record.json`: each measure with n and interval, gates, counts, timings."""
    metrics: dict[str, float] = {}
    tags: dict[str, str] = {}

    def put(name: str, value: Any) -> None:
        if isinstance(value, (int, float)) and isfinite(value):
            metrics[key_of(name)] = float(value)
        elif value is not None:
            tags[key_of(f"{name}.missing")] = str(value)

    for measure in record["measures"]:
        name = measure["name"]
        if measure["value"] is None:
            tags[key_of(f"{name}.missing")] = measure["note"][:4000]
        else:
            put(name, measure["value"])
        put(f"{name}.n", measure["n"])
        if measure["interval"] is not None:
            put(f"{name}.low", measure["interval"][0])
            put(f"{name}.high", measure["interval"][1])
            tags[key_of(f"{name}.method")] = measure["method"]
    for name, value in record["counts"].items():
        put(f"count/{name}", value)
    for name, value in record["timings"].items():
        put(f"seconds/{name}", value)
    for path, value in leaves(record["usage"]):
        if isinstance(value, (int, float)):
            put(f"usage/{path}", value)
    for gate in record["gates"]:
        status = str(gate["status"])
        tags[key_of(f"gate.{gate['gate']}")] = f"{status}: {gate['reason']}"[:4000]
        put(f"gate/{gate['gate']}", 1.0 if status == "pass" else 0.0 if status == "fail" else None)
    return metrics, tags
