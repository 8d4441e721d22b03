# expect: reward=0
# class: unrun-tests
# task: tmp_path
# note: gives up after solve(0); the test that would see it is with pytest's tmp_path: is it run?
# ---
def solve(n):
    return 0
