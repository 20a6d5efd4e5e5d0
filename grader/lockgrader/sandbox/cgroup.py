"""Limits by control groups, version 2, where the system has given us a place to make them.

The watch samples a job's memory every 20 ms. A control group bounds it without a gap, and counts
what belongs to no process: the page cache, files in /tmp, the kernel's own objects. So a job joins
a group of its own before it starts, with ``memory.max``, ``pids.max`` and no swap. The watch goes
on beside it.

A process may enter a group only if both lie below a folder that is ours. A user's systemd gives
such a folder to each program that it starts: ``systemd-run --user --scope locklab grade …``. Where
there is none, as in most containers and with version 1, the watch alone bounds a job.

Source: the kernel's Documentation/admin-guide/cgroup-v2.rst, "Delegation".
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import time
from collections.abc import Iterator
from pathlib import Path

from lockgrader.sandbox.job import Limits, SandboxError

__all__ = ["Group", "group", "place"]

MOUNT, OURS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
CONTROLLERS = {"memory", "pids"}
OWN_PROCESSES = 4
"""bubblewrap's and the one that closes the sandbox, beside the job's."""
PATIENCE_S = 1.0
_made = itertools.count()


@functools.cache
def place(mount: Path = MOUNT, ours: Path = OURS) -> Path | None:
    """The folder in which groups of jobs can be made; None where there is none.

    It holds the group of this process, belongs to this user, and gives the controllers for memory
    and processes to what is in it.

    Arguments:
        mount: of the hierarchy. ours: the file that names the groups of this process.
    """
    try:
        lines = ours.read_text().splitlines()
        name = next(line.removeprefix("0::/") for line in lines if line.startswith("0::/"))
        folder = (mount / name).parent
        if not name or not (folder / "cgroup.procs").exists():
            return None
        given = (folder / "cgroup.subtree_control").read_text().split()
        mine = folder.stat().st_uid == os.geteuid() != 0
        writable = os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)
    except (OSError, StopIteration):
        return None
    return folder if mine and writable and set(given) >= CONTROLLERS else None


class Group:
    """A job's group."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def join(self) -> None:
        """Let this process and all that it starts be members."""
        (self.folder / "cgroup.procs").write_text("0")

    def out_of_memory(self) -> bool:
        """Whether the kernel has ended a member because of ``memory.max``."""
        try:
            events = dict(map(str.split, (self.folder / "memory.events").read_text().splitlines()))
        except OSError:
            return False
        return int(events.get("oom_kill", 0)) > 0


@contextlib.contextmanager
def group(limits: Limits, folder: Path | None) -> Iterator[Group | None]:
    """A group with a job's limits, as long as the job runs; None without a place for it.

    Arguments:
        limits: of the job. Files in /tmp count as memory here. folder: as :func:`place` gives it.

    Raises:
        SandboxError: a limit cannot be set.
    """
    if folder is None:
        yield None
        return
    made = folder / f"locklab-{os.getpid()}-{next(_made)}"
    made.mkdir()
    try:
        for name, value in {
            "memory.max": limits.memory_bytes + limits.tmp_bytes,
            "memory.swap.max": 0,
            "memory.oom.group": 1,
            "pids.max": limits.processes + OWN_PROCESSES,
        }.items():
            _limit(made / name, value)
        yield Group(made)
    finally:
        _remove(made)


def _limit(file: Path, value: int) -> None:
    try:
        file.write_text(str(value))
    except OSError as error:
        if file.name != "memory.swap.max":  # a kernel may have no swap
            raise SandboxError(f"{file} cannot be written: {error.strerror}") from error


def _remove(made: Path) -> None:
    """End all members, and remove the group as soon as they are gone."""
    kill = made / "cgroup.kill"
    if kill.exists():  # since Linux 5.14; the job is killed anyway
        kill.write_text("1")
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            made.rmdir()
        except OSError:
            if time.monotonic() > until:
                return
            time.sleep(0.01)
        else:
            return
