"""What a state consists of: one row for each thread, and one for all that the threads share.

A thread's row: its number, its program counter, the length of its store buffer, the registers that
matter there (in the order of :attr:`Program.keep`, the rest of the columns 0), and the buffer,
oldest first, as pairs of address and value.

The shared row: every word of memory; for each metered lock who holds it exclusively (thread + 1)
and which threads read (a bit set); for each thread whether it sleeps and whether a wake-up is
pending; and, if the program allocates, the heap: the next fresh line, the free lists, and for each
line whether it is live, what object starts there, and its link in a free list. Under C11 come the
views (of every word's last message; of every thread: current, to be acquired by a fence, released
by the last fence, handed over by a wake-up; of SEQ_CST operations) and the pool of messages that
have been overtaken (key, value, view; :mod:`locksim.checker.models.c11`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from locksim import machine
from locksim.checker.errors import CheckError
from locksim.checker.search.program import Program, unfold
from locksim.compiler import bytecode
from locksim.compiler.ir import ClassCode
from locksim.compiler.link import link
from locksim.core.memory import Memory, build
from locksim.lang.layout import Space
from locksim.lang.ops import Order
from locksim.lang.struct import Struct, Workload

MAX_THREADS = 8
MEMORY_MODELS = ("sc", "tso", "c11")
SC, TSO, C11 = range(3)
POOL = 40
"""Overtaken messages that are remembered under C11; a view has a bit for each."""
_Int64 = npt.NDArray[np.int64]

# Columns of a thread's row; registers follow, then the buffer.
THREAD, PC, BUFFERED, REGISTERS = range(4)

# Sizes and offsets that the compiled code reads.
(MODEL, ENTRIES, N_THREADS, N_WORDS, WIDTH, LINE_SHIFT, HOLDERS, SLEEP, PERMIT) = range(9)
(HEAP, FREE_HEAD, LIVE, OBJECT, FREE_NEXT, N_LINES, N_TYPES, WATCH) = range(9, 17)
(VIEWS, CUR, ACQ, REL, WOKEN, SC_VIEW, POOL_VIEWS, VIEWS_END) = range(17, 25)
(OLD, KEYS, VALUES, HISTORY, ACQUIRE_FENCES, WRAP, STATIC, REDUCTION) = range(25, 33)

WATCH_EXCLUSION, WATCH_ASSERTIONS, WATCH_RACES = 1, 2, 4


class Tables(NamedTuple):
    """The model as arrays for the compiled code."""

    size: _Int64
    code: _Int64
    keep: _Int64
    keep_start: _Int64
    lock_of: _Int64
    type_lines: _Int64
    plain: npt.NDArray[np.int8]
    claims: _Int64  # of each word, for the reduction: locksim.checker.search.claims


@dataclass(frozen=True)
class Model:
    """A workload under a memory model, ready to be explored.

    Arguments:
        program: the unfolded program.
        memory: the memory before the first step, with the names of its words.
        tables: for the compiled code.
        threads: int64[n_threads, columns], the rows of the threads before they start.
        shared: int64[columns], the shared row.
    """

    program: Program
    memory: Memory
    tables: Tables
    threads: _Int64
    shared: _Int64

    @property
    def tso(self) -> bool:
        """Whether stores go through buffers."""
        return bool(self.tables.size[MODEL] == TSO)

    @property
    def n_threads(self) -> int:
        """The number of threads."""
        return len(self.threads)


def model(
    workload: Workload,
    n_threads: int,
    memory: str,
    *,
    codes: dict[type[Struct], ClassCode] | None = None,
    buffer_entries: int = 8,
    heap_lines: int = 16,
    history: int = 8,
    plain: Iterable[str] = (),
    wrap: bool = False,
    watch: int = WATCH_EXCLUSION | WATCH_ASSERTIONS,
) -> Model:
    """Build the model of a workload.

    Arguments:
        workload: the description; every thread runs its ``thread`` program.
        n_threads: 1 to ``MAX_THREADS``.
        memory: "sc", "tso" or "c11".
        codes: bytecode of classes that exist only as parsed text.
        buffer_entries: stores that a store buffer holds, from 1.
        heap_lines: lines that ``alloc`` can hand out.
        history: overtaken messages of a word that are remembered under C11, 1 to POOL.
        plain: names of words that are not atomic: under C11 a race on them is an error.
        wrap: let a word that counts up to a power of two become 0 there, as narrow words do: the
            first one that no address reaches.
        watch: what stops the exploration beside faults: WATCH_EXCLUSION, WATCH_ASSERTIONS,
            WATCH_RACES, or several.

    Raises:
        CheckError: a number or name is out of range, or the program can not be checked.
        CompileError, LinkError, SimulationError: the program is no valid one.
    """
    if not 1 <= n_threads <= MAX_THREADS:
        raise CheckError(f"{n_threads} threads: give a number from 1 to {MAX_THREADS}")
    if memory not in MEMORY_MODELS:
        raise CheckError(f"no memory model '{memory}'; there are {', '.join(MEMORY_MODELS)}")
    if not 1 <= buffer_entries <= 16:
        raise CheckError(f"a store buffer of {buffer_entries} entries: give a number from 1 to 16")
    if not 1 <= history <= POOL:
        raise CheckError(f"a history of {history} messages: give a number from 1 to {POOL}")
    machine_tables = machine.load(f"ideal-{n_threads}").tables(n_threads, "compact")
    wpl = machine_tables.words_per_line
    image = link(workload, Space(wpl, n_threads), wpl, codes, weak_fences=memory == "c11")
    program = unfold(image)
    types = list(image.types)
    built = build(workload, machine_tables, types, heap_lines=heap_lines if types else 0)
    number = MEMORY_MODELS.index(memory)
    entries = buffer_entries if number == TSO else 0
    threads = np.zeros((n_threads, REGISTERS + program.width + 2 * entries), np.int64)
    threads[:, THREAD] = np.arange(n_threads)
    threads[:, PC] = program.entry
    parts = _shared_parts(built, n_threads)
    if number == C11:
        parts |= _views(len(built.words), n_threads)
    starts = np.cumsum([0, *map(len, parts.values())])
    offset = dict(zip(parts, map(int, starts[:-1]), strict=True))
    size = np.zeros(33, np.int64)
    size[MODEL], size[ENTRIES], size[N_THREADS] = number, entries, n_threads
    size[N_WORDS], size[WIDTH] = len(built.words), program.width
    size[LINE_SHIFT] = wpl.bit_length() - 1
    size[HOLDERS], size[SLEEP], size[PERMIT] = (offset[k] for k in ("holders", "sleep", "permit"))
    size[HEAP], size[FREE_HEAD] = offset["heap_next"], offset["free_head"]
    size[LIVE], size[OBJECT], size[FREE_NEXT] = (offset[k] for k in ("live", "object", "free_next"))
    # At 0 nothing wraps: what becomes 0 is 0 already.
    size[WRAP] = max(16, 1 << len(built.words).bit_length()) if wrap else 0
    size[N_LINES], size[N_TYPES], size[WATCH] = len(built.live), len(types), watch
    size[STATIC] = len(built.words) - (heap_lines * wpl if types else 0)
    if number == C11:
        size[VIEWS:OLD] = [offset[k] for k in _VIEW_PARTS]
        size[OLD], size[KEYS], size[VALUES] = (offset[k] for k in ("old", "keys", "values"))
        size[HISTORY], size[ACQUIRE_FENCES] = history, _acquires_by_fence(program)
    tables = Tables(
        size,
        program.code,
        program.keep,
        program.keep_start,
        built.lock_of,
        built.type_lines,
        _plain(built, plain),
        np.zeros((len(built.words), 4), np.int64),
    )
    shared = np.concatenate(list(parts.values())).astype(np.int64)
    return Model(program, built, tables, threads, shared)


def _shared_parts(memory: Memory, n_threads: int) -> dict[str, _Int64]:
    """The parts of the shared row, in order."""
    heap = bool(memory.types)
    nothing = np.zeros(0, np.int64)
    return {
        "words": memory.words,
        "holders": np.zeros(2 * len(memory.locks), np.int64),
        "sleep": np.zeros(n_threads, np.int64),
        "permit": np.zeros(n_threads, np.int64),
        "heap_next": np.array([memory.heap_next], np.int64),
        "free_head": memory.free_head.ravel() if heap else nothing,
        "live": memory.live.astype(np.int64),
        "object": memory.object_type if heap else nothing,
        "free_next": memory.free_next if heap else nothing,
    }


_VIEW_PARTS = ("views", "cur", "acq", "rel", "woken", "sc_view", "pool_views", "old")
"""The parts of the shared row that are views, one after another, and the one behind them."""


def _views(n_words: int, n_threads: int) -> dict[str, _Int64]:
    """The further parts under C11. The pool has room for what a step adds before it drops some."""
    threads, pool = np.zeros(n_threads, np.int64), np.zeros(POOL + 2, np.int64)
    one = np.zeros(1, np.int64)
    views = [np.zeros(n_words, np.int64), *[threads] * 4, one, pool, one]
    return {**dict(zip(_VIEW_PARTS, views, strict=True)), "keys": pool, "values": pool}


def _acquires_by_fence(program: Program) -> bool:
    fences = program.code[program.code[:, 0] == bytecode.FENCE]
    return bool((fences[:, -1] != int(Order.RELEASE)).any())


def address_of(memory: Memory, name: str) -> int:
    """The address of a word.

    Raises:
        CheckError: there is no such word; the message lists those that there are.
    """
    for address, word in memory.names:
        if word == name:
            return address
    known = ", ".join(word for _, word in memory.names)
    raise CheckError(f"there is no word '{name}'; there are {known}")


def _plain(memory: Memory, names: Iterable[str]) -> npt.NDArray[np.int8]:
    plain = np.zeros(len(memory.words), np.int8)
    plain[[address_of(memory, name) for name in names]] = 1
    return plain
