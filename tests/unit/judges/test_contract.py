"""The judge contract: what each return value becomes, and that nothing a judge does hurts the run."""

from __future__ import annotations

import asyncio
import time
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from whileai_exp._aio import CallPool
from whileai_exp.errors import ConfigError, JudgeError
from whileai_exp.judges import as_judge, run_judges, verdict_of
from whileai_exp.schema import JudgeIdentity, JudgeStatus, Judgment

WHO = JudgeIdentity("j")


@pytest.mark.parametrize(
    ("value", "reward", "status"),
    [
        (1, 1.0, "ok"), (0, 0.0, "ok"), (True, 1.0, "ok"), (0.7, 0.7, "ok"), (np.float32(1), 1.0, "ok"), (np.int64(1), 1.0, "ok"), (Decimal("0.5"), 0.5, "ok"),
        ({"reward": 1}, 1.0, "ok"), ({"score": 0.25}, 0.25, "ok"), ({"reward": np.bool_(False)}, 0.0, "ok"),
        ({"rewards": 1}, None, "missing_reward"), ({}, None, "missing_reward"), ({"reward": None}, None, "abstained"),
        ({"reward": "1"}, None, "invalid_result"), ("1", None, "invalid_result"), (None, None, "invalid_result"), ([1], None, "invalid_result"),
        (7, None, "invalid_result"), (-1, None, "invalid_result"), (float("nan"), None, "invalid_result"), ({"reward": 95}, None, "invalid_result"),
        ({"reward": float("inf")}, None, "invalid_result"), ({"reward": 1.7}, None, "invalid_result"), ({"reward": 1, "judge_status": "error"}, None, "error"),
    ],
)  # fmt: skip
def test_what_a_return_value_becomes(value: Any, reward: float | None, status: str) -> None:
    verdict = verdict_of(value, "r", WHO)
    assert (verdict.reward, verdict.status) == (reward, status)


def test_everything_else_a_judge_says_is_kept() -> None:
    verdict = verdict_of(
        {
            "reward": 1,
            "reason": "x",
            "markers": {"a": 1, "b": "no", "c": float("nan")},
            "failure_class": "f",
            "mine": 3,
            "judge_meta": {"model": "m"},
        },
        "r",
        WHO,
    )
    assert verdict.reason == "x" and verdict.markers == {"a": 1.0} and verdict.failure_class == "f"
    assert verdict.meta == {"mine": 3, "model": "m", "markers_not_numbers": ["b", "c"]}


def judged(function: Any, rows: list[dict[str, Any]], *, deadline_s: float = 5.0, concurrency: int = 8) -> list[Judgment]:
    async def work() -> list[Judgment]:
        with CallPool(concurrency) as pool:
            return await run_judges(rows, as_judge(function, pool=pool, deadline_s=deadline_s), concurrency=concurrency)

    return asyncio.run(work())


def test_verdicts_keep_the_order_of_the_rows_and_async_judges_work() -> None:
    async def judge(row: dict[str, Any]) -> float:
        await asyncio.sleep(0.02 if row["n"] == 0 else 0)
        return row["n"] / 10

    assert [v.reward for v in judged(judge, [{"n": n} for n in range(5)])] == [0, 0.1, 0.2, 0.3, 0.4]


def test_a_hung_judge_is_a_timeout_and_is_not_waited_for() -> None:
    start = time.monotonic()
    found = judged(lambda row: time.sleep(3) or 1 if row["n"] == 3 else 1, [{"n": n} for n in range(16)], deadline_s=0.15)
    assert time.monotonic() - start < 1.5
    assert [v.status for v in found].count(JudgeStatus.TIMEOUT) == 1 and found[3].status is JudgeStatus.TIMEOUT


def test_the_deadline_binds_a_single_row_and_counts_from_the_call_not_from_the_queue() -> None:
    assert judged(lambda row: time.sleep(2), [{}], deadline_s=0.1, concurrency=1)[0].status is JudgeStatus.TIMEOUT
    assert all(
        v.status is JudgeStatus.OK for v in judged(lambda row: (time.sleep(0.05), 1)[1], [{}] * 8, deadline_s=0.2, concurrency=2)
    )


def test_a_raising_or_exiting_judge_marks_its_row_only() -> None:
    def judge(row: dict[str, Any]) -> int:
        if row["n"] == 1:
            raise KeyError("boom")
        if row["n"] == 2:
            raise SystemExit(3)
        return 1

    found = judged(judge, [{"n": n} for n in range(4)])
    assert [v.status for v in found] == ["ok", "error", "error", "ok"] and "boom" in found[1].meta["error"]


def test_a_judge_cannot_change_the_callers_rows() -> None:
    rows = [{"final_text": "orig", "steps": [{"text": "a"}]}]

    def judge(row: dict[str, Any]) -> int:
        row["final_text"] = "PWN"
        row["steps"].clear()
        return 1

    judged(judge, rows)
    assert rows == [{"final_text": "orig", "steps": [{"text": "a"}]}]


def test_an_edited_judge_is_a_new_version() -> None:
    def one(row: Any) -> int:
        return 1

    def two(row: Any) -> int:
        return 0

    a, b = judged(one, [{}])[0].judge, judged(two, [{}])[0].judge
    assert a.version != b.version and a.name == "one"


def test_what_is_no_judge_is_refused() -> None:
    with CallPool(1) as pool:
        with pytest.raises(JudgeError, match="class"):
            as_judge(CallPool, pool=pool, deadline_s=1)
        with pytest.raises(ConfigError, match="no judge"):
            as_judge("no_such_judge", pool=pool, deadline_s=1)


def test_a_row_given_to_a_judge_is_a_dict_in_every_use_and_shares_nothing_with_the_callers() -> None:
    import copy
    import json
    import pickle

    import orjson

    from whileai_exp.judges._own import OwnRow

    def fresh() -> dict[str, Any]:
        return {"a": 1, "steps": [{"x": [1, 2]}], "m": {"k": {"z": 0}}}

    uses: list[Any] = [
        lambda r: r["steps"][0]["x"].clear(), lambda r: r.get("m")["k"].clear(), lambda r: dict(r)["steps"].clear(), lambda r: {**r}["steps"].clear(),
        lambda r: [v.clear() for v in r.values() if isinstance(v, (list, dict))], lambda r: [v.clear() for _, v in r.items() if isinstance(v, list)],
        lambda r: r.pop("steps").clear(), lambda r: r.popitem()[1].clear(), lambda r: r.setdefault("steps", []).clear(), lambda r: r.copy()["m"].clear(),
        lambda r: copy.deepcopy(r)["m"].clear(), lambda r: copy.copy(r)["m"].clear(), lambda r: (r | {"b": 1})["m"].clear(), lambda r: r.update(steps=0),
    ]  # fmt: skip
    for use in uses:
        row = fresh()
        use(OwnRow(row))
        assert row == fresh()
    own = OwnRow(fresh())
    assert isinstance(own, dict) and own == fresh() and json.loads(json.dumps(own)) == fresh() == orjson.loads(orjson.dumps(own))
    assert pickle.loads(pickle.dumps(own)) == fresh() and list(own) == ["a", "steps", "m"] and own.get("zz") is None
    own["steps"].append(1)
    assert own["steps"][-1] == 1
