"""Start a job in a sandbox of a profile, and end it."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from lockgrader.sandbox import cgroup, inside
from lockgrader.sandbox import filter as seccomp_filter
from lockgrader.sandbox.job import PROFILES, Job, Limits, Profile, SandboxError
from lockgrader.sandbox.watch import Outcome, die_with_parent, wait, watch
from lockui import portable

INSTALL = (
    "help: install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install "
    "bubblewrap); inside a container allow it to make namespaces, or use --sandbox platform there"
)
BASE_UID = 2_000_000_000
"""First uid of sandboxes under a grader that is root; no system assigns uids this high."""
_UIDS = 1 << 20
_INSIDE, _PYTHON = "/sandbox/inside.py", "/python"
_SYSTEM = ("/lib", "/lib32", "/lib64", "/bin", "/sbin")
_running = itertools.count()


def run(job: Job, profile: Profile = "namespaces") -> Outcome:
    """Run a job to its end or to a limit.

    Arguments:
        job: what to run. profile: see :mod:`lockgrader.sandbox`.

    Raises:
        SandboxError: the sandbox could not be made; nothing of the job has run.
    """
    if profile not in (*PROFILES, "unconfined"):
        raise SandboxError(f"unknown sandbox profile '{profile}'; known: {', '.join(PROFILES)}")
    if profile == "unconfined":
        return _unconfined(job)
    if not portable.LINUX:
        raise SandboxError("a sandbox needs Linux: run the grader there, or in a container")
    outcome = _confined(job) if profile == "namespaces" else _beside(job)
    if outcome.ended == "exited" and outcome.code == inside.FAILED:
        text = outcome.stderr.decode(errors="replace").strip()
        if text.startswith("the sandbox could not be closed"):
            raise SandboxError(f"{text}\n{INSTALL}")
    return outcome


@functools.cache
def available(profile: Profile = "namespaces") -> str:
    """Why no sandbox of a profile works here; "" where one does."""
    try:
        argv = (interpreter(profile), "-I", "-S", "-c", "print(6 * 7)")
        job = Job(argv, limits=Limits(wall_s=20))
        outcome = run(job, profile)
    except SandboxError as error:
        return str(error)
    if outcome.stdout != b"42\n":
        said = outcome.stderr.decode(errors="replace").strip() or f"exit code {outcome.code}"
        return f"the sandbox does not start: {said}\n{INSTALL}"
    return ""


def interpreter(profile: Profile = "namespaces") -> str:
    """The path of Python inside a job: the base interpreter, not a virtual environment."""
    name = f"python3.{sys.version_info[1]}"
    if profile == "unconfined":
        return portable.python()
    if profile == "namespaces":
        return os.path.join(sys.base_prefix if _of_the_system() else _PYTHON, "bin", name)
    for path in (os.path.join(sys.base_prefix, "bin", name), f"/usr/bin/{name}"):
        if os.path.exists(path) and _for_all_users(Path(path).resolve()):
            return path
    raise SandboxError(
        f"other users cannot read {sys.base_prefix}, and there is no /usr/bin/{name}\n"
        "help: start the grader from a Python that is not under a private home folder"
    )


def _of_the_system() -> bool:
    return Path(sys.base_prefix).is_relative_to("/usr")


def _for_all_users(path: Path) -> bool:
    """Whether any user may execute a file and pass all folders above it."""
    return all(p.stat().st_mode & 0o001 for p in (path, *path.parents))


def config(job: Job, profile: Profile, uid: int | None, folder: str, user: bool) -> str:
    """The configuration for :mod:`inside`, as JSON."""
    limits = job.limits
    return json.dumps(
        {
            "uid": uid,
            "user_namespace": user,
            "folder": folder,
            "environment": {"HOME": folder, "TMPDIR": folder, "LC_ALL": "C.UTF-8"}
            | ({} if _of_the_system() else {"LD_LIBRARY_PATH": f"{_PYTHON}/lib"})
            | dict(job.environment),
            "filter": seccomp_filter.program(profile).hex(),
            "limits": {
                "RLIMIT_CPU": max(1, round(limits.cpu_s + 1)),
                "RLIMIT_AS": limits.address_space_bytes,
                "RLIMIT_FSIZE": limits.tmp_bytes,
                "RLIMIT_NPROC": limits.processes,
                "RLIMIT_NOFILE": 256,
                "RLIMIT_CORE": 0,
                "RLIMIT_MEMLOCK": 0,
                "RLIMIT_MSGQUEUE": 0,
                "RLIMIT_NICE": 0,
                "RLIMIT_RTPRIO": 0,
            },
        }
    )


def _confined(job: Job) -> Outcome:
    """The profile ``namespaces``."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxError(
            f"bubblewrap (bwrap) is not installed: no submission runs without it\n{INSTALL}"
        )
    root = os.geteuid() == 0
    uid = _own_uid() if root else None
    names = ["pid", "net", "ipc", "uts", "cgroup-try"] + ([] if root else ["user"])
    command = [bwrap, *(f"--unshare-{name}" for name in names), "--die-with-parent"]
    command += ["--new-session", "--hostname", "sandbox", "--clearenv"]
    if root:
        # `inside` needs these to change its uid, and gives them up with the change.
        command += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        command += ["--cap-add", "CAP_SETPCAP"]
    command += ["--ro-bind", "/usr", "/usr"]
    for path in _SYSTEM:
        if os.path.islink(path):
            command += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            command += ["--ro-bind", path, path]
    if os.path.exists("/etc/ld.so.cache"):
        command += ["--ro-bind", "/etc/ld.so.cache", "/etc/ld.so.cache"]
    if not _of_the_system():
        command += ["--ro-bind", sys.base_prefix, _PYTHON]
        command += ["--setenv", "LD_LIBRARY_PATH", f"{_PYTHON}/lib"]
    reads = {_INSIDE: Path(inside.__file__), **job.read}
    # bubblewrap makes missing parents readable for its own uid only.
    for parent in sorted({str(p) for where in reads for p in Path(where).parents} - {"/"}):
        command += ["--perms", "0755", "--dir", parent]
    for where, what in reads.items():
        command += ["--ro-bind", str(what), where]
    size = str(job.limits.tmp_bytes)
    command += ["--proc", "/proc", "--dev", "/dev", "--perms", "0700", "--size", "4096"]
    command += ["--tmpfs", "/dev/shm", "--perms", "1777", "--size", size, "--tmpfs", "/tmp"]
    command += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--"]
    given = config(job, "namespaces", uid, "/tmp", user=root)
    command += [interpreter(), "-I", "-S", _INSIDE, given, *job.argv]
    outcome = _watched(command, job)
    if outcome.ended == "exited" and outcome.stderr.startswith(b"bwrap: "):
        said = outcome.stderr.decode(errors="replace").strip()
        raise SandboxError(f"the sandbox could not be made: {said}\n{INSTALL}")
    return outcome


def _beside(job: Job) -> Outcome:
    """The profile ``platform``."""
    if os.geteuid() != 0:
        raise SandboxError(
            "the profile 'platform' needs root, to give the job a uid of its own\n"
            "help: start the grader as root inside the platform's container, or use namespaces"
        )
    uid = _own_uid()
    with _folder(uid) as folder:
        for where, what in job.read.items():
            target = folder / where.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            _readable_copy(what, target)
        home = folder / "tmp"
        home.mkdir(mode=0o700)
        os.chown(home, uid, uid)
        own = str(folder / "inside.py")
        _readable_copy(Path(inside.__file__), Path(own))
        argv = [_moved(a, job, folder) for a in job.argv]
        environment = {k: _moved(v, job, folder) for k, v in job.environment.items()}
        moved = Job(tuple(argv), {}, job.stdin, environment, job.limits)
        given = config(moved, "platform", uid, str(home), user=False)
        command = [interpreter("platform"), "-I", "-S", own, given, *argv]
        return _watched(command, job, lambda: _kill_all_of(uid))


def _watched(command: list[str], job: Job, and_kill: Callable[[], None] = lambda: None) -> Outcome:
    """Run a sandbox's command within the job's limits, in a control group where there is one."""
    with cgroup.group(job.limits, cgroup.place()) as group:
        process = _start(command, first=None if group is None else group.join)

        def kill() -> None:
            _kill(process)
            and_kill()

        outcome = watch(process, job.stdin, job.limits, kill)
        if outcome.ended == "exited" and group is not None and group.out_of_memory():
            return replace(outcome, ended="out_of_memory")
        return outcome


def _unconfined(job: Job) -> Outcome:
    """No sandbox: a plain process of the user with the limits of the watch."""
    with tempfile.TemporaryDirectory(prefix="locklab-") as made:
        folder = Path(made)
        for where, what in job.read.items():
            target = folder / where.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            _link(what.resolve(), target)
        home = folder / "tmp"
        home.mkdir(exist_ok=True)
        environment = portable.minimal()
        environment |= {"HOME": str(home), "TMPDIR": str(home), "LC_ALL": "C.UTF-8"}
        environment |= {k: _moved(v, job, folder) for k, v in job.environment.items()}
        argv = [_moved(a, job, folder) for a in job.argv]
        if not portable.UNIX:
            return wait(_start(argv, environment), job.stdin, job.limits)
        process = _start(argv, environment, die_with_parent)
        return watch(process, job.stdin, job.limits, lambda: _kill(process))


def _link(source: Path, target: Path) -> None:
    """Make a file or folder visible at another place; a copy where links need a privilege."""
    try:
        target.symlink_to(source)
    except OSError:
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)


def _moved(text: str, job: Job, folder: Path) -> str:
    """An argument with the paths inside replaced by paths in the job's folder."""
    path = Path(text)
    for where in map(Path, job.read):
        if len(path.parts) > 1 and (path.is_relative_to(where) or where.is_relative_to(path)):
            return f"{folder}{text}"
    return text


def _start(
    command: list[str],
    environment: dict[str, str] | None = None,
    first: Callable[[], None] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a command with three pipes; it inherits no environment and no descriptor."""
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment or {},
            preexec_fn=first,
            cwd="/",
            close_fds=True,
            start_new_session=True,
        )
    except OSError as error:
        raise SandboxError(f"the sandbox cannot be started: {error}\n{INSTALL}") from error


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End bubblewrap; the first process inside dies with it, and with that all others."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _kill_all_of(uid: int) -> None:
    """End every process of a sandbox's uid, until none is left."""
    alive = True
    while alive:
        alive = False
        for entry in os.scandir("/proc"):
            if not entry.name.isdigit():
                continue
            with contextlib.suppress(OSError):
                state = Path(entry.path, "stat").read_text().rpartition(")")[2].split()[0]
                if entry.stat().st_uid == uid and state != "Z":
                    os.kill(int(entry.name), signal.SIGKILL)
                    alive = True


def _own_uid() -> int:
    """A uid that no other sandbox of this machine uses now."""
    return BASE_UID + (os.getpid() * 64 + next(_running) % 64) % _UIDS


@contextlib.contextmanager
def _folder(uid: int) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="locklab-") as made:
        os.chown(made, 0, uid)
        os.chmod(made, 0o750)
        yield Path(made)


def _readable_copy(source: Path, target: Path) -> None:
    """Copy a file or a folder so that all users may read it and only root may write."""
    if source.is_dir():
        shutil.copytree(source, target)
        for path in [target, *target.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
    else:
        shutil.copyfile(source, target)
        target.chmod(0o644)
