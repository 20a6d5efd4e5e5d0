"""The seccomp filter: system calls that no graded program needs.

A call that only an attack makes ends the process (SIGSYS, which :mod:`watch` reports as a forbidden
operation); a call that libraries try in good faith fails with an error that they can handle.
``clone3`` passes its flags in memory, where a filter cannot look, so it does not exist here, and
the C library falls back to ``clone``, whose flags for new namespaces are refused.
"""

from __future__ import annotations

import errno
import functools
import tempfile
from typing import Any

from lockgrader.sandbox.job import Profile, SandboxError
from lockui.extras import missing

#: Calls that end the process that makes them.
FORBIDDEN = (
    # other processes' memory and registers
    *("ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd"),
    "process_madvise",
    # code and counters inside the kernel
    *("bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter"),
    "io_uring_register",
    # keys
    *("keyctl", "add_key", "request_key"),
    # namespaces, mounts and roots
    *("unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "open_tree"),
    *("move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr"),
    *("open_by_handle_at", "name_to_handle_at", "mknod", "mknodat", "swapon", "swapoff"),
    "quotactl",
    # the machine itself
    *("init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load"),
    *("reboot", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex"),
    *("sethostname", "setdomainname", "acct", "syslog", "iopl", "ioperm", "modify_ldt"),
    *("vhangup", "lookup_dcookie", "nfsservctl", "fanotify_init"),
)

#: Calls that fail with EACCES: the network, should a namespace ever have one.
REFUSED = (
    *("socket", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg"),
    "sendmmsg",
)
#: Calls that fail with EPERM: scheduling priority is for the owner of the machine, and memory must
#: be where the limits see it, in address spaces and in /tmp.
UNFAVOURED = (
    *("memfd_create", "memfd_secret", "shmget", "semget", "msgget", "sched_setscheduler"),
    *("sched_setattr", "setpriority", "ioprio_set", "mbind", "migrate_pages"),
)
#: CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET.
NEW_NAMESPACES = (
    *(0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000),
)
CLONE_THREAD = 0x10000
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
SIGNALLING = ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "pidfd_send_signal", "pidfd_open")


@functools.cache
def program(profile: Profile) -> bytes:
    """The filter of a profile as BPF instructions, ready for the kernel.

    Raises:
        SandboxError: pyseccomp or libseccomp is not installed.
    """
    try:
        import pyseccomp as seccomp
    except ModuleNotFoundError as error:
        raise SandboxError(f"a sandbox needs {missing('pyseccomp')}") from error
    except (ImportError, RuntimeError) as error:
        raise SandboxError(
            f"no seccomp filter can be made ({error})\n"
            "help: install libseccomp (Debian, Ubuntu: apt-get install libseccomp2)"
        ) from error
    made = seccomp.SyscallFilter(seccomp.ALLOW)
    for name in FORBIDDEN:
        _rule(made, seccomp, seccomp.KILL_PROCESS, name)
    for name in REFUSED:
        _rule(made, seccomp, seccomp.ERRNO(errno.EACCES), name)
    for name in UNFAVOURED:
        _rule(made, seccomp, seccomp.ERRNO(errno.EPERM), name)
    _rule(made, seccomp, seccomp.ERRNO(errno.ENOSYS), "clone3")
    for flag in NEW_NAMESPACES:
        given = seccomp.Arg(0, seccomp.MASKED_EQ, flag, flag)
        _rule(made, seccomp, seccomp.KILL_PROCESS, "clone", given)
    for request in (TIOCSTI, TIOCLINUX):
        # The kernel looks at the lower half of the number only.
        given = seccomp.Arg(1, seccomp.MASKED_EQ, 0xFFFFFFFF, request)
        _rule(made, seccomp, seccomp.ERRNO(errno.EPERM), "ioctl", given)
    if profile == "platform":
        # Without a pid namespace a process could leave its parent; threads stay with it.
        alone = seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_THREAD, 0)
        _rule(made, seccomp, seccomp.ERRNO(errno.EPERM), "clone", alone)
        for name in ("fork", "vfork", "setsid", "setpgid", *SIGNALLING):
            if name != "tgkill":  # abort() signals its own thread
                _rule(made, seccomp, seccomp.ERRNO(errno.EPERM), name)
    with tempfile.TemporaryFile() as file:
        made.export_bpf(file)
        file.seek(0)
        return file.read()


def _rule(made: Any, seccomp: Any, action: int, name: str, *arguments: Any) -> None:
    """Add a rule, unless this architecture does not have the call."""
    if seccomp.resolve_syscall(seccomp.Arch.NATIVE, name) < 0:
        return
    made.add_rule(action, name, *arguments)
