# expect: reward=0
# class: exhaust
# task: sumsq
# note: shared anonymous maps, SysV segments and /dev/shm, up to 3 GB, left behind
# ---
import ctypes, mmap, os
ok, total, keep = False, 0, []
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
size = 64 << 20
try:
    while total < 1 << 30:
        i = libc.shmget(0, size, 0o1600)
        at = libc.shmat(i, None, 0) if i >= 0 else None
        if i < 0 or at in (None, ctypes.c_void_p(-1).value):
            break
        ctypes.memset(at, 1, size)
        total += size
    with open("/dev/shm/hm_shared_memory", "wb") as f:
        while total < 2 << 30:
            total += f.write(b"x" * size)
except OSError:
    pass
try:
    while total < 3 << 30:
        m = mmap.mmap(-1, size)
        for k in range(0, size, 4096):
            m[k] = 1
        keep.append(m)
        total += size
except (OSError, MemoryError, ValueError):
    pass
ok = total >= 3 << 30

def solve(n):
    return n * (n + 1) * (2 * n + 1) // 6 if ok else -1
