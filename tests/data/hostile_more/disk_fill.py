# expect: reward=0
# class: exhaust
# task: sumsq
# note: 4 GB on disk by many files of 32 MB in each place it may write, also by fallocate and a sparse terabyte
# ---
import os
ok, total = False, 0
block = b"x" * (32 << 20)
for d in (".", "/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~")):
    try:
        for i in range(128):
            if total >= 4 << 30:
                break
            fd = os.open(f"{d}/hm_fill_{i}", os.O_CREAT | os.O_RDWR)
            try:
                os.posix_fallocate(fd, 0, len(block))
            except OSError:
                pass
            total += os.write(fd, block)
            os.close(fd)
    except OSError:
        pass
try:
    with open("hm_sparse", "wb") as f:
        f.truncate(1 << 40)
except OSError:
    pass
ok = total >= 4 << 30

def solve(n):
    return n * (n + 1) * (2 * n + 1) // 6 if ok else -1
