# expect: reward=0
# class: exhaust
# task: sumsq
# note: a string of 300 million astral characters with lone surrogates, and again each call
# ---
def solve(n):
    return "\U0001f600\ud800" * 30_000_000
