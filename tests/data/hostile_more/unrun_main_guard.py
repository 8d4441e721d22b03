# expect: reward=0
# class: unrun-tests
# task: main_guard
# note: gives up after solve(0); the test that would see it is under if __name__ == '__main__': is it run?
# ---
def solve(n):
    return 0
