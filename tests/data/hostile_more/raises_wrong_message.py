# expect: reward=0
# class: unrun-tests
# task: match
# note: raises ValueError for all below 0 with another message than pytest.raises(match=...) asks for
# ---
def solve(n):
    if n < 0:
        raise ValueError("no")
    return n * (n + 1) * (2 * n + 1) // 6
