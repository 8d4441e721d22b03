"""The JSON Schema of an experiment file, for editors that complete and check YAML while one writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .experiment import ExperimentConfig

_INTERPOLATION = {"type": "string", "pattern": r"^\$\{.*\}$"}


def editor_schema() -> dict[str, Any]:
    """Every key with its bounds, default, meaning and where the default comes from. A `${…}` may stand for any value."""
    schema = ExperimentConfig.model_json_schema()
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "whileai_exp experiment"}
    schema["properties"] = {
        "defaults": {"type": "array", "description": "Hydra's defaults list: `override /judge: llm` takes conf/judge/llm.yaml"},
        **{name: _open(part) for name, part in schema["properties"].items()},
    }
    for part in schema["$defs"].values():
        if "properties" in part:
            part["properties"] = {name: _open(inner) for name, inner in part["properties"].items()}
    return schema


def _open(part: Mapping[str, Any]) -> dict[str, Any]:
    about = {key: part[key] for key in ("title", "description", "default") if key in part}
    return {**about, "anyOf": [dict(part), _INTERPOLATION]}
