"""The two lmbench tables of 2001 as printed, each line with its kernel path.

smalley-2001's rows are named like the paths. franke-2001's are in five sections of lmbench's
summary, without the latencies of caches and memory, which depend on the machine and not on the
kernel.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

__all__ = ["Line", "published", "summary_name"]

BANDWIDTH = "MB/s"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a published table.

    Arguments:
        name: as printed. row: the path, a key of ``locksim.library.kernel.syscalls.ROWS``.
        unit: us a call, or MB/s.
        printed: without and with SELinux. corrected: the same as numbers.
        section: of the table, where it has several.
    """

    name: str
    row: str
    unit: str
    printed: tuple[str, str]
    corrected: tuple[float, float]
    section: str = ""

    def us(self, value: float) -> float:
        """Microseconds per call or megabyte, from the line's unit; also its inverse."""
        return 1e6 / value if self.unit == BANDWIDTH else value

    def overhead(self) -> float:
        """Overhead of SELinux, as a fraction of the time without it."""
        return self.us(self.corrected[1]) / self.us(self.corrected[0]) - 1

    def overhead_range(self) -> tuple[float, float]:
        """The lowest and highest overhead that rounds to these digits."""
        import lockdata

        ranges = [lockdata.interval(text) for text in self.printed]
        base, selinux = (found or (math.nan, math.nan) for found in ranges)
        if self.unit == BANDWIDTH:
            base, selinux = selinux, base
        return selinux[0] / base[1] - 1, selinux[1] / base[0] - 1


def published(name: str) -> list[Line]:
    """The table of an experiment, ``smalley-2001-lmbench`` or ``franke-2001-lmbench``."""
    import lockdata

    if name == "smalley-2001-lmbench":
        frame = lockdata.load("smalley-2001/lmbench", reading="both")
        frame = frame[frame["measure"] != "overhead"]
        return _lines(frame, "test", "measure", ("base", "selinux"), {})
    found = []
    for section, rows in _FRANKE.items():
        frame = lockdata.load(f"franke-2001/lmbench-{section}", reading="both")
        frame = frame[frame["measure"].isin(rows)]
        lines = _lines(frame, "measure", "kernel", ("vanilla", "selinux"), rows)
        found += [replace(line, section=section.replace("-", " ")) for line in lines]
    return found


def summary_name(name: str) -> str:
    """A line's name in lmbench's summary (:mod:`locksim.study.reports.lmbench`)."""
    return _FIGURES[name]


def _lines(
    frame: Any, row: str, column: str, kernels: tuple[str, str], names: dict[str, tuple[str, str]]
) -> list[Line]:
    """Lines from a dataset: ``names`` has each row's printed name and its path."""
    found = []
    for key in dict.fromkeys(frame[row]):
        two = frame[frame[row] == key].set_index(column).loc[list(kernels)]
        name, path = names.get(key, (key, key))
        printed, corrected = two["printed"].tolist(), two["corrected"].tolist()
        unit = two["unit"].iloc[0]
        found.append(
            Line(
                name,
                path,
                str(unit),
                (str(printed[0]), str(printed[1])),
                (float(corrected[0]), float(corrected[1])),
            )
        )
    return found


_FRANKE: dict[str, dict[str, tuple[str, str]]] = tomllib.loads(
    Path(__file__).with_name("rows.toml").read_text("utf-8")
)
_FIGURES = {
    name: f"bandwidth_{measure}" if section == "bandwidth" else measure
    for section, rows in _FRANKE.items()
    for measure, (name, _) in rows.items()
}
