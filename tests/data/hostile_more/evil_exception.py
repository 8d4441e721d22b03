# expect: reward=0
# class: grader-crash
# task: sumsq
# note: an exception whose name, str, repr, args, class and traceback run code, loop or are 5 MB with escapes and newlines
# ---
import time
class Meta(type):
    def __getattribute__(cls, n):
        if n in ("__name__", "__qualname__", "__module__", "__mro__"):
            return "pass\n\x1b[2J\ud800\0" + "A" * 5_000_000
        return type.__getattribute__(cls, n)
class Evil(Exception, metaclass=Meta):
    def __str__(self): raise Evil("again")
    def __repr__(self): time.sleep(60)
    @property
    def args(self): raise SystemExit(0)
    @property
    def __class__(self): raise KeyboardInterrupt
    @property
    def __traceback__(self): time.sleep(60)
    def __reduce__(self): return (exec, ("import os; os._exit(0)",))
def solve(n):
    raise Evil("x")
