"""A record within MLflow's rules: names it accepts, numbers that are finite, values that are not cut."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from whileai_exp.record.flatten import key_of, leaves, metrics_of, params_of
from whileai_exp.run.experiment import record_dict
from whileai_exp.schema import GateResult, GateStatus, Interval, Measure, RunRecord

RECORD = RunRecord("r", "e", "complete", {}, {}, {}, {}, {}, {"rows": "ab"}, {"rows": 3}, (), (), {}, {})


def test_every_leaf_becomes_a_param_and_long_ones_go_aside_with_their_hash() -> None:
    config: dict[str, Any] = {
        "spec": {"system_prompt": "x" * 20000},
        "seed": 3,
        "list": [1, 2],
        "none": None,
        "empty": {},
        **{f"k{i}": i for i in range(600)},
    }
    params, long = params_of(config)
    assert len(params) == 605 and params["seed"] == "3" and params["list"] == "[1,2]" and params["none"] == "null"
    assert (
        long == {"spec.system_prompt": "x" * 20000}
        and params["spec.system_prompt"].startswith("sha256:")
        and "20000" in params["spec.system_prompt"]
    )
    assert all(len(value) < 6000 for value in params.values())


def test_names_are_made_acceptable() -> None:
    assert (
        key_of("pass@4") == "pass_4" and key_of("a[0]") == "a_0_" and len(key_of("x" * 400)) <= 250 and key_of("a//b") == "a_/b"
    )


def test_leaves_of_a_tree() -> None:
    assert dict(leaves({"a": {"b": 1, "c": [1]}, "d": {}})) == {"a.b": 1, "a.c": [1], "d": {}}


def test_a_number_that_is_not_there_is_a_tag_and_never_a_zero() -> None:
    measures = (
        Measure("pass_at_1", 0.5, 10, Interval(0.3, 0.7, 0.95, "wilson")),
        Measure("headroom", None, 0, note="too few repeats"),
        Measure("kl", float("inf"), 1),
        Measure("nan", float("nan"), 1),
    )
    gates = (GateResult("g", GateStatus.UNMEASURED, "why"), GateResult("h", GateStatus.FAIL, "no"))
    metrics, tags = metrics_of(record_dict(replace(RECORD, measures=measures, gates=gates), {}))
    assert metrics["pass_at_1"] == 0.5 and metrics["pass_at_1.low"] == 0.3 and metrics["pass_at_1.n"] == 10
    assert "headroom" not in metrics and tags["headroom.missing"] == "too few repeats"
    assert "kl" not in metrics and tags["kl.missing"] == "inf" and tags["nan.missing"] == "nan"
    assert "gate/g" not in metrics and metrics["gate/h"] == 0.0 and tags["gate.g"] == "unmeasured: why"
