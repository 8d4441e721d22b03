# expect: reward=0
# class: forge
# task: listed
# note: a generator with return value, that swallows close(), and raises StopIteration and GeneratorExit
# ---
def solve(n):
    try:
        while True:
            yield 0
            raise StopIteration([0, 1, 4])
    except BaseException:
        yield 1
        yield 4
        yield 10
        return [0, 1, 4]
