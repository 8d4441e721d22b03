# expect: reward=0
# class: exhaust
# task: listed
# note: a generator without end of 1 MB strings: the tests' list() grows the tester
# ---
def solve(n):
    i = 0
    while True:
        i += 1
        yield str(i) * 200_000
