"""Character training: a constitution in; pairs, rows to imitate and a judge checked against its labels out."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from whileai_exp import Constitution, character_data
from whileai_exp.errors import ConfigError
from whileai_exp.ports import ChatRequest, Reply
from whileai_exp.schema import Privileged
from whileai_exp.selection import label_rows


def law(n_labels: int = 60, **extra: Any) -> dict[str, Any]:
    """Plain speech: a reply keeps it when it does not say "indeed"."""
    examples = [{"prompt": f"label {i}", "reply": f"yes {i}" + " indeed" * (i % 2), "keeps": i % 2 == 0} for i in range(n_labels)]
    plain = {"title": "Plain speech", "description": "No filler.", "kind": "hard", "examples": examples}
    return {"name": "plain", "principles": [plain, {"title": "Brief"}], **extra}


def replies(tasks: int = 12) -> list[dict[str, Any]]:
    made = []
    for t in range(tasks):
        for i, (said, size) in enumerate((("good", 40), ("indeed", 300), ("indeed", 44), ("good", 200))):
            text = said + "." * size
            messages = [{"role": "user", "content": f"ask {t}"}, {"role": "assistant", "content": text}]
            made.append(
                {"task_id": f"t{t}", "rollout_id": f"t{t}/{i}", "prompt": f"ask {t}", "messages": messages, "final_text": text}
            )
    return made


def reads_it(row: Any) -> dict[str, Any]:
    kept = float("indeed" not in row["final_text"])
    return {"reward": kept, "markers": {"rubric:plain_speech": kept}}


def test_pairs_are_of_one_length_and_the_judge_is_checked_on_the_labels() -> None:
    rows = replies()
    rows[0]["privileged"] = Privileged(reference="held back from all")
    before = copy.deepcopy(rows)
    found = character_data(rows, law(), reads_it)
    assert found.ok and found.judge.measured and found.judge.agreement.confusion.n == 60
    assert len(found.pairs) == 12 and all(abs(pair["length_delta"]) <= 6 for pair in found.pairs)
    assert all(pair["chosen_reward"] == 1 and pair["rejected_reward"] == 0 for pair in found.pairs)
    assert len(found.sft) == 12 and all("privileged" not in row for row in found.sft)
    assert found.kept["Plain speech"].mean == 0.5 and "Brief" not in found.kept
    assert {pair["constitution_sha"] for pair in found.pairs} == {found.sha} == {row["constitution_sha"] for row in found.sft}
    assert rows == before
    json.dumps([*found.pairs, *found.sft])
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_judge_that_reads_the_constitution_otherwise_is_not_trusted() -> None:
    found = character_data(replies(), law(), lambda row: float(len(row["final_text"]) % 2))
    assert not found.ok and found.judge.measured and "disagrees with the constitution's own labels" in str(found)
    lenient = character_data(replies(), law(), lambda row: 1.0)
    assert not lenient.ok and lenient.pairs == () and len(lenient.sft) == 12


def test_a_constitution_without_labels_leaves_the_judge_unmeasured() -> None:
    found = character_data(replies(), {"principles": ["Plain speech"]}, reads_it)
    assert not found.ok and not found.judge.measured and len(found.pairs) == 12 and "labels no reply" in str(found)
    few = character_data(replies(), law(4), reads_it)
    assert not few.ok and "no labelled reply shows Brief" in str(few)


def test_labels_that_reappear_in_training_are_named() -> None:
    rows = [{**row, "prompt": "label 0"} if row["task_id"] == "t0" else row for row in replies()]
    assert "4 replies answer an ask that the constitution labels" in str(character_data(rows, law(), reads_it))


def test_a_broken_judge_gives_no_data_and_no_zeros() -> None:
    def broken(row: Any) -> float:
        raise RuntimeError("no")

    found = character_data(replies(), law(), broken)
    assert (found.n_graded, found.pairs, found.sft, found.ok) == (0, (), (), False)
    assert len(found.pair_report.dropped["unjudged"]) == 48 and len(found.sft_report.dropped["unjudged"]) == 48


def test_a_constitution_is_a_file_or_a_mapping_and_has_an_identity(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(law(2)))
    (tmp_path / "c.json").write_text(json.dumps(law(2)))
    read = [Constitution.of(source) for source in (tmp_path / "c.yaml", str(tmp_path / "c.json"), law(2))]
    assert read[0] == read[1] == read[2] and len({c.sha for c in read}) == 1 and Constitution.of(read[0]) is read[0]
    assert Constitution.of(law(3)).sha != read[0].sha
    assert [row["gold_reward"] for row in label_rows(read[0])] == [1.0, 0.0] and read[0].examples[0].principle == "Plain speech"


class Reads:
    """A judging model that answers each principle by whether the reply says "indeed"."""

    model = "reads-1"

    async def complete(self, request: ChatRequest) -> Reply:
        said = "not_met" if "indeed" in request.messages[-1]["content"] else "met"
        listed = [{"n": n, "verdict": said, "step": None} for n in (1, 2)]
        return Reply(json.dumps({"criteria": listed, "reason": "as read"}))

    async def aclose(self) -> None: ...


def test_a_model_answers_the_principles_one_by_one() -> None:
    found = character_data(replies(), law(), Reads())
    assert found.ok and found.judge.agreement.confusion.agreement == 1.0 and len(found.pairs) == 12
    assert set(found.kept) == {"Plain speech", "Brief"} and found.pairs[0]["chosen"]["judge_meta"]["model"] == "reads-1"


def test_every_mistake_of_a_constitution_is_named_at_once(tmp_path: Path) -> None:
    broken = {
        "nmae": "x",
        "principles": [
            {"titel": "a"},
            {"title": "b", "kind": "soft"},
            {"title": "c", "examples": [{"prompt": "p", "reply": "r", "keeps": "maybe"}]},
        ],
        "examples": [{"prompt": "p"}],
    }
    with pytest.raises(ConfigError) as caught:
        Constitution.of(broken)
    told = str(caught.value)
    for part in ("nmae", "principles[0]", "soft", "'maybe' is not yes or no", "examples[0]"):
        assert part in told
    with pytest.raises(ConfigError, match="no file"):
        Constitution.of(tmp_path / "gone.yaml")
    with pytest.raises(ConfigError, match="no principles"):
        Constitution.of({"principles": []})
