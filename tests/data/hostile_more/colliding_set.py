# expect: reward=0
# class: exhaust
# task: asserts
# note: a set and a dict that iterate over 200000 ints of one and the same hash: quadratic for whoever rebuilds them
# ---
M = 2**61 - 1
class S(set):
    def __iter__(self): return (k * M for k in range(200_000))
    def __len__(self): return 200_000
class D(dict):
    def items(self): return ((k * M, 1) for k in range(200_000))
    def __iter__(self): return (k * M for k in range(200_000))
    keys = __iter__
    def __getitem__(self, k): return 1
    def __len__(self): return 200_000
def solve(n):
    return [S({1}), D({1: 1}), frozenset([1])]
