# expect: reward=1
# class: control
# task: sumsq
# note: right; reads stdin to its end on import, closes stdout and stdin, replaces sys.stdout
# ---
import io, sys
rows = sys.stdin.read().split()
sys.stdin.close()
sys.stdout.close()
sys.stdout = io.StringIO()
print('x' * 100000)
def solve(n):
    return n * (n + 1) * (2 * n + 1) // 6
