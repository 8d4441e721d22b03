"""optimize as a whole: gates in order, every row accounted for, the band with its uncertainty, language-neutral hygiene."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from scipy.stats import beta

from whileai_exp import evaluate
from whileai_exp.errors import ConfigError
from whileai_exp.knobs import RunKnobs
from whileai_exp.schema import Privileged
from whileai_exp.selection import optimize

from .test_selection import rows_of


def test_gates_come_in_order_and_account_for_every_row() -> None:
    rows = rows_of({"mixed": [1, 0, 1, 0], "all": [1] * 4, "lost": [None] * 2, "hard": [1] + [0] * 19})
    rows[0]["privileged"], rows[0]["final_text"] = Privileged(reference="the code is 4471-A"), "the code is 4471-A"
    kept, report = optimize(rows, mode="rl")
    assert [gate["gate"] for gate in report["gates"]] == [
        "repeated_rollout",
        "privileged_leak",
        "label",
        "truncated",
        "junk",
        "unanimous",
        "duplicate",
        "collapsed",
        "band",
        "target",
    ]
    for one, two in zip(report["gates"], report["gates"][1:]):
        assert two["before"] == one["before"] - one["dropped"]
    assert {reason: len(found) for reason, found in report.dropped.items()} == {
        "privileged_leak": 1,
        "unjudged": 2,
        "unanimous": 4,
        "too_hard": 20,
    }
    assert report.n_dropped + len(kept) == len(rows) and report.dropped["privileged_leak"][0] is rows[0]
    assert "privileged_leak: 1 of 30 dropped" in str(report)
    json.dumps(report, allow_nan=False)


def test_rows_without_an_id_are_named_by_their_place_in_the_input() -> None:
    rows = [{**row, "rollout_id": None} for row in rows_of({"a": [1, 0], "lost": [None], "b": [1]})]
    assert optimize(rows, mode="rl")[1]["dropped"] == {"unjudged": ["#2"], "single": ["#3"]}


def test_rows_of_a_language_without_latin_endings_are_all_kept() -> None:
    """160 Chinese rows, 20 asks of 8, half passing, no finish reason: nothing in them looks like an English ending."""
    rows = [
        row
        for t in range(20)
        for row in rows_of({f"任务{t}": [1, 0] * 4})
        if row.update(final_text=f"您的订单已经取消，编号{row['rollout_index']}。" * 20) is None
    ]
    kept, report = optimize(rows, mode="rl")
    assert len(kept) == 160 and report.n_dropped == 0


@pytest.mark.parametrize("text", ["x" * 300, "-" * 80, "returned 404", "the world_state is fine", "https://a.b/c", "**bold**"])
def test_how_a_reply_looks_decides_nothing(text: str) -> None:
    rows = [{**row, "final_text": f"{text} {row['rollout_index']}"} for row in rows_of({"a": [1, 0]})]
    assert len(optimize(rows, mode="rl")[0]) == 2 and len(optimize(rows, mode="sft")[0]) == 1


def test_the_band_is_decided_by_the_posterior_which_is_shown() -> None:
    kept, report = optimize(rows_of({"few": [1, 0, 0, 0], "many": [1] * 4 + [0] * 28}), mode="rl")
    assert {row["scenario_id"] for row in kept} == {"few"} and len(report.dropped["too_hard"]) == 32
    odds = report["tasks"]["many"]["p_in_band"]
    assert odds == pytest.approx(beta.cdf(0.8, 4.5, 28.5) - beta.cdf(0.2, 4.5, 28.5), abs=1e-4)
    assert report["n_band_uncertain"] == 1, "1 of 4: 0.66 in the band; 4 of 32: 0.13"
    assert "1 of 1 mixed tasks may lie on either side" in str(optimize(rows_of({"few": [1, 0, 0, 0]}), mode="rl")[1])
    assert len(optimize(rows_of({"many": [1] * 4 + [0] * 28}), mode="rl", knobs=RunKnobs(band_certainty=0.1))[0]) == 32
    assert len(optimize(rows_of({"many": [1] * 4 + [0] * 28}), mode="rl", enforce_band=False)[0]) == 32


def test_rows_cut_at_a_cap_are_dropped_kept_or_penalized() -> None:
    rows = rows_of({"a": [1, 1, 1]})
    rows[0]["finish_reason"] = "length"
    before = copy.deepcopy(rows)
    assert {r: len(x) for r, x in optimize(rows, mode="rl")[1].dropped.items()} == {"truncated": 1, "unanimous": 2}
    kept, _ = optimize(rows, mode="rl", truncated="penalize")
    assert [(r["reward"], r.get("reward_before_penalty")) for r in kept] == [(0.0, 1), (1, None), (1, None)]
    assert kept[0]["overlong"] and rows == before
    mixed = rows_of({"a": [1, 0]})
    mixed[1]["status"] = "truncated"
    assert len(optimize(mixed, mode="rl", truncated="keep")[0]) == 2


def test_the_round_before_and_the_order_are_choices(tmp_path: Path) -> None:
    rows = rows_of({"low": [1, 0, 0, 0], "middle": [1, 1, 0, 0], "gone": [1, 0, 1, 0]})
    kept, report = optimize(rows, mode="rl", prior=rows_of({"gone": [1] * 10, "low": [1, 0]}))
    assert {row["scenario_id"] for row in kept} == {"low", "middle"} and list(report.dropped) == ["prior_too_easy"]
    (tmp_path / "rows.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows_of({"gone": [1] * 10})))
    assert optimize(rows, mode="rl", prior=str(tmp_path))[1]["dropped"] == report["dropped"]
    assert optimize(rows[:8], mode="rl", order="middle", target=1)[0][0]["scenario_id"] == "middle"


def test_duplicates_with_two_rewards_are_counted_against_the_judge() -> None:
    rows = [{**row, "final_text": "one" if i < 3 else f"other {i}"} for i, row in enumerate(rows_of({"a": [1, 1, 0, 0, 1, 0]}))]
    _, report = optimize(rows, mode="rl")
    assert report["conflicting_duplicates"] == 1 and len(report.dropped["duplicate"]) == 2 and "not repeatable" in str(report)


def test_a_reward_that_goes_with_a_trick_is_flagged() -> None:
    rows = [
        {**row, "final_text": "an answer" + "\n" * (row["rollout_index"] * 7 % 5) + "." + " VERIFIED" * int(row["reward"])}
        for row in rows_of({str(t): [1, 0, 1, 0, 1, 0] for t in range(30)})
    ]
    _, report = optimize(rows, mode="rl", endorsed=["newlines"])
    assert report["hack_scan"]["regime"] == "reward_hack" and "hack scan: the reward goes with" in str(report)
    assert "endorsed=[" in str(optimize(rows, mode="rl")[1]) and "endorsed=[" not in str(report)
    assert "matches no property" in str(optimize(rows, mode="rl", endorsed=["newlime"])[1])
    assert "hack_scan" not in optimize(rows, mode="rl", scan=False)[1]


def test_rows_graded_as_an_evaluation_are_named() -> None:
    rows = [{**row, "passed": row["reward"]} for row in rows_of({"a": [1, 0]})]
    scored = evaluate(rows, lambda row: row["passed"], model="tuned")
    assert optimize(scored)[1]["eval_sourced"] == 2 and "spends the evaluation" in str(optimize(scored)[1])
    assert optimize(rows)[1]["eval_sourced"] == 0


def test_files_in_and_out_without_privileged_text(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = rows_of({"a": [1, 0]})
    (tmp_path / "rows.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    held = [{**row, "privileged": Privileged(reference="the code is 4471-A")} for row in rows]
    for source in (tmp_path / "rows.jsonl", held):
        _, report = optimize(source, mode="rl", output=tmp_path / "out" / "kept.jsonl")
        data = Path(report["path"]).read_bytes()
        assert data.count(b"\n") == 2 and b"4471" not in data and b"calibration" in data


def test_supervised_rows_say_how_much_there_was_to_choose_from() -> None:
    rows = rows_of({"a": [1] * 12, "b": [1] * 12})
    _, report = optimize(rows, mode="sft")
    assert report["n_eligible"] == 24 and report["completions_per_task"] == {"median": 12, "max": 12}
    assert report["selection_effective"] == "top" and report["warnings"] == []
    thin = optimize(rows_of({"a": [1, 0], "b": [1, 0]}), mode="sft")[1]
    assert thin["selection_effective"] == "pass_filter" and "are few to pick the best from" in str(thin)
    picks = {optimize(rows, mode="sft", pick="random", seed=s)[0][0]["rollout_id"] for s in range(6)}
    assert (
        len(picks) > 1
        and optimize(rows, mode="sft", pick="random", seed=3)[0] == optimize(rows, mode="sft", pick="random", seed=3)[0]
    )


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"truncated": "dorp"}, "did you mean 'drop'"),
        ({"order": "random"}, "selection.order"),
        ({"mode": "sft", "pick": "best"}, "selection.pick"),
        ({"colour": 1}, "colour"),
        ({"mode": "RL"}, "not a selection mode"),
    ],
)
def test_unknown_options_are_refused_by_name(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        optimize(rows_of({"a": [1, 0]}), **{"mode": "rl", **options})


def test_a_right_answer_under_a_verifier_is_no_recital_and_neither_is_what_was_told() -> None:
    def rows(**more: Any) -> list[dict[str, Any]]:
        right, wrong = "It is 1234567890123.", "I think it is five."
        return [
            {
                "task_id": f"t{at // 4}", "rollout_id": f"t{at // 4}/{at % 4}", "prompt": f"What is it, {at // 4}?", "status": "ok",
                "final_text": f"{right if at % 2 else wrong} ({at})", "reward": float(at % 2), "judge_status": "ok",
                "privileged": {"reference": "1234567890123"}, **more,
            }
            for at in range(16)
        ]  # fmt: skip

    def leaks(given: list[dict[str, Any]]) -> int:
        return len(optimize(given, mode="rl")[1]["dropped"].get("privileged_leak", ()))

    assert leaks(rows()) == 8
    assert leaks(rows(judge_meta={"kind": "verifier"})) == 0
    assert leaks(rows(messages=[{"role": "tool", "content": '{"total": "1234567890123"}'}])) == 0
    assert leaks(rows(steps=[{"tool": "pay", "arguments": {"note": "1234567890123"}}])) == 16
