# expect: reward=0
# class: grader-crash
# task: sumsq
# note: a list and a dict that hold themselves and each other
# ---
def solve(n):
    x, d = [], {}
    x += [x, d]
    d["x"], d["d"] = x, d
    return x
