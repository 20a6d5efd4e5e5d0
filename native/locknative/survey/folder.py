"""A survey's folder: ``provenance.json``, and ``trials.jsonl`` with one trial a line.

A line is ``{"cell": …, "at": seconds since 1970, "rejected": null or the reason, "result": …}``.
``cell`` is :class:`.cells.Cell` by name, ``result`` what ``locklab-native run`` printed, null if it
failed.

``trials.csv`` holds the same without the histograms of waits, in a tenth of the space; a data set
keeps this one (:func:`write_csv`). Either file can be read, and either may be compressed (``.gz``).
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import platform
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from . import host, process
from .topology import Cpu

TRIALS, CSV, PROVENANCE = "trials.jsonl", "trials.csv", "provenance.json"
FORMAT = 1
"""Of a survey's folder; the number is in ``provenance.json``."""
_CELL = ("kernel", "cpus", "loop", "read", "hold", "think", "write_share", "option")
_TALLY = ("count", "overlaps", "wall_ns", "cpu_ns", "turn_ns")


def append(folder: Path, record: dict[str, Any]) -> None:
    """Add one trial to the others."""
    with (folder / TRIALS).open("a", encoding="utf-8") as file:
        file.write(json.dumps(record, separators=(",", ":")) + "\n")


def records(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield every trial, without a last line that was cut off."""
    found = [path for path in _files(folder, TRIALS) if path.exists()]
    for path in found:
        with _opened(path) as file:
            for line in file:
                if line.endswith("\n"):
                    yield json.loads(line)
    if not found:
        for path in _files(folder, CSV):
            yield from _csv_records(path)


def rejections(folder: Path) -> str:
    """Return how many trials were rejected and why, with the load of the machine, in words."""
    reasons = [record["rejected"] for record in records(folder)]
    why = Counter(re.sub(r"\d[\d.]*%?", "…", reason) for reason in reasons if reason)
    named = "".join(f"\n  {count}: {reason}" for reason, count in why.most_common())
    return (
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs; {why.total()} of {len(reasons)} "
        f"trials were rejected{':' * bool(why)}{named}"
    )


def write_csv(folder: Path, to: Path) -> int:
    """Write a survey's trials as ``trials.csv``, with its provenance, into another folder.

    One row a trial, in the order of time. A list (of CPUs, of threads' values) is joined by spaces.

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


def write_provenance(folder: Path, cpus: Sequence[Cpu], path: str | Path, **more: Any) -> None:
    """Write the machine and the executable (``path``); a resumed survey keeps the first's."""
    file = folder / PROVENANCE
    if file.exists():
        return
    built = [kernel["name"] for kernel in process.list_kernels(path)]
    build = process.read_build(path)
    executable = {"kernels": built, "build": build}
    found = {"format": FORMAT, **machine(cpus), "executable": executable, **more}
    file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def provenance(folder: Path) -> dict[str, Any]:
    """Return what :func:`write_provenance` wrote."""
    found: dict[str, Any] = json.loads((folder / PROVENANCE).read_text(encoding="utf-8"))
    return found


def machine(cpus: Sequence[Cpu]) -> dict[str, Any]:
    """Return what /proc and /sys report about the machine."""
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "cpu_model": host.cpu_model(),
        "cpu_mhz": host.cpuinfo("cpu MHz") or None,
        "architecture": platform.machine(),
        "kernel": platform.release(),
        "virtualised": bool(host.virtualised()),
        "smt": host.read(host.ROOT / host.CPU / "smt/active") or None,
        "governors": sorted(set(host.governors(cpu.number for cpu in cpus))),
        "llc_kib": host.llc_kib(),
        "memory_kib": host.memory_kib(),
        "load": list(os.getloadavg()),
        "python": platform.python_version(),
        "cpus": [asdict(cpu) for cpu in cpus],
    }


def _files(folder: Path, name: str) -> tuple[Path, Path]:
    """Return a file and its compressed form, the older trials first."""
    return folder / f"{name}.gz", folder / name


def _opened(path: Path) -> TextIO:
    """Return a file as text, decompressed if need be."""
    open_ = gzip.open if path.suffix == ".gz" else open
    return open_(path, "rt", encoding="utf-8", newline="")


def _csv_records(path: Path) -> Iterator[dict[str, Any]]:
    if not path.exists():
        return
    with _opened(path) as file:
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
