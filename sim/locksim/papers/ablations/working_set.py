"""Effect of finite caches: a working set against sets and ways (ablations.md).

Each value is the difference of two runs on one CPU, with one round and with several rounds, so that
it excludes the first round with empty caches. Every value is for the machine as it is and for the
same machine with unbounded caches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from locksim import machine as machines
from locksim.engine.fast.engine import run
from locksim.engine.prepared import prepare
from locksim.lang import Workload
from locksim.library.workloads.walk import SpacedWalk, TokenWalk, Walk
from locksim.machine import Machine

if TYPE_CHECKING:
    from rich.table import Table

MACHINE = "pentium3-8way"
ROUNDS = 8
LONGEST_PS = 10**12
OBJECTS = (4, 5, 64, 256, 272, 288, 512)
"""Sizes around the steps: 4 ways of L1, and 8 ways of the 32 sets that 8 KB leave of 2 MB."""
TURNS = ((2, 0), (2, 16), (2, 64), (8, 16), (8, 64), (16, 16), (16, 64), (2, 8), (8, 8), (16, 8))
"""Context switches: processes, and KB of each one's array. The first seven are those of lmbench."""
CHECKS = 4
"""Access checks per iteration: a read and a write of a pipe, each for its file and its inode."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A context switch as lmbench reports it: the excess over a single process.

    Arguments:
        processes, kilobytes: of the row. plain_us: without checks. checked_us: with checks.
    """

    processes: int
    kilobytes: int
    plain_us: float
    checked_us: float

    @property
    def added_us(self) -> float:
        """Time that the checks add, beyond their own time."""
        return self.checked_us - self.plain_us


def per_object_ns(machine: Machine, workload: type[Walk], n: int) -> float:
    """Time of one object in a walk over ``n``, in nanoseconds."""
    first, all_ = (_end_ps(machine, workload(n=n, rounds=rounds)) for rounds in (1, 1 + ROUNDS))
    return (all_ - first) / (n * ROUNDS) / 1e3


def turn_us(machine: Machine, processes: int, kilobytes: int, checks: int) -> float:
    """A context switch as measured by lmbench, in microseconds, without the switch itself.

    The time of one iteration, minus that of a process which passes the token to itself.
    """
    lines = kilobytes * 1024 // machine.topology.line_bytes
    return _turn_us(machine, processes, lines, checks) - _turn_us(machine, 1, lines, checks)


def turns(machine: Machine) -> list[Turn]:
    """Every row of ``TURNS``, without checks and with ``CHECKS`` per iteration."""
    return [
        Turn(p, kb, turn_us(machine, p, kb, 0), turn_us(machine, p, kb, CHECKS)) for p, kb in TURNS
    ]


def view() -> Iterator[Table]:
    """Yield the two tables of ablations.md."""
    from rich.table import Table

    machine = machines.load(MACHINE)
    shown = Table(title=f"one CPU of {MACHINE}: ns per object in a walk over n objects")
    for name in ("objects", "side by side", "8 KB apart", "8 KB apart, unbounded caches"):
        shown.add_column(name, justify="right")
    for n in OBJECTS:
        kinds = ((machine, Walk), (machine, SpacedWalk), (machine.without_caches(), SpacedWalk))
        shown.add_row(str(n), *(f"{per_object_ns(m, kind, n):.1f}" for m, kind in kinds))
    yield shown
    shown = Table(title=f"context switches with data, µs beyond the switch, {CHECKS} checks")
    for name in ("row", "without checks", "with", "added", "added, unbounded caches"):
        shown.add_column(name, justify="right")
    for turn, endless in zip(turns(machine), turns(machine.without_caches()), strict=True):
        times = (turn.plain_us, turn.checked_us, turn.added_us, endless.added_us)
        row = f"{turn.processes}p/{turn.kilobytes}K"
        shown.add_row(row, *(f"{us:.2f}" for us in times))
    yield shown


def _turn_us(machine: Machine, processes: int, lines: int, checks: int) -> float:
    def end_ps(rounds: int) -> int:
        walk = TokenWalk(
            processes=processes,
            lines=lines,
            total=max(1, processes * lines),
            checks=checks,
            rounds=rounds,
        )
        return _end_ps(machine, walk)

    return (end_ps(1 + ROUNDS) - end_ps(1)) / (processes * ROUNDS) / 1e6


def _end_ps(machine: Machine, workload: Workload) -> int:
    tables = machine.tables(1)
    image, memory = prepare(workload, tables)
    return run(image, memory, tables, seed=1, until_ps=LONGEST_PS).end_ps
