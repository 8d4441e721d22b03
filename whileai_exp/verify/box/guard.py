"""Inside a box, before any stranger's code: give up rights for good. Standard library only; runs without the package.

Limits on memory, CPU, files and processes; a system-call filter; and, where there are no namespaces, Landlock. Each
step raises when the kernel refuses it: a box that is not closed does not start.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import struct
from collections.abc import Iterable

_EPERM, _ENOSYS = 1, 38
_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000
_NEW_NAMESPACES = 0x7E020080
_THREAD = 0x00010000
_RET_ALLOW, _RET_ERRNO, _RET_KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LD, _JEQ, _JGE, _JSET, _RET = 0x20, 0x15, 0x35, 0x45, 0x06

# name: (x86_64, aarch64); -1 where the machine has no such call
_CALLS = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "mount": (165, 40),
    "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "move_mount": (429, 429), "open_tree": (428, 428), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424), "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264), "personality": (135, 92), "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190),
    "semop": (65, 193), "semctl": (66, 191), "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187),
    "socket": (41, 198), "acct": (163, 89), "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104), "quotactl": (179, 60), "syslog": (103, 116),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "sethostname": (170, 161), "setdomainname": (171, 162), "memfd_create": (319, 279),
    "mq_open": (240, 180), "mknod": (133, -1), "mknodat": (259, 33), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
}  # fmt: skip
_FILE_RIGHTS = {
    "chmod": (90, -1), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, -1), "fchown": (93, 55), "lchown": (94, -1),
    "fchownat": (260, 54), "utime": (132, -1), "utimes": (235, -1), "utimensat": (280, 88), "futimesat": (261, -1), "setxattr": (188, 5),
    "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "tkill": (200, 130),
    "fork": (57, -1), "vfork": (58, -1), "setpgid": (109, 154), "setpriority": (141, 140), "sched_setaffinity": (203, 122),
}  # fmt: skip
"""Denied besides where there are no namespaces: Landlock does not cover them."""
_CLONE, _CLONE3, _KILL, _TGKILL, _IOCTL = (56, 220), (435, 435), (62, 129), (234, 131), (16, 29)
_TTY_TRICKS = (0x5412, 0x541C)


class GuardError(RuntimeError):
    """The kernel refused a step."""


def limits(memory_mb: int, cpu_s: float, processes: int, file_mb: int, *, count_processes: bool) -> None:
    """Hard limits that nothing inside can raise again."""
    memory = memory_mb << 20
    pairs = [
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, max(1, int(cpu_s + 0.999)) + 1),
        (resource.RLIMIT_FSIZE, file_mb << 20),
        (resource.RLIMIT_NOFILE, 128),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 1 << 16),
        (resource.RLIMIT_MSGQUEUE, 0),
    ]
    if count_processes:
        pairs.append((resource.RLIMIT_NPROC, processes))
    for what, most in pairs:
        _, hard = resource.getrlimit(what)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


def no_new_privileges(libc: ctypes.CDLL) -> None:
    if libc.prctl(38, 1, 0, 0, 0) != 0:
        raise GuardError("no_new_privs was refused")


def seccomp(libc: ctypes.CDLL, *, namespaces: bool) -> None:
    """Install the filter. Without `namespaces` it also forbids new processes, signals to others and changes of rights."""
    program = _program(namespaces, os.getpid())
    data = ctypes.create_string_buffer(program)

    class Filter(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]

    made = Filter(len(program) // 8, ctypes.addressof(data))
    if libc.prctl(22, 2, ctypes.byref(made), 0, 0) != 0:
        raise GuardError("the system-call filter was refused")


def _program(namespaces: bool, pid: int) -> bytes:
    machine = platform.machine()
    if machine not in _ARCH:
        raise GuardError(f"no system-call table for {machine}")
    column = 0 if machine == "x86_64" else 1
    out = [_op(_LD, 0, 0, 4), _op(_JEQ, 1, 0, _ARCH[machine]), _op(_RET, 0, 0, _RET_KILL), _op(_LD, 0, 0, 0)]
    if column == 0:
        out += [_op(_JGE, 0, 1, _X32), _op(_RET, 0, 0, _RET_KILL)]
    denied = {**_CALLS, **({} if namespaces else _FILE_RIGHTS)}
    for numbers in denied.values():
        if numbers[column] >= 0:
            out += _refuse(numbers[column], _EPERM)
    out += _refuse(_CLONE3[column], _ENOSYS)
    wanted = [_op(_LD, 0, 0, 16), _op(_JSET, 0, 1, _NEW_NAMESPACES), _op(_RET, 0, 0, _RET_ERRNO | _EPERM)]
    if not namespaces:
        wanted += [_op(_JSET, 1, 0, _THREAD), _op(_RET, 0, 0, _RET_ERRNO | _EPERM)]
    out += _when(_CLONE[column], [*wanted, _op(_RET, 0, 0, _RET_ALLOW)])
    tricks: list[bytes] = [_op(_LD, 0, 0, 24)]
    for trick in _TTY_TRICKS:
        tricks += [_op(_JEQ, 0, 1, trick), _op(_RET, 0, 0, _RET_ERRNO | _EPERM)]
    out += _when(_IOCTL[column], [*tricks, _op(_RET, 0, 0, _RET_ALLOW)])
    if not namespaces:
        own = [_op(_LD, 0, 0, 16), _op(_JEQ, 1, 0, pid), _op(_RET, 0, 0, _RET_ERRNO | _EPERM), _op(_RET, 0, 0, _RET_ALLOW)]
        out += _when(_KILL[column], own) + _when(_TGKILL[column], own)
    out.append(_op(_RET, 0, 0, _RET_ALLOW))
    return b"".join(out)


def _op(code: int, yes: int, no: int, value: int) -> bytes:
    return struct.pack("<HBBI", code, yes, no, value)


def _refuse(number: int, errno: int) -> list[bytes]:
    return [_op(_JEQ, 0, 1, number), _op(_RET, 0, 0, _RET_ERRNO | errno)]


def _when(number: int, then: list[bytes]) -> list[bytes]:
    return [_op(_JEQ, 0, len(then), number), *then]


def landlock(libc: ctypes.CDLL, readable: Iterable[str], writable: Iterable[str], plain: Iterable[str]) -> int:
    """Close the file system but for these folders (and `plain` files, read and write). The kernel's ABI number."""
    abi = libc.syscall(444, None, 0, 1)
    if abi < 1:
        raise GuardError("the kernel has no Landlock")
    rights = (1 << 13) - 1 | (1 << 13 if abi >= 2 else 0) | (1 << 14 if abi >= 3 else 0) | (1 << 15 if abi >= 5 else 0)
    attributes = struct.pack("<QQQ", rights, 3 if abi >= 4 else 0, 3 if abi >= 6 else 0)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset = libc.syscall(444, attributes, size, 0)
    if ruleset < 0:
        raise GuardError("Landlock was refused")
    read = 1 | 1 << 2 | 1 << 3
    for paths, allowed in ((readable, read), (writable, rights & ~(1 << 15) & ~1), (plain, 1 << 1 | 1 << 2)):
        for path in paths:
            _allow(libc, ruleset, path, allowed & rights)
    if libc.syscall(446, ruleset, 0) != 0:
        raise GuardError("Landlock was refused")
    os.close(ruleset)
    return abi


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):
        rights &= 1 | 1 << 1 | 1 << 2 | 1 << 14
    rule = struct.pack("<Qi", rights, fd)
    if libc.syscall(445, ruleset, 1, rule, 0) != 0:
        raise GuardError(f"Landlock refused {path}")
    os.close(fd)


def become(uid: int) -> None:
    """Be a user that owns nothing; every capability goes with it."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def no_capabilities(libc: ctypes.CDLL) -> None:
    """Root without its powers, now and after any program start."""
    for capability in range(64):
        libc.prctl(24, capability, 0, 0, 0)
    libc.prctl(28, 0x2F, 0, 0, 0)
    if libc.capset(struct.pack("<II", 0x20080522, 0), bytes(24)) != 0:
        raise GuardError("the capabilities could not be dropped")


def close(config: dict) -> None:
    """All steps, as the configuration says. GuardError when one is refused."""
    if config.get("uid") is not None:
        become(config["uid"])
    limits(
        config["memory_mb"], config["cpu_s"], config["processes"], config["file_mb"], count_processes=config["count_processes"]
    )
    if config["level"] == 1:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if config.get("drop_capabilities"):
        no_capabilities(libc)
    no_new_privileges(libc)
    if config["level"] == 2:
        landlock(libc, config["readable"], config["writable"], ["/dev/null", "/dev/urandom", "/dev/zero"])
    seccomp(libc, namespaces=config["level"] == 3)
