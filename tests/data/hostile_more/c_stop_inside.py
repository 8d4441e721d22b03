# expect: reward=1
# class: control
# task: mapped
# note: right; uses StopIteration and next() inside, catches them itself
# ---
def solve(n):
    it, total = iter(range(n + 1)), 0
    while True:
        try:
            k = next(it)
        except StopIteration:
            return total
        total += k * k
