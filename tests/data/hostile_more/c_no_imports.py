# expect: reward=1
# class: control
# task: no_imports
# note: right; imports math, which the tests use without an import of their own
# ---
import math
def solve(n):
    return sum(math.prod((k, k)) for k in range(n + 1))
