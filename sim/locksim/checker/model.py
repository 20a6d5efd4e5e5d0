"""What a state consists of: one row for each thread, and one for all that the threads share.

A thread's row: its number, its program counter, the length of its store buffer, the registers that
matter there (in the order of :attr:`Program.keep`, the rest of the columns 0), and the buffer,
oldest first, as pairs of address and value.

The shared row: every word of memory; for each metered lock who holds it exclusively (thread + 1)
and which threads read (a bit set); for each thread whether it sleeps and whether a wake-up is
pending; and, if the program allocates, the heap: the next fresh line, the free lists, and for each
line whether it is live, what object starts there, and its link in a free list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from locksim import machine
from locksim.checker.errors import CheckError
from locksim.checker.program import Program, unfold
from locksim.compiler.ir import ClassCode
from locksim.compiler.link import link
from locksim.lang.layout import Space
from locksim.lang.struct import Struct, Workload
from locksim.memory import Memory, build

MAX_THREADS = 8
MEMORY_MODELS = ("sc", "tso")
_Int64 = npt.NDArray[np.int64]

# Columns of a thread's row; registers follow, then the buffer.
THREAD, PC, BUFFERED, REGISTERS = range(4)

# Sizes and offsets that the compiled code reads.
(TSO, ENTRIES, N_THREADS, N_WORDS, WIDTH, LINE_SHIFT, HOLDERS, SLEEP, PERMIT) = range(9)
(HEAP, FREE_HEAD, LIVE, OBJECT, FREE_NEXT, N_LINES, N_TYPES, WATCH) = range(9, 17)

WATCH_EXCLUSION, WATCH_ASSERTIONS = 1, 2


class Tables(NamedTuple):
    """The model as arrays for the compiled code."""

    size: _Int64
    code: _Int64
    keep: _Int64
    keep_start: _Int64
    lock_of: _Int64
    type_lines: _Int64


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
        return bool(self.tables.size[TSO])

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
    watch: int = WATCH_EXCLUSION | WATCH_ASSERTIONS,
) -> Model:
    """Build the model of a workload.

    Arguments:
        workload: the description; every thread runs its ``thread`` program.
        n_threads: 1 to ``MAX_THREADS``.
        memory: "sc" or "tso".
        codes: bytecode of classes that exist only as parsed text.
        buffer_entries: stores that a store buffer holds, from 1.
        heap_lines: lines that ``alloc`` can hand out.
        watch: what stops the exploration beside faults: WATCH_EXCLUSION, WATCH_ASSERTIONS, both.

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
    machine_tables = machine.load(f"ideal-{n_threads}").tables(n_threads, "compact")
    wpl = machine_tables.words_per_line
    image = link(workload, Space(wpl, n_threads), wpl, codes)
    program = unfold(image)
    types = list(image.types)
    built = build(workload, machine_tables, types, heap_lines=heap_lines if types else 0)
    tso = memory == "tso"
    entries = buffer_entries if tso else 0
    threads = np.zeros((n_threads, REGISTERS + program.width + 2 * entries), np.int64)
    threads[:, THREAD] = np.arange(n_threads)
    threads[:, PC] = program.entry
    parts = _shared_parts(built, n_threads)
    starts = np.cumsum([0, *map(len, parts.values())])
    offset = dict(zip(parts, map(int, starts[:-1]), strict=True))
    size = np.zeros(17, np.int64)
    size[TSO], size[ENTRIES], size[N_THREADS] = tso, entries, n_threads
    size[N_WORDS], size[WIDTH] = len(built.words), program.width
    size[LINE_SHIFT] = wpl.bit_length() - 1
    size[HOLDERS], size[SLEEP], size[PERMIT] = (offset[k] for k in ("holders", "sleep", "permit"))
    size[HEAP], size[FREE_HEAD] = offset["heap_next"], offset["free_head"]
    size[LIVE], size[OBJECT], size[FREE_NEXT] = (offset[k] for k in ("live", "object", "free_next"))
    size[N_LINES], size[N_TYPES], size[WATCH] = len(built.live), len(types), watch
    tables = Tables(
        size, program.code, program.keep, program.keep_start, built.lock_of, built.type_lines
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
