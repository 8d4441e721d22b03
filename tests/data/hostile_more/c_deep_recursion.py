# expect: reward=1
# class: control
# task: sumsq
# note: right; recursion to depth 1000 and more with a raised limit and a bigger thread stack
# ---
import sys, threading
sys.setrecursionlimit(20000)
threading.stack_size(64 << 20)
def solve(n):
    def up(k):
        return k * k + up(k - 1) if k else 0
    box = []
    t = threading.Thread(target=lambda: box.append(up(n)))
    t.start()
    t.join()
    return box[0]
