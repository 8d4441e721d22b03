"""The schema for editors takes every shipped experiment and refuses what the checks refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from whileai_exp.config.places import conf_dir
from whileai_exp.config.starter import starter_files
from whileai_exp.knobs.editor import editor_schema

SCHEMA = Draft202012Validator(editor_schema())
FILES = sorted((conf_dir() / "experiment").glob("*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_shipped_experiment_is_valid(path: Path) -> None:
    assert [error.message for error in SCHEMA.iter_errors(yaml.safe_load(path.read_text("utf-8")))] == []


@pytest.mark.parametrize(
    "text",
    [
        "counts: {repeats: 0}",
        "counts: {repeat: 4}",
        "advanced: {probe: many}",
        "situations: 20",
        "mode: fast",
        "measures: {level: 1.5}",
    ],
)
def test_mistakes_are_seen_while_writing(text: str) -> None:
    assert not SCHEMA.is_valid(yaml.safe_load(text))


def test_an_interpolation_may_stand_for_a_number_and_the_starter_names_its_schema() -> None:
    assert SCHEMA.is_valid({"counts": {"repeats": "${oc.select:k,4}"}})
    files: dict[str, Any] = starter_files("mine")
    assert "$schema=../experiment.schema.json" in files["conf/experiment/mine.yaml"] and "conf/experiment.schema.json" in files
