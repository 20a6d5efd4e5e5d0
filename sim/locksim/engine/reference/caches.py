"""Caches of the reference engine: the lines that a CPU holds, those in its L1, those of a node.

They implement ``sim/PHYSICS.md``, "What a CPU can hold", without the coherence protocol. The line's
own state has its owner and sharers (:mod:`locksim.engine.reference.coherence`). The private cache
of a CPU holds exactly the lines of which it is owner or sharer, and L1 holds some of them. A node's
shared cache holds the lines that the node keeps.
"""

from __future__ import annotations

from collections.abc import Sequence

from locksim.machine import MachineTables


class Level:
    """A set-associative cache that replaces the least recently used line of a set.

    Arguments:
        sets, ways: number of sets, and of lines in each.
        place: each line's address; modulo ``sets`` it is the line's set.
    """

    def __init__(self, sets: int, ways: int, place: Sequence[int]) -> None:
        self.ways, self.place = ways, place
        self.lines: list[list[int]] = [[] for _ in range(sets)]
        """The lines of each set, the last used one first."""

    def set_of(self, line: int) -> list[int]:
        """The set that a line falls in."""
        return self.lines[self.place[line] % len(self.lines)]

    def use(self, line: int) -> int | None:
        """Make a line the last used of its set; the line that it replaces, or None."""
        mine = self.set_of(line)
        if line in mine:
            mine.remove(line)
        mine.insert(0, line)
        return mine.pop() if len(mine) > self.ways else None

    def drop(self, line: int) -> None:
        """Remove a line, if it is there."""
        if line in self.set_of(line):
            self.set_of(line).remove(line)


class Caches:
    """The private caches of all CPUs, and L1s and the nodes' shared caches if there are any."""

    def __init__(self, tables: MachineTables, place: Sequence[int]) -> None:
        cpus = range(tables.n_cpus)
        self.private = [Level(tables.private_sets, tables.private_ways, place) for _ in cpus]
        self.l1 = [Level(tables.l1_sets, tables.l1_ways, place) for _ in cpus if tables.l1_sets]
        nodes = range(tables.n_nodes if tables.shared_sets else 0)
        self.shared = [Level(tables.shared_sets, tables.shared_ways, place) for _ in nodes]
        self.gone: dict[int, set[int]] = {}
        """Line → CPUs that evicted it and would still hold it in an unlimited cache."""

    def at_hand(self, cpu: int, line: int) -> bool:
        """Whether a CPU finds a line that it holds in L1."""
        return not self.l1 or line in self.l1[cpu].set_of(line)

    def use(self, cpu: int, line: int) -> int | None:
        """A CPU uses a line that it holds or gets; the line that it evicts for it, or None."""
        victim = self.private[cpu].use(line)
        if victim is not None:
            self.gone.setdefault(victim, set()).add(cpu)
        for level in self.l1[cpu : cpu + 1]:
            if victim is not None:
                level.drop(victim)
            level.use(line)
        return victim

    def lose(self, cpu: int, line: int) -> None:
        """A CPU loses its copy."""
        self.private[cpu].drop(line)
        for level in self.l1[cpu : cpu + 1]:
            level.drop(line)

    def had(self, cpu: int, line: int, *, exclusive: bool) -> bool:
        """Whether a transfer is for a line that the CPU itself evicted.

        No exclusive copy has been served since then. The CPU holds the line again now.
        """
        cpus = self.gone.get(line, set())
        found = cpu in cpus
        if exclusive:
            cpus.clear()
        cpus.discard(cpu)
        return found
