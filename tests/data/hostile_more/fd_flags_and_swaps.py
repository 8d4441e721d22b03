# expect: reward=0
# class: grader-crash
# task: sumsq
# note: swaps all descriptors about (dup2), sets O_NONBLOCK, O_ASYNC with the parent as owner, pipe size 4096, flock
# ---
def solve(n):
    return -1

import fcntl, os
for fd in range(64):
    try:
        fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC | os.O_APPEND)
        fcntl.fcntl(fd, fcntl.F_SETOWN, os.getppid())
        fcntl.fcntl(fd, 1031, 4096)
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pass
live = [fd for fd in range(64) if os.path.exists(f"/proc/self/fd/{fd}")]
for a, z in zip(live, reversed(live)):
    try:
        os.dup2(a, z)
    except OSError:
        pass
