"""What Linux reports about this machine in /proc and /sys: processor, caches, stolen time, load.

Every function takes the root below which ``proc`` and ``sys`` lie. A value that no
file gives is not known: an empty text, None, or 0.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable
from pathlib import Path

ROOT = Path("/")
CPU = Path("sys/devices/system/cpu")


def cpu_model(root: Path = ROOT) -> str:
    """Return the processor's name, or the architecture where the kernel gives no name."""
    named = cpuinfo("model name", root) or cpuinfo("Processor", root)
    return named or platform.machine() or "unknown"


def virtualised(root: Path = ROOT) -> bool | None:
    """Return whether the kernel says that it runs under a hypervisor; None: not known."""
    flags = cpuinfo("flags", root).split()
    marks = (root / "sys/hypervisor/type", root / "proc/device-tree/hypervisor")
    if "hypervisor" in flags or any(mark.exists() for mark in marks):
        return True
    return False if flags else None


def smt(root: Path = ROOT) -> bool | None:
    """Return whether simultaneous multithreading is active; None: not known."""
    text = read(root / CPU / "smt/active")
    return text == "1" if text else None


def governors(cpus: Iterable[int], root: Path = ROOT) -> tuple[str, ...]:
    """Return the frequency governor of each of the CPUs that has one."""
    files = (root / CPU / f"cpu{cpu}/cpufreq/scaling_governor" for cpu in cpus)
    return tuple(text for file in files if (text := read(file)))


def llc_kib(root: Path = ROOT) -> int:
    """Return the size of the largest cache in KiB; 0: not known."""
    sizes = [read(file) for file in (root / CPU).glob("cpu[0-9]*/cache/index*/size")]
    unit = {"K": 1, "M": 1024, "G": 1024 * 1024}
    return max((int(s[:-1]) * unit[s[-1]] for s in sizes if s and s[-1] in unit), default=0)


def memory_kib(root: Path = ROOT) -> int:
    """Return the memory that is available, in KiB; 0: not known."""
    for line in read(root / "proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1])
    return 0


def steal_ticks(cpus: Iterable[int], root: Path = ROOT) -> int:
    """Return the stolen time of the CPUs together, of all CPUs if none is named, in clock ticks.

    Source: proc(5), the eighth number of each line of /proc/stat.
    """
    names = {f"cpu{cpu}" for cpu in cpus} or {"cpu"}
    rows = (line.split() for line in read(root / "proc/stat").splitlines())
    return sum(int(row[8]) for row in rows if len(row) > 8 and row[0] in names)


def runnable(root: Path = ROOT) -> int | None:
    """Return how many threads other than the caller's are runnable now; None: not known."""
    fields = read(root / "proc/loadavg").split()
    # The fourth field is runnable/all; the thread that reads it is running.
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
