"""A rough order of rows: clean ones first, rewards untouched."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import orjson

from whileai_exp import evaluate, rank

CALL = {"tool": "get", "arguments": {}, "result": 1, "status": "ok"}
ROWS = [
    {"rollout_id": "cut", "prompt": "a", "final_text": "so", "status": "truncated", "reward": 1},
    {"rollout_id": "mute", "prompt": "b", "final_text": "", "reward": 1, "steps": [{**CALL, "status": "error"}]},
    {"rollout_id": "clean", "prompt": "c", "final_text": "done", "reward": 0, "steps": [CALL]},
]


def test_clean_rows_come_first_and_rewards_stay() -> None:
    before = copy.deepcopy(ROWS)
    found = rank(ROWS)
    assert [row["rollout_id"] for row in found.rows] == ["clean", "cut", "mute"] and before == ROWS
    assert [row["reward"] for row in found.rows] == [0, 1, 1] and found.rows[0]["quality"] == 1.0
    assert found.rows[1]["quality"] == 2 / 3 and found.fail_rates["finished"] == 1 / 3 and found.fail_rates["valid_calls"] == 0.5
    assert sum(found.histogram) == 3 and "finished: bad on 33%" in str(found)
    json.dumps(found.to_dict(), allow_nan=False)
    assert rank([]).mean is None


def test_a_file_gets_quality_on_its_rows_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in ROWS))
    assert rank(path).path == str(path)
    written = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    assert [row["rollout_id"] for row in written] == ["cut", "mute", "clean"]
    assert [{k: v for k, v in row.items() if not k.startswith("quality")} for row in written] == ROWS


def test_an_evaluation_says_which_of_its_asks_were_not_run() -> None:
    scored = evaluate(ROWS, lambda row: 1.0, model="tuned", eval_set=["A", {"question": "c"}, "never asked"])
    assert scored.notes["eval_coverage"] == {"eval_set": 3, "covered": 2, "missing": ["never asked"]}
    assert "1 of 3 asks of the evaluation set were not run" in " ".join(scored.warnings)
    assert {row["model_version"] for row in scored} == {"tuned"} and "eval_coverage" not in evaluate(ROWS, lambda row: 1.0).notes
