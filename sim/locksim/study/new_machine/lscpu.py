"""What ``lscpu`` prints, as text or as JSON (``lscpu -J``)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from locksim.machine.errors import MachineError

_HELP = "help: write it with 'LC_ALL=C lscpu > FILE' (or 'lscpu -J > FILE')"


@dataclass(frozen=True)
class Lscpu:
    """The shape of a machine as Linux sees it.

    Arguments:
        model: the CPU's name. architecture: such as ``x86_64``. vendor: such as ``AuthenticAMD``.
        cpus: hardware threads of the machine.
        sockets, cores, threads: sockets, cores of a socket, hardware threads of a core.
        caches: last-level caches of the machine, 0 where it is not said.
        clock_ghz: the highest clock, None where it is not said.
        where: the file.
    """

    model: str
    architecture: str
    vendor: str
    cpus: int
    sockets: int
    cores: int
    threads: int
    caches: int
    clock_ghz: float | None
    where: str

    @classmethod
    def read(cls, path: Path) -> Lscpu:
        """Return what a file says.

        Raises:
            MachineError: it cannot be read, or lacks the topology.
        """
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            raise MachineError(f"{path}: cannot be read ({reason})\n{_HELP}") from error
        values = dict(_pairs(text, path))

        def count(*names: str) -> int:
            for name in names:
                if values.get(name, "").isdigit() and int(values[name]):
                    return int(values[name])
            raise MachineError(f"{path}: no line '{names[0]}: NUMBER'\n{_HELP}")

        return cls(
            model=values.get("Model name", "unknown CPU"),
            architecture=values.get("Architecture", ""),
            vendor=values.get("Vendor ID", ""),
            cpus=count("CPU(s)"),
            # Arm machines without firmware tables count clusters, not sockets.
            sockets=count("Socket(s)", "Cluster(s)"),
            cores=count("Core(s) per socket", "Core(s) per cluster"),
            threads=count("Thread(s) per core"),
            caches=_instances(values.get("L3 cache") or values.get("L3") or ""),
            clock_ghz=_clock(values),
            where=path.name,
        )


def _pairs(text: str, path: Path) -> Iterator[tuple[str, str]]:
    if text.lstrip().startswith("{"):
        try:
            document = json.loads(text)
        except json.JSONDecodeError as error:
            raise MachineError(f"{path}: not valid JSON ({error})\n{_HELP}") from error
        yield from _fields(document.get("lscpu", []))
        return
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            yield name.strip(), value.strip()


def _fields(entries: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        yield str(entry.get("field", "")).rstrip(":"), str(entry.get("data") or "")
        yield from _fields(entry.get("children", []))


def _instances(text: str) -> int:
    found = re.search(r"\((\d+) instances?\)", text)
    return int(found[1]) if found else 0


def _clock(values: dict[str, str]) -> float | None:
    # The name's clock is that at which manuals count cycles; the highest one comes and goes.
    named = re.search(r"@ ?([\d.]+) ?GHz", values.get("Model name", ""))
    if named:
        return float(named[1])
    for name in ("CPU max MHz", "CPU MHz"):
        if re.fullmatch(r"\d+(\.\d+)?", values.get(name, "")):
            return round(float(values[name]) / 1000, 3) or None
    return None
