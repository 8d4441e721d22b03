# expect: reward=0
# class: grader-crash
# task: sumsq
# note: sends 253 descriptors over each socket it has, and nested sockets within sockets
# ---
import array, os, socket
def solve(n):
    null = os.open("/dev/null", os.O_RDONLY)
    for fd in range(64):
        try:
            s = socket.socket(fileno=os.dup(fd))
            s.setblocking(False)
            for _ in range(20):
                s.sendmsg([b"\n"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [null] * 253))])
        except OSError:
            pass
    return -1
