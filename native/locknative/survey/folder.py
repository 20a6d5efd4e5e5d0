"""A sweep's folder: ``provenance.json``, and ``trials.jsonl`` with one trial a line.

A line is ``{"cell": …, "at": seconds since 1970, "rejected": null or why, "result": …}``;
``cell`` is :class:`.cells.Cell` by name, ``result`` what ``locklab-native run`` printed,
null if it failed.

``trials.csv`` holds the same without the histograms of waits, a tenth in size: what a data set
keeps (:func:`write_csv`). Either file is read.
"""

from __future__ import annotations

import csv
import json
import os
import platform
import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .topology import SYS, Cpu

PROC = Path("/proc")
TRIALS, CSV, PROVENANCE = "trials.jsonl", "trials.csv", "provenance.json"
_CELL = ("kernel", "cpus", "loop", "read", "hold", "think", "write_share", "option")
_TALLY = ("count", "overlaps", "wall_ns", "cpu_ns", "turn_ns")


def append(folder: Path, record: dict[str, Any]) -> None:
    """Write one trial behind the others."""
    with (folder / TRIALS).open("a", encoding="utf-8") as file:
        file.write(json.dumps(record, separators=(",", ":")) + "\n")


def records(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield every trial; a last line that was cut off is left out."""
    path = folder / TRIALS
    if not path.exists():
        yield from _csv_records(folder / CSV)
        return
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n"):
                yield json.loads(line)


def write_csv(folder: Path, to: Path) -> int:
    """Write a sweep's trials as ``trials.csv``, with its provenance, into another folder.

    One row a trial, in the order of time; CPUs and what each thread did are joined by spaces.

    Returns:
        How many trials.
    """
    to.mkdir(parents=True, exist_ok=True)
    (to / PROVENANCE).write_text((folder / PROVENANCE).read_text(encoding="utf-8"), "utf-8")
    rows = 0
    with (to / CSV).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*_CELL, "at", "rejected", *_TALLY])
        for record in records(folder):
            cell = {**record["cell"], "cpus": _join(record["cell"]["cpus"])}
            cell["read"] = int(cell["read"])
            tallies = record["result"]["tallies"] if record["result"] else []
            threads = [_join(tally[name] for tally in tallies) for name in _TALLY]
            why = record["rejected"] or ""
            writer.writerow([*(cell[name] for name in _CELL), record["at"], why, *threads])
            rows += 1
    return rows


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


def _csv_records(path: Path) -> Iterator[dict[str, Any]]:
    if not path.exists():
        return
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            cell: dict[str, Any] = {name: row[name] for name in ("kernel", "loop")}
            cell["cpus"] = [int(cpu) for cpu in row["cpus"].split()]
            cell["read"] = row["read"] == "1"
            cell |= {name: int(row[name]) for name in ("hold", "think", "write_share", "option")}
            columns = [[json.loads(n) for n in row[name].split()] for name in _TALLY]
            tallies = [dict(zip(_TALLY, each, strict=True)) for each in zip(*columns, strict=True)]
            yield {
                "cell": cell,
                "at": float(row["at"]),
                "rejected": row["rejected"] or None,
                "result": {"tallies": tallies} if tallies else None,
            }


def _join(values: Iterable[Any]) -> str:
    return " ".join(map(str, values))


def _cpuinfo() -> dict[str, str]:
    first = _text(PROC / "cpuinfo").split("\n\n")[0]
    rows = (line.partition(":") for line in first.splitlines())
    return {key.strip(): value.strip() for key, _, value in rows}


def _version(executable: str) -> dict[str, Any]:
    def said(*arguments: str) -> list[dict[str, Any]]:
        done = subprocess.run([executable, *arguments], capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    (trial,) = said("run", "none", "--threads", "1", "--duration-ms", "1")
    return {"kernels": [kernel["name"] for kernel in said("list")], "build": trial.get("build")}


def _text(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""
