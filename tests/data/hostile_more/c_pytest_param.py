# expect: reward=1
# class: control
# task: param
# note: right; the tests use parametrize on a method, with pytest.param
# ---
def solve(n):
    return n * (n + 1) * (2 * n + 1) // 6
