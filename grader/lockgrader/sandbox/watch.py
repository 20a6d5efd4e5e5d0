"""Watch a sandbox from outside: bound the output, time and memory of its process tree."""

from __future__ import annotations

import ctypes
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from lockgrader.sandbox.asleep import Sleep
from lockgrader.sandbox.job import Limits
from lockui.portable import LINUX

Ended = Literal[
    "exited",
    "timeout_wall",
    "timeout_cpu",
    "out_of_memory",
    "output_limit",
    "forbidden_operation",
    "asleep",
]
LOOK_S = 0.02
"""Time between two samples of the process tree."""
CHUNK = 1 << 16
PR_SET_PDEATHSIG = 1
_SIGNAL_BASE = 128
"""bubblewrap, like a shell, reports a job that signal N ended as exit code 128 + N."""


@dataclass(frozen=True)
class Outcome:
    """How a job ended, and what it wrote.

    Arguments:
        ended: "exited" (by itself, with whatever code), or the limit that ended it.
        code: its exit code, negative for a signal. No verdict depends on it.
        stdout, stderr: at most ``output_bytes`` of each.
        wall_s, cpu_s: time used, as sampled. peak_bytes: memory of the tree.
    """

    ended: Ended
    code: int
    stdout: bytes
    stderr: bytes
    wall_s: float
    cpu_s: float
    peak_bytes: int


def watch(
    process: subprocess.Popen[bytes], stdin: bytes, limits: Limits, kill: Callable[[], None]
) -> Outcome:
    """Feed a process, read its output and end it at the first limit that it exceeds.

    Arguments:
        process: with pipes on all three standard streams. stdin: what it gets.
        limits: see :class:`~lockgrader.sandbox.job.Limits`. kill: ends the whole tree.
    """
    streams = _Streams(process, stdin, limits.output_bytes)
    start_s, cpu_s, peak = time.monotonic(), 0.0, 0
    sleep = Sleep(limits.asleep_s)
    ended: Ended = "exited"
    try:
        while process.poll() is None or streams.open:
            streams.serve(LOOK_S)
            cpu, memory = usage(process.pid)
            cpu_s, peak = max(cpu_s, cpu), max(peak, memory)
            ended = _exceeded(limits, streams.overflow, memory, files_made(process.pid)) or ended
            if ended == "exited" and cpu_s > limits.cpu_s:
                ended = "timeout_cpu"
            elif ended == "exited" and time.monotonic() - start_s > limits.wall_s:
                ended = "timeout_wall"
            elif ended == "exited" and sleep.is_too_long(states(tree(process.pid)), cpu):
                ended = "asleep"
            if ended != "exited":
                break
    finally:
        kill()
        process.wait()
        streams.close()
    code = process.returncode
    code = _SIGNAL_BASE - code if code > _SIGNAL_BASE else code
    if ended == "exited" and code == -signal.SIGSYS:
        ended = "forbidden_operation"
    elif ended == "exited" and code == -signal.SIGXCPU:
        ended = "timeout_cpu"
    wall_s = time.monotonic() - start_s
    return Outcome(ended, code, streams.out, streams.err, wall_s, cpu_s, peak)


def _exceeded(limits: Limits, overflow: bool, memory: int, files: int) -> Ended | None:
    """The limit on an amount that is exceeded, if one is."""
    if overflow or files > limits.tmp_files:
        return "output_limit"
    return "out_of_memory" if memory > limits.memory_bytes else None


def wait(process: subprocess.Popen[bytes], stdin: bytes, limits: Limits) -> Outcome:
    """As :func:`watch` where pipes and processes cannot be watched: only the time is limited.

    Arguments:
        process: with pipes on all three standard streams. stdin: what it gets.
        limits: see :class:`~lockgrader.sandbox.job.Limits`.
    """
    start_s = time.monotonic()
    ended: Ended = "exited"
    try:
        out, err = process.communicate(stdin, limits.wall_s)
    except subprocess.TimeoutExpired:
        ended = "timeout_wall"
        process.kill()
        out, err = process.communicate()
    if max(len(out), len(err)) > limits.output_bytes:
        ended = "output_limit"
    most = limits.output_bytes
    return Outcome(
        ended, process.returncode, out[:most], err[:most], time.monotonic() - start_s, 0.0, 0
    )


class _Streams:
    """The three pipes of a process, served without ever blocking on one of them."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes, most: int) -> None:
        pipes = (process.stdin, process.stdout, process.stderr)
        self._pipes: list[IO[bytes]] = [pipe for pipe in pipes if pipe is not None]
        self._selector = selectors.DefaultSelector()
        self._todo, self._most = memoryview(stdin), most
        self._read: dict[IO[bytes], bytearray] = {p: bytearray() for p in self._pipes[1:]}
        self.overflow = False
        for pipe in self._pipes:
            os.set_blocking(pipe.fileno(), False)
        if stdin:
            self._selector.register(self._pipes[0], selectors.EVENT_WRITE)
        else:
            self._pipes[0].close()
        for pipe in self._read:
            self._selector.register(pipe, selectors.EVENT_READ)

    @property
    def open(self) -> bool:
        """Whether a process may still write."""
        return any(not p.closed for p in self._read)

    @property
    def out(self) -> bytes:
        return bytes(self._read[self._pipes[1]])

    @property
    def err(self) -> bytes:
        return bytes(self._read[self._pipes[2]])

    def serve(self, timeout_s: float) -> None:
        for key, _ in self._selector.select(timeout_s):
            pipe: IO[bytes] = key.fileobj  # type: ignore[assignment] # what was registered
            if pipe in self._read:
                self._take(pipe)
            else:
                self._give(pipe)

    def _take(self, pipe: IO[bytes]) -> None:
        kept = self._read[pipe]
        data = os.read(pipe.fileno(), CHUNK)
        if not data:
            self._end(pipe)
        kept += data[: self._most - len(kept) + 1]
        if len(kept) > self._most:
            del kept[self._most :]
            self.overflow = True

    def _give(self, pipe: IO[bytes]) -> None:
        try:
            self._todo = self._todo[os.write(pipe.fileno(), self._todo[:CHUNK]) :]
        except BrokenPipeError:
            self._todo = self._todo[:0]
        if not self._todo:
            self._end(pipe)

    def _end(self, pipe: IO[bytes]) -> None:
        self._selector.unregister(pipe)
        pipe.close()

    def close(self) -> None:
        """Close what is open; a descendant that kept a pipe is dead by now."""
        for pipe in self._pipes:
            if not pipe.closed:
                pipe.close()
        self._selector.close()


def die_with_parent() -> None:
    """Let the kernel end this process when its parent ends, for any reason."""
    if LINUX:
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def usage(pid: int) -> tuple[float, int]:
    """Processor time in s, dead children's included, and memory in bytes of a tree of processes."""
    cpu_ticks = memory = 0
    for one in tree(pid):
        try:
            stat = Path(f"/proc/{one}/stat").read_text()
            status = Path(f"/proc/{one}/status").read_text()
        except OSError:
            continue  # it has just ended; its time now counts for its parent
        cpu_ticks += sum(map(int, stat.rpartition(")")[2].split()[11:15]))
        for line in status.splitlines():
            if line.startswith(("RssAnon:", "RssShmem:")):
                memory += int(line.split()[1]) << 10
    return cpu_ticks / (os.sysconf("SC_CLK_TCK") if LINUX else 1), memory


def files_made(pid: int) -> int:
    """Files and folders in the /tmp of a tree of processes, if that is not ours; else 0.

    The size of a tmpfs bounds what is in files. An empty file costs the kernel a KiB as well, which
    no limit of a process bounds.
    """
    ours = os.stat("/tmp").st_dev
    for one in tree(pid)[::-1]:
        try:
            # One handle for both questions: a sandbox that is being made changes its root.
            handle = os.open(f"/proc/{one}/root/tmp", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            continue  # it has just ended, or its sandbox is still being made
        try:
            if os.fstat(handle).st_dev != ours:
                about = os.fstatvfs(handle)
                return about.f_files - about.f_ffree
        finally:
            os.close(handle)
    return 0


def states(pids: list[int]) -> set[str]:
    """The states of all threads of some processes, as /proc has them: R, S, D, T, t, Z, …"""
    found = set()
    for one in pids:
        try:
            for task in os.listdir(f"/proc/{one}/task"):
                stat = Path(f"/proc/{one}/task/{task}/stat").read_text()
                found.add(stat.rpartition(")")[2].split()[0])
        except OSError:
            continue  # it has just ended
    return found


def tree(pid: int) -> list[int]:
    """A process and its descendants."""
    found, todo = [], [pid]
    while todo:
        one = todo.pop()
        found.append(one)
        try:
            tasks = os.listdir(f"/proc/{one}/task")
        except OSError:
            continue
        for task in tasks:
            try:
                todo += map(int, Path(f"/proc/{one}/task/{task}/children").read_text().split())
            except OSError:
                continue
    return found
