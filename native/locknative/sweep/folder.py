"""A sweep's folder: ``provenance.json``, and ``trials.jsonl`` with one trial a line.

A line is ``{"cell": …, "at": seconds since 1970, "rejected": null or why, "result": …}``;
``cell`` is :class:`.cells.Cell` by name, ``result`` what ``locklab-native run`` printed,
null if it failed.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .topology import SYS, Cpu

PROC = Path("/proc")
TRIALS, PROVENANCE = "trials.jsonl", "provenance.json"


def append(folder: Path, record: dict[str, Any]) -> None:
    """Write one trial behind the others."""
    with (folder / TRIALS).open("a", encoding="utf-8") as file:
        file.write(json.dumps(record, separators=(",", ":")) + "\n")


def records(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield every trial; a last line that was cut off is left out."""
    path = folder / TRIALS
    if not path.exists():
        return
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n"):
                yield json.loads(line)


def write_provenance(folder: Path, cpus: list[Cpu], executable: str, **more: Any) -> None:
    """Write what the machine is and how the sweep was made; a resumed sweep keeps the first's."""
    path = folder / PROVENANCE
    if path.exists():
        return
    found = {**machine(cpus), "executable": _version(executable), **more}
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def provenance(folder: Path) -> dict[str, Any]:
    """Return what :func:`write_provenance` wrote."""
    found: dict[str, Any] = json.loads((folder / PROVENANCE).read_text(encoding="utf-8"))
    return found


def machine(cpus: list[Cpu]) -> dict[str, Any]:
    """Return what /proc and /sys say about the machine."""
    info = _cpuinfo()
    cpufreq = [SYS / f"devices/system/cpu/cpu{c.number}/cpufreq/scaling_governor" for c in cpus]
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "cpu_model": info.get("model name") or info.get("Processor") or platform.machine(),
        "cpu_mhz": info.get("cpu MHz"),
        "architecture": platform.machine(),
        "kernel": platform.release(),
        "virtualised": "hypervisor" in info.get("flags", "").split(),
        "smt": _text(SYS / "devices/system/cpu/smt/active") or None,
        "governors": sorted({text for file in cpufreq if (text := _text(file))}),
        "llc_kib": llc_kib(),
        "memory_kib": memory_kib(),
        "load": list(os.getloadavg()),
        "python": platform.python_version(),
        "cpus": [asdict(cpu) for cpu in cpus],
    }


def llc_kib() -> int:
    """Return the size of the outermost cache that /sys tells of, in KiB; 0 if it does not."""
    sizes = [_text(f) for f in SYS.glob("devices/system/cpu/cpu[0-9]*/cache/index*/size")]
    unit = {"K": 1, "M": 1024, "G": 1024 * 1024}
    return max((int(s[:-1]) * unit[s[-1]] for s in sizes if s and s[-1] in unit), default=0)


def memory_kib() -> int:
    """Return the memory that is available, in KiB; 0 if the kernel does not say."""
    for line in _text(PROC / "meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1])
    return 0


def steal_ticks(cpus: tuple[int, ...]) -> int:
    """Return the time that the hypervisor took from the CPUs so far, in clock ticks."""
    names = {f"cpu{cpu}" for cpu in cpus}
    rows = (line.split() for line in _text(PROC / "stat").splitlines())
    return sum(int(row[8]) for row in rows if len(row) > 8 and row[0] in names)


def _cpuinfo() -> dict[str, str]:
    first = _text(PROC / "cpuinfo").split("\n\n")[0]
    rows = (line.partition(":") for line in first.splitlines())
    return {key.strip(): value.strip() for key, _, value in rows}


def _version(executable: str) -> dict[str, Any]:
    listed = subprocess.run([executable, "list"], capture_output=True, text=True, check=True)
    return {"kernels": [json.loads(line)["name"] for line in listed.stdout.splitlines()]}


def _text(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""
