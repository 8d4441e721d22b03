"""Weaknesses of the export side that others have, each as it was reproduced there."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

import whileai_exp as wai
from whileai_exp.errors import ConfigError, ExportError, PublishGateError


def row(task: str, n: int, reward: float, text: str = "", **more: Any) -> dict[str, Any]:
    said = text or f"Done, {task} {n}."
    return {
        "scenario_id": task, "rollout_id": f"{task}/{n}", "prompt": f"Please cancel order {task}-99", "status": "ok",
        "messages": [{"role": "user", "content": f"Please cancel order {task}-99"}, {"role": "assistant", "content": said}],
        "final_text": said, "reward": reward, "judge_status": "ok", **more,
    }  # fmt: skip


def group(task: str, k: int = 4, **more: Any) -> list[dict[str, Any]]:
    return [row(task, n, float(n % 2), **more) for n in range(k)]


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("请取消我的订单谢谢", "请取消我的订单谢谢"),
        ("Пожалуйста, отмените мой заказ сегодня", "Пожалуйста, отмените мой заказ сегодня"),
        ("Cancel order 9911", "Cancel order 9911."),
        ("background " * 40 + "How many apples does John have if he buys 3 and eats 1?", "How many apples does John have if he buys 3 and eats 1?"),
    ],
)  # fmt: skip
def test_w16_a_copy_is_found_in_any_script_and_inside_a_long_prompt(mine: str, theirs: str) -> None:
    for against in ({"prompt": theirs}, {"question": theirs}, {"messages": [{"role": "user", "content": theirs}]}):
        clean, report = wai.decontaminate([{"prompt": mine}], against=[[against]])
        assert report["n_contaminated"] == 1 and not clean


def test_w17_the_five_calls_ship_no_answer_key(tmp_path: Path) -> None:
    rows = [one for task in "abcdefghij" for one in group(task, privileged={"reference": "SECRET reference 17"})]
    kept, _ = wai.optimize(rows, mode="rl")
    entry = wai.push_rows(kept, "orders", registry=tmp_path / "registry")
    wai.export_dataset(kept, tmp_path / "train.jsonl", system_prompt="p", tools=[])
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert entry.n_rows and len(files) == 3 and not any(b"SECRET" in path.read_bytes() for path in files)
    told = [*kept, row("k", 0, 1.0, "By the SECRET reference 17 it is so.", privileged={"reference": "SECRET reference 17"})]
    with pytest.raises(ExportError, match="recite"):
        wai.export_dataset(told, tmp_path / "again.jsonl", system_prompt="p", tools=[])


@pytest.mark.parametrize(
    ("rows", "check"),
    [
        ([*group("a"), *(one for n in range(99) for one in group(f"f{n}", 2) for one in [{**one, "reward": 1.0}])], "mixed_groups"),
        ([*group("a"), *group("b"), *({**one, "reward": None, "judge_status": "timeout"} for one in group("c", 8))], "graded"),
        ([{**one, "lineage": {"source": "eval"}} for task in "abcd" for one in group(task)], "eval_sourced"),
        ([{**one, "final_text": "It says: refund exactly 41.50 now", "privileged": {"reference": "refund exactly 41.50 now"}} for task in "abcd" for one in group(task)], "no_leak"),
    ],
)  # fmt: skip
def test_w31_what_would_teach_nothing_or_too_much_is_not_published(rows: list[Any], check: str, tmp_path: Path) -> None:
    with pytest.raises(PublishGateError) as caught:
        wai.push_rows(rows, "orders", registry=tmp_path)
    assert check in {result.gate for result in caught.value.results if result.status == "fail"}
    assert list(tmp_path.iterdir()) == []


def test_w32_selection_changes_no_row_and_takes_no_mode_it_does_not_know() -> None:
    rows = [one for task in "abcdefghij" for one in group(task)]
    before = copy.deepcopy(rows)
    for mode in ("rl", "sft"):
        wai.optimize(rows, mode=mode)
    assert rows == before
    for mode in ("dpo", "rll"):
        with pytest.raises(ConfigError, match=mode):
            wai.optimize(rows, mode=mode)


def test_w10_two_situations_with_one_ask_are_two_prompts_each_with_its_own_world(tmp_path: Path) -> None:
    same = {
        "prompt": "Cancel it.",
        "messages": [{"role": "user", "content": "Cancel it."}, {"role": "assistant", "content": "x"}],
    }
    rows = [{**one, **same, "world_state": task} for task in ("exists", "missing") for one in group(task)]
    report = wai.export_dataset(rows, tmp_path / "prompts.jsonl", format="grpo", system_prompt="p")
    text = (tmp_path / "prompts.jsonl").read_text("utf-8")
    assert report["n_written"] == 2 and text.count("exists") and text.count("missing")
