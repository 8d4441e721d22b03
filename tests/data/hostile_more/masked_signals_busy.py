# expect: reward=0
# class: timeout
# task: sumsq
# note: all signals blocked and ignored, limits lowered to nothing, then a busy loop in threads
# ---
import resource, signal, threading, time
def solve(n):
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    for s in (signal.SIGXCPU, signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        try:
            signal.signal(s, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    for _ in range(4):
        threading.Thread(target=lambda: [time.perf_counter() for _ in iter(int, 1)]).start()
    while True:
        pass
