# expect: reward=0
# class: exhaust
# task: sumsq
# note: memory that is not of the process: memfd files and full 1 MB pipes, up to 3 GB
# ---
import fcntl, os
ok, total, keep = False, 0, []
block = b"x" * (16 << 20)
try:
    fd = os.memfd_create("x")
    while total < 3 << 30:
        total += os.write(fd, block)
except OSError:
    pass
try:
    while total < 3 << 30:
        r, w = os.pipe()
        keep += [r, w]
        fcntl.fcntl(w, 1031, 1 << 20)
        os.set_blocking(w, False)
        total += os.write(w, block[: 1 << 20])
except OSError:
    pass
ok = total >= 3 << 30

def solve(n):
    return n * (n + 1) * (2 * n + 1) // 6 if ok else -1
