"""Memory that a simulation has used, as the beginning of a check.

A proof begins with memory as it is before time 0. A program can keep a count in its words, and
behave otherwise when the count is high: as it was measured, and as no proof has seen it. So a check
may begin with the memory that a simulation left when all of its threads had returned.

The simulated workload and the test client must hold the struct at the same address. Then its words
keep their addresses, and pointers among them stay right. The client's own words begin anew, and its
own setup runs on that memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace

from locksim.checker.errors import CheckError
from locksim.compiler.bytecode import Image
from locksim.core.memory import Memory, build, set_up
from locksim.lang.struct import Struct, Workload
from locksim.machine import MachineTables

SPARE_LINES = 16
"""Heap lines behind those that still hold objects, for the check."""


@dataclass(frozen=True)
class Used:
    """What a simulation left, and where a check's threads run in it.

    Arguments:
        part: name of the workload's part under check. memory: as the simulation began.
        static_lines: lines below the heap.
        words, live, object_type, heap_next: memory as it ended.
        machine: the simulated one. cpus: of each thread of the check.
    """

    part: str
    memory: Memory
    static_lines: int
    words: Sequence[int]
    live: Sequence[int]
    object_type: Sequence[int]
    heap_next: int
    machine: MachineTables
    cpus: tuple[int, ...]

    def under(self, workload: Workload, image: Image) -> Memory:
        """The memory as the beginning of another workload.

        Arguments:
            workload: a test client with the same struct in a part of the same name.
            image: the client, linked for the machine.

        Raises:
            CheckError: the struct has another place there.
            SimulationError: the client's setup goes wrong in this memory.
        """
        types = [*image.types, *(t for t in self.memory.types if t not in image.types)]
        fresh = build(workload, self.machine, types, heap_lines=SPARE_LINES, whole=False)
        begin, end = _range(fresh, self.part)
        wpl, static = fresh.space.words_per_line, self.static_lines
        own = fresh.space.layout(workload).size  # from the second line on
        if (begin, end) != _range(self.memory, self.part) or wpl + own > static * wpl:
            raise CheckError(
                f"'{self.part}' has another address in {type(workload).__name__} than in the "
                "simulated workload\n"
                "help: make it the first field of both, with the same class and settings"
            )
        last = max((k for k in range(static, self.heap_next) if self.live[k]), default=static - 1)
        n_lines = last + 1 + (SPARE_LINES if fresh.types else 0)
        words = _first(self.words, n_lines * wpl)
        words[: wpl + own] = _first(fresh.words, wpl + own)
        words[begin:end] = _first(self.words, end)[begin:]
        for line in range(static, n_lines):
            if line > last or not self.live[line]:  # an object comes with zeros
                words[line * wpl : (line + 1) * wpl] = array("q", [0]) * wpl
        number = [0, *(1 + types.index(kind) for kind in self.memory.types)]
        made = replace(
            fresh,
            words=words,
            home=_first(self.memory.home, n_lines),
            place=_first(self.memory.place, n_lines),
            live=_first(self.live, n_lines),
            object_type=_first([number[k] for k in self.object_type], n_lines),
            heap_next=last + 1,
            free_head=[row[:] for row in fresh.free_head[: len(self.cpus)]],
            free_next=array("q", [0]) * n_lines,
            lock_of=_first(fresh.lock_of, n_lines * wpl),
        )
        set_up(made, self.machine, len(self.cpus))
        return made


def _range(memory: Memory, part: str) -> tuple[int, int]:
    """The words of a part of the workload."""
    struct: Struct = getattr(memory.root, part)
    begin = int(struct)
    return begin, begin + memory.space.layout(struct).size


def _first(row: Sequence[int], n: int) -> array[int]:
    """The first n numbers of a row, which is filled up with zeros."""
    found = array("q", [int(x) for x in row[:n]])
    return found + array("q", [0]) * (n - len(found))
