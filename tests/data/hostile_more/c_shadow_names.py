# expect: reward=1
# class: control
# task: builtins
# note: right; its own globals have the names of builtins and of modules (sum, abs, all, json, test, os)
# ---
sum = abs = all = isinstance = int = json = os = test = None
def solve(n):
    return n * (n + 1) * (2 * n + 1) // 6
