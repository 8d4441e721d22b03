from __future__ import annotations

import pytest

from whileai_exp.world.arithmetic import ArithmeticProblem, calculate


@pytest.mark.parametrize(
    ("text", "value"),
    [("2 + 2", 4), ("228 + 298 =", 526), ("1,250 * 4", 5000), ("(3 - 5) × 2", -4), ("10 / 4", 2.5), ("10 / 5", 2), ("2^10", 1024), ("0.1 + 0.2", 0.3), ("sqrt(16) + max(1, 2)", 6), ("-7 // 2", -4), ("7 % 4", 3)],
)  # fmt: skip
def test_expressions_have_their_value(text, value):
    assert calculate(text, 60) == value


@pytest.mark.parametrize(
    "text",
    ["9**9**9", "7**700000", "2**-99999999", "1/0", "__import__('os')", "open('x')", "'a'*9", "True", "", "1 +", "(" * 300 + "1" + ")" * 300, "10**59*10**59", "(-1)**0.5", "x", "sqrt(-1)", "max()"],
)  # fmt: skip
def test_what_is_not_bounded_arithmetic_is_refused_at_once(text):
    """9**9**9 ran until it was killed; 7**700000 broke the JSON encoder."""
    try:
        assert abs(calculate(text, 60)) <= 10**60
    except ArithmeticProblem:
        return
    assert text == "2**-99999999"
