# expect: reward=0
# class: early-exit
# task: sumsq
# note: becomes /bin/true in the middle of a call, all descriptors made inheritable
# ---
import os
def solve(n):
    for fd in range(256):
        try:
            os.set_inheritable(fd, True)
        except OSError:
            pass
    os.execv("/bin/true", ["true"])
