"""What models by formula make of Chatroom and its locks in 2001.

They are told what one CPU alone shows, where nobody waits: how often a message takes the lock and
for how long (hold), and the rest of a message's time (think). What they are not told, since no
formula of theirs has a place for it: that a hold gets longer when its data are on other CPUs, that
a lock hides the next one, and, in the lockmeter table, that the window is mostly pause.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from locksim.machine import Machine
from locksim.papers.experiment import Cell
from locksim.papers.franke_2001.setting import LOCKS, Run
from locksim.papers.models import Load, compare_models, mean_transfer_ns

__all__ = ["chatroom_models", "lockmeter_models"]

SENT = 200
"""Messages a user in the rows that are compared; the others differ from them in no formula."""
FIT_UP_TO = 2
"""CPUs up to which a fitted law may see cells; two are too few for one, so there is none."""
HOT = {"vanilla": "runqueue_lock", "selinux": "avc_lock"}
"""The lock that a formula would be made for."""


def chatroom_models(
    machine: Machine,
    runs: Mapping[tuple[str, int, int], Sequence[Run]],
    cells: Sequence[Cell],
) -> dict[str, Any]:
    """The models' figures for throughput, one row for each kernel and number of rooms.

    Arguments:
        runs: by kernel, rooms and CPUs; those at 1 CPU say what the models are told.
        cells: of the chatroom table.
    """
    loads = {}
    for (kernel, rooms, n), (alone, *_) in runs.items():
        if n == 1:
            hold_ns, think_ns = _times(alone, HOT[kernel], 1e9 / alone.throughput)
            loads[f"{kernel}, {rooms} rooms, {SENT} messages"] = Load(
                hold_ns,
                think_ns,
                mean_transfer_ns(machine),
                f"{HOT[kernel]} as one CPU alone holds it, for each message",
            )
    return compare_models(
        cells, loads, cpus=_cpus, per_second=_same, value=_same, fit_up_to=FIT_UP_TO
    ).to_json()


def lockmeter_models(
    machine: Machine, runs: Mapping[int, Sequence[Run]], cells: Sequence[Cell]
) -> dict[str, Any]:
    """The models' figures for acquisitions a second, one row a lock.

    Arguments:
        runs: by CPUs. cells: of the lockmeter table, which says how often one CPU takes a lock in
            a second of the window: that is all the load that a formula knows.
    """
    rates = [
        replace(cell, row=cell.row.partition(",")[0], column=cell.row.partition(", ")[2])
        for cell in cells
        if cell.column == "TOTAL/s"
    ]
    loads = {}
    for lock in LOCKS:
        alone = runs[1][0]
        (rate,) = (c.understood for c in rates if (c.row, _cpus(c)) == (lock, 1))
        hold_ns = 1e3 * alone.hold_us(lock)
        loads[lock] = Load(
            hold_ns,
            1e9 / (rate or 1.0) - hold_ns,
            mean_transfer_ns(machine),
            "the hold of one CPU alone, and its published rate over the whole window",
        )
    return compare_models(
        rates, loads, cpus=_cpus, per_second=_same, value=_same, fit_up_to=FIT_UP_TO
    ).to_json()


def _times(alone: Run, lock: str, message_ns: float) -> tuple[float, float]:
    hold_ns = alone.per_message(lock) * alone.hold_us(lock) * 1e3
    return hold_ns, message_ns - hold_ns


def _cpus(cell: Cell) -> int:
    return cell.at


def _same(_: int, x: float) -> float:
    return x
