# expect: reward=0
# class: timeout
# task: sumsq
# note: writes half a line on every descriptor but 1 and 2, then trickles a byte each 0.2 s so that no read times out
# ---
import os, time
def solve(n):
    while True:
        for fd in range(3, 64):
            try:
                os.set_blocking(fd, False)
                os.write(fd, b'{')
            except OSError:
                pass
        time.sleep(0.2)
