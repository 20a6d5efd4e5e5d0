"""Which rows of a table can matter for throughput: bounds that need no model of the lock.

Two bounds, for a load that keeps N CPUs busy through a window T:

- **Gain.** A row's waits W are at most a share w = W / (N x T) of all CPUs' time. If all of them
  went away and nothing else changed, throughput would grow by 1 / (1 - w) at most. A row with less
  than ``NOISE`` to gain is noise for throughput: no change of that lock can be measured.
- **Ceiling.** A lock that is held for a share U of the window can serve 1 / U times today's
  acquisitions, on any number of CPUs. A row with a low ceiling matters later, whatever it waits
  now. A row of lock_stat is a class: the ceiling is that of one lock only if the class has one,
  and above 100 % there is none.

Both are bounds, not predictions. A gain counts only the waits: a change that also shortens the
section, or moves fewer cache lines, is not bounded by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from locksim.study.reports import limits
from locksim.study.reports.table import LockRow, LockTable

NOISE = 0.01
"""A gain below one percent: differences between two runs of a benchmark are larger."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What a row can matter.

    Arguments:
        row: its label. waiting: its share of all waits in the table; None: its waits cannot be
            (:func:`limits.lost_event`), and no other share counts them.
        gain: by which throughput can grow at most (0.25 is 25 %); None: not known, or no bound,
            because the waits are more than the CPUs' time.
        ceiling: throughput at which the lock is always held, by today's; None: not known.
        can_matter: None without window and CPUs, or if its waits cannot be.
    """

    row: str
    waiting: float | None
    gain: float | None
    ceiling: float | None
    can_matter: bool | None

    def to_json(self) -> Mapping[str, Any]:
        """The bound as a document."""
        return {name: getattr(self, name) for name in self.__slots__}


def bounds(table: LockTable) -> list[Bound]:
    """The bounds of a table's rows, those with the longest waits first, impossible waits last."""
    waits, lost = [], []
    for row in table.locks:
        if limits.lost_event(table, row):
            lost.append(Bound(row.label, None, None, None, None))
        elif (total := waited(row)) is not None:
            waits.append((row, total))
    together = sum(total for _, total in waits)
    ordered = sorted(waits, key=lambda one: -one[1])
    return [*(_bound(table, row, total, together) for row, total in ordered), *lost]


def waited(row: LockRow) -> float | None:
    """The time that a row's acquisitions waited together, in ns."""
    if row.wait_total_ns is not None:
        return row.wait_total_ns
    share = (row.spin or 0.0) + (row.spin_ww or 0.0) if row.spin is not None else None
    count = row.contended
    if count is None and share is not None and row.total is not None:
        count = share * row.total
    if not count:
        return None if count is None else 0.0
    return None if row.wait_ns is None else count * row.wait_ns


def _bound(table: LockTable, row: LockRow, total: float, together: float) -> Bound:
    gain: float | None = None
    can_matter: bool | None = None
    if table.cpus and table.window_ns:
        share = total / (table.cpus * table.window_ns)
        gain = share / (1 - share) if share < 1 else None
        can_matter = gain is None or gain >= NOISE
    held = row.util
    ceiling = 1 / held if held and held <= 1 and row.kind != "read" else None
    return Bound(row.label, total / together if together else 0.0, gain, ceiling, can_matter)
