# expect: reward=0
# class: exhaust
# task: sumsq
# note: zlib bomb, giant shift, giant string, list by repetition: each caught, and tried anew
# ---
def solve(n):
    return -1

import bz2, zlib
kept = []
one = zlib.compress(b"\0" * (64 << 20), 9)
for _ in range(3):
    for bomb in (lambda: zlib.decompress(one) * 64, lambda: 1 << (1 << 35), lambda: "\U0001f600" * (1 << 30), lambda: [0] * (1 << 30), lambda: bz2.decompress(bz2.compress(b"\0" * (64 << 20))) * 40):
        try:
            kept.append(bomb())
        except (MemoryError, OverflowError):
            pass
