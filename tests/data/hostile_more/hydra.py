# expect: reward=0
# class: survive
# task: sumsq
# note: children that ignore all signals, start anew in a new session each millisecond and outlive their parent, 15 s
# ---
def solve(n):
    return -1

import os, signal, time
end = time.time() + 15
def head():
    for s in range(1, 65):
        try:
            signal.signal(s, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while time.time() < end:
        time.sleep(0.001)
        try:
            if os.fork():
                os._exit(0)
            os.setsid()
        except OSError:
            pass
    os._exit(0)
for _ in range(20):
    try:
        if os.fork() == 0:
            head()
    except OSError:
        break
