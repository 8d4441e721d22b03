# expect: reward=1
# class: control
# task: sumsq
# note: right; solve is an instance with __call__, a cache and a lock
# ---
import threading
class _Solve:
    def __init__(self):
        self.seen, self.lock = {}, threading.Lock()
    def __call__(self, n):
        with self.lock:
            return self.seen.setdefault(n, n * (n + 1) * (2 * n + 1) // 6)
    def __repr__(self):
        raise RuntimeError
solve = _Solve()
