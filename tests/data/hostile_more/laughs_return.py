# expect: reward=0
# class: grader-crash
# task: sumsq
# note: a billion laughs: 40 lists, each the one before twice
# ---
def solve(n):
    x = ["ha"]
    for _ in range(40):
        x = [x, x]
    return x
