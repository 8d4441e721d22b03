# expect: reward=0
# class: unrun-tests
# task: run_test
# note: gives up after solve(0); the test that would see it is a TestCase's runTest: is it run?
# ---
def solve(n):
    return 0
