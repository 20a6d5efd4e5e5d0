"""Does it matter which freed object an allocation hands out?

``alloc`` gives the object that the CPU has freed last. A real allocator may give any that was
freed, by any thread. That makes a difference to a program only if something still points to such an
object (the ABA problem): addresses that nothing knows are alike. As in a search for leaks
(:mod:`locksim.checker.search.leak`), whatever number in live memory, in a register that matters, in
a store buffer or in an old message is an address inside the object counts as a pointer to it.
"""

from __future__ import annotations

from typing import Any

from locksim.checker.models import layout as m
from locksim.checker.search.loop import Space
from locksim.checker.search.packed import unpack
from locksim.compiler import bytecode as b
from locksim.lang.words import index

_BITS = 62
"""Lines that a set of lines tells apart; those that share a bit are taken for one."""


def dangling(t: m.Tables, x: Space, points: Any, freed: Any, pointed: Any, words: list[int]) -> int:
    """The first state in which a thread allocates, and something points to another freed object.

    Arguments:
        t: the model's Tables. x: a complete exploration.
        points: a zero for each thread's row. freed, pointed: a zero for each shared row. words:
            scratch space for one.

    Returns:
        The state's number, or -1.
    """
    n, columns = t.size[m.N_THREADS], t.size[m.ROW]
    for k in range(x.thread_count[0]):
        points[k] = _lines(t, x.threads, k * columns + m.REGISTERS, k * columns + t.size[m.INSIDE])
    for k in range(x.shared_count[0]):
        unpack(x.shared, x.shared_start[k], x.shared_start[k + 1], words)
        for line in range(t.size[m.STATIC] >> t.size[m.LINE_SHIFT], t.size[m.N_LINES]):
            if line < words[t.size[m.HEAP]] and not words[t.size[m.LIVE] + line]:
                freed[k] |= 1 << line % _BITS
        pointed[k] = _lines(t, words, 0, t.size[m.N_WORDS])
        if t.size[m.MODEL] == m.C11:
            first = t.size[m.VALUES]
            pointed[k] |= _lines(t, words, first, first + words[t.size[m.OLD]])
    for s in range(x.state_count[0]):
        here = s * (n + 1)
        shared = x.states[index(here + n)]
        if freed[index(shared)]:
            known = pointed[index(shared)]
            for i in range(n):
                known |= points[index(x.states[index(here + i)])]
            known &= freed[index(shared)]
            for i in range(n):
                row = x.states[index(here + i)] * columns
                pc = x.threads[index(row + m.PC)]
                if known and t.op[pc] == b.ALLOC:
                    kind = t.code[pc][6]
                    head = t.size[m.FREE_HEAD] + x.threads[index(row)] * t.size[m.N_TYPES] + kind
                    unpack(x.shared, x.shared_start[shared], x.shared_start[shared + 1], words)
                    given = words[head]
                    other = known
                    if given:
                        for line in range(given, given + t.type_lines[kind]):
                            other &= ~(1 << line % _BITS)
                    if other:
                        return s
    return -1


def _lines(t: m.Tables, rows: Any, first: int, end: int) -> int:
    """The lines of the heap that some numbers are addresses in, as a bit set."""
    found = 0
    for i in range(first, end):
        value = rows[index(i)]
        if t.size[m.STATIC] <= value < t.size[m.N_WORDS]:
            found |= 1 << (value >> t.size[m.LINE_SHIFT]) % _BITS
    return found
