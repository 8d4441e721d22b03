# expect: reward=1
# class: control
# task: in_place
# note: right; sorts its argument in place and returns None
# ---
def solve(xs):
    xs.sort()
