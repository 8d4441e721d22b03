# expect: reward=0
# class: exhaust
# task: aliased
# note: grows the tests' own argument in place: 100 million items, then one that holds itself
# ---
def solve(xs):
    xs.append(xs)
    xs.extend([xs] * 100_000_000)
    return []
