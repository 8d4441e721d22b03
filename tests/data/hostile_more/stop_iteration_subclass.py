# expect: reward=0
# class: forge
# task: mapped
# note: the same by a subclass with a value, after one right answer
# ---
class Done(StopIteration):
    pass

def solve(n):
    if n == 0:
        return 0
    raise Done(14)
