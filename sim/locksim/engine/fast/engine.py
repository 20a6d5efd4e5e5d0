"""The fast engine: runs linked bytecode in the loop of :mod:`locksim.engine.fast.loop`.

A :class:`Session` is a run that can be continued; ``run`` is a complete one. The loop returns after
some millions of events, so that Ctrl-C and a progress bar work, and when the trace's chunk is full.
The chunks are kept or go to a reader, so that a trace of any length can be read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from locksim.compiler import bytecode as b
from locksim.compiler.bytecode import Image
from locksim.core import faults
from locksim.core.memory import Memory, structs
from locksim.core.places import Place
from locksim.core.result import DeadlockError, RunResult, SimulationError
from locksim.engine import meters
from locksim.engine.counters import CPU_COUNTERS, LOCK_COUNTERS
from locksim.engine.fast import ways
from locksim.engine.fast.capacity import held_by
from locksim.engine.fast.contention import contention_of
from locksim.engine.fast.state import *
from locksim.engine.histogram import BUCKETS
from locksim.lang.fields import array
from locksim.lang.struct import Struct
from locksim.machine import MachineTables
from locksim.machine.costs import ROWS

_NOUNS = {
    getattr(b, name): name.lower()
    for name in (
        "LOAD",
        "STORE",
        "SWAP",
        "COMPARE_SWAP",
        "FETCH_ADD",
        "FETCH_AND",
        "FETCH_OR",
        "FETCH_XOR",
    )
}


Reader = Callable[[npt.NDArray[np.int64], npt.NDArray[np.int64]], object]
"""Reader of a trace in parts: rows, int64[n, 5], and their provenance, int64[n, 3].

See :mod:`locksim.engine.trace`. Both arrays are overwritten after the call.
"""


def run(
    image: Image,
    memory: Memory,
    tables: MachineTables,
    *,
    seed: int,
    until_ps: int,
    trace: bool | Reader = False,
    jump: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> RunResult:
    """Run a linked program from time 0.

    Arguments:
        image: the program.
        memory: memory before time 0; it is not changed.
        tables: the machine.
        seed: of the threads' random streams.
        until_ps: events before this time are processed; at most ``MAX_TIME_PS``.
        trace: True keeps the trace for the result. A reader gets it in parts, and nothing is
            kept. Spin iterations that are jumped over have no rows.
        jump: False runs idle spin iterations one by one.
        progress: called at times with (time_ps, events).

    Raises:
        SimulationError: a fault of the program.
        DeadlockError: no thread can go on.
    """
    session = Session(image, memory, tables, seed=seed, trace=trace, jump=jump)
    session.advance(until_ps, progress)
    return session.result()


class Session:
    """A run that can be continued: ``advance`` to a time, read results, advance further."""

    def __init__(
        self,
        image: Image,
        memory: Memory,
        tables: MachineTables,
        *,
        seed: int,
        trace: bool | Reader = False,
        jump: bool = True,
    ) -> None:
        self.image, self.memory, self.tables = image, memory, tables
        self.state = state_of(image, memory, tables, seed, trace is not False, jump)
        self.caches = held_by(tables, np.array(memory.place, np.int64))
        self.contention = contention_of(tables)
        self.reader = None if isinstance(trace, bool) else trace
        self.rows: list[npt.NDArray[np.int64]] = []
        self.time_ps = 0

    def advance(self, until_ps: int, progress: Callable[[int, int], None] | None = None) -> None:
        """Process all events before ``until_ps``."""
        if not 0 <= until_ps <= MAX_TIME_PS:
            raise SimulationError(
                f"the end of a run must be between 0 and {MAX_TIME_PS} ps (got {until_ps})"
            )
        state, control = self.state, self.state.control
        while True:
            status = ways.advance(
                state, self.caches, self.contention, until_ps << AGENT_BITS, CHUNK
            )
            self._hand_on_trace()
            if status == FAULTED:
                raise self._fault()
            if status == STUCK:
                if control[R_FINISHED] == self.tables.n_cpus:
                    self.time_ps = int(control[R_NOW])
                    return
                raise self._deadlock()
            if status == TIME_UP:
                ways.unpark_all(state, self.caches, self.contention, until_ps)
                self.time_ps = until_ps
                return
            if progress is not None:
                progress(int(control[R_NOW]), int(control[R_EVENTS]))

    @property
    def finished(self) -> bool:
        """True when every thread has returned."""
        return bool(self.state.control[R_FINISHED] == self.tables.n_cpus)

    def done(self) -> int:
        """Units of work done by all CPUs since the start, or since ``reset``."""
        return int(self.state.count[:, N_DONE].sum())

    def copies(self) -> int:
        """Copies of lines in the caches of all CPUs now."""
        line = self.state.line
        return int((line[:, L_OWNER] >= 0).sum() + line[:, L_SHARERS].sum())

    def reset(self) -> None:
        """Reset the counters (at the end of a warm-up); all activity continues."""
        self.state.count[:] = 0
        self.state.served[:] = 0
        meters.begin_window(self.state.locks, len(self.state.locks), self.time_ps)
        # A new array takes memory where a time is counted; one set to 0 everywhere.
        self.state = self.state._replace(durations=_no_durations(len(self.state.locks)))

    def livelock(self) -> DeadlockError:
        """The error for a run without progress, with the place of every thread."""
        return DeadlockError(faults.livelock_message(*self._waits(), self.time_ps))

    @property
    def heap_next(self) -> int:
        """The first heap line that was never allocated so far."""
        return int(self.state.control[R_HEAP_NEXT])

    def word(self, address: int) -> int:
        """The present value of a word, without buffered stores."""
        return int(self.state.words[address])

    def operations(self) -> npt.NDArray[np.int64]:
        """The current instruction of each CPU; -1 if it sleeps or has returned."""
        core = self.state.core
        # A CPU that will resume is still in its last issued instruction.
        resumes = self.state.agent[::2, A_DOES] == RESUME
        away = (core[:, C_WAITS] == W_SLEEP) | (core[:, C_FINISHED] != 0)
        return np.where(away, -1, core[:, C_PC] - resumes)

    def result(self) -> RunResult:
        """The result so far. The arrays are copies."""
        s = self.state
        rows = None
        if s.cost[K_TRACING] and self.reader is None:
            rows = np.concatenate([np.zeros((0, TRACE_COLUMNS), np.int64), *self.rows])
        return RunResult(
            end_ps=self.time_ps,
            events=int(s.control[R_EVENTS]),
            finished=int(s.control[R_FINISHED]),
            cpu=s.count.copy(),
            locks=meters.end_window(s.locks, len(s.locks), self.time_ps),
            durations=_counted(s.durations),
            lines=s.served.copy(),
            trace=None if rows is None else rows[:, :ROW_COLUMNS],
            memory=s.words.copy(),
            origins=None if rows is None else rows[:, ROW_COLUMNS:],
            places=tuple(Place(p.file, p.line, p.method) for p in self.image.places),
        )

    def _hand_on_trace(self) -> None:
        rows = self.state.trace[: int(self.state.control[R_ROWS])]
        if not len(rows):
            return
        self.state.control[R_ROWS] = 0
        if self.reader is None:
            self.rows.append(rows.copy())
        else:
            self.reader(rows[:, :ROW_COLUMNS], rows[:, ROW_COLUMNS:])

    def _place(self, pc: int) -> tuple[str, int, str]:
        place = self.image.places[pc]
        return place.file, place.line, place.method

    def _fault(self) -> SimulationError:
        control = self.state.control
        kind, pc, cpu, time, at = (
            int(control[i]) for i in (R_FAULT, R_FAULT_PC, R_FAULT_CPU, R_FAULT_TIME, R_FAULT_AT)
        )
        file, line, method = self._place(pc)
        row = self.image.code[pc]
        match kind:
            case faults.Fault.MEMORY:
                wpl, name = self.tables.words_per_line, self._now().name(at)
                done = "store" if row[0] == b.SWAP and row[6] else _NOUNS[int(row[0])]
                detail = faults.memory_detail(done, at, wpl, name)
            case faults.Fault.FREE:
                detail = self._now().name(at)
            case faults.Fault.INDEX:
                thread = self.state.core[cpu, C_THREAD]
                base = int(self.state.registers[thread, row[2]] + row[3])
                name = self._array(base, int(row[5]), int(row[6]))
                detail = f"{name}[{at}]: the index is outside 0..{row[6] - 1}"
            case faults.Fault.SHIFT:
                detail = "a negative number" if at < 0 else str(at)
            case faults.Fault.RANDOM if row[0] == b.RANDOM:
                detail = f"random_below({at}): the bound must be at least 1"
            case faults.Fault.RANDOM:
                detail = f"random_exponential({at}): the mean must be at least 1"
            case faults.Fault.SWITCH:
                threads = self.state.thread
                there = 0 <= at < len(threads)
                detail = faults.switch_detail(
                    at,
                    int(threads[at, U_CPU]) if there else None,
                    returned=there and bool(threads[at, U_RETURNED]),
                    timer=row[0] != b.SWITCH,
                )
            case faults.Fault.DIVISION | faults.Fault.ASSERTION:
                detail = ""
            case _:
                detail = str(at)
        return SimulationError(
            faults.message(faults.Fault(kind), cpu, time, file, line, method, detail)
        )

    def _now(self) -> Memory:
        """Memory with the present objects, for their names."""
        return dataclasses.replace(self.memory, object_type=self.state.object_type.tolist())

    def _array(self, address: int, stride: int, count: int) -> str:
        """The name of the array at an address: ``Class.field``."""
        memory = self._now()
        line = address // memory.space.words_per_line
        roots: list[Struct] = [memory.root]
        for start in range(line, -1, -1):
            if memory.object_type[start]:
                target = memory.types[memory.object_type[start] - 1]
                roots.append(memory.space.view(target, start * memory.space.words_per_line))
                break
        for root in reversed(roots):
            for struct, _ in structs(root, ""):
                for field in type(struct).FIELDS.values():
                    if isinstance(field, array):
                        slot = memory.space.layout(struct).slot(field.name)
                        found = (int(struct) + slot.offset, slot.stride, slot.count)
                        if found == (address, stride, count):
                            return f"{type(struct).__name__}.{field.name}"
        return "array"

    def _deadlock(self) -> DeadlockError:
        now = int(self.state.control[R_NOW])
        return DeadlockError(faults.deadlock_message(*self._waits(), now))

    def _waits(self) -> tuple[list[faults.Wait], list[tuple[str, int, str] | None]]:
        """Places of the threads: those on CPUs, and the suspended ones."""
        waits = []
        state = self.state
        for c in range(self.tables.n_cpus):
            if state.core[c, C_FINISHED]:
                continue
            thread = int(state.core[c, C_THREAD])
            sleeps = bool(state.core[c, C_WAITS] == W_SLEEP)
            words = []
            if state.core[c, C_PARKED]:
                for j in range(int(state.core[c, C_PATH])):
                    pc = int(state.path[c, j, 0])
                    if self.image.code[pc][0] == b.LOAD:
                        base, offset = self.image.code[pc][2:4]
                        address = int(state.registers[thread, base] + offset)
                        words.append((self._now().name(address), int(state.words[address])))
                at = int(state.path[c, 0, 0])
            else:
                at = int(state.core[c, C_PC]) - int(sleeps)
            waits.append(faults.Wait(thread, c, *self._place(at), words, sleeps))
        aside = [int(t[U_PC]) for t in state.thread if t[U_CPU] == NOWHERE]
        begin = self.image.task_entry
        return waits, [None if pc == begin else self._place(pc - 1) for pc in aside]


def _no_durations(n_locks: int) -> npt.NDArray[np.int32]:
    """Empty histograms."""
    return np.zeros((max(1, n_locks), len(meters.HISTOGRAMS) * BUCKETS), np.int32)


def _counted(durations: npt.NDArray[np.int32]) -> dict[tuple[int, int], int]:
    """What is not 0, by lock and column."""
    where = np.nonzero(durations)
    pairs = zip(*(axis.tolist() for axis in where), strict=True)
    return dict(zip(pairs, durations[where].tolist(), strict=True))


def _number(t: MachineTables, column: str) -> int:
    """A machine's number by the name of its column."""
    return int(getattr(t, f"{column}_ps") if hasattr(t, f"{column}_ps") else getattr(t, column))


def state_of(
    image: Image, memory: Memory, t: MachineTables, seed: int, trace: bool, jump: bool
) -> State:
    """The state of a run before its first event; ``jump``: whether idle spins are jumped over."""
    n, classes = t.n_cpus, len(t.transfer_ps)
    n_lines, sharer_words = len(memory.home), -(-n // 64)
    own = {"line_shift": t.words_per_line.bit_length() - 1, "seed": seed, "jump": jump}
    own["tracing"] = trace
    numbers = [own[k] if k in own else _number(t, k) for k in NUMBERS]
    near = np.zeros((n, classes, sharer_words), np.uint64)
    if t.clean_nearest:
        for c in range(n):
            for x in range(n):
                near[c, t.distance[c][x], x >> 6] |= np.uint64(1) << np.uint64(x & 63)
    line = np.zeros((n_lines, 8), np.int64)
    line[:, [L_OWNER, L_FILLER, L_HEAD, L_TAIL]] = -1
    leaves = 1 << max(1, (2 * n - 1).bit_length())
    tree = np.full(2 * leaves, NEVER, np.int64)
    starts_ps = np.asarray(t.starting_places or (0,) * n, np.int64)
    tree[leaves : leaves + 2 * n : 2] = starts_ps << AGENT_BITS | np.arange(0, 2 * n, 2)
    for i in range(leaves - 1, 0, -1):
        tree[i] = min(tree[2 * i], tree[2 * i + 1])
    core = np.zeros((n, CORE_COLUMNS), np.int64)
    core[:, C_PC], core[:, C_THREAD] = image.entry, np.arange(n)
    core[:, C_TIMER] = NEVER
    n_threads = memory.space.n_threads
    thread = np.zeros((n_threads, THREAD_COLUMNS), np.int64)
    thread[:, U_STREAM] = np.arange(n_threads)
    thread[:n, U_STREAM] = t.starting_places or np.arange(n)
    thread[:n, U_CPU] = np.arange(n)
    thread[n:, U_CPU], thread[n:, U_PC] = NOWHERE, image.task_entry
    locks = np.zeros((len(memory.locks), len(LOCK_COUNTERS)), np.int64)
    for counter in meters.fresh(memory.recursive):
        locks[counter] = 1
    control = np.zeros(CONTROL_COLUMNS, np.int64)
    control[R_HEAP_NEXT] = memory.heap_next
    return State(
        code=np.array(image.code, np.uint32),  # unsigned: an index that cannot be negative
        cost=np.array(numbers, np.int64),
        latency=np.array([getattr(t, name) for name in ROWS], np.int64),
        node_of=np.asarray(t.node_of, np.int64),
        distance=np.asarray(t.distance, np.int8),
        home_distance=np.asarray(t.home_distance, np.int8),
        near=near,
        registers=np.tile(np.array(image.registers, np.int64), (n_threads, 1)),
        core=core,
        thread=thread,
        agent=np.zeros((2 * n, AGENT_COLUMNS), np.int64),
        buffer=np.zeros((n, t.store_buffer_entries, BUFFER_COLUMNS), np.int64),
        tree=tree,
        line=line,
        served=np.zeros(n_lines, np.int64),
        sharers=np.zeros((n_lines, sharer_words), np.uint64),
        home=np.array(memory.home, np.int64),
        live=np.array(memory.live, np.int8),
        words=np.array(memory.words, np.int64),
        object_type=np.array(memory.object_type, np.int64),
        type_lines=np.array(memory.type_lines, np.int64),
        free_head=np.array(memory.free_head, np.int64),
        free_next=np.array(memory.free_next, np.int64),
        lock_of=np.array(memory.lock_of, np.int64),
        locks=locks,
        durations=_no_durations(len(locks)),
        meter=np.zeros((n_threads, max(1, len(memory.locks)), meters.STATE_COLUMNS), np.int64),
        bus=np.zeros(t.n_nodes, np.int64),
        count=np.zeros((n, len(CPU_COUNTERS)), np.int64),
        path=np.zeros((n, PATH_MAX, 3), np.int64),
        trace=np.zeros((TRACE_ROWS if trace else 1, TRACE_COLUMNS), np.int64),
        control=control,
    )
