"""The initial memory of a run: addresses, home nodes and values of structs.

``build`` places a workload's description, gives every line a home, runs the ``setup`` programs, and
returns arrays for both engines. Word 0 and its line belong to no struct: NULL points to them.

Rows of numbers are arrays of 64-bit integers from the standard library: numpy takes them over
without a look at each number, and what needs no numpy can do without.
"""

from __future__ import annotations

import bisect
import operator
from array import array as numbers
from collections.abc import Generator, Iterable, Iterator, MutableSequence, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate
from typing import Any

from locksim.core import faults
from locksim.core.places import Place, place_of, place_of_error
from locksim.core.result import SimulationError
from locksim.lang import ops
from locksim.lang.fields import array, param, part, word
from locksim.lang.layout import Space
from locksim.lang.ops import Kind, Mark, Op
from locksim.lang.randomness import draw
from locksim.lang.struct import Struct, Workload, tasks_of
from locksim.lang.words import wrap64 as wrap64  # words have 64 bits
from locksim.machine import MachineTables
from locksim.machine.tables import WORD_BYTES

HEAP_LINES = 1 << 14
"""Default number of lines for ``alloc`` in a run."""
MAX_SETUP_STEPS = 1_000_000
"""Most operations of a setup program; one with more counts as endless."""


@dataclass
class Memory:
    """Memory before time 0.

    Arguments:
        space: line size, number of CPUs, threads.
        root: the workload with its addresses.
        words: the initial values.
        home: home node of each line (fresh heap lines: set at allocation).
        place: each line's address in lines: it selects the set in a cache. Equal to the line's
            number unless fields request an alignment.
        live: of each line, 1 where a word may be used.
        object_type: of each line, at the first of an allocated object its type's number + 1,
            else 0.
        types: the structs that the programs allocate; their number is the index.
        type_lines: of each type, lines of one object.
        heap_next: the first heap line that was never allocated. The heap ends at n_lines.
        free_head: of each CPU, for each type, the first free object (line; 0: none).
            free_next: of each line, the next in the list.
        locks: names of the metered structs, in the order of address. lock_of: of each word, at a
            metered struct's first word its index + 1, else 0. recursive: of each lock, 1 where its
            holder may enter it again.
    """

    space: Space
    root: Workload
    words: MutableSequence[int]
    home: MutableSequence[int]
    place: MutableSequence[int]
    live: MutableSequence[int]
    object_type: MutableSequence[int]
    types: list[type[Struct]]
    type_lines: list[int]
    heap_next: int
    free_head: list[list[int]]
    free_next: MutableSequence[int]
    locks: list[str]
    lock_of: MutableSequence[int]
    recursive: list[int]

    @cached_property
    def names(self) -> list[tuple[int, str]]:
        """Every word below the heap with its name, in the order of addresses."""
        return sorted((at, name) for at, name, _ in words_of(self.root, ""))

    @cached_property
    def plain(self) -> list[int]:
        """Addresses of the words that are declared plain."""
        return [at for at, _, declared in words_of(self.root, "") if declared.plain]

    def name(self, address: int) -> str:
        """A word's name as in source code: ``cache.lock.word``, ``cache.slots[3]``."""
        if address == 0:
            return "NULL"
        line = min(address // self.space.words_per_line, len(self.object_type) - 1)
        for start in range(line, -1, -1):
            if self.object_type[start]:
                kind = self.types[self.object_type[start] - 1]
                inner = self.space.default(kind)
                offset = address - start * self.space.words_per_line
                if offset < self.space.layout(inner).size:
                    fields = {at: name for at, name, _ in words_of(inner.placed(0, self.space), "")}
                    return f"{kind.__name__}@{start}.{fields.get(offset, offset)}"
                break
        at = bisect.bisect_right(self.names, (address, chr(0x10FFFF))) - 1
        if at >= 0 and self.names[at][0] == address:
            return self.names[at][1]
        return f"word {address}"


def build(
    workload: Workload,
    tables: MachineTables,
    types: list[type[Struct]],
    *,
    heap_lines: int = HEAP_LINES,
    built_with: Iterable[Struct] = (),
    whole: bool = True,
) -> Memory:
    """Place a workload on a machine and run its ``setup`` programs.

    Arguments:
        workload: a description.
        tables: the machine, with the CPUs of the run.
        types: every struct that the programs allocate.
        heap_lines: lines for ``alloc``; none where nothing is allocated.
        built_with: descriptions that pointers to their classes mean, instead of the defaults.
        whole: whether the workload's own setup runs, too, behind those of its parts.

    Raises:
        SimulationError: a setup program uses a forbidden operation (waits, uses memory outside
            every live object), or fails (an assertion, an index).
    """
    wpl = tables.words_per_line
    space = Space(wpl, tables.n_cpus, tasks_of(workload), built_with, tables.n_nodes)
    layout = space.layout(workload)
    base = wpl
    static_lines = 1 + -(-layout.size // wpl)
    n_lines = static_lines + (heap_lines if types else 0)
    root = workload.placed(base, space)
    embedded = [*structs(root, "")]
    place = _places(embedded, wpl, n_lines)
    memory = Memory(
        space=space,
        root=root,
        words=_zeros(n_lines * wpl),
        home=_homes(place, tables),
        place=place,
        live=_zeros(n_lines),
        object_type=_zeros(n_lines),
        types=types,
        type_lines=[-(-space.layout(space.default(t)).size // wpl) for t in types] or [1],
        heap_next=static_lines,
        free_head=[[0] * max(1, len(types)) for _ in range(tables.n_cpus)],
        free_next=_zeros(n_lines),
        locks=[],
        lock_of=_zeros(n_lines * wpl),
        recursive=[],
    )
    _fill(memory.live, 1, static_lines, 1)
    metered: dict[int, tuple[str, int]] = {}
    for struct, name in embedded:
        _initialise(struct, memory, tables)
        if type(struct).METERED:
            metered[int(struct)] = name or type(struct).__name__, int(type(struct).RECURSIVE)
    for number, address in enumerate(sorted(metered)):
        name, recursive = metered[address]
        memory.locks.append(name)
        memory.recursive.append(recursive)
        memory.lock_of[address] = number + 1
    _Setup(memory, tables, tables.n_cpus).run(embedded if whole else embedded[:-1])
    return memory


def set_up(memory: Memory, tables: MachineTables, cpus: int) -> None:
    """Run the setup program of a workload on memory as it is.

    Arguments:
        memory: of a workload, whose parts are set up. tables: the machine.
        cpus: the number that the program is told.

    Raises:
        SimulationError: as for :func:`build`.
    """
    _Setup(memory, tables, cpus).run([(memory.root, "")])


def _zeros(n: int) -> numbers[int]:
    return numbers("q", [0]) * n


def _fill(row: MutableSequence[int], start: int, stop: int, value: int) -> None:
    row[start:stop] = numbers("q", [value]) * (stop - start)


def _initialise(struct: Struct, memory: Memory, tables: MachineTables) -> None:
    wpl = memory.space.words_per_line
    for name, f in type(struct).FIELDS.items():
        if isinstance(f, param | part):
            continue
        slot = struct._layout.slot(name)  # type: ignore[union-attr]
        start = int(struct) + slot.offset
        init = f if isinstance(f, word) else f.of if isinstance(f, array) else None
        if isinstance(init, word) and init.init:
            for k in range(slot.count):
                memory.words[start + k * slot.stride] = init.init
        if slot.local:
            for k in range(slot.count):
                at = (start + k * slot.stride) // wpl
                for line in range(at, at + slot.stride // wpl):
                    own = slot.local == "node"
                    memory.home[line] = k if own else tables.node_of[k % tables.n_cpus]


def _homes(place: Sequence[int], tables: MachineTables) -> numbers[int]:
    """Every line's home node before locals and allocation: node 0, or pages round the nodes."""
    page = tables.interleave_lines
    if not page:
        return _zeros(len(place))
    return numbers("q", (at // page % tables.n_nodes for at in place))


SCATTER_SEED = 1
"""Seed of the places of scattered arrays, equal in all runs; only the programs' draws vary."""


def _places(embedded: Sequence[tuple[Struct, str]], wpl: int, n_lines: int) -> numbers[int]:
    """Every line's address in lines: its number, plus the gaps of alignments before it.

    The elements of a scattered array exchange their addresses in a random order.
    """
    bounds: list[tuple[int, int]] = []  # (line, alignment of its address in lines)
    scattered: list[tuple[int, int, int]] = []  # (first line, lines of an element, elements)
    for struct, _ in embedded:
        for name, f in type(struct).FIELDS.items():
            if isinstance(f, part | array) and f.align > wpl * WORD_BYTES:
                slot = struct._layout.slot(name)  # type: ignore[union-attr]
                first, lines = (int(struct) + slot.offset) // wpl, slot.stride // wpl
                multiple = f.align // (wpl * WORD_BYTES)
                bounds += [(first + k * lines, multiple) for k in range(slot.count + 1)]
                if isinstance(f, array) and f.scattered:
                    scattered.append((first, lines, slot.count))
    place = _counted(n_lines)[:]
    if bounds:
        gaps, gap = _zeros(n_lines + 1), 0
        for line, multiple in sorted(bounds):
            more = -(line + gap) % multiple
            gap += more
            gaps[line] += more
        place = numbers("q", map(operator.add, place, accumulate(gaps)))
    for first, lines, n in scattered:
        was = place[first : first + n * lines]
        order = sorted(range(n), key=lambda k: draw(SCATTER_SEED, first, k))
        place[first : first + n * lines] = numbers(
            "q", (was[k * lines + line] for k in order for line in range(lines))
        )
    return place


@cache
def _counted(n: int) -> numbers[int]:
    return numbers("q", range(n))


def structs(struct: Struct, name: str) -> Iterator[tuple[Struct, str]]:
    """Every embedded struct, parts before the whole, with its name."""
    prefix = f"{name}." if name else ""
    for field_name, f in type(struct).FIELDS.items():
        if isinstance(f, part):
            yield from structs(getattr(struct, field_name), prefix + field_name)
        elif isinstance(f, array) and not isinstance(f.of, word):
            elements = getattr(struct, field_name)
            for i in range(struct._layout.slot(field_name).count):  # type: ignore[union-attr]
                yield from structs(elements[i], f"{prefix}{field_name}[{i}]")
    yield struct, name


def words_of(struct: Struct, name: str) -> Iterator[tuple[int, str, word]]:
    """Every word with its address, its name and its declaration."""
    for inner, inner_name in structs(struct, name):
        prefix = f"{inner_name}." if inner_name else ""
        for field_name, f in type(inner).FIELDS.items():
            declared = f.of if isinstance(f, array) else f
            if not isinstance(declared, word):
                continue
            slot = inner._layout.slot(field_name)  # type: ignore[union-attr]
            at = int(inner) + slot.offset
            if declared is f:
                yield at, prefix + field_name, declared
            else:
                for i in range(slot.count):
                    yield at + i * slot.stride, f"{prefix}{field_name}[{i}]", declared


class _Setup:
    """Runner of setup programs directly on memory, on CPU 0 before time 0."""

    def __init__(self, memory: Memory, tables: MachineTables, cpus: int) -> None:
        self.memory, self.tables, self.cpus = memory, tables, cpus
        self.struct: Struct = memory.root
        self.program: Any = None

    def cpu(self) -> int:
        return 0

    def thread(self) -> int:
        return 0

    def node(self) -> int:
        raise self._error(" cannot ask for node(): no thread runs yet")

    def n_cpus(self) -> int:
        return self.cpus

    def n_threads(self) -> int:
        return self.memory.space.n_threads

    def now(self) -> int:
        return 0

    def random(self) -> int:
        raise self._error(" cannot draw random numbers: it must be the same for every seed")

    def view(self, target: type[Any], address: int) -> Any:
        return self.memory.space.view(target, address)

    def run(self, embedded: Iterable[tuple[Struct, str]]) -> None:
        """Run the setup program of every embedded struct, parts first."""
        for struct, _ in embedded:
            setup = getattr(struct, "setup", None)
            if setup is None:
                continue
            self.struct = struct
            ops.set_context(self)
            try:
                self._drive(setup)
            except SimulationError:
                raise
            except Exception as error:
                what = faults.text(*faults.of_exception(error))
                raise self._error(f": {what}", place_of_error(error)) from error
            finally:
                ops.set_context(None)

    def _drive(self, setup: Any) -> None:
        self.program = setup()
        if not isinstance(self.program, Generator):
            return  # it yields nothing, so it did no operation
        result: Any = None
        for _ in range(MAX_SETUP_STEPS):
            try:
                op = self.program.send(result)
            except StopIteration:
                return
            if not isinstance(op, Op):
                raise self._error(f": {op!r} is yielded, which is not an operation")
            result = self.apply(op)
            if op.wrap is not None:
                result = op.wrap(result)
        raise self._error(f" runs for more than {MAX_SETUP_STEPS} operations")

    def apply(self, op: Op) -> Any:
        """Perform one operation and return its result."""
        memory, words = self.memory, self.memory.words
        if Kind.LOAD <= op.kind <= Kind.FETCH_XOR:
            line = op.address // memory.space.words_per_line
            if not 0 <= line < len(memory.live) or not memory.live[line]:
                word_name = memory.name(op.address)
                raise self._error(
                    f": {op.kind.name.lower()} of {word_name}, which is outside every live object"
                )
            old = words[op.address]
            words[op.address] = wrap64(new_value(op.kind, old, op.a, op.b))
            return old
        if op.kind == Kind.ALLOC:
            assert op.target is not None
            at = allocate(memory, memory.types.index(op.target), 0, self.tables.node_of[0])
            return memory.space.view(op.target, at * memory.space.words_per_line)
        if op.kind in (Kind.FENCE, Kind.PAUSE, Kind.COMPUTE) or (
            op.kind == Kind.MARK and op.a != Mark.DONE
        ):
            return 0
        raise self._error(f" cannot {op.kind.name.lower()}: no other thread runs yet")

    def _error(self, what: str, place: Place | None = None) -> SimulationError:
        """The error with the struct, the mistake in its setup, and the place."""
        file, line, method = place or place_of(self.program)
        where = f"{faults.place(file, line)} in {method}"
        return SimulationError(f"{type(self.struct).__name__}.setup(){what} ({where})")


def new_value(kind: int, old: int, a: int, b: int) -> int:
    """The value that an operation leaves in its word."""
    match kind:
        case Kind.LOAD:
            return old
        case Kind.STORE | Kind.SWAP:
            return a
        case Kind.COMPARE_SWAP:
            return b if old == a else old
        case Kind.FETCH_ADD:
            return old + a
        case Kind.FETCH_AND:
            return old & a
        case Kind.FETCH_OR:
            return old | a
        case Kind.FETCH_XOR:
            return old ^ a
    raise ValueError(kind)


def allocate(memory: Memory, kind: int, cpu: int, node: int) -> int:
    """Allocate an object from the CPU's free list or the heap; its first line, 0 without memory."""
    lines = memory.type_lines[kind]
    line = memory.free_head[cpu][kind]
    if line:
        memory.free_head[cpu][kind] = memory.free_next[line]
    else:
        line = memory.heap_next
        if line + lines > len(memory.live):
            return 0
        memory.heap_next = line + lines
        _fill(memory.home, line, line + lines, node)
    wpl = memory.space.words_per_line
    _fill(memory.live, line, line + lines, 1)
    memory.object_type[line] = kind + 1
    _fill(memory.words, line * wpl, (line + lines) * wpl, 0)
    return line


def release(memory: Memory, address: int, cpu: int) -> bool:
    """Return an object to a CPU's free list; False if it is not a live object's start."""
    line, offset = divmod(address, memory.space.words_per_line)
    if (
        offset
        or not 0 < line < len(memory.live)
        or not memory.live[line]
        or not memory.object_type[line]
    ):
        return False
    kind = memory.object_type[line] - 1
    lines = memory.type_lines[kind]
    _fill(memory.live, line, line + lines, 0)
    memory.object_type[line] = 0
    memory.free_next[line] = memory.free_head[cpu][kind]
    memory.free_head[cpu][kind] = line
    return True
