# expect: reward=0
# class: grader-crash
# task: sumsq
# note: an exception with 200000 causes, a context cycle and a nested group
# ---
def solve(n):
    e = ValueError("0")
    for i in range(200_000):
        new = ValueError(str(i))
        new.__cause__ = e
        e = new
    a, z = KeyError("a"), KeyError("z")
    a.__context__, z.__context__ = z, a
    g = a
    for _ in range(5000):
        g = ExceptionGroup("g", [g])
    e.__context__ = g
    raise e
