"""Every judge that configuration can name can be built from its file, and judges a row."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

import whileai_exp as wai
from whileai_exp.judges import judges

FILES = sorted((Path(__file__).resolve().parents[3] / "conf" / "judge").glob("*.yaml"))
ROW = {"rollout_id": "a", "prompt": "x", "final_text": "4", "answer": 4, "steps": []}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_builds_its_judge(path: Path) -> None:
    config: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    if config["kind"] is None:
        return
    if config["kind"] == "math_equal" and find_spec("math_verify") is None:
        pytest.skip("math-verify is not installed")
    assert config["kind"] in judges
    judges.create(config)
    if config["kind"] not in ("llm", "panel"):
        assert wai.run_judge([ROW], config).rows[0]["judge_status"] in ("ok", "abstained", "error")


def test_every_kind_but_the_compositions_has_a_file() -> None:
    assert set(judges.names()) <= {path.stem for path in FILES} | {"json_field"}
