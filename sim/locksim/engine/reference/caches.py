"""Caches of the reference engine: which lines a CPU can hold, and which are at hand in L1.

``sim/PHYSICS.md``, "What a CPU can hold", without the coherence protocol: this counts places. Who
owns and shares a line is the line's own state (:mod:`locksim.engine.reference.coherence`); the
private cache of a CPU holds exactly the lines of which it is owner or sharer, and L1 some of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from locksim.machine import MachineTables


class Level:
    """A set-associative cache in which the least recently used line of a set gives way.

    Arguments:
        sets, ways: how many sets, and lines in each.
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
        """Make a line the last used of its set; the line that gives way to it, if one does."""
        mine = self.set_of(line)
        if line in mine:
            mine.remove(line)
        mine.insert(0, line)
        return mine.pop() if len(mine) > self.ways else None

    def drop(self, line: int) -> None:
        """Forget a line, if it is there."""
        if line in self.set_of(line):
            self.set_of(line).remove(line)


class Caches:
    """The private caches of all CPUs, and their L1s where the machine has them."""

    def __init__(self, tables: MachineTables, place: Sequence[int]) -> None:
        cpus = range(tables.n_cpus)
        self.private = [Level(tables.private_sets, tables.private_ways, place) for _ in cpus]
        self.l1 = [Level(tables.l1_sets, tables.l1_ways, place) for _ in cpus if tables.l1_sets]
        self.gone: dict[int, set[int]] = {}
        """Line → CPUs that gave it up and would still hold it in a cache without end."""

    def at_hand(self, cpu: int, line: int) -> bool:
        """Whether a CPU finds a line that it holds in L1."""
        return not self.l1 or line in self.l1[cpu].set_of(line)

    def use(self, cpu: int, line: int) -> int | None:
        """A CPU uses a line that it holds, or gets it; the line that it has to give up for it."""
        victim = self.private[cpu].use(line)
        if victim is not None:
            self.gone.setdefault(victim, set()).add(cpu)
        for level in self.l1[cpu : cpu + 1]:
            if victim is not None:
                level.drop(victim)
            level.use(line)
        return victim

    def lose(self, cpu: int, line: int) -> None:
        """A CPU's copy is taken away."""
        self.private[cpu].drop(line)
        for level in self.l1[cpu : cpu + 1]:
            level.drop(line)

    def had(self, cpu: int, line: int, *, exclusive: bool) -> bool:
        """Whether a transaction is for a line that the CPU gave up itself.

        Nobody has been served an exclusive copy since; the CPU has the line again now.
        """
        cpus = self.gone.get(line, set())
        found = cpu in cpus
        if exclusive:
            cpus.clear()
        cpus.discard(cpu)
        return found
