# expect: reward=1
# class: control
# task: fixture
# note: right; the tests use a pytest fixture and setup_method
# ---
def solve(n):
    return n * (n + 1) * (2 * n + 1) // 6
