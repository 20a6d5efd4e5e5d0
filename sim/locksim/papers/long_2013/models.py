"""Analytic models of rename_lock, held by one walk at a time (long-2013, unpatched).

The models get the times of a single reader: its user time between two paths, and the kernel's time
on a path, all of it under rename_lock except the work around the walk. The value is the share of
kernel time in spinlocks. The formulas cover only rows without writers (of the database) and without
latches, where all threads do the same and wait for nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from locksim.machine import Machine
from locksim.papers.experiment import Cell
from locksim.papers.long_2013 import setting as long_2013
from locksim.papers.long_2013.setting import LATCHED, MACHINE, WORK, Row
from locksim.papers.models import Load, compare_models, mean_transfer_ns
from locksim.study.sampling import Profile

__all__ = ["ALONE", "spinlock_models"]

ALONE: Row = (1, 0)
"""A single reader, whose times are the models' inputs."""
COLUMN = "spinlock without"


def spinlock_models(
    machine: Machine, alone: Sequence[Profile], cells: Sequence[Cell]
) -> dict[str, Any]:
    """The models' share in spinlocks without the patches.

    Arguments:
        alone: profiles of the row ``ALONE`` without the patches. cells: of the table of shares.
    """
    user_ns: float = WORK.read_ps / 1e3
    outside_ns: float = WORK.slob(ALONE, "without").path_ps / 1e3
    kernel: float = sum(long_2013.kernel_samples(p) for p in alone)
    hold_ns: float = kernel / sum(p.count("Slob.user") for p in alone) * user_ns - outside_ns

    def share(cpus: int, per_second: float) -> float:
        round_ns = 1e9 * cpus / per_second
        waited_ns: float = max(0.0, round_ns - hold_ns - outside_ns - user_ns)
        return 100.0 * waited_ns / (round_ns - user_ns)

    def per_second(cpus: int, percent: float) -> float:
        part = percent / 100
        return 1e9 * cpus * (1 - part) / (hold_ns + outside_ns + (1 - part) * user_ns)

    exclusive = [
        replace(cell, row=cell.column, column=cell.row)
        for cell in cells
        if cell.column == COLUMN and _readers(cell.row) < LATCHED and cell.row.endswith("+0")
    ]
    load = Load(
        hold_ns,
        outside_ns + user_ns,
        mean_transfer_ns(machine),
        f"a single reader's time of a walk on {MACHINE}: the entries' lines stay in its cache",
    )
    return compare_models(
        exclusive,
        {COLUMN: load},
        cpus=lambda cell: min(_readers(cell.column), machine.n_cpus),
        per_second=per_second,
        value=share,
        fit_up_to=machine.n_cpus,
    ).to_json()


def _readers(row: str) -> int:
    return int(row.partition("+")[0])
