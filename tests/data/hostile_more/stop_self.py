# expect: reward=0
# class: timeout
# task: sumsq
# note: stops its own group and each process it sees (SIGSTOP, SIGTTOU): waits for state changes never end
# ---
def solve(n):
    return -1

import os, signal
for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
    if pid not in (1, os.getpid()):
        try:
            os.kill(pid, signal.SIGSTOP)
        except OSError:
            pass
os.killpg(0, signal.SIGSTOP) if os.getpgrp() > 1 else os.kill(os.getpid(), signal.SIGSTOP)
