"""What a state consists of: one row for each thread, and one for all that the threads share.

A thread's row: its number, its program counter, the length of its store buffer, the registers that
matter there (in the order of :attr:`Program.keep`, the rest of the columns 0), the buffer, oldest
first, as pairs of address and value, and for each metered lock how often the thread is inside, as
its owner and as a reader.

The shared row: every word of memory; for each metered lock whether it has an owner, and how many
threads read; for each thread whether it sleeps and whether a wake-up is
pending; and, if the program allocates, the heap: the next fresh line, the free lists, and for each
line whether it is live, what object starts there, and its link in a free list. Under C11 come the
views (of every word's last message; of every thread: current, to be acquired by a fence, released
by the last fence, sent by atomic read-modify-writes, handed over by a wake-up; of SEQ_CST
operations) and the pool of messages that
have been overtaken (key, value, view; :mod:`locksim.checker.models.c11`).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from locksim import machine
from locksim.checker.errors import CheckError
from locksim.checker.models.placement import Crew
from locksim.checker.models.prior_use import Used
from locksim.checker.models.program import Program, unfold
from locksim.checker.models.shifts import Shifts, shifts
from locksim.checker.models.symmetry import told_apart
from locksim.checker.models.tasks import switching
from locksim.compiler import bytecode
from locksim.compiler.bytecode import Image
from locksim.compiler.link import link
from locksim.compiler.orders import Change, Position, with_orders
from locksim.compiler.sources import is_method
from locksim.core.faults import place
from locksim.core.memory import Memory, build, structs, words_of
from locksim.lang.layout import Space
from locksim.lang.ops import Order
from locksim.lang.struct import Workload, tasks_of
from lockui.suggest import did_you_mean

MAX_THREADS = BUFFERS = 8
"""BUFFERS: agent i is thread i; agent BUFFERS + i is its store buffer."""
MEMORY_MODELS = ("sc", "tso", "c11")
SC, TSO, C11 = range(3)
POOL = 60
"""Overtaken messages that are remembered under C11; a view has a bit for each."""
MOST_ENTRIES = 64
"""Stores that a store buffer can hold under TSO."""

# Columns of a thread's row; registers follow, then the buffer.
THREAD, PC, BUFFERED, REGISTERS = range(4)

# Sizes and offsets that the steps read.
(MODEL, ENTRIES, N_THREADS, N_WORDS, WIDTH, LINE_SHIFT, HOLDERS, SLEEP, PERMIT) = range(9)
(HEAP, FREE_HEAD, LIVE, OBJECT, FREE_NEXT, N_LINES, N_TYPES, WATCH) = range(9, 17)
(VIEWS, CUR, ACQ, REL, SENT, WOKEN, SC_VIEW, POOL_VIEWS, VIEWS_END) = range(17, 26)
(OLD, KEYS, VALUES, HISTORY, ACQUIRE_FENCES, WAKES, STATIC) = range(26, 33)
(REDUCTION, ROW, SHARED, INSIDE, N_LOCKS, GROUPS, COUNTS) = range(33, 40)
(AGAIN, ENTRY, SYMMETRIC) = range(40, 43)
N_SIZES = 43

WATCH_EXCLUSION, WATCH_ASSERTIONS, WATCH_RACES = 1, 2, 4


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
    plain: list[int]
    claims: list[list[int]]  # of each word, for the reduction: locksim.checker.models.reduction


@dataclass(frozen=True)
class Model:
    """A workload under a memory model, ready to be explored.

    Arguments:
        program: the unfolded program.
        memory: the memory before the first step, with the names of its words.
        tables: what the steps read.
        threads: the rows of the threads before they start. shared: the shared row.
        shifts: the words that may be moved together.
        told_apart: why threads are told apart; "" if they are not.
        invariants: of the workload and its parts.
    """

    program: Program
    memory: Memory
    tables: Tables
    threads: list[list[int]]
    shared: list[int]
    shifts: Shifts
    told_apart: str
    invariants: tuple[Program, ...] = ()

    @property
    def sc(self) -> bool:
        """Whether a fence makes no difference."""
        return self.tables.size[MODEL] == SC

    @property
    def tso(self) -> bool:
        """Whether stores go through buffers."""
        return self.tables.size[MODEL] == TSO

    @property
    def n_threads(self) -> int:
        """The number of threads."""
        return len(self.threads)


def model(
    workload: Workload,
    n_threads: int,
    memory: str,
    *,
    buffer_entries: int = 16,
    heap_lines: int = 16,
    history: int = 8,
    plain: Iterable[str] = (),
    endless: bool = False,
    again: bool = False,
    symmetry: bool = False,
    watch: int = WATCH_EXCLUSION | WATCH_ASSERTIONS,
    used: Used | None = None,
    orders: Mapping[Position, Change] | None = None,
) -> Model:
    """Build the model of a workload.

    Arguments:
        workload: the description; every thread runs its ``thread`` program.
        n_threads: 1 to ``MAX_THREADS``.
        memory: "sc", "tso" or "c11".
        buffer_entries: stores that a store buffer holds, from 1.
        heap_lines: lines that ``alloc`` can hand out.
        history: overtaken messages of a word that are remembered under C11, 1 to POOL.
        plain: names of words that are not atomic, beside those that are declared so: under C11 a
            race on them is an error.
        endless: the threads may run for ever: words that count up together are moved together.
        again: each thread may run its program any number of times; implies ``endless``.
        symmetry: do not tell threads apart, if they can be exchanged for one another.
        watch: what stops the exploration beside faults: WATCH_EXCLUSION, WATCH_ASSERTIONS,
            WATCH_RACES, or several.
        used: memory to begin with, and the machine; by default fresh memory, on one CPU a thread.
        orders: other memory orders than those in the source.

    Raises:
        CheckError: a number or name is out of range, or the program cannot be checked.
        CompileError, LinkError, SimulationError: the program is no valid one.
    """
    _examine(n_threads, memory, buffer_entries, history)
    tasks = tasks_of(workload)
    if used is not None and (len(used.cpus) != n_threads or tasks or again):
        raise CheckError(
            "used memory is for programs that run once, in threads on the CPUs it names"
        )
    machine_tables = (
        machine.load(f"ideal-{n_threads}").tables(n_threads, "compact")
        if used is None
        else used.machine
    )
    wpl, weak = machine_tables.words_per_line, memory == "c11" or bool(orders)
    linked = _linked(workload, wpl, machine_tables.n_cpus, tasks, weak)
    image = with_orders(linked, orders or {})
    crew = None
    if used is None:
        built = build(workload, machine_tables, list(image.types), heap_lines=heap_lines)
    else:
        built = used.under(workload, image)
        crew = Crew(used.cpus, machine_tables.n_cpus, image.places[image.entry].file)
    by = switching(workload, built, n_threads, tasks) if tasks else None
    program = unfold(image, by, crew)
    cpus, n_threads = n_threads, n_threads + tasks
    number = MEMORY_MODELS.index(memory)
    entries = buffer_entries if number == TSO else 0
    columns = program.width + 2 * entries + 2 * len(built.locks)
    begin = [*(program.entries or [program.entry] * cpus), *[program.task_entry] * tasks]
    threads = [[k, entry, 0, *[0] * columns] for k, entry in enumerate(begin)]
    parts = _shared_parts(built, n_threads)
    if number == C11:
        parts |= _views(len(built.words), n_threads)
    starts = accumulate(map(len, parts.values()), initial=0)
    offset = dict(zip(parts, starts, strict=False))
    shared = [value for part in parts.values() for value in part]
    size = [0] * N_SIZES
    size[MODEL], size[ENTRIES], size[N_THREADS] = number, entries, n_threads
    size[N_WORDS], size[WIDTH] = len(built.words), program.width
    size[LINE_SHIFT] = wpl.bit_length() - 1
    size[HOLDERS], size[SLEEP], size[PERMIT] = (offset[k] for k in ("holders", "sleep", "permit"))
    size[HEAP], size[FREE_HEAD] = offset["heap_next"], offset["free_head"]
    size[LIVE], size[OBJECT], size[FREE_NEXT] = (offset[k] for k in ("live", "object", "free_next"))
    size[N_LINES], size[N_TYPES], size[WATCH] = len(built.live), len(built.types), watch
    heap = heap_lines if built.types else 0
    size[STATIC] = (len(built.live) - heap if used is None else used.static_lines) * wpl
    size[ROW], size[SHARED] = len(threads[0]), len(shared)
    size[INSIDE], size[N_LOCKS] = len(threads[0]) - 2 * len(built.locks), len(built.locks)
    if number == C11:
        size[VIEWS:OLD] = [offset[k] for k in _VIEW_PARTS]
        size[OLD], size[KEYS], size[VALUES] = (offset[k] for k in ("old", "keys", "values"))
        size[HISTORY], size[ACQUIRE_FENCES] = history, int(_acquires_by_fence(program))
        size[WAKES] = int(any(row[0] == bytecode.WAKE for row in program.code))
    invariants, moved = _invariants(built), Shifts()
    fixed = "tasks are switched" if tasks else "an invariant may read it" if invariants else ""
    if fixed:
        moved.reasons.update(dict.fromkeys(range(size[STATIC]), fixed))
    elif endless or again:
        moved = shifts(program, built, n_threads, size[STATIC])
    size[GROUPS], size[COUNTS] = len(moved.anchors), int(endless or again)
    size[AGAIN], size[ENTRY] = int(again), program.entry
    apart = _apart(program, number, tasks, symmetry=symmetry, again=again)
    size[SYMMETRIC] = int(not apart)
    tables = Tables(
        size,
        program.code,
        [row[0] for row in program.code],
        program.keep,
        program.keep_start,
        built.lock_of,
        built.recursive,
        built.type_lines,
        [c for group in moved.words for c in group] or [0],
        [c for group in moved.kept for c in group] or [0],
        moved.moduli or [0],
        moved.anchors or [0],
        moved.steps or [1],
        _plain(built, plain),
        [[0] * 4 for _ in built.words],
    )
    return Model(program, built, tables, threads, shared, moved, apart, invariants)


@functools.lru_cache(maxsize=32)
def _linked(workload: Workload, wpl: int, n_cpus: int, tasks: int, weak: bool) -> Image:
    """The linked program: one workload is checked in several memories, and more than once."""
    return link(workload, Space(wpl, n_cpus, tasks), wpl, weak_fences=weak)


def _examine(n_threads: int, memory: str, buffer_entries: int, history: int) -> None:
    """Refuse what no model can have."""
    if not 1 <= n_threads <= MAX_THREADS:
        raise CheckError(f"threads must be between 1 and {MAX_THREADS} (got {n_threads})")
    if memory not in MEMORY_MODELS:
        raise CheckError(f"unknown memory model '{memory}'; known: {', '.join(MEMORY_MODELS)}")
    if not 1 <= buffer_entries <= MOST_ENTRIES:
        raise CheckError(
            f"buffer entries must be between 1 and {MOST_ENTRIES} (got {buffer_entries})"
        )
    if not 1 <= history <= POOL:
        raise CheckError(f"history must be between 1 and {POOL} (got {history})")


def _apart(program: Program, number: int, tasks: int, *, symmetry: bool, again: bool) -> str:
    """Why the threads are told apart; "" if they are not."""
    if tasks:
        return "tasks are switched"
    if number == C11:
        return "C11 has views of each thread"
    return told_apart(program, again=again) if symmetry else "not asked for"


def _invariants(memory: Memory) -> tuple[Program, ...]:
    """The invariants of the workload and its parts; a word of dead memory is a fault there too.

    Raises:
        CheckError: one does more than load and assert.
    """
    found = []
    for struct, _ in structs(memory.root, ""):
        if not is_method(type(struct), "invariant"):
            continue
        program = unfold(link(struct, memory.space, int(struct), program="invariant"))
        for row, at in zip(program.code, program.places, strict=True):
            timed = row[0] >= bytecode.FIRST_OPERATION and row[0] != bytecode.LOAD
            if timed or row[0] in _NOT_IN_INVARIANTS:
                raise CheckError(
                    f"{place(at.file, at.line)}: an invariant only loads words and asserts: it is "
                    "asked of a state, takes no step and belongs to no thread\n"
                    "help: do this in thread(), and keep in a word what the invariant needs"
                )
        found.append(program)
    return tuple(found)


_NOT_IN_INVARIANTS = (
    *(bytecode.CPU, bytecode.THREAD, bytecode.RANDOM, bytecode.EXPONENTIAL, bytecode.NOW),
)


def _shared_parts(memory: Memory, n_threads: int) -> dict[str, Sequence[int]]:
    """The parts of the shared row, in order."""
    heap = bool(memory.types)
    return {
        "words": memory.words,
        "holders": [0] * (2 * len(memory.locks)),
        "sleep": [0] * n_threads,
        "permit": [0] * n_threads,
        "heap_next": [memory.heap_next],
        "free_head": [head for cpu in memory.free_head for head in cpu] if heap else [],
        "live": memory.live,
        "object": memory.object_type if heap else [],
        "free_next": memory.free_next if heap else [],
    }


_VIEW_PARTS = ("views", "cur", "acq", "rel", "sent", "woken", "sc_view", "pool_views", "old")
"""The parts of the shared row that are views, one after another, and the one behind them."""


def _views(n_words: int, n_threads: int) -> dict[str, list[int]]:
    """The further parts under C11. The pool has room for what a step adds before it drops some."""
    threads, pool, one = [0] * n_threads, [0] * (POOL + 2), [0]
    views = [[0] * n_words, *[threads] * 5, one, pool, one]
    return {**dict(zip(_VIEW_PARTS, views, strict=True)), "keys": pool, "values": pool}


def _acquires_by_fence(program: Program) -> bool:
    return any(row[0] == bytecode.FENCE and row[-1] != Order.RELEASE for row in program.code)


def address_of(memory: Memory, name: str) -> int:
    """The address of a word.

    Raises:
        CheckError: there is no such word; the message lists those that there are.
    """
    for address, word in memory.names:
        if word == name:
            return address
    hint = did_you_mean(name, [word for _, word in memory.names])
    raise CheckError(f"unknown word '{name}'; {hint}")


def _plain(memory: Memory, names: Iterable[str]) -> list[int]:
    for kind in memory.types:
        for _, name, declared in words_of(memory.space.default(kind).placed(0, memory.space), ""):
            if declared.plain:
                raise CheckError(
                    f"{kind.__name__}.{name} is plain, and {kind.__name__} is allocated: races are "
                    "found only on words outside the heap\n"
                    "help: take the objects from an array of the workload, or leave plain=True out"
                )
    marked = {address_of(memory, name) for name in names} | {*memory.plain}
    return [int(address in marked) for address in range(len(memory.words))]
