"""Cells, the things to measure, and the lists of them that a topology and a build allow.

A cell is what a trial repeats: a kernel's loop on certain CPUs with a certain mix. ``hold`` and
``think`` count iterations of private work (``locklab_spend``), ``write_share`` is out of 65536
(native/harness).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from .topology import RELATIONS, Cpu, packed, relation, spread

SINGLE_CPU = (
    "own_load",
    "own_store",
    "own_add",
    "own_cas",
    "own_swap",
    "own_fence",
    "own_pause",
    "own_spend",
    "own_clock",
    "own_syscall",
    "own_malloc",
)
"""Probes of one CPU's latencies, on cache lines that no other CPU has."""
RING_KIB = (16, 128, 512, 1024, 4096, 16384, 65536)
LARGEST_RING_KIB = 131072
"""The smallest ring that is taken for memory: above most last-level caches."""
THINKS = (0, 10, 20, 50, 100, 200)
WHOLE = 65536
MIXES = ((0, 0), (0, 200), (100, 400), (400, 2000), (0, 4000))
"""(hold, think) in iterations: from the lock alone to a lock that is seldom asked for."""
WRITE_SHARES = (0, 6554, WHOLE)
PAIRS_OF_A_KIND = 8
"""Pairs of CPUs probed for each relation, where a machine has too many for all of them."""
ALL_PAIRS_UP_TO = 16


class Cell(NamedTuple):
    """One thing to measure."""

    kernel: str
    cpus: tuple[int, ...]
    loop: str = "throughput"
    read: bool = False
    hold: int = 0
    think: int = 0
    write_share: int = 0
    option: int = 0

    @property
    def threads(self) -> int:
        """How many threads take part."""
        return len(self.cpus)

    @classmethod
    def of(cls, record: dict[str, Any]) -> Cell:
        """Return the cell that a record of :mod:`.folder` names."""
        return cls(**{**record, "cpus": tuple(record["cpus"])})


def probe_cells(cpus: Sequence[Cpu], llc_kib: int = 0, memory_kib: int = 0) -> list[Cell]:
    """Return the cells of all probes.

    Args:
        cpus: the machine, as :func:`.topology.read` gives it.
        llc_kib: the last-level cache's size, 0 if unknown. Memory is probed with four times that.
        memory_kib: how much a ring may take at most, 0 if unknown.
    """
    ordered = packed(cpus)
    first = ordered[0].number
    cells = [Cell(probe, (first,)) for probe in SINGLE_CPU]
    cells += [Cell("drain", (first,), option=stores) for stores in (0, 8, 32)]
    cells += _chases(ordered, llc_kib, memory_kib)
    cells.append(Cell("wake", (first, first)))
    for pair in pairs(cpus):
        cells.append(Cell("handoff_cas", pair))
        cells += [Cell("handoff_store", pair, option=pauses) for pauses in (0, 1)]
    for pair in _nearest_of_each(cpus):
        cells += [Cell("contended_add", pair, think=think) for think in THINKS]
        cells += [Cell("false_sharing", pair, think=think) for think in (0, 20)]
        cells.append(Cell("wake", pair))
    by_number = {cpu.number: cpu for cpu in cpus}
    for a, b in _nearest_of_each(cpus):
        if relation(by_number[a], by_number[b]) == "core":
            cells.append(Cell("own_spend", (a, b)))
    cells += _arbitrations(ordered)
    sets = [chosen for chosen in cpu_sets(cpus) if len(chosen) != 1]
    back = 400 + 100 * len(ordered)  # iterations until every reader has its copy again
    cells += [Cell("write_shared", chosen, think=back) for chosen in [(first,), *sets]]
    for chosen in sets:
        if len(chosen) > 2:
            cells += [Cell("contended_add", chosen, think=think) for think in (0, 50)]
            cells.append(Cell("handoff_store", chosen))
    return list(dict.fromkeys(cells))


def kernel_cells(cpus: Sequence[Cpu], kernels: Iterable[dict[str, Any]]) -> list[Cell]:
    """Return the cells of locks, structures and workloads.

    Args:
        cpus: the machine.
        kernels: what ``locklab-native list`` prints, one a kernel.
    """
    cells = []
    for kernel in kernels:
        if kernel["kind"] == "probe":
            continue
        for chosen in cpu_sets(cpus):
            cells += _of_kernel(kernel, chosen)
    return cells


def cpu_sets(cpus: Sequence[Cpu]) -> list[tuple[int, ...]]:
    """Return sets of 1, 2, 4, … and all CPUs, near to one another and, if that differs, spread."""
    counts = [1]
    while 2 * counts[-1] < len(cpus):
        counts.append(2 * counts[-1])
    if len(cpus) > 1:
        counts.append(len(cpus))
    orders = [[c.number for c in order(cpus)] for order in (packed, spread)]
    sets: dict[tuple[int, frozenset[int]], tuple[int, ...]] = {}
    for count in counts:
        for order in orders:
            sets.setdefault((count, frozenset(order[:count])), tuple(order[:count]))
    return list(sets.values())


def sentinel_cell(cpus: Sequence[Cpu]) -> Cell | None:
    """Return the handoff between the two nearest CPUs, None where there is only one."""
    near = _nearest_of_each(cpus)
    return Cell("handoff_cas", near[0]) if near else None


def pairs(cpus: Sequence[Cpu]) -> list[tuple[int, int]]:
    """Return the pairs to probe: all on a small machine, some of each relation on a large one."""
    every = list(combinations(packed(cpus), 2))
    if len(cpus) <= ALL_PAIRS_UP_TO:
        return [(a.number, b.number) for a, b in every]
    chosen = []
    for kind in RELATIONS:
        alike = [(a.number, b.number) for a, b in every if relation(a, b) == kind]
        step = max(1, len(alike) // PAIRS_OF_A_KIND)
        chosen += alike[::step][:PAIRS_OF_A_KIND]
    return chosen


def _nearest_of_each(cpus: Sequence[Cpu]) -> list[tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for a, b in combinations(packed(cpus), 2):
        found.setdefault(relation(a, b), (a.number, b.number))
    return [found[kind] for kind in RELATIONS if kind in found]


def _chases(cpus: Sequence[Cpu], llc_kib: int, memory_kib: int) -> list[Cell]:
    largest = max(LARGEST_RING_KIB, 4 * llc_kib)
    if memory_kib:
        largest = min(largest, memory_kib)
    sizes = [kib for kib in RING_KIB if kib < largest] + [largest]
    cells = [Cell("chase", (cpus[0].number,), option=kib) for kib in sizes]
    homes: dict[int, int] = {}
    for cpu in cpus:
        homes.setdefault(cpu.node, cpu.number)
    # The ring lies where the last thread built it.
    far = [home for node, home in homes.items() if node != cpus[0].node]
    return cells + [Cell("chase", (cpus[0].number, home), option=largest) for home in far]


def _arbitrations(cpus: Sequence[Cpu]) -> list[Cell]:
    """Return the cells of who is served next: as many CPUs of each cache, two caches or more."""
    groups: dict[int, list[int]] = {}
    for cpu in cpus:
        groups.setdefault(cpu.cache, []).append(cpu.number)
    near = min(map(len, groups.values()))
    if len(groups) == 1 or near == 1:
        return []
    chosen = tuple(number for group in groups.values() for number in group[:near])
    return [Cell("served_next", chosen, option=2 * near + twice) for twice in (0, 1)]


def _of_kernel(kernel: dict[str, Any], chosen: tuple[int, ...]) -> list[Cell]:
    name, loops = kernel["name"], kernel["loops"]
    cells = []
    if "throughput" in loops:
        cells.append(Cell(name, chosen))
        if kernel["read"]:
            cells.append(Cell(name, chosen, read=True))
    if "latency" in loops:
        for hold, think in MIXES:
            shares = WRITE_SHARES if kernel["read"] else (WHOLE,)
            cells += [
                Cell(name, chosen, "latency", hold=hold, think=think, write_share=share)
                for share in shares
            ]
    return cells
