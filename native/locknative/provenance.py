"""Where a measurement comes from: machine, build, pinning, and what may have disturbed it.

Everything is read from /proc and /sys below a root. A file that is not there gives None, or
"unknown". What speaks against a clean measurement is found by :mod:`locknative.noise`, for results
and for ``locklab doctor`` alike.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lockui.findings import Check

ROOT = Path("/")


@dataclass(frozen=True)
class Provenance:
    """The circumstances of one run.

    ``pinned`` are the CPUs in the order of the threads, empty if the threads were not pinned.
    ``steal_before`` and ``steal_after`` are the time that the hypervisor took from the pinned
    CPUs (from all, if not pinned), in clock ticks of /proc/stat. ``urcu`` is liburcu's version,
    empty without it. ``noise`` is what :func:`locknative.noise.marks` found.
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
    urcu: str = ""
    noise: tuple[Check, ...] = ()

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why these circumstances do not make a clean measurement; empty when they do."""
        found = [f"{mark.name}: {mark.found}" for mark in self.noise if mark.status == "warning"]
        if self.steal_after > self.steal_before:
            ticks = self.steal_after - self.steal_before
            found.append(f"the hypervisor took {ticks} clock ticks during the run")
        return tuple(found)


class Recorder:
    """Notes the circumstances when it is made, and closes the record when the run is over.

    Args:
        pinned: the CPUs, in the order of the threads.
        compiler: name and version.
        flags: of the compiler, for the timed loops.
        urcu: liburcu's version, empty without it.
        root: where ``proc`` and ``sys`` are.
    """

    def __init__(
        self,
        pinned: Iterable[int],
        compiler: str,
        flags: str,
        urcu: str = "",
        root: Path = ROOT,
    ) -> None:
        from locknative import noise

        self._pinned = tuple(pinned)
        self._build = (compiler, flags, urcu)
        self._root = root
        # Before the run: afterwards the run itself is the load.
        self._noise = tuple(noise.marks(root))
        self._steal_before = steal_ticks(self._pinned, root)

    def finish(self) -> Provenance:
        """Return the record of the run that has just ended."""
        compiler, flags, urcu = self._build
        return Provenance(
            cpu_model=cpu_model(self._root),
            kernel=platform.release(),
            virtualised=bool(virtualised(self._root)),
            smt=smt(self._root),
            governors=governors(self._pinned, self._root),
            pinned=self._pinned,
            compiler=compiler,
            flags=flags,
            steal_before=self._steal_before,
            steal_after=steal_ticks(self._pinned, self._root),
            urcu=urcu,
            noise=self._noise,
        )


def cpu_model(root: Path = ROOT) -> str:
    """Return the processor's name, or the architecture where the kernel gives no name."""
    named = cpuinfo("model name", root) or cpuinfo("Processor", root)
    return named or platform.machine() or "unknown"


def virtualised(root: Path = ROOT) -> bool | None:
    """Return whether the kernel says that it runs under a hypervisor; None: it says nothing."""
    flags = cpuinfo("flags", root).split()
    marks = (root / "sys/hypervisor/type", root / "proc/device-tree/hypervisor")
    if "hypervisor" in flags or any(mark.exists() for mark in marks):
        return True
    return False if flags else None


def smt(root: Path = ROOT) -> bool | None:
    """Return whether simultaneous multithreading is active; None when the kernel does not say."""
    text = read(root / "sys/devices/system/cpu/smt/active")
    return text == "1" if text else None


def governors(cpus: Iterable[int], root: Path = ROOT) -> tuple[str, ...]:
    """Return the frequency governor of each of the CPUs that has one."""
    folder = root / "sys/devices/system/cpu"
    files = (folder / f"cpu{cpu}/cpufreq/scaling_governor" for cpu in cpus)
    return tuple(text for file in files if (text := read(file)))


def steal_ticks(cpus: Iterable[int], root: Path = ROOT) -> int:
    """Return the stolen time of the CPUs together, of all CPUs if none is named, in clock ticks."""
    names = {f"cpu{cpu}" for cpu in cpus} or {"cpu"}
    rows = (line.split() for line in read(root / "proc/stat").splitlines())
    # name user nice system idle iowait irq softirq steal ... (proc(5))
    return sum(int(row[8]) for row in rows if len(row) > 8 and row[0] in names)


def runnable(root: Path = ROOT) -> int | None:
    """Return how many threads but the caller's want to run now; None: the kernel does not say."""
    fields = read(root / "proc/loadavg").split()
    # The fourth field is runnable/all; whoever reads it runs.
    return max(0, int(fields[3].partition("/")[0]) - 1) if len(fields) > 3 else None


def cpuinfo(key: str, root: Path = ROOT) -> str:
    """Return the first value of a key in /proc/cpuinfo; empty without it."""
    for line in read(root / "proc/cpuinfo").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return ""


def read(file: Path) -> str:
    """Return a file's text without surrounding space; empty where it cannot be read."""
    try:
        return file.read_text(errors="replace").strip()
    except OSError:
        return ""
