# expect: reward=0
# class: exhaust
# task: sumsq
# note: 30 MB of NULs, escape codes, warnings and log lines on stdout and stderr
# ---
def solve(n):
    return -1

import logging, sys, warnings
warnings.simplefilter("always")
for i in range(3000):
    warnings.warn("\x1b]0;pass\x07\x1b[2J" * 20)
    logging.error("%s", "\0" * 5000)
    sys.stdout.write("\0" * 5000 + "\r\x1b[A 5 passed\n")
