"""A share of a CPU and of memory for a program, as a container would give it.

By cgroups (version 1 or 2) where one may make them: the kernel's own accounting. Elsewhere a duty
cycle (the whole tree of processes is stopped half of the time) and a watch on its resident memory,
which kills it above the limit.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType

from lockgrader.sandbox.watch import tree

PERIOD_US = 100_000
CYCLE_S = 0.1
_GROUPS = Path("/sys/fs/cgroup")


class Allowance:
    """What a program may use.

    Arguments:
        cpus: processors, fractions too. memory_bytes: of the whole tree.
    """

    def __init__(self, cpus: float, memory_bytes: int) -> None:
        self.cpus, self.memory_bytes = cpus, memory_bytes
        self.peak_bytes = 0
        self.how = ""
        self._folders: list[Path] = []

    def __enter__(self) -> Allowance:
        name = f"locklab-test-{os.getpid()}"
        quota = str(int(PERIOD_US * self.cpus))
        try:
            if (_GROUPS / "cgroup.controllers").exists():
                self._make(_GROUPS / name, {"cpu.max": f"{quota} {PERIOD_US}"})
                (_GROUPS / name / "memory.max").write_text(str(self.memory_bytes))
            else:
                cpu = {"cpu.cfs_period_us": str(PERIOD_US), "cpu.cfs_quota_us": quota}
                self._make(_GROUPS / "cpu" / name, cpu)
                limit = {"memory.limit_in_bytes": str(self.memory_bytes)}
                self._make(_GROUPS / "memory" / name, limit)
            self.how = "by cgroups"
        except OSError:
            self._remove()
            self.how = "by a duty cycle"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._remove()

    def run(self, command: list[str], env: dict[str, str], timeout_s: float) -> int:
        """Run a program to its end; its exit code."""

        def join() -> None:
            for folder in self._folders:
                (folder / "cgroup.procs").write_text(str(os.getpid()))

        process = subprocess.Popen(command, env=env, preexec_fn=join, start_new_session=True)
        until = time.monotonic() + timeout_s
        try:
            while process.poll() is None:
                assert time.monotonic() < until, f"not done after {timeout_s} s"
                if self._folders:
                    self._look()
                    time.sleep(CYCLE_S)
                else:
                    self._cycle(process.pid)
        finally:
            for pid in reversed(tree(process.pid)) if process.poll() is None else []:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait()
        return process.returncode

    def _make(self, folder: Path, settings: dict[str, str]) -> None:
        folder.mkdir()
        self._folders.append(folder)
        for name, value in settings.items():
            (folder / name).write_text(value)

    def _remove(self) -> None:
        for folder in self._folders:
            for _ in range(50):  # a process that has just ended may still count
                with contextlib.suppress(OSError):
                    folder.rmdir()
                    break
                time.sleep(0.1)
        self._folders = []

    def _look(self) -> None:
        """Note the anonymous memory of the group; what files it has read the kernel can drop."""
        for folder in self._folders:
            with contextlib.suppress(OSError):
                told = (folder / "memory.stat").read_text().split()
                for name in ("anon", "total_rss"):
                    if name in told:
                        self.peak_bytes = max(self.peak_bytes, int(told[told.index(name) + 1]))

    def _cycle(self, pid: int) -> None:
        """Let the tree run for its share of a cycle, and stop it for the rest."""
        self._signal(pid, signal.SIGCONT)
        time.sleep(CYCLE_S * self.cpus)
        self._signal(pid, signal.SIGSTOP)
        resident = 0
        for one in tree(pid):
            with contextlib.suppress(OSError, IndexError):
                pages = int(Path(f"/proc/{one}/statm").read_text().split()[1])
                resident += pages * os.sysconf("SC_PAGE_SIZE")
        self.peak_bytes = max(self.peak_bytes, resident)
        assert resident <= self.memory_bytes, f"{resident >> 20} MiB"
        time.sleep(CYCLE_S * (1 - self.cpus))
        self._signal(pid, signal.SIGCONT)

    def _signal(self, pid: int, number: int) -> None:
        for one in tree(pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, number)
