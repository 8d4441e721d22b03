# expect: reward=1
# class: control
# task: refuses
# note: right; raises ValueError with a message and args that the tests look at
# ---
def solve(n):
    if n < 0:
        raise ValueError("n is negative", n)
    return n * (n + 1) * (2 * n + 1) // 6
