"""The CSV of core-to-core-latency: one-way latencies between all pairs of CPUs.

The tool (N. Viennot, https://github.com/nviennot/core-to-core-latency) pins two threads. Each waits
by compare-and-swap until a flag has the value that the other sets, and sets it back by the same
instruction. A reading is half the time of a round trip, in ns. Row i, column j is CPU i with CPU j;
a pair is measured once, so one half of the square is empty.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from locksim.machine.errors import MachineError

_HELP = "help: 'core-to-core-latency --csv > FILE' writes one line for each CPU"


@dataclass(frozen=True)
class Matrix:
    """One-way latencies of a ping-pong by compare-and-swap.

    Arguments:
        ns: float64[n, n], symmetric, zero on the diagonal.
        where: the file, for messages and sources.
    """

    ns: npt.NDArray[np.float64]
    where: str

    @property
    def cpus(self) -> int:
        """How many CPUs were measured."""
        return len(self.ns)

    @classmethod
    def read(cls, path: Path) -> Matrix:
        """Return the matrix of a file.

        Raises:
            MachineError: the file cannot be read, or is not such a matrix.
        """
        try:
            with path.open(newline="", encoding="utf-8") as file:
                rows = [row for row in csv.reader(file) if row]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            reason = getattr(error, "strerror", None) or "it is not a CSV file"
            raise MachineError(f"{path}: cannot be read ({reason})\n{_HELP}") from error
        size = max(map(len, rows), default=0)
        if size < 2 or len(rows) != size:
            raise MachineError(
                f"{path}: {len(rows)} lines of up to {size} values; a matrix of N CPUs has N lines "
                f"of N values\n{_HELP}"
            )
        return cls(_symmetric(_numbers(rows, size, path), path), path.name)


def _numbers(rows: list[list[str]], size: int, path: Path) -> npt.NDArray[np.float64]:
    found = np.full((size, size), np.nan)
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            text = cell.strip()
            if not text or text.lower() == "nan" or i == j:
                continue
            try:
                value = float(text)
            except ValueError:
                value = -1.0
            if not 0 < value < 1e6:
                raise MachineError(
                    f"{path}:{i + 1}: column {j + 1} is '{text}'; write a latency in ns above 0, "
                    "without a heading"
                )
            found[i, j] = value
    return found


def _symmetric(found: npt.NDArray[np.float64], path: Path) -> npt.NDArray[np.float64]:
    both = np.stack([found, found.T])
    there = ~np.isnan(both)
    missing = np.argwhere(~there.any(axis=0) & ~np.eye(len(found), dtype=bool))
    if len(missing):
        i, j = missing[0]
        raise MachineError(
            f"{path}: no reading for CPUs {i} and {j} ({len(missing) // 2} pairs lack one); "
            "measure all CPUs in one run"
        )
    mean = np.where(there, both, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    np.fill_diagonal(mean, 0.0)
    return np.asarray(mean, np.float64)
