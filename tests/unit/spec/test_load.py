"""Specs load from folders, files and mappings, and every problem is named at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from whileai_exp.errors import SpecError
from whileai_exp.spec import load_spec

TOOL = {
    "name": "get_order",
    "description": "Get an order.",
    "parameters": {"type": "object", "properties": {"id": {"type": "string"}}},
}


def test_a_folder_with_rubric_and_policy_files(tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text(json.dumps({"tools": [TOOL]}))
    (tmp_path / "policy.md").write_text("Be kind.")
    (tmp_path / "rubric.md").write_text("Kind means kind.")
    spec = load_spec(tmp_path).spec
    assert (spec.system_prompt, spec.rubric, spec.name) == ("Be kind.", "Kind means kind.", tmp_path.name)


def test_unknown_fields_are_noted_and_never_reach_the_policy() -> None:
    loaded = load_spec({"tools": [TOOL], "system_prompt": "Be kind.", "secret_notes": "the answer is 42"})
    assert "42" not in loaded.spec.system_prompt
    assert any("secret_notes" in note for note in loaded.notes)


def test_one_text_is_not_a_list_of_seeds() -> None:
    with pytest.raises(SpecError, match="list of opening asks"):
        load_spec({"tools": [TOOL], "seeds": "where is my order"})


def test_every_problem_at_once() -> None:
    with pytest.raises(SpecError) as caught:
        load_spec({"tools": [TOOL, TOOL, {"name": ""}, {"name": "x", "parameters": []}], "system_prompt": 3, "rubric": 4})
    assert len(caught.value.problems) >= 5


def test_a_missing_path_suggests_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "retail.json").write_text("{}")
    with pytest.raises(SpecError, match=r"retail\.json"):
        load_spec(tmp_path / "retial.json")


def test_broken_json_is_a_broken_file_and_not_a_missing_one(tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text("{")
    with pytest.raises(SpecError, match="not valid JSON"):
        load_spec(tmp_path / "spec.json")


def test_the_identity_changes_with_the_policy_and_not_with_the_name() -> None:
    first, renamed = load_spec({"tools": [TOOL]}, name="a").spec, load_spec({"tools": [TOOL]}, name="b").spec
    changed = load_spec({"tools": [TOOL], "policy": "New."}).spec
    assert first.sha == renamed.sha != changed.sha


def test_two_different_policies_are_refused() -> None:
    with pytest.raises(SpecError, match="twice"):
        load_spec({"tools": [TOOL], "policy": "a", "system_prompt": "b"})
