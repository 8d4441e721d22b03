"""Gates: a pass, a fail, and the third state for what was not measured."""

from __future__ import annotations

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
    settings = {"pass_rate": {"min": 0.5}}.get(name, {})
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
