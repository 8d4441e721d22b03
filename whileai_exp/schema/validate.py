"""Whether a row on the wire is one: the check behind the JSON Schema that ships with the package."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any

import orjson

from ..errors import Problem


@lru_cache(maxsize=1)
def row_schema() -> Mapping[str, Any]:
    """The JSON Schema of version 1 rows."""
    return orjson.loads((resources.files("whileai_exp") / "schemas" / "row-v1.json").read_bytes())


@lru_cache(maxsize=1)
def _validator() -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(row_schema())


def row_problems(row: Mapping[str, Any]) -> list[Problem]:
    """Everything that keeps `row` from being a version 1 row; empty when it is one."""
    found = [
        Problem(".".join(map(str, error.absolute_path)) or "row", error.message[:300])
        for error in sorted(_validator().iter_errors(dict(row)), key=lambda error: list(map(str, error.absolute_path)))
    ]
    reward = row.get("reward")
    if reward != reward:
        found.append(Problem("reward", "is not a number: write null and a judge_status"))
    return found
