"""Does it matter which freed object an allocation hands out?

``alloc`` gives the object that the CPU has freed last. A real allocator may give any that was
freed, by any thread. That makes a difference to a program only if something still points to such an
object (the ABA problem): addresses that nothing knows are alike. A register points to it if its
value matters. A word, a store in a buffer or an old message does if the program compares pointers
(:mod:`locksim.checker.search.pointers`): without a comparison no thread sees which object it gets.
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


def dangling(
    t: m.Tables,
    x: Space,
    kept: Any,
    holds: Any,
    points: Any,
    freed: Any,
    pointed: Any,
    words: list[int],
) -> int:
    """The first state in which a thread allocates, and something points to another freed object.

    Arguments:
        t: the model's Tables. x: a complete exploration.
        kept: of each entry of ``keep`` whether it may be a pointer. holds: the same of each word.
        points: a zero for each thread's row. freed, pointed: a zero for each shared row. words:
            scratch space for one.

    Returns:
        The state's number, or -1.
    """
    n, columns = t.size[m.N_THREADS], t.size[m.ROW]
    for k in range(x.thread_count[0]):
        points[k] = _registers(t, x.threads, k * columns, kept)
        buffer = k * columns + t.size[m.BUFFER]
        for i in range(x.threads[index(k * columns + m.BUFFERED)]):
            if _held(holds, x.threads[index(buffer + 2 * i)]):
                points[k] |= _line(t, x.threads[index(buffer + 2 * i + 1)])
    for k in range(x.shared_count[0]):
        unpack(x.shared, x.shared_start[k], x.shared_start[k + 1], words)
        for line in range(t.size[m.STATIC] >> t.size[m.LINE_SHIFT], t.size[m.N_LINES]):
            if line < words[t.size[m.HEAP]] and not words[t.size[m.LIVE] + line]:
                freed[k] |= 1 << line % _BITS
        for address in range(t.size[m.N_WORDS]):
            if holds[address]:
                pointed[k] |= _line(t, words[address])
        if t.size[m.MODEL] == m.C11:
            for i in range(words[t.size[m.OLD]]):
                if _held(holds, words[t.size[m.KEYS] + i] >> 2):
                    pointed[k] |= _line(t, words[t.size[m.VALUES] + i])
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


def _registers(t: m.Tables, rows: Any, first: int, kept: Any) -> int:
    """The lines that a thread's registers point to; its row begins at ``first``."""
    pc, found = rows[index(first + m.PC)], 0
    start = t.keep_start[pc]
    for i in range(start, t.keep_start[pc + 1]):
        if kept[i]:
            found |= _line(t, rows[index(first + m.REGISTERS + i - start)])
    return found


def _held(holds: Any, address: int) -> bool:
    """Whether a word may hold a pointer; no word is at a dead address."""
    return bool(0 <= address < len(holds) and holds[address])


def _line(t: m.Tables, value: int) -> int:
    """The line of the heap that a number is an address in, as a bit set."""
    if t.size[m.STATIC] <= value < t.size[m.N_WORDS]:
        return 1 << (value >> t.size[m.LINE_SHIFT]) % _BITS
    return 0
