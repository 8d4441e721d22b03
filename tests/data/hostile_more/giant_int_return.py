# expect: reward=0
# class: grader-crash
# task: sumsq
# note: an int of 200 million bits (decimal conversion is quadratic and limited)
# ---
def solve(n):
    return 1 << 200_000_000
