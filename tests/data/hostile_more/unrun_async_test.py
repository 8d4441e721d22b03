# expect: reward=0
# class: unrun-tests
# task: async_test
# note: gives up after solve(0); the test that would see it is an async def test_: is it run?
# ---
def solve(n):
    return 0
