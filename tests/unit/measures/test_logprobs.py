"""Log-probabilities, KL, staleness, calibration and reference scores."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from whileai_exp.errors import BackendError, ConfigError
from whileai_exp.measures.calibrate import calibrate
from whileai_exp.measures.logprobs import logprob_report, mean_kl, staleness_report
from whileai_exp.measures.reference import reference_logprobs


def rows(n: int = 40) -> list[dict[str, Any]]:
    g = np.random.Generator(np.random.PCG64(1))
    return [
        {
            "scenario_id": f"t{i // 4}",
            "rollout_id": str(i),
            "rollout_index": i % 4,
            "reward": int(g.random() < 0.5),
            "logprob": -float(i % 7 + 1),
            "n_tokens": 10,
            "ref_logprob": -float(i % 7 + 2),
            "model_version": "m",
            "policy_version": "m@1",
            "sampling": {"temperature": 1.0},
        }
        for i in range(n)
    ]


def test_what_was_captured() -> None:
    found = logprob_report(rows())
    assert (found.n_with_logprobs, found.n_tokens) == (40, 400)
    assert found.mean_token_logprob == pytest.approx(np.mean([-(i % 7 + 1) / 10 for i in range(40)]))
    missing = logprob_report([*rows(), {"scenario_id": "x"}])
    assert missing.n_with_logprobs == 40 and "logprobs=True" in str(missing)
    json.dumps(logprob_report([]).to_dict(), allow_nan=False)


def test_a_reward_that_follows_confidence_is_named_and_easy_tasks_are_not() -> None:
    bent = [{**r, "reward": int(r["logprob"] > -4)} for r in rows()]
    found = logprob_report(bent)
    assert found.corr_within_tasks is not None and found.corr_within_tasks > 0.7 and "what the judge rewards" in str(found)
    easy = [{**r, "reward": int(r["scenario_id"] < "t5"), "logprob": -1.0 if r["scenario_id"] < "t5" else -5.0} for r in rows()]
    assert logprob_report(easy).corr_reward_confidence == pytest.approx(1.0) and logprob_report(easy).corr_within_tasks is None


def test_kl_per_token_overall_per_task_and_from_a_second_scoring() -> None:
    data = rows()
    found = mean_kl(data)
    assert found.mean_kl == pytest.approx(0.1) and found.n_tokens == 400 and found.per_task["t0"] == pytest.approx(0.1)
    second = [{"rollout_id": r["rollout_id"], "logprob": r["ref_logprob"]} for r in reversed(data)]
    assert mean_kl(data, second).to_dict() == found.to_dict()
    uneven = [{**r, "ref_logprob": r["ref_logprob"] - (i % 3)} for i, r in enumerate(data)]
    wide = mean_kl(uneven).ci95
    assert wide is not None and wide.low < mean_kl(uneven).mean_kl < wide.high  # type: ignore[operator]
    assert mean_kl([]).mean_kl is None and "reference_logprobs" in str(mean_kl([]))


def test_stale_rows_are_counted() -> None:
    found = staleness_report([*rows(), {**rows()[0], "model_version": "old"}, {"task_id": "?"}], "m")
    assert (found.n_stale, found.n_unknown) == (1, 1) and not found.ok and staleness_report(rows(), "m").ok
    assert found.logprob_coverage == pytest.approx(41 / 42)


def test_calibration_is_stamped_on_copies_and_a_better_one_is_kept() -> None:
    data = rows(8)
    data[4]["calibration"] = {"n": 100, "pass_rate": 0.4}
    out = calibrate(data, ref="ref_logprob")
    assert (
        "calibration" not in data[0]
        and out[0]["calibration"]["n"] == 4
        and out[0]["calibration"]["mean_kl"] == pytest.approx(0.1)
    )
    assert out[4]["calibration"]["n"] == 100 and out[5]["calibration"]["n"] == 4
    assert out[0]["calibration"]["pass_rate"] == np.mean([r["reward"] for r in data[:4]])


class Scorer:
    """Every character is a token of logprob -1."""

    def __init__(self) -> None:
        self.broken = False

    async def prompt_logprobs(self, messages: Sequence[Any]) -> Sequence[float]:
        if self.broken:
            raise BackendError("no", kind="unreachable")
        return [-1.0] * sum(len(m["content"]) for m in messages)


def test_reference_scores_are_differences_of_prefixes() -> None:
    row = {"messages": [{"role": "user", "content": "abc"}, {"role": "assistant", "content": "de"}, {"role": "user", "content": "f"}, {"role": "assistant", "content": "ghi"}], "n_tokens": 4}  # fmt: skip
    found = reference_logprobs([row, {"prompt": "x"}], Scorer())
    assert found.rows[0]["ref_logprob"] == -5.0 and "ref_logprob" not in row and found.n_scored == 1
    assert found.token_count_gap == 1 and "tokenizers" in str(found) and "no messages" in str(found)


def test_what_a_reference_lacks_is_said() -> None:
    with pytest.raises(ConfigError, match="no prompt_logprobs"):
        reference_logprobs(rows(), object())
    broken = Scorer()
    broken.broken = True
    found = reference_logprobs([{"messages": [{"role": "assistant", "content": "a"}]}], broken)
    assert found.n_scored == 0 and "unreachable" in str(found)
