"""Whatever rows hold: nothing raises, nothing changes, nothing is lost, and every report is strict JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from whileai_exp import dataset_report, delta_report, eval_power, pass_at, rank
from whileai_exp.knobs import RunKnobs
from whileai_exp.selection import (
    build_preference_pairs,
    curriculum,
    decontaminate,
    near_duplicate_prompts,
    next_round,
    optimize,
    retire_solved,
)

ODD: list[Any] = [
    None, 0, 1, True, "", "x" * 30, "1", float("nan"), float("inf"), -1, 2, [], {}, [1], {"a": 1}, b"x", "\ud800", "请取消", "\u2028", 10**30,
    np.float32(1), np.int64(0), ["a", None], [{"role": "user", "content": "hi"}], [{"tool": "a", "arguments": {}, "result": 1}, {"text": "x"}],
    [{"role": "user", "content": None}, {"role": "assistant", "content": [{"type": "text", "text": None}, 3]}, None, 5],
]  # fmt: skip
KEYS = (
    "prompt", "messages", "steps", "final_text", "scenario_id", "task_id", "rollout_id", "rollout_index", "reward", "judge_status", "status",
    "finish_reason", "markers", "lineage", "privileged", "faults", "behavior_signature", "policy_version", "allocation", "question", "answer",
    "tier", "failure_class", "judge_meta", "logprob", "n_tokens", "calibration", "sampling",
)  # fmt: skip
CALLS: dict[str, Callable[[list[Any]], Any]] = {
    "optimize": lambda rows: optimize(rows, mode="rl"),
    "optimize sft": lambda rows: optimize(rows, mode="sft"),
    "pairs": build_preference_pairs,
    "decontaminate": lambda rows: decontaminate(rows, ["please cancel the order I made for my friend yesterday evening"]),
    "against them": lambda rows: decontaminate([{"prompt": "hello"}], [{"prompt": "an ask"}, *rows]),
    "near duplicates": near_duplicate_prompts,
    "curriculum": curriculum,
    "retire": retire_solved,
    "next round": lambda rows: next_round(rows, rows),
    "dataset": dataset_report,
    "rank": rank,
    "power": lambda rows: eval_power(rows, 0.05),
    "pass_at": pass_at,
    "delta": lambda rows: delta_report(rows, rows, balance_rollouts=True),
}


def odd_rows(seed: int) -> list[dict[str, Any]]:
    g = np.random.Generator(np.random.PCG64(seed))
    rows = []
    for i in range(int(g.integers(0, 14))):
        row: dict[str, Any] = {
            "scenario_id": f"t{g.integers(0, 3)}",
            "reward": int(g.integers(0, 2)),
            "final_text": f"r{i}",
            "judge_status": "ok",
        }
        for at in g.choice(len(KEYS), int(g.integers(0, 3)), replace=False):
            row[KEYS[at]] = ODD[int(g.integers(0, len(ODD)))]
        rows.append(row)
    return rows


@pytest.mark.parametrize("name", CALLS)
def test_rows_of_any_shape_are_taken_and_left_alone(name: str) -> None:
    for seed in range(80):
        rows = odd_rows(seed)
        before = repr(rows)
        out = CALLS[name](rows)
        report = out[1] if isinstance(out, tuple) else out
        json.dumps(report.to_dict(), allow_nan=False)
        str(report)
        assert repr(rows) == before


def test_every_row_is_kept_once_or_dropped_once() -> None:
    for seed in range(150):
        g = np.random.Generator(np.random.PCG64(seed))
        rows = [
            {
                "scenario_id": f"t{g.integers(0, 8)}",
                "rollout_id": f"r{i if g.random() < 0.9 else i // 2}",
                "reward": [1, 0, 0.5, None][g.choice(4, p=[0.45, 0.45, 0.05, 0.05])],
                "final_text": f"reply {g.integers(0, 20)}" * int(g.random() < 0.95),
                "status": ["ok", "truncated", "agent_error"][g.choice(3, p=[0.9, 0.05, 0.05])],
                "behavior_signature": str(g.integers(0, 3)),
                "at": i,
            }
            for i in range(int(g.integers(1, 60)))
        ]
        for mode in ("rl", "sft"):
            kept, report = optimize(rows, mode=mode, target=int(g.integers(1, 40)), scan=False, knobs=RunKnobs(sft_per_task=2))
            gone = [row["at"] for found in report.dropped.values() for row in found]
            assert Counter([*(row["at"] for row in kept), *gone]) == Counter(range(len(rows)))
            assert sum(gate["dropped"] for gate in report["gates"]) == len(gone) == report["n"] - report["n_selected"]
