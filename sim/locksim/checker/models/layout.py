"""Where everything is in a state: the sections of a thread's row and of the shared row.

This is the one declaration. The steps read where a section begins from ``Tables.size``, at the
section's name below; :func:`layout` fills it in.

*A thread's row*: its number, its program counter, how many stores its buffer holds, the registers
that matter there (in the order of :attr:`Program.keep`, the rest 0), the store buffer, oldest
first, as pairs of address and value, and for each metered lock how often the thread is inside, as
its owner and as a reader.

*The shared row*: the words of memory; for each metered lock whether it has an owner, and how many
threads read; for each thread whether it sleeps, and whether a wake-up is pending; the heap: the
next fresh line, the free lists, and for each line whether it is live, what object starts there, and
its link in a free list. Under C11 come the views: of every word's last message; of every thread
what it knows, what a fence would acquire, what the last fence released, what its atomic
read-modify-writes sent, what a wake-up handed over; that of SEQ_CST operations; those of the
messages in the pool. Then the pool of overtaken messages: how many there are, their keys and their
values (:mod:`locksim.checker.models.c11`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from locksim.checker.models.program import Program
from locksim.core.memory import Memory

SC, TSO, C11 = range(3)
BUFFERS = 8
"""Agent i is thread i; agent BUFFERS + i is its store buffer."""
POOL = 60
"""Overtaken messages that are remembered under C11; a view has a bit for each."""
WATCH_EXCLUSION, WATCH_ASSERTIONS, WATCH_RACES = 1, 2, 4

# The sections of a thread's row. The first ones begin at the same column in every program.
THREAD, PC, BUFFERED, REGISTERS = range(4)
# The others, and the length: entries of ``size``.
(BUFFER, INSIDE, ROW) = range(3)
# The sections of the shared row, and its length: entries of ``size``. From VIEWS to OLD are views.
(WORDS, HOLDERS, SLEEP, PERMIT, HEAP, FREE_HEAD, LIVE, OBJECT, FREE_NEXT) = range(3, 12)
(VIEWS, CUR, ACQ, REL, SENT, WOKEN, SC_VIEW, POOL_VIEWS) = range(12, 20)
(OLD, KEYS, VALUES, SHARED) = range(20, 24)
# Numbers and questions about the program: the other entries of ``size``.
(MODEL, ENTRIES, N_THREADS, N_WORDS, WIDTH, LINE_SHIFT, N_LINES, N_TYPES, N_LOCKS) = range(24, 33)
(WATCH, HISTORY, ACQUIRE_FENCES, WAKES, STATIC, REDUCTION, GROUPS, COUNTS) = range(33, 41)
(AGAIN, ENTRY, SYMMETRIC, NODES) = range(41, 45)
N_SIZES = NODES + BUFFERS
"""From NODES on: the node of each thread."""


class Tables(NamedTuple):
    """The model as rows of numbers; compiled code takes arrays of the same shape."""

    size: list[int]
    code: list[list[int]]
    op: list[int]  # of each row of the code: a view of the row costs a count of references
    keep: list[int]
    keep_start: list[int]
    lock_of: Sequence[int]
    recursive: list[int]
    type_lines: list[int]
    shift_words: list[int]  # of each group, each word's coefficient: locksim.checker.models.shifts
    shift_kept: list[int]  # … and that of each entry of keep
    shift_moduli: list[int]  # … and the number modulo which that moves, or 0
    shift_anchors: list[int]
    shift_steps: list[int]
    shift_lags: list[int]  # … how far behind its words a register may count as infinitely far, or 0
    plain: list[int]
    claims: list[list[int]]  # of each word, for the reduction: locksim.checker.models.reduction


@dataclass(frozen=True)
class Layout:
    """The sections of a state, and what they hold before the first step.

    Arguments:
        size: entry → where a section begins, or how long a row is; the other entries are 0.
        threads: the threads' rows. shared: the shared row.
    """

    size: list[int]
    threads: list[list[int]]
    shared: list[int]


def layout(
    program: Program, memory: Memory, begin: Sequence[int], number: int, entries: int
) -> Layout:
    """Lay out the states of a program.

    Arguments:
        program: what the threads run. memory: before the first step.
        begin: of each thread, the row of the program at which it begins.
        number: of the memory model: SC, TSO or C11. entries: of a store buffer.
    """
    widths = program.width, 2 * entries, 2 * len(memory.locks)
    first = [0] * sum(widths)
    shared = _shared(memory, len(begin))
    shared += _views(len(memory.words), len(begin)) if number == C11 else [()] * (SHARED - VIEWS)
    size = [0] * N_SIZES
    size[BUFFER : ROW + 1] = list(accumulate(widths, initial=REGISTERS))[1:]
    size[WORDS : SHARED + 1] = accumulate(map(len, shared), initial=0)
    threads = [[k, pc, 0, *first] for k, pc in enumerate(begin)]
    return Layout(size, threads, [value for section in shared for value in section])


def _shared(memory: Memory, n_threads: int) -> list[Sequence[int]]:
    """The sections of the shared row from WORDS to FREE_NEXT."""
    heap, threads = bool(memory.types), [0] * n_threads
    return [
        memory.words,
        [0] * (2 * len(memory.locks)),
        threads,
        threads,
        [memory.heap_next],
        [head for cpu in memory.free_head for head in cpu] if heap else [],
        memory.live,
        memory.object_type if heap else [],
        memory.free_next if heap else [],
    ]


def _views(n_words: int, n_threads: int) -> list[Sequence[int]]:
    """Those from VIEWS to VALUES. The pool has room for what a step adds before it drops some."""
    threads, pool, one = [0] * n_threads, [0] * (POOL + 2), [0]
    return [[0] * n_words, *[threads] * 5, one, pool, one, pool, pool]
