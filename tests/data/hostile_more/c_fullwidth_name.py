# expect: reward=1
# class: control
# task: sumsq
# note: right; the name is written in full-width letters, which Python reads as solve
# ---
def ｓｏｌｖｅ(n):
    return n * (n + 1) * (2 * n + 1) // 6
