# expect: reward=0
# class: exhaust
# task: sumsq
# note: every process forks until refused, and again, for 8 s
# ---
def solve(n):
    return -1

import os, time
end = time.time() + 8
while time.time() < end:
    try:
        os.fork()
    except OSError:
        time.sleep(0.05)
