# expect: reward=0
# class: timeout
# task: sumsq
# note: wrong at once, but its end never comes: atexit, __del__, threads that are no daemons, closing that sleeps
# ---
def solve(n):
    return -1

import atexit, signal, threading, time
atexit.register(time.sleep, 3600)
class D:
    def __del__(self): time.sleep(3600)
    close = __exit__ = __del__
keep = D()
threading.Thread(target=time.sleep, args=(3600,)).start()
signal.signal(signal.SIGTERM, lambda *a: time.sleep(3600))
