# expect: reward=0
# class: grader-crash
# task: sumsq
# note: 3000 nested directories of mode 0, names that are no UTF-8, links to / and to itself: the clean-up must get through
# ---
def solve(n):
    return -1

import os
try:
    os.symlink("/", "root")
    os.symlink("loop", "loop")
    os.mkdir(b"\xff\xfe\n\x1b[2J")
    open(b"-rf \xff", "w").close()
    home = os.getcwd()
    path = []
    for i in range(3000):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
        path.append(i)
    for i in range(3000):
        os.chdir("..")
        os.chmod("d" * 200, 0)
    os.chmod(home, 0)
except OSError:
    pass
