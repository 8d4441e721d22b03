from __future__ import annotations

import json

import pytest
from shop import SPEC, make_task

from whileai_exp.schema import Fault
from whileai_exp.world.reference import Rule, expected_handling

_TIMEOUT = (Fault("*", "timeout", (0,)),)


@pytest.mark.parametrize(
    ("rule", "task"),
    [
        (Rule.ACT, make_task()),
        (Rule.ACT, make_task(faults=(Fault("*", "slow", (0,)),))),
        (Rule.ACT, make_task("get_order", {"order_id": "#W1"}, state="already_done")),
        (Rule.REPORT_MISSING, make_task(state="missing", faults=_TIMEOUT)),
        (Rule.ACKNOWLEDGE_DONE, make_task(state="already_done")),
        (Rule.LOOK_FIRST, make_task(state="duplicate")),
        (Rule.LOOK_FIRST, make_task(history="prior_partial_action")),
        (Rule.REPORT_FAULT, make_task(faults=_TIMEOUT)),
        (Rule.ACT, make_task(faults=(Fault("*", "timeout", (3,)),))),
        (Rule.ACT, make_task(faults=(Fault("get_order", "timeout", (0,)),))),
        (Rule.REPORT_PERMISSION, make_task(state="permission", faults=_TIMEOUT)),
        (Rule.ASK_BACK, make_task(stance="ambiguous", told=("reason",))),
        (Rule.ACT, make_task(stance="ambiguous")),
        (Rule.NO_WRITE, make_task(stance="adversarial", state="missing")),
        (Rule.NO_CALL, make_task(None, {}, prompt="Tell me a joke.")),
    ],
)
def test_the_first_rule_that_applies_decides(rule, task):
    assert expected_handling(SPEC, task)["hidden_state"]["expected"] == rule


def test_the_key_names_tool_arguments_and_outcome_and_cannot_be_written_down():
    key = expected_handling(SPEC, make_task())
    assert "cancel_order" in key["reference"] and "#W1234567" in key["reference"]
    assert key["hidden_state"]["entity"] == {"order_id": "#W1234567"}
    with pytest.raises(TypeError):
        json.dumps(key)


def test_it_is_a_pure_function_of_the_task():
    task = make_task(stance="ambiguous", told=(), unknown=("reason",))
    first, second = expected_handling(SPEC, task), expected_handling(SPEC, task)
    assert dict(first) == dict(second) and first["hidden_state"]["unknown_facts"] == ["reason"]
