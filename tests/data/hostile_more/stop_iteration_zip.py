# expect: reward=0
# class: forge
# task: zipped
# note: the same through next() of an empty iterator, inside zip(map(solve, ...), expected)
# ---
def solve(n):
    return next(iter(()))
