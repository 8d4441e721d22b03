# expect: reward=1
# class: control
# task: bigint
# note: right; an int of 26000 digits, beyond the limit of int to str conversion
# ---
def solve(n):
    r = 1
    for k in range(2, n + 1):
        r *= k
    return r
