"""A table that all CPUs read, in caches of their own and in one that each cluster shares.

Eight CPUs of `epyc-7742-2x64`, in two clusters of four cores, read lines of one table at random.
Nothing is written. Each value is the difference of two runs, so that the first reads of empty
caches do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from locksim import machine as machines
from locksim.engine.fast.engine import run
from locksim.engine.prepared import prepare
from locksim.lang import RELAXED, Program, Workload, array, param, random_below, word
from locksim.machine import Machine

if TYPE_CHECKING:
    from rich.table import Table

MACHINE, CPUS = "epyc-7742-2x64", 8
SIZES_KB = (16, 256, 1024, 4096)
"""Tables that fit in L1, in the private cache, and (two) in a shared cache only."""
ROUNDS = 2
LONGEST_PS = 10**12


@dataclass(frozen=True, slots=True)
class Reading:
    """The time of a read from a table, in ns.

    Arguments:
        kilobytes: the size of the table.
        unlimited_ns: CPUs keep every line. private_ns: they have caches of their own only.
        shared_ns: clusters share a cache, too.
    """

    kilobytes: int
    unlimited_ns: float
    private_ns: float
    shared_ns: float


class Lookups(Workload):
    """Every CPU reads lines of a table at random.

    Arguments:
        lines: how many it has. reads: of each CPU.
    """

    lines = param(64)
    reads = param(64)
    table = array("lines", word(), padded=True)

    def thread(self) -> Program:
        """Read."""
        for _ in range(self.reads):
            yield self.table[random_below(self.lines)].load(RELAXED)


def per_read_ns(machine: Machine, lines: int) -> float:
    """The time of one read from a table of so many lines, in ns, once caches are warm."""
    warm = 4 * lines
    first, all_ = (_end_ps(machine, lines, reads) for reads in (warm, warm + ROUNDS * lines))
    return (all_ - first) / (ROUNDS * lines) / 1e3


def table(machine: Machine, kilobytes: tuple[int, ...] = SIZES_KB) -> list[Reading]:
    """Simulate each size on a machine without caches, with private ones, and as it is."""
    found = []
    for size in kilobytes:
        lines = size * 1024 // machine.topology.line_bytes
        variants = (machine.without_caches(), machine.without_shared_cache(), machine)
        found.append(Reading(size, *(per_read_ns(variant, lines) for variant in variants)))
    return found


def view() -> Iterator[Table]:
    """Yield the table of ablations.md."""
    from rich.table import Table

    shown = Table(title=f"{MACHINE}: ns a read, {CPUS} CPUs of two clusters")
    for name in ("table, KB", "unlimited caches", "private caches", "and shared ones"):
        shown.add_column(name, justify="right")
    for row in table(machines.load(MACHINE)):
        times = (row.unlimited_ns, row.private_ns, row.shared_ns)
        shown.add_row(str(row.kilobytes), *(f"{ns:.1f}" for ns in times))
    yield shown


def _end_ps(machine: Machine, lines: int, reads: int) -> int:
    tables = machine.tables(CPUS)
    image, memory = prepare(Lookups(lines=lines, reads=reads), tables)
    return run(image, memory, tables, seed=1, until_ps=LONGEST_PS).end_ps
