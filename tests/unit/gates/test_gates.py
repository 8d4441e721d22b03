"""Gates: a pass, a fail, and the third state for what was not measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.gates import check_gates, gates, refused
from whileai_exp.knobs import GateKnobs, resolve
from whileai_exp.ports import Evidence
from whileai_exp.schema import GateResult, Interval, Measure


def rows_of(groups: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [
        {"scenario_id": t, "reward": r, "judge_status": "ok" if r is not None else "timeout", "status": "ok"}
        for t, rs in groups.items()
        for r in rs
    ]


def verdict(
    name: str,
    settings: dict[str, Any],
    rows: list[dict[str, Any]],
    measures: dict[str, Measure] | None = None,
    reports: Any = None,
    **knobs: Any,
) -> GateResult:
    return check_gates({name: settings}, Evidence("rl", rows, rows, measures or {}, reports or {}), resolve(GateKnobs, knobs))[0]


def measure(value: float | None, low: float = 0, high: float = 1) -> Measure:
    return Measure(
        "pass_at_1", value, 10, Interval(low, high) if value is not None else None, note="" if value is not None else "no tasks"
    )


@pytest.mark.parametrize("name", gates.names())
def test_every_gate_without_evidence_is_unmeasured_and_stops_the_run(name: str) -> None:
    needed = {"pass_rate": {"min": 0.5}, "no_regression": {"baseline": "nowhere"}, "cost": {"max_money": 1.0}}
    settings = needed.get(name, {})
    found = verdict(name, settings, [])
    assert found.status == "unmeasured" and found.fix and refused([found]) == (found,)


def test_graded_counts_only_rows_that_can_be_judged() -> None:
    rows = rows_of({"a": [1, 0, None]})
    assert verdict("graded", {"min_share": 0.7}, rows).status == "fail"
    assert verdict("graded", {"min_share": 0.6}, rows).status == "pass"
    rows[2]["status"] = "user_error"
    assert verdict("graded", {"min_share": 1.0}, rows).status == "pass"


def test_a_knob_sets_what_the_gate_does_not() -> None:
    rows = rows_of({"a": [1, 0], **{str(i): [1, 1] for i in range(9)}})
    assert verdict("mixed_groups", {}, rows, gate_min_mixed_share=0.05).status == "pass"
    assert verdict("mixed_groups", {}, rows, gate_min_mixed_share=0.2).status == "fail"
    assert verdict("mixed_groups", {"min_share": 0.1}, rows, gate_min_mixed_share=0.2).status == "pass"


def test_no_mixed_group_fails_whatever_the_floor() -> None:
    assert verdict("mixed_groups", {"min_share": 0.0}, rows_of({"a": [1, 1]})).status == "fail"


def test_pass_rate_reads_the_end_of_the_interval() -> None:
    assert verdict("pass_rate", {"min": 0.5}, [], {"pass_at_1": measure(0.6, 0.45, 0.7)}).status == "fail"
    assert verdict("pass_rate", {"min": 0.4}, [], {"pass_at_1": measure(0.6, 0.45, 0.7)}).status == "pass"
    assert verdict("pass_rate", {"max": 0.65}, [], {"pass_at_1": measure(0.6, 0.45, 0.7)}).status == "fail"
    assert verdict("pass_rate", {"min": 0.4}, [], {"pass_at_1": measure(None)}).status == "unmeasured"


def test_errors_and_leaks() -> None:
    rows = [{"status": "ok"}] * 9 + [{"status": "timeout"}]
    assert verdict("errors", {"max_share": 0.05}, rows).status == "fail"
    assert verdict("no_leak", {}, [], reports={"leaks": {"n_checked": 3, "n_leaked": 1}}).status == "fail"
    assert verdict("no_leak", {}, [], reports={"leaks": {"n_checked": 3, "n_leaked": 0}}).status == "pass"


def test_a_share_that_nothing_can_reach_is_refused() -> None:
    with pytest.raises(ConfigError, match="not a share"):
        check_gates({"graded": {"min_share": 2}}, Evidence("rl", [], [], {}), GateKnobs())


def test_every_wrong_gate_and_setting_is_named_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        check_gates(
            {"gradd": {}, "graded": {"min_shar": 1}, "pass_rate": {}, "truncation": {"max_share": "x"}},
            Evidence("rl", [], [], {}),
            GateKnobs(),
        )
    text = str(caught.value)
    assert (
        "did you mean 'graded'" in text
        and "did you mean 'min_share'" in text
        and "needs min or max" in text
        and "gates.truncation.max_share" in text
    )


def scanned(regime: str) -> dict[str, Any]:
    return {"hack_scan": {"regime": regime, "reason": "why", "n_tasks": 20, "top": "reply_length"}}


@pytest.mark.parametrize(
    ("regime", "status"),
    [
        ("train", "pass"),
        ("no_signal", "pass"),
        ("pool_exhausted", "pass"),
        ("reward_hack", "fail"),
        ("unknown", "unmeasured"),
        ("degenerate", "unmeasured"),
    ],
)
def test_a_reward_that_pays_for_what_nobody_endorsed_is_refused(regime: str, status: str) -> None:
    found = verdict("hack_scan", {}, [{}], reports=scanned(regime))
    assert found.status == status and (status == "pass") == (not found.fix)


def test_a_judge_is_trusted_only_when_it_was_measured() -> None:
    def trust(**found: Any) -> GateResult:
        return verdict("judge_trusted", {}, [{}], reports={"judge_trust": {"n": 60, "warnings": ["kappa 0.2"], **found}})

    assert trust(measured=True, ok=True).status == "pass"
    assert trust(measured=True, ok=False).status == "fail" and "kappa 0.2" in trust(measured=True, ok=False).reason
    assert trust(measured=False, ok=False).status == "unmeasured"


def test_a_regression_is_told_from_the_interval_of_paired_tasks(tmp_path: Any) -> None:
    import orjson

    def run(name: str, rate: int) -> str:
        rows = [
            {
                "scenario_id": f"t{t}",
                "rollout_index": k,
                "rollout_id": f"t{t}/{k}",
                "reward": float((t + k) % 4 < rate),
                "status": "ok",
                "judge_status": "ok",
            }
            for t in range(24)
            for k in range(4)
        ]
        (tmp_path / name).write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
        return str(tmp_path / name)

    good, bad = run("good", 3), run("bad", 1)
    rows_good, rows_bad = ([orjson.loads(line) for line in Path(path).read_bytes().splitlines()] for path in (good, bad))
    assert verdict("no_regression", {"baseline": good}, rows_good).status == "pass"
    assert verdict("no_regression", {"baseline": good}, rows_bad).status == "fail"
    assert verdict("no_regression", {"baseline": bad}, rows_good).status == "pass"
    assert verdict("no_regression", {"baseline": good, "margin": 0.6}, rows_bad).status == "pass"
    missing = verdict("no_regression", {"baseline": str(tmp_path / "none")}, rows_good)
    assert missing.status == "unmeasured" and "cannot be read" in missing.reason
    with pytest.raises(ConfigError, match="names no run"):
        check_gates({"no_regression": {}}, Evidence("rl", [], [], {}), resolve(GateKnobs, {}))


def test_cost_is_unmeasured_where_a_price_or_a_count_is_missing() -> None:
    def cost(settings: dict[str, Any], **line: Any) -> str:
        usage = {"calls": [{"model": "m", "input_tokens": 900, "output_tokens": 100, "money": 0.5, "uncounted": 0, **line}]}
        return str(verdict("cost", settings, [{}, {}], reports={"usage": usage}).status)

    assert cost({"max_money": 1.0}) == "pass" and cost({"max_money": 0.4}) == "fail"
    assert cost({"max_tokens": 1000}) == "pass" and cost({"max_tokens_per_rollout": 499}) == "fail"
    assert cost({"max_money": 1.0}, money=None) == "unmeasured" and cost({"max_tokens": 10**6}, uncounted=1) == "unmeasured"
    assert cost({"max_tokens": 1}, money=None) == "fail"
