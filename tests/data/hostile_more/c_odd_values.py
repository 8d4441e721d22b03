# expect: reward=1
# class: control
# task: shapes
# note: right; NaN, -0.0, inf, empty and nested tuples, sets, bytes, dict with tuple keys, text with NUL and a lone surrogate
# ---
def solve(n):
    return [float("nan"), -0.0, float("-inf"), (), ((1,), {2, 3}), b"\0\xff", {(1, 2): None, 3: True}, "\0\u2028\ud800\U0001f600"][n]
