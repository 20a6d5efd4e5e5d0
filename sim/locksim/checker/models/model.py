"""A workload under a memory model, ready to be explored."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from locksim.checker.errors import CheckError
from locksim.checker.models import layout as m
from locksim.checker.models.layout import SC, TSO, WATCH_ASSERTIONS, WATCH_EXCLUSION, Tables
from locksim.checker.models.placement import Placement
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
from locksim.machine.tables import MachineTables, costless
from lockui.suggest import did_you_mean

MAX_THREADS = m.BUFFERS
MEMORY_MODELS = ("sc", "tso", "c11")
NODES = 2
"""NUMA nodes that the threads of a check are dealt to."""
MOST_ENTRIES = 64
"""Stores that a store buffer can hold under TSO."""


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
        return self.tables.size[m.MODEL] == SC

    @property
    def tso(self) -> bool:
        """Whether stores go through buffers."""
        return self.tables.size[m.MODEL] == TSO

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
    nodes: Sequence[int] = (),
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
        nodes: of each thread, for a program that asks for it; by default all are on node 0. In used
            memory those of the machine count.

    Raises:
        CheckError: a number or name is out of range, or the program cannot be checked.
        CompileError, LinkError, SimulationError: the program is no valid one.
    """
    _examine(memory, buffer_entries, history)
    own_machine = machine_of(n_threads)
    tasks = tasks_of(workload)
    if used is not None and (len(used.cpus) != n_threads or tasks or again):
        raise CheckError(
            "used memory is for programs that run once, in threads on the CPUs it names"
        )
    machine_tables = own_machine if used is None else used.machine
    wpl = machine_tables.words_per_line
    image = with_orders(_linked(workload, machine_tables, weakly(memory, orders)), orders or {})
    placement = None
    if used is None:
        built = build(workload, machine_tables, list(image.types), heap_lines=heap_lines)
    else:
        built = used.under(workload, image)
        placement = Placement(used.cpus, machine_tables.n_cpus, image.places[image.entry].file)
        nodes = [machine_tables.node_of[cpu] for cpu in used.cpus]
    by = switching(workload, built, n_threads, tasks) if tasks else None
    program = unfold(image, by, placement)
    number = MEMORY_MODELS.index(memory)
    entries = buffer_entries if number == TSO else 0
    begin = [*(program.entries or [program.entry] * n_threads), *[program.task_entry] * tasks]
    laid = m.layout(program, built, begin, number, entries)
    heap = heap_lines if built.types else 0
    static = (len(built.live) - heap if used is None else used.static_lines) * wpl
    invariants, moved = _invariants(built), Shifts()
    fixed = "tasks are switched" if tasks else "an invariant may read it" if invariants else ""
    if fixed:
        moved.reasons.update(dict.fromkeys(range(static), fixed))
    elif endless or again:
        moved = shifts(program, built, len(begin), static)
    apart = _apart(program, number, tasks, symmetry=symmetry, again=again)
    facts = {
        **{m.MODEL: number, m.ENTRIES: entries, m.HISTORY: history, m.WATCH: watch},
        **{m.N_THREADS: len(begin), m.N_WORDS: len(built.words), m.STATIC: static},
        **{m.N_LINES: len(built.live), m.N_TYPES: len(built.types), m.N_LOCKS: len(built.locks)},
        **{m.LINE_SHIFT: wpl.bit_length() - 1, m.WIDTH: program.width, m.ENTRY: program.entry},
        **{m.ACQUIRE_FENCES: _acquires_by_fence(program), m.WAKES: _wakes(program)},
        **{m.GROUPS: len(moved.anchors), m.COUNTS: endless or again, m.AGAIN: again},
        m.SYMMETRIC: not apart,
    }
    facts |= {m.NODES + k: node for k, node in enumerate(nodes)}
    for entry, value in facts.items():
        laid.size[entry] = int(value)
    tables = Tables(
        laid.size,
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
        [lag and lag + len(begin) for lag in moved.lags] or [0],
        _plain(built, plain),
        [[0] * 4 for _ in built.words],
    )
    return Model(program, built, tables, laid.threads, laid.shared, moved, apart, invariants)


@functools.cache
def machine_of(n_threads: int) -> MachineTables:
    """The machine of a check: a CPU for each thread.

    Raises:
        CheckError: there are too many threads, or none.
    """
    if not 1 <= n_threads <= MAX_THREADS:
        raise CheckError(f"threads must be between 1 and {MAX_THREADS} (got {n_threads})")
    return costless(n_threads, NODES)


def asks_for_node(workload: Workload, n_threads: int, *, weak: bool) -> bool:
    """Whether some thread may call ``node()``; ``weak``: as :func:`weakly` gives it."""
    image = _linked(workload, machine_of(n_threads), weak)
    return any(row[0] == bytecode.NODE for row in image.code)


def weakly(memory: str, orders: Mapping[Position, Change] | None) -> bool:
    """Whether fences that are not full count."""
    return memory == "c11" or bool(orders)


@functools.lru_cache(maxsize=32)
def _linked(workload: Workload, tables: MachineTables, weak: bool) -> Image:
    """The linked program: one workload is checked in several memories, and more than once."""
    wpl = tables.words_per_line
    space = Space(wpl, tables.n_cpus, tasks_of(workload), n_nodes=tables.n_nodes)
    return link(workload, space, wpl, weak_fences=weak)


def _examine(memory: str, buffer_entries: int, history: int) -> None:
    """Refuse what no model can have."""
    if memory not in MEMORY_MODELS:
        raise CheckError(f"unknown memory model '{memory}'; known: {', '.join(MEMORY_MODELS)}")
    if not 1 <= buffer_entries <= MOST_ENTRIES:
        raise CheckError(
            f"buffer entries must be between 1 and {MOST_ENTRIES} (got {buffer_entries})"
        )
    if not 1 <= history <= m.POOL:
        raise CheckError(f"history must be between 1 and {m.POOL} (got {history})")


def _apart(program: Program, number: int, tasks: int, *, symmetry: bool, again: bool) -> str:
    """Why the threads are told apart; "" if they are not."""
    if tasks:
        return "tasks are switched"
    if number == m.C11:
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
    *(bytecode.CPU, bytecode.THREAD, bytecode.NODE, bytecode.RANDOM, bytecode.EXPONENTIAL),
    bytecode.NOW,
)


def _acquires_by_fence(program: Program) -> bool:
    return any(row[0] == bytecode.FENCE and row[-1] != Order.RELEASE for row in program.code)


def _wakes(program: Program) -> bool:
    return any(row[0] == bytecode.WAKE for row in program.code)


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
