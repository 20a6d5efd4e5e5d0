"""Analytic models of Chatroom and its locks in 2001.

The models get the times of a single CPU, where nothing waits: how often a message takes the lock,
for how long (hold), and the rest of a message's time (think). Their formulas have no place for
three effects: a hold takes longer when its data are on other CPUs, a lock hides the next one, and
most of the window of the lockmeter table is pause.
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
"""Messages per user in the compared rows; the other rows have the same formulas."""
FIT_UP_TO = 2
"""Most CPUs of the cells for a fitted law; two cells are too few, so there is none."""
HOT = {"vanilla": "runqueue_lock", "selinux": "avc_lock"}
"""The lock that a formula would describe."""


def chatroom_models(
    machine: Machine,
    runs: Mapping[tuple[str, int, int], Sequence[Run]],
    cells: Sequence[Cell],
) -> dict[str, Any]:
    """The models' throughput, one row for each kernel and number of rooms.

    Arguments:
        runs: by kernel, rooms and CPUs; those at 1 CPU give the models' inputs.
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
                f"{HOT[kernel]} as held by one CPU alone, per message",
            )
    return compare_models(
        cells, loads, cpus=_cpus, per_second=_same, value=_same, fit_up_to=FIT_UP_TO
    ).to_json()


def lockmeter_models(
    machine: Machine, runs: Mapping[int, Sequence[Run]], cells: Sequence[Cell]
) -> dict[str, Any]:
    """The models' acquisitions per second, one row for each lock.

    Arguments:
        runs: by CPUs. cells: of the lockmeter table, which gives the rate at which one CPU takes a
            lock in the window, the only load that a formula knows.
    """
    rates = [
        replace(cell, row=cell.row.partition(",")[0], column=cell.row.partition(", ")[2])
        for cell in cells
        if cell.column == "TOTAL/s"
    ]
    loads = {}
    for lock in LOCKS:
        alone = runs[1][0]
        (rate,) = (c.corrected for c in rates if (c.row, _cpus(c)) == (lock, 1))
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
