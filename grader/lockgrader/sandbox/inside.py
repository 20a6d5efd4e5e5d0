"""The first program inside a sandbox: gives up every right, then becomes the job.

Started as ``python -I -S inside.py CONFIG JOB...`` with what :func:`lockgrader.sandbox.run.config`
wrote. It imports the standard library only, runs before anything of the job does, and ends with
exit code 125 and a line on standard error if a single step fails.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from typing import Any

FAILED = 125
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_CAP_AMBIENT = 38, 22, 24, 47
PR_SET_DUMPABLE = 4
SECCOMP_MODE_FILTER, PR_CAP_AMBIENT_CLEAR_ALL, CAPABILITY_VERSION_3 = 2, 4, 0x20080522
CLONE_NEWUSER = 0x10000000

libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Drop everything that the configuration names, and execute the job."""
    config, argv = json.loads(sys.argv[1]), sys.argv[2:]
    try:
        os.closerange(3, 1 << 16)
        os.umask(0o077)
        if config["uid"] is not None:
            os.setgroups([])
            os.setresgid(config["uid"], config["uid"], config["uid"])
            os.setresuid(config["uid"], config["uid"], config["uid"])
        if config["user_namespace"]:
            enter_user_namespace()
        drop_capabilities()
        limit(config["limits"])
        os.chdir(config["folder"])
        check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
        load_filter(bytes.fromhex(config["filter"]))
        os.execve(argv[0], argv, config["environment"])
    except Exception as error:
        os.write(2, f"the sandbox could not be closed: {error}\n".encode())
        os._exit(FAILED)


def check(result: int, what: str) -> None:
    """Raise an OSError if a call of the C library failed."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def enter_user_namespace() -> None:
    """Enter a user namespace of the sandbox's own, in which only the sandbox's uid exists."""
    uid, gid = os.getuid(), os.getgid()
    # A process that changed its uid does not own its files in /proc until it says so.
    check(libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), "dumpable")
    check(libc.unshare(CLONE_NEWUSER), "user namespace")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def drop_capabilities() -> None:
    """Drop every capability from every set, so that executing a file gives none back."""
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break  # past the last one, or not allowed; no_new_privs makes it void
    libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    check(libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def limit(limits: dict[str, int | None]) -> None:
    """Set the resource limits, soft and hard alike; None is no limit."""
    import resource  # the grader reads this file where there is none, and runs it only here

    for name, value in limits.items():
        bound = resource.RLIM_INFINITY if value is None else value
        # At equal limits the kernel kills without saying that it was for processor time.
        late = name == "RLIMIT_CPU" and value is not None
        resource.setrlimit(getattr(resource, name), (bound, bound + late))


def load_filter(program: bytes) -> None:
    """Load a seccomp filter; from here on it cannot be taken back."""

    class Filter(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))

    loaded: Any = Filter(len(program) // 8, program)
    check(
        libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(loaded), 0, 0),
        "seccomp filter",
    )


if __name__ == "__main__":
    main()
