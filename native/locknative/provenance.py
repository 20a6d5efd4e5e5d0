"""Where a measurement comes from: machine, build, pinning, and what may have disturbed it.

Everything is read from /proc and /sys. A file that is not there gives None, or "unknown".
"""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
SYS = Path("/sys")


@dataclass(frozen=True)
class Provenance:
    """The circumstances of one run.

    ``pinned`` are the CPUs in the order of the threads, empty if the threads were not pinned.
    ``steal_before`` and ``steal_after`` are the time that the hypervisor took from the pinned
    CPUs (from all, if not pinned), in clock ticks of /proc/stat.
    """

    cpu_model: str
    kernel: str
    virtualised: bool
    smt: bool | None
    governors: tuple[str, ...]
    pinned: tuple[int, ...]
    compiler: str
    flags: str
    steal_before: int
    steal_after: int

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why these circumstances do not make a clean measurement; empty when they do."""
        found = []
        if self.virtualised:
            found.append("this is a virtual machine: others may use its cores")
        if self.steal_after > self.steal_before:
            ticks = self.steal_after - self.steal_before
            found.append(f"the hypervisor took {ticks} clock ticks during the run")
        if self.smt:
            found.append("SMT is on: two CPUs may share a core")
        if slow := sorted(set(self.governors) - {"performance"}):
            found.append(f"frequency governor '{slow[0]}': the clock may have changed")
        return tuple(found)


class Recorder:
    """Notes the circumstances when it is made, and closes the record when the run is over.

    Args:
        pinned: the CPUs, in the order of the threads.
        compiler: name and version.
        flags: of the compiler, for the timed loops.
    """

    def __init__(self, pinned: Iterable[int], compiler: str, flags: str) -> None:
        self._pinned = tuple(pinned)
        self._compiler = compiler
        self._flags = flags
        self._steal_before = steal_ticks(self._pinned)

    def finish(self) -> Provenance:
        """Return the record of the run that has just ended."""
        return Provenance(
            cpu_model=cpu_model(),
            kernel=platform.release(),
            virtualised=virtualised(),
            smt=smt(),
            governors=governors(self._pinned),
            pinned=self._pinned,
            compiler=self._compiler,
            flags=self._flags,
            steal_before=self._steal_before,
            steal_after=steal_ticks(self._pinned),
        )


def cpu_model() -> str:
    """Return the processor's name, or the architecture where the kernel gives no name."""
    return _cpuinfo("model name") or _cpuinfo("Processor") or platform.machine() or "unknown"


def virtualised() -> bool:
    """Return whether the kernel says that it runs under a hypervisor."""
    if "hypervisor" in _cpuinfo("flags").split():
        return True
    marks = (SYS / "hypervisor/type", PROC / "device-tree/hypervisor")
    return any(mark.exists() for mark in marks)


def smt() -> bool | None:
    """Return whether simultaneous multithreading is active; None when the kernel does not say."""
    text = _read(SYS / "devices/system/cpu/smt/active").strip()
    return text == "1" if text else None


def governors(cpus: Iterable[int]) -> tuple[str, ...]:
    """Return the frequency governor of each of the CPUs that has one."""
    files = (SYS / f"devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor" for cpu in cpus)
    return tuple(text for file in files if (text := _read(file).strip()))


def steal_ticks(cpus: Iterable[int]) -> int:
    """Return the stolen time of the CPUs together, of all CPUs if none is named, in clock ticks."""
    names = {f"cpu{cpu}" for cpu in cpus} or {"cpu"}
    rows = (line.split() for line in _read(PROC / "stat").splitlines())
    # name user nice system idle iowait irq softirq steal ... (proc(5))
    return sum(int(row[8]) for row in rows if len(row) > 8 and row[0] in names)


def _cpuinfo(key: str) -> str:
    for line in _read(PROC / "cpuinfo").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return ""


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
