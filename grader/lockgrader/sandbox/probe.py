"""Attack each protection of a sandbox, and report which ones hold.

An attack is a small program that runs inside and prints ``broken`` and what it got, or something
else if it failed; or it must be ended by a certain limit. A protection counts only if the attack
fails here, on this kernel, now; its configuration proves nothing.
"""

from __future__ import annotations

import os
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lockgrader.sandbox.job import PROFILES, Job, Limits, Profile, SandboxError
from lockgrader.sandbox.run import available, interpreter, run
from lockgrader.sandbox.watch import Outcome
from lockui.findings import Check

__all__ = ["ATTACKS", "Attack", "examine"]

LIMITS = Limits(
    wall_s=6, cpu_s=3, memory_bytes=96 << 20, tmp_bytes=4 << 20, output_bytes=65536, processes=6
)
_HEAD = """
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
SECRET, TOKEN = sys.argv[1:3]
def broken(what):
    print("broken", what, flush=True)
    os._exit(0)
"""


@dataclass(frozen=True)
class Attack:
    """An attack on one protection.

    Arguments:
        name: the protection. code: what is run inside; ``broken(what)`` reports success.
        ended: how the sandbox must end it; "exited" if it ends by itself. limits: of the job.
        namespaces: True for a protection that only namespaces give.
    """

    name: str
    code: str
    ended: str = "exited"
    limits: Limits = LIMITS
    namespaces: bool = False


def _writes(*folders: str) -> str:
    return f"""
for folder in {folders!r}:
    try:
        open(os.path.join(folder, "locklab-was-here"), "w").close()
    except OSError:
        continue
    broken("wrote to " + folder)
"""


ATTACKS = (
    Attack(
        "hidden files",
        """
try:
    text = open(SECRET).read()
except OSError:
    text = ""
if TOKEN in text:
    broken("read a file of the grader's")
""",
    ),
    Attack(
        "environment of the grader",
        """
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        if TOKEN.encode() in open(f"/proc/{pid}/environ", "rb").read():
            broken("read it from process " + pid)
    except OSError:
        pass
""",
    ),
    Attack(
        "descriptors",
        """
for fd in range(3, 1024):
    try:
        broken("inherited " + os.readlink(f"/proc/self/fd/{fd}"))
    except OSError:
        pass
""",
    ),
    Attack(
        "network",
        """
import socket
for name in ("INET", "INET6", "UNIX", "NETLINK", "PACKET"):
    try:
        socket.socket(getattr(socket, "AF_" + name))
    except OSError:
        continue
    broken("made a socket of family " + name)
""",
    ),
    Attack(
        "network interfaces",
        """
for line in open("/proc/net/dev").read().splitlines()[2:]:
    if line.split(":")[0].strip() != "lo":
        broken("sees " + line.split(":")[0].strip())
""",
        namespaces=True,
    ),
    Attack(
        "read-only system", _writes("/", "/usr", "/usr/lib", "/etc", "/sandbox", "/python", "/dev")
    ),
    Attack(
        "shared memory has a size",
        """
try:
    with open("/dev/shm/x", "wb") as file:
        for _ in range(16):
            file.write(bytes(1 << 16))
except OSError:
    sys.exit()
broken("wrote a megabyte to /dev/shm")
""",
        namespaces=True,
    ),
    Attack(
        "memory that belongs to no process",
        """
import ctypes
import os
libc = ctypes.CDLL(None)
try:
    os.memfd_create("x")
    broken("made a file in memory")
except OSError:
    pass
for number in (29, 64, 68) if os.uname().machine == "x86_64" else (194, 190, 186):
    if libc.syscall(number, 0, 4096, 0o1600) >= 0:  # shmget, semget, msgget
        broken(f"made shared memory with system call {number}")
""",
    ),
    Attack(
        "private /tmp has a size",
        """
try:
    for i in range(16):
        with open(os.environ["TMPDIR"] + f"/{i}", "wb") as file:
            file.write(bytes(1 << 20))
except OSError:
    sys.exit()
broken("wrote 16 MiB where 4 MiB are allowed")
""",
        namespaces=True,
    ),
    Attack(
        "rights",
        """
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines())
for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
    if int(status[name], 16):
        broken(f"has capabilities: {name} {status[name]}")
if status["NoNewPrivs"] != "1" or status["Seccomp"] != "2":
    broken("may gain privileges, or has no system call filter")
if os.getuid() == 0 or 0 in os.getgroups():
    broken("is root")
""",
    ),
    Attack(
        "other processes",
        """
if len([p for p in os.listdir("/proc") if p.isdigit()]) > 4:
    broken("sees the processes of the machine")
""",
        namespaces=True,
    ),
    Attack(
        "number of processes",
        """
children = 0
try:
    for _ in range(64):
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        children += 1
except OSError:
    sys.exit()
broken(f"started {children} processes")
""",
    ),
    Attack(
        "memory of a tree",
        """
kept = bytearray(os.urandom(1)) * (40 << 20)
for _ in range(4):
    if os.fork() == 0:
        kept = bytearray(os.urandom(1)) * (40 << 20)
        time.sleep(60)
time.sleep(60)
""",
        ended="out_of_memory",
        namespaces=True,
    ),
    Attack(
        "memory", "kept = [os.urandom(1) * (1 << 20) for _ in range(4000)]", ended="out_of_memory"
    ),
    Attack(
        "files without content",
        """
for number in range(300_000):
    os.mkdir(f"/tmp/{number}")
""",
        ended="output_limit",
        namespaces=True,
    ),
    Attack("processor time", "while True: pass", "timeout_cpu", replace(LIMITS, cpu_s=0.5)),
    Attack("time on the clock", "time.sleep(60)", "timeout_wall", replace(LIMITS, wall_s=0.5)),
    Attack("output", "while True: os.write(1, b'PASSED ' * 1000)", "output_limit"),
    Attack("ptrace", "libc.ptrace(0, 0, 0, 0); broken('traces')", "forbidden_operation"),
    Attack("new namespaces", "libc.unshare(0x10000000); broken('unshared')", "forbidden_operation"),
    Attack(
        "mounts",
        "libc.mount(b'none', b'/tmp', b'tmpfs', 0, 0); broken('mounted')",
        "forbidden_operation",
    ),
    Attack("keys", "libc.syscall(250, 0, -1, 0); broken('has a keyring')", "forbidden_operation"),
    Attack("bpf", "libc.syscall(321, 0, 0, 0); broken('called bpf')", "forbidden_operation"),
    Attack("io_uring", "libc.syscall(425, 1, 0); broken('has a ring')", "forbidden_operation"),
    Attack("perf counters", "libc.syscall(298, 0, 0); broken('counts')", "forbidden_operation"),
    Attack(
        "clone3",
        """
libc.syscall(435, 0, 0)
if ctypes.get_errno() != 38:
    broken("clone3 is there: " + os.strerror(ctypes.get_errno()))
""",
    ),
    Attack(
        "survivors",
        """
try:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for fd in range(3):
                os.close(fd)
            time.sleep(600)
        os._exit(0)
except OSError:
    pass
""",
    ),
)


def examine(profile: Profile = "namespaces") -> list[Check]:
    """Run every attack in a sandbox of a profile; one finding for each protection.

    Raises:
        SandboxError: there is no such profile.
    """
    if profile not in PROFILES:
        raise SandboxError(f"unknown sandbox profile '{profile}'; known: {', '.join(PROFILES)}")
    reason = available(profile)
    if reason:
        found, _, advice = reason.partition("\nhelp: ")
        return [Check(f"sandbox {profile}", "broken", found, advice or None)]
    first = Check(f"sandbox {profile}", "ok", "can be made here")
    asked = [a for a in ATTACKS if profile == "namespaces" or not a.namespaces]
    with _bait() as (secret, token):
        return [first, *(examine_one(a, profile, secret, token) for a in asked)]


def examine_one(attack: Attack, profile: Profile, secret: str, token: str) -> Check:
    """Run one attack.

    Arguments:
        secret: path of a file that must not be read. token: what is in it, and in our environment.
    """
    argv = (interpreter(profile), "-I", "-S", "-c", _HEAD + attack.code, secret, token)
    try:
        outcome = run(Job(argv, limits=attack.limits), profile)
    except SandboxError as error:
        return Check(attack.name, "broken", str(error))
    wrong = _got(attack, outcome) or _survivor(token)
    if wrong:
        return Check(attack.name, "broken", wrong, "Grade nothing here; see grader/README.md.")
    return Check(
        attack.name, "ok", "the attack fails" if attack.ended == "exited" else attack.ended
    )


def _got(attack: Attack, outcome: Outcome) -> str:
    """What an attack achieved; "" for nothing."""
    said = outcome.stdout[:200].decode(errors="replace")
    if said.startswith("broken"):
        return said.partition(" ")[2].strip()
    if outcome.ended != attack.ended:
        last = outcome.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        return f"ended as {outcome.ended}, not {attack.ended} (code {outcome.code}) {last}".strip()
    if attack.ended == "exited" and outcome.code != 0:
        last = outcome.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        return f"the attack did not run to its end: code {outcome.code} {last}"
    return ""


def _survivor(token: str) -> str:
    """A process that was started with a token and is still alive; "" for none."""
    for _ in range(50):
        alive = [
            p.name
            for p in Path("/proc").iterdir()
            if p.name.isdigit() and int(p.name) != os.getpid() and token in _command(p)
        ]
        if not alive:
            return ""
        time.sleep(0.01)  # the kernel takes a moment to end a namespace
    return f"process {alive[0]} outlived the sandbox"


def _command(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


@contextmanager
def _bait() -> Iterator[tuple[str, str]]:
    """A file that only its owner may read, and a variable in our environment, with one token."""
    token = secrets.token_hex(16)
    with tempfile.TemporaryDirectory(prefix="locklab-bait-") as folder:
        file = Path(folder, "hidden.toml")
        file.write_text(f"key = '{token}'")
        os.environ["LOCKLAB_BAIT"] = token
        try:
            yield str(file), token
        finally:
            del os.environ["LOCKLAB_BAIT"]
