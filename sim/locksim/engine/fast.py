"""The fast engine: PHYSICS.md as one numba loop over linked bytecode.

The next event comes from a tournament tree over the agents (time and agent packed in one integer), so that it
costs O(log agents). A thread is a row of registers and a program counter; a line is a row of numbers and a bit set of sharers.
Idle spins (:mod:`locksim.compiler.spin`) are jumped over: a waiter whose last round of its loop only hit leaves the tree, and comes back,
in the middle of the round where it would be, when somebody takes away a line that it reads.

The loop is one function on purpose: its state is some thirty arrays, which a call that is not inlined would have to pass one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from locksim.compiler import bytecode as b
from locksim.compiler.bytecode import Image
from locksim.engine import faults
from locksim.engine.counters import CPU_COUNTERS, LOCK_COUNTERS, LOCK_STATE
from locksim.engine.meters import mark
from locksim.engine.randomness import TRANSACTIONS, draw, exponential_of
from locksim.engine.result import DeadlockError, RunResult, SimulationError
from locksim.engine.trace import DRAINED, MARK, SERVED
from locksim.lang.ops import Kind, Mark
from locksim.machine import MachineTables
from locksim.memory import Memory

AGENT_BITS = 11
"""A key is time << AGENT_BITS | agent: 1024 CPUs, and 2**52 ps (75 minutes) of simulated time."""
MAX_TIME_PS = 1 << (63 - AGENT_BITS - 1)
_AGENT = (1 << AGENT_BITS) - 1
_NEVER = np.iinfo(np.int64).max
_CHUNK = 4_000_000
"""Events between two looks at the keyboard and the progress bar."""
_TRACE_ROWS = 1 << 16

# What an agent does at its event.
_RESUME, _REISSUE, _SERVE, _COMPLETE = range(4)

# Columns of the table of agents.
_DOES, _LINE, _NEXT, _SINCE, _EXCLUSIVE, _DELAY = range(6)

# Columns of the table of cores.
(_PC, _DRAWS, _PERMIT, _WAITS, _SB_HEAD, _SB_LEN) = range(6)
(_SPIN_PC, _SPIN_TIME, _SPIN_CLEAN, _PATH, _PARKED, _PERIOD, _FINISHED) = range(6, 13)
_CORE_COLUMNS = 13
_W_NOTHING, _W_SLOT, _W_DRAIN, _W_SLEEP = range(4)
"""Why a core has no event: a free store-buffer entry, an empty store buffer, a wake-up."""

_PATH_MAX = 8
"""Operations in one round of an idle spin; longer rounds are run one by one."""

# Columns of the table of lines.
_OWNER, _FILLER, _READY, _FREE, _QUIET, _HEAD, _TAIL, _SHARERS = range(8)

# Costs.
(_L1, _STORE, _RMW, _FENCE, _PAUSE, _TENURE, _INV_EACH, _SHARED_READ, _BUS, _ALLOC, _FREE_COST) = range(11)
(_SWITCH, _WAKE, _BLOCKING, _NEAREST, _BUS_KIND, _SB_ENTRIES, _LINE_SHIFT, _SEED, _N_LOCKS) = range(11, 20)
(_JUMP, _TRACING, _JITTER, _BUSY) = range(20, 24)

# The control block.
_EVENTS, _FINISHED_THREADS, _ROWS, _HEAP_NEXT, _FAULT, _FAULT_PC, _FAULT_CPU, _FAULT_TIME, _FAULT_AT, _NOW, _SERVED = range(11)

_C = {name: i for i, name in enumerate(CPU_COUNTERS)}
_DONE, _LOADS, _STORES, _RMWS, _FENCES, _PAUSES = (
    _C[k] for k in ("done", "loads", "stores", "rmws", "fences", "pauses")
)
_COMPUTE_PS, _ALLOCS, _FREES, _BLOCKS, _WAKES, _FORWARDED = (
    _C[k] for k in ("compute_ps", "allocs", "frees", "blocks", "wakes", "forwarded")
)
_HITS, _UPGRADES, _MEMORY, _FROM_CORE, _INVALIDATED, _MISS_PS, _QUEUE_PS = (
    _C[k] for k in ("hits", "upgrades", "memory", "from_core", "invalidated", "miss_ps", "queue_ps")
)
_LAST_CLASS = _C["from_far3"] - _C["from_core"]
_MARK_DONE, _MARK_NOTE = int(Mark.DONE), int(Mark.NOTE)
_K_LOAD, _K_STORE, _K_FENCE, _K_PAUSE, _K_COMPUTE = (
    int(k) for k in (Kind.LOAD, Kind.STORE, Kind.FENCE, Kind.PAUSE, Kind.COMPUTE)
)
_K_BLOCK, _K_WAKE, _K_ALLOC, _K_FREE = (int(k) for k in (Kind.BLOCK, Kind.WAKE, Kind.ALLOC, Kind.FREE))
_K_SWAP = int(Kind.SWAP)
_F_MEMORY, _F_FREE, _F_COMPUTE, _F_INDEX, _F_DIVISION, _F_SHIFT, _F_RANDOM, _F_ASSERT, _F_WAKE = (
    int(f)
    for f in (
        faults.Fault.MEMORY,
        faults.Fault.FREE,
        faults.Fault.COMPUTE,
        faults.Fault.INDEX,
        faults.Fault.DIVISION,
        faults.Fault.SHIFT,
        faults.Fault.RANDOM,
        faults.Fault.ASSERTION,
        faults.Fault.WAKE,
    )
)
(_MORE, _TIME_UP, _STUCK, _FAULTED) = range(4)
_NOUNS = {
    getattr(b, name): name.lower()
    for name in ("LOAD", "STORE", "SWAP", "COMPARE_SWAP", "FETCH_ADD", "FETCH_AND", "FETCH_OR", "FETCH_XOR")
}


class State(NamedTuple):
    """Everything that a run changes or reads; all arrays, so that the loop can stop and go on."""

    code: npt.NDArray[np.int64]
    cost: npt.NDArray[np.int64]
    latency: npt.NDArray[np.int64]  # [transfer, memory, invalidate] x class
    node_of: npt.NDArray[np.int64]
    distance: npt.NDArray[np.int8]
    home_distance: npt.NDArray[np.int8]
    near: npt.NDArray[np.uint64]  # CPUs x classes x sharer words: who is at which distance
    registers: npt.NDArray[np.int64]
    core: npt.NDArray[np.int64]
    agent: npt.NDArray[np.int64]
    buffer: npt.NDArray[np.int64]  # CPUs x entries x (address, value, pc)
    tree: npt.NDArray[np.int64]
    line: npt.NDArray[np.int64]
    served: npt.NDArray[np.int64]  # transactions on each line
    sharers: npt.NDArray[np.uint64]
    home: npt.NDArray[np.int64]
    live: npt.NDArray[np.int8]
    words: npt.NDArray[np.int64]
    object_type: npt.NDArray[np.int64]
    type_lines: npt.NDArray[np.int64]
    free_head: npt.NDArray[np.int64]
    free_next: npt.NDArray[np.int64]
    lock_of: npt.NDArray[np.int64]
    locks: npt.NDArray[np.int64]
    meter: npt.NDArray[np.int64]
    bus: npt.NDArray[np.int64]
    count: npt.NDArray[np.int64]
    path: npt.NDArray[np.int64]  # CPUs x operations of the spin's last round x (pc, offset, line)
    trace: npt.NDArray[np.int64]
    control: npt.NDArray[np.int64]


def run(
    image: Image,
    memory: Memory,
    tables: MachineTables,
    *,
    seed: int,
    until_ps: int,
    trace: bool = False,
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
        trace: True records trace rows (and spins idle rounds one by one unless ``jump`` is given as True with it).
        jump: False spins idle rounds one by one.
        progress: called now and then with (time_ps, events).

    Raises:
        SimulationError: a fault of the program.
        DeadlockError: no thread can go on.
    """
    session = Session(image, memory, tables, seed=seed, trace=trace, jump=jump)
    session.advance(until_ps, progress)
    return session.result()


class Session:
    """A run that can be carried on: ``advance`` to a time, look, advance further."""

    def __init__(
        self,
        image: Image,
        memory: Memory,
        tables: MachineTables,
        *,
        seed: int,
        trace: bool = False,
        jump: bool = True,
    ) -> None:
        self.image, self.memory, self.tables = image, memory, tables
        self.state = _state(image, memory, tables, seed, trace, jump)
        self.rows: list[npt.NDArray[np.int64]] = []
        self.time_ps = 0

    def advance(
        self, until_ps: int, progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Process all events before ``until_ps``."""
        if not 0 <= until_ps <= MAX_TIME_PS:
            raise SimulationError(
                f"a run can last from 0 to {MAX_TIME_PS} ps of simulated time, not {until_ps}"
            )
        state, control = self.state, self.state.control
        while True:
            status = _advance(state, until_ps << AGENT_BITS, _CHUNK)
            self._keep_trace()
            if status == _FAULTED:
                raise self._fault()
            if status == _STUCK:
                if control[_FINISHED_THREADS] == self.tables.n_cpus:
                    self.time_ps = int(control[_NOW])
                    return
                raise self._deadlock()
            if status == _TIME_UP:
                for c in range(self.tables.n_cpus):
                    if state.core[c, _PARKED]:
                        _unpark(c, until_ps, -1, state.core, state.path, state.count, state.code,
                                state.registers, state.agent, state.tree)
                self.time_ps = until_ps
                return
            if progress is not None:
                progress(int(control[_NOW]), int(control[_EVENTS]))

    @property
    def finished(self) -> bool:
        """True when every thread has returned."""
        return bool(self.state.control[_FINISHED_THREADS] == self.tables.n_cpus)

    def done(self) -> int:
        """Units of work done by all CPUs since the start, or since ``reset``."""
        return int(self.state.count[:, _DONE].sum())

    def reset(self) -> None:
        """Begin to count anew (the end of a warm-up). What is going on, goes on."""
        self.state.count[:] = 0
        self.state.served[:] = 0
        counts = [i for i, name in enumerate(LOCK_COUNTERS) if name not in LOCK_STATE]
        self.state.locks[:, counts] = 0

    def livelock(self) -> DeadlockError:
        """The error that tells where every thread is, when the run gets nowhere."""
        return DeadlockError(faults.livelock_message(self._waits(), self.time_ps))

    def result(self) -> RunResult:
        """What has happened so far. The arrays are copies."""
        s = self.state
        tracing = bool(s.cost[_TRACING])
        return RunResult(
            end_ps=self.time_ps,
            events=int(s.control[_EVENTS]),
            finished=int(s.control[_FINISHED_THREADS]),
            cpu=s.count.copy(),
            locks=s.locks.copy(),
            lines=s.served.copy(),
            trace=np.concatenate([np.zeros((0, 5), np.int64), *self.rows]) if tracing else None,
            memory=s.words.copy(),
        )

    def _keep_trace(self) -> None:
        rows = int(self.state.control[_ROWS])
        if rows:
            self.rows.append(self.state.trace[:rows].copy())
            self.state.control[_ROWS] = 0

    def _place(self, pc: int) -> tuple[str, int, str]:
        place = self.image.places[pc]
        return place.file, place.line, place.method

    def _fault(self) -> SimulationError:
        control = self.state.control
        kind, pc, cpu, time, at = (
            int(control[i]) for i in (_FAULT, _FAULT_PC, _FAULT_CPU, _FAULT_TIME, _FAULT_AT)
        )
        file, line, method = self._place(pc)
        detail = str(at)
        if kind == _F_MEMORY:
            done = _NOUNS[int(self.image.code[pc, 0])]
            detail = faults.memory_detail(done, at, self.tables.words_per_line, self.memory.name(at))
        elif kind == _F_FREE:
            detail = self.memory.name(at)
        elif kind in (_F_DIVISION, _F_ASSERT):
            detail = ""
        return SimulationError(
            faults.message(faults.Fault(kind), cpu, time, file, line, method, detail)
        )

    def _deadlock(self) -> DeadlockError:
        return DeadlockError(faults.deadlock_message(self._waits(), int(self.state.control[_NOW])))

    def _waits(self) -> list[faults.Wait]:
        """Where every unfinished thread is."""
        waits = []
        state = self.state
        for c in range(self.tables.n_cpus):
            if state.core[c, _FINISHED]:
                continue
            sleeps = bool(state.core[c, _WAITS] == _W_SLEEP)
            words = []
            if state.core[c, _PARKED]:
                for j in range(int(state.core[c, _PATH])):
                    pc = int(state.path[c, j, 0])
                    if self.image.code[pc, 0] == b.LOAD:
                        base, offset = self.image.code[pc, 2:4]
                        address = int(state.registers[c, base] + offset)
                        words.append((self.memory.name(address), int(state.words[address])))
                at = int(state.path[c, 0, 0])
            else:
                at = int(state.core[c, _PC]) - int(sleeps)
            waits.append(faults.Wait(c, c, *self._place(at), words, sleeps))
        return waits


def _state(
    image: Image, memory: Memory, t: MachineTables, seed: int, trace: bool, jump: bool
) -> State:
    n, classes = t.n_cpus, len(t.transfer_ps)
    n_lines, sharer_words = len(memory.home), -(-n // 64)
    cost = np.zeros(24, np.int64)
    cost[:20] = (
        [t.l1_hit_ps, t.store_ps, t.rmw_ps, t.fence_ps, t.pause_ps, t.tenure_ps, t.invalidate_each_ps]
        + [t.shared_read_ps, t.bus_ps, t.alloc_ps, t.free_ps, t.context_switch_ps, t.wake_ps]
        + [t.blocking, t.clean_nearest, t.bus_kind, t.store_buffer_entries]
        + [t.words_per_line.bit_length() - 1, seed, len(memory.locks)]
    )
    cost[_JUMP], cost[_TRACING] = jump, trace
    cost[_JITTER], cost[_BUSY] = t.jitter_ps, t.line_busy_percent
    near = np.zeros((n, classes, sharer_words), np.uint64)
    if t.clean_nearest:
        for c in range(n):
            for x in range(n):
                near[c, t.distance[c, x], x >> 6] |= np.uint64(1) << np.uint64(x & 63)
    line = np.zeros((n_lines, 8), np.int64)
    line[:, [_OWNER, _FILLER, _HEAD, _TAIL]] = -1
    leaves = 1 << max(1, (2 * n - 1).bit_length())
    tree = np.full(2 * leaves, _NEVER, np.int64)
    tree[leaves : leaves + 2 * n : 2] = np.arange(0, 2 * n, 2)
    for i in range(leaves - 1, 0, -1):
        tree[i] = min(tree[2 * i], tree[2 * i + 1])
    core = np.zeros((n, _CORE_COLUMNS), np.int64)
    core[:, _PC] = image.entry
    control = np.zeros(11, np.int64)
    control[_HEAP_NEXT] = memory.heap_next
    return State(
        code=image.code,
        cost=cost,
        latency=np.array([t.transfer_ps, t.memory_ps, t.invalidate_ps], np.int64),
        node_of=np.asarray(t.node_of, np.int64),
        distance=np.asarray(t.distance, np.int8),
        home_distance=np.asarray(t.home_distance, np.int8),
        near=near,
        registers=np.tile(image.registers, (n, 1)),
        core=core,
        agent=np.zeros((2 * n, 6), np.int64),
        buffer=np.zeros((n, t.store_buffer_entries, 3), np.int64),
        tree=tree,
        line=line,
        served=np.zeros(n_lines, np.int64),
        sharers=np.zeros((n_lines, sharer_words), np.uint64),
        home=memory.home.copy(),
        live=memory.live.copy(),
        words=memory.words.copy(),
        object_type=memory.object_type.copy(),
        type_lines=memory.type_lines,
        free_head=memory.free_head.copy(),
        free_next=memory.free_next.copy(),
        lock_of=memory.lock_of,
        locks=np.zeros((len(memory.locks), len(LOCK_COUNTERS)), np.int64),
        meter=np.zeros((n, max(1, len(memory.locks)), 3), np.int64),
        bus=np.zeros(t.n_nodes, np.int64),
        count=np.zeros((n, len(CPU_COUNTERS)), np.int64),
        path=np.zeros((n, _PATH_MAX, 3), np.int64),
        trace=np.zeros((_TRACE_ROWS if trace else 1, 5), np.int64),
        control=control,
    )


@njit(cache=True)
def _schedule(tree, agent, key):  # type: ignore[no-untyped-def]
    """Give an agent its next event."""
    i = (len(tree) >> 1) + agent
    tree[i] = key
    while i > 1:
        other = tree[i ^ 1]
        i >>= 1
        if other < key:
            key = other
        tree[i] = key


@njit(cache=True)
def _unpark(c, s, a, core, path, count, code, registers, agent, tree):  # type: ignore[no-untyped-def]
    """Bring a spinning core to where it is just before event (s, a): it has done all operations with an earlier key."""
    start, period, n = core[c, _SPIN_TIME], core[c, _PERIOD], core[c, _PATH]
    me = 2 * c
    rounds = (s - start) // period  # rounds that are over, or one more than that (mended below)
    if rounds * period == s - start and me > a:
        rounds -= 1
    partial = 0  # operations done of the round that began at start + rounds * period
    if rounds >= 0:
        begun = start + rounds * period
        while partial < n:
            at = begun + path[c, partial, 1]
            if at > s or (at == s and me > a):
                break
            partial += 1
    else:
        rounds = 0
    for j in range(n):
        times = rounds + (1 if j < partial else 0)
        pc = path[c, j, 0]
        op = code[pc, 0]
        if op == b.LOAD:
            count[c, _LOADS] += times
            count[c, _HITS] += times
        elif op == b.PAUSE:
            count[c, _PAUSES] += times
        else:
            count[c, _COMPUTE_PS] += times * max(1, registers[c, code[pc, 4]])
    if partial == n:
        rounds += 1
        partial = 0
    core[c, _PARKED] = 0
    core[c, _SPIN_CLEAN] = 0
    core[c, _PC] = path[c, partial, 0]
    agent[me, _DOES] = _REISSUE
    _schedule(tree, me, ((start + rounds * period + path[c, partial, 1]) << AGENT_BITS) | me)


@njit(cache=True, error_model="numpy", nogil=True)
def _advance(state, limit, budget):  # type: ignore[no-untyped-def]
    """Process events with keys below ``limit``; returns a status. At most ``budget`` of them."""
    code, cost, latency, node_of = state.code, state.cost, state.latency, state.node_of
    distance, home_distance, near = state.distance, state.home_distance, state.near
    registers, core, agent, buffer, tree = state.registers, state.core, state.agent, state.buffer, state.tree
    line, sharers, home, live, words = state.line, state.sharers, state.home, state.live, state.words
    object_type, type_lines = state.object_type, state.type_lines
    free_head, free_next, lock_of = state.free_head, state.free_next, state.lock_of
    locks, meter, bus, count, path = state.locks, state.meter, state.bus, state.count, state.path
    trace, control, transactions = state.trace, state.control, state.served
    n_cpus, n_words, sharer_words = core.shape[0], words.shape[0], sharers.shape[1]
    shift, entries = cost[_LINE_SHIFT], cost[_SB_ENTRIES]
    jump, tracing, seed = cost[_JUMP] != 0, cost[_TRACING] != 0, cost[_SEED]
    l1, store_cost, rmw_cost = cost[_L1], cost[_STORE], cost[_RMW]
    rows_end = trace.shape[0] - code.shape[0] - 16
    events = 0
    fault = 0
    fault_at = 0
    status = _MORE
    t = control[_NOW]
    c = 0
    pc = 0

    while True:
        key = tree[1]
        if key >= limit:
            status = _STUCK if key == _NEVER else _TIME_UP
            break
        if events >= budget or (tracing and control[_ROWS] >= rows_end):
            break
        events += 1
        t = key >> AGENT_BITS
        a = key & _AGENT
        c = a >> 1
        does = agent[a, _DOES]
        request = 0  # 1: a shared copy, 2: an exclusive one
        served = does == _SERVE
        wanted = np.int64(0)

        if served:
            wanted = agent[a, _LINE]
        elif a & 1:
            # ---- the store buffer: its oldest store
            head = core[c, _SB_HEAD]
            address = buffer[c, head, 0]
            wanted = address >> shift
            if does == _COMPLETE or (line[wanted, _OWNER] == c and not (line[wanted, _FILLER] == c and line[wanted, _READY] > t)):
                if not live[wanted]:
                    fault, fault_at = _F_MEMORY, address
                    pc = buffer[c, head, 2]
                    break
                if does != _COMPLETE:
                    count[c, _HITS] += 1
                words[address] = buffer[c, head, 1]
                if tracing:
                    r = control[_ROWS]
                    trace[r, 0], trace[r, 1], trace[r, 2] = t, a, DRAINED
                    trace[r, 3], trace[r, 4] = address, buffer[c, head, 1]
                    control[_ROWS] = r + 1
                head += 1
                core[c, _SB_HEAD] = 0 if head == entries else head
                core[c, _SB_LEN] -= 1
                left = core[c, _SB_LEN]
                waits = core[c, _WAITS]
                if waits == _W_SLOT or (waits == _W_DRAIN and left == 0):
                    core[c, _WAITS] = _W_NOTHING
                    agent[a - 1, _DOES] = _REISSUE
                    _schedule(tree, a - 1, ((t + l1) << AGENT_BITS) | (a - 1))
                delay = store_cost + (agent[a, _DELAY] if does == _COMPLETE else 0)
                agent[a, _DOES] = _REISSUE
                _schedule(tree, a, ((t + delay) << AGENT_BITS) | a if left else _NEVER)
                continue
            if line[wanted, _OWNER] == c:
                _schedule(tree, a, (line[wanted, _READY] << AGENT_BITS) | a)
                continue
            request = 2
        else:
            # ---- the core: resume, issue, take effect; again while that costs no time
            regs = registers[c]
            pc = core[c, _PC]
            nothing_more = False
            while True:
                if does == _RESUME:
                    row = code[pc]
                    op = row[0]
                    while op < b.FIRST_OPERATION:
                        pc += 1
                        if op == b.MOV:
                            regs[row[1]] = regs[row[2]]
                        elif op == b.ADDI:
                            regs[row[1]] = regs[row[2]] + row[3]
                        elif op == b.JMP:
                            pc = row[1]
                        elif op == b.JZ:
                            if regs[row[2]] == 0:
                                pc = row[1]
                        elif op == b.JNZ:
                            if regs[row[2]] != 0:
                                pc = row[1]
                        elif op == b.JEQ:
                            if regs[row[2]] == regs[row[3]]:
                                pc = row[1]
                        elif op == b.JNE:
                            if regs[row[2]] != regs[row[3]]:
                                pc = row[1]
                        elif op == b.JLT:
                            if regs[row[2]] < regs[row[3]]:
                                pc = row[1]
                        elif op == b.JLE:
                            if regs[row[2]] <= regs[row[3]]:
                                pc = row[1]
                        elif op == b.JGT:
                            if regs[row[2]] > regs[row[3]]:
                                pc = row[1]
                        elif op == b.JGE:
                            if regs[row[2]] >= regs[row[3]]:
                                pc = row[1]
                        elif op == b.CALL:
                            regs[row[1]] = pc
                            pc = row[2]
                        elif op == b.RET:
                            pc = regs[row[1]]
                        elif op == b.MARK:
                            what, subject = row[1], regs[row[2]]
                            if what == _MARK_DONE:
                                count[c, _DONE] += 1
                            elif what != _MARK_NOTE:
                                lock = lock_of[subject] if 0 <= subject < n_words else 0
                                if lock:
                                    mark(locks, meter, lock - 1, what, c, t, count[c, _PAUSES])
                            if tracing:
                                r = control[_ROWS]
                                trace[r, 0], trace[r, 1], trace[r, 2] = t, a, MARK + what
                                trace[r, 3], trace[r, 4] = subject, 0
                                control[_ROWS] = r + 1
                        elif op == b.SPIN:
                            if core[c, _SPIN_PC] == pc and core[c, _SPIN_CLEAN] == 1 and core[c, _SB_LEN] == 0:
                                # A whole round hit: park, if every line that it read is still here.
                                n = core[c, _PATH]
                                park = n > 0
                                for j in range(n):
                                    x = path[c, j, 2]
                                    if x >= 0 and line[x, _OWNER] != c and not (
                                        sharers[x, c >> 6] >> np.uint64(c & 63)
                                    ) & np.uint64(1):
                                        park = False
                                if park:
                                    core[c, _PERIOD] = t - core[c, _SPIN_TIME]
                                    core[c, _SPIN_TIME] = t
                                    core[c, _PARKED] = 1
                                    nothing_more = True
                                    break
                            core[c, _SPIN_PC] = pc
                            core[c, _SPIN_TIME] = t
                            core[c, _SPIN_CLEAN] = jump
                            core[c, _PATH] = 0
                        elif op == b.SPIN_ENTER:
                            core[c, _SPIN_PC] = -1
                        elif op == b.ADD:
                            regs[row[1]] = regs[row[2]] + regs[row[3]]
                        elif op == b.SUB:
                            regs[row[1]] = regs[row[2]] - regs[row[3]]
                        elif op == b.MUL:
                            regs[row[1]] = regs[row[2]] * regs[row[3]]
                        elif op == b.FLOORDIV or op == b.MOD:
                            by = regs[row[3]]
                            if by == 0:
                                fault = _F_DIVISION
                                pc -= 1
                                break
                            # By -1 apart: the one division that overflows.
                            q = regs[row[2]] // by if by != -1 else -regs[row[2]]
                            regs[row[1]] = q if op == b.FLOORDIV else regs[row[2]] - q * by
                        elif op == b.AND:
                            regs[row[1]] = regs[row[2]] & regs[row[3]]
                        elif op == b.OR:
                            regs[row[1]] = regs[row[2]] | regs[row[3]]
                        elif op == b.XOR:
                            regs[row[1]] = regs[row[2]] ^ regs[row[3]]
                        elif op == b.SHL or op == b.SHR:
                            by = regs[row[3]]
                            if by < 0 or by > 63:
                                fault, fault_at = _F_SHIFT, by
                                pc -= 1
                                break
                            regs[row[1]] = regs[row[2]] << by if op == b.SHL else regs[row[2]] >> by
                        elif op == b.NEG:
                            regs[row[1]] = -regs[row[2]]
                        elif op == b.INV:
                            regs[row[1]] = ~regs[row[2]]
                        elif op == b.NOT:
                            regs[row[1]] = 1 if regs[row[2]] == 0 else 0
                        elif op == b.EQ:
                            regs[row[1]] = 1 if regs[row[2]] == regs[row[3]] else 0
                        elif op == b.NE:
                            regs[row[1]] = 1 if regs[row[2]] != regs[row[3]] else 0
                        elif op == b.LT:
                            regs[row[1]] = 1 if regs[row[2]] < regs[row[3]] else 0
                        elif op == b.LE:
                            regs[row[1]] = 1 if regs[row[2]] <= regs[row[3]] else 0
                        elif op == b.GT:
                            regs[row[1]] = 1 if regs[row[2]] > regs[row[3]] else 0
                        elif op == b.GE:
                            regs[row[1]] = 1 if regs[row[2]] >= regs[row[3]] else 0
                        elif op == b.INDEX:
                            i = regs[row[4]]
                            if i < 0 or i >= row[6]:
                                fault, fault_at = _F_INDEX, i
                                pc -= 1
                                break
                            regs[row[1]] = regs[row[2]] + row[3] + i * row[5]
                        elif op == b.CPU or op == b.THREAD:
                            regs[row[1]] = c
                        elif op == b.NCPUS:
                            regs[row[1]] = n_cpus
                        elif op == b.RANDOM or op == b.EXPONENTIAL:
                            by = regs[row[2]]
                            if by <= 0:
                                fault, fault_at = _F_RANDOM, by
                                pc -= 1
                                break
                            bits = draw(seed, c, core[c, _DRAWS])
                            core[c, _DRAWS] += 1
                            regs[row[1]] = bits % by if op == b.RANDOM else exponential_of(bits, by)
                        elif op == b.ASSERT:
                            if regs[row[2]] == 0:
                                fault = _F_ASSERT
                                pc -= 1
                                break
                        else:  # EXIT
                            core[c, _FINISHED] = 1
                            control[_FINISHED_THREADS] += 1
                            nothing_more = True
                            break
                        row = code[pc]
                        op = row[0]
                    if fault or nothing_more:
                        break

                row = code[pc]
                op = row[0]
                if op <= b.FETCH_XOR:
                    # ---- a word of memory
                    address = regs[row[2]] + row[3]
                    wanted = address >> shift
                    if does != _COMPLETE and (address < 0 or address >= n_words or not live[wanted]):
                        fault, fault_at = _F_MEMORY, address
                        break
                    owned = line[wanted, _OWNER] == c
                    arrived = not (line[wanted, _FILLER] == c and line[wanted, _READY] > t)
                    after = np.int64(0)
                    if op == b.LOAD:
                        value = np.int64(0)
                        after = l1
                        forwarded = False
                        if core[c, _SB_LEN] and does != _COMPLETE:
                            at = core[c, _SB_HEAD]
                            for _ in range(core[c, _SB_LEN]):
                                if buffer[c, at, 0] == address:
                                    forwarded = True
                                    value = buffer[c, at, 1]
                                at += 1
                                if at == entries:
                                    at = 0
                        if forwarded:
                            count[c, _FORWARDED] += 1
                            core[c, _SPIN_CLEAN] = 0
                        elif does == _COMPLETE:
                            value = words[address]
                            after = agent[a, _DELAY]
                        elif owned or (sharers[wanted, c >> 6] >> np.uint64(c & 63)) & np.uint64(1):
                            if not arrived:
                                core[c, _SPIN_CLEAN] = 0
                                agent[a, _DOES] = _REISSUE
                                core[c, _PC] = pc
                                _schedule(tree, a, (line[wanted, _READY] << AGENT_BITS) | a)
                                break
                            value = words[address]
                            count[c, _HITS] += 1
                            if core[c, _SPIN_CLEAN]:
                                j = core[c, _PATH]
                                if j == _PATH_MAX:
                                    core[c, _SPIN_CLEAN] = 0
                                else:
                                    path[c, j, 0] = pc
                                    path[c, j, 1] = t - core[c, _SPIN_TIME]
                                    path[c, j, 2] = wanted
                                    core[c, _PATH] = j + 1
                        else:
                            core[c, _SPIN_CLEAN] = 0
                            request = 1
                            core[c, _PC] = pc
                            break
                        regs[row[1]] = value
                        count[c, _LOADS] += 1
                        what = np.int64(_K_LOAD)
                    elif op == b.STORE:
                        core[c, _SPIN_CLEAN] = 0
                        value = regs[row[4]]
                        after = store_cost
                        if core[c, _SB_LEN] == 0 and owned and arrived:
                            words[address] = value
                            count[c, _HITS] += 1
                        elif core[c, _SB_LEN] < entries:
                            at = core[c, _SB_HEAD] + core[c, _SB_LEN]
                            if at >= entries:
                                at -= entries
                            buffer[c, at, 0] = address
                            buffer[c, at, 1] = value
                            buffer[c, at, 2] = pc
                            core[c, _SB_LEN] += 1
                            if core[c, _SB_LEN] == 1:
                                agent[a + 1, _DOES] = _REISSUE
                                _schedule(tree, a + 1, (t << AGENT_BITS) | (a + 1))
                        else:
                            core[c, _WAITS] = _W_SLOT
                            core[c, _PC] = pc
                            nothing_more = True
                            break
                        count[c, _STORES] += 1
                        what = np.int64(_K_STORE)
                    else:
                        core[c, _SPIN_CLEAN] = 0
                        if does != _COMPLETE:
                            if core[c, _SB_LEN]:
                                core[c, _WAITS] = _W_DRAIN
                                core[c, _PC] = pc
                                nothing_more = True
                                break
                            if not owned:
                                request = 2
                                core[c, _PC] = pc
                                break
                            if not arrived:
                                agent[a, _DOES] = _REISSUE
                                core[c, _PC] = pc
                                _schedule(tree, a, (line[wanted, _READY] << AGENT_BITS) | a)
                                break
                            count[c, _HITS] += 1
                        value = words[address]
                        operand = regs[row[4]]
                        if op == b.SWAP:
                            words[address] = operand
                        elif op == b.COMPARE_SWAP:
                            if value == operand:
                                words[address] = regs[row[5]]
                        elif op == b.FETCH_ADD:
                            words[address] = value + operand
                        elif op == b.FETCH_AND:
                            words[address] = value & operand
                        elif op == b.FETCH_OR:
                            words[address] = value | operand
                        else:
                            words[address] = value ^ operand
                        regs[row[1]] = value
                        after = rmw_cost
                        if does == _COMPLETE:
                            after += agent[a, _DELAY]
                        count[c, _RMWS] += 1
                        what = _K_SWAP + op - b.SWAP
                    if tracing:
                        r = control[_ROWS]
                        trace[r, 0], trace[r, 1], trace[r, 2] = t, a, what
                        trace[r, 3], trace[r, 4] = address, value
                        control[_ROWS] = r + 1
                else:
                    # ---- an operation without a word
                    subject = np.int64(0)
                    value = np.int64(0)
                    if op == b.PAUSE or op == b.COMPUTE:
                        if op == b.PAUSE:
                            what = np.int64(_K_PAUSE)
                            after = cost[_PAUSE]
                            count[c, _PAUSES] += 1
                        else:
                            what = np.int64(_K_COMPUTE)
                            value = regs[row[4]]
                            if value < 0:
                                fault, fault_at = _F_COMPUTE, value
                                break
                            after = max(value, 1)
                            count[c, _COMPUTE_PS] += after
                        if core[c, _SPIN_CLEAN]:
                            j = core[c, _PATH]
                            if j == _PATH_MAX:
                                core[c, _SPIN_CLEAN] = 0
                            else:
                                path[c, j, 0] = pc
                                path[c, j, 1] = t - core[c, _SPIN_TIME]
                                path[c, j, 2] = -1
                                core[c, _PATH] = j + 1
                    else:
                        core[c, _SPIN_CLEAN] = 0
                        if op == b.FENCE:
                            if core[c, _SB_LEN]:
                                core[c, _WAITS] = _W_DRAIN
                                core[c, _PC] = pc
                                nothing_more = True
                                break
                            what = np.int64(_K_FENCE)
                            after = cost[_FENCE]
                            count[c, _FENCES] += 1
                        elif op == b.BLOCK:
                            what = np.int64(_K_BLOCK)
                            after = cost[_SWITCH]
                            count[c, _BLOCKS] += 1
                            if core[c, _PERMIT]:
                                core[c, _PERMIT] = 0
                            else:
                                core[c, _WAITS] = _W_SLEEP
                                nothing_more = True
                        elif op == b.WAKE:
                            what = np.int64(_K_WAKE)
                            value = regs[row[4]]
                            if value < 0 or value >= n_cpus:
                                fault, fault_at = _F_WAKE, value
                                break
                            after = cost[_WAKE]
                            count[c, _WAKES] += 1
                            if core[value, _WAITS] == _W_SLEEP:
                                core[value, _WAITS] = _W_NOTHING
                                agent[2 * value, _DOES] = _RESUME
                                _schedule(
                                    tree, 2 * value, ((t + cost[_WAKE] + cost[_SWITCH]) << AGENT_BITS) | (2 * value)
                                )
                            else:
                                core[value, _PERMIT] = 1
                        elif op == b.ALLOC:
                            what = np.int64(_K_ALLOC)
                            after = cost[_ALLOC]
                            count[c, _ALLOCS] += 1
                            kind = row[6]
                            n = type_lines[kind]
                            at = free_head[c, kind]
                            if at:
                                free_head[c, kind] = free_next[at]
                            else:
                                at = control[_HEAP_NEXT]
                                if at + n > live.shape[0]:
                                    at = 0
                                else:
                                    control[_HEAP_NEXT] = at + n
                                    home[at : at + n] = node_of[c]
                            if at:
                                live[at : at + n] = 1
                                object_type[at] = kind + 1
                                words[at << shift : (at + n) << shift] = 0
                            subject = at << shift
                            regs[row[1]] = subject
                        else:
                            what = np.int64(_K_FREE)
                            after = cost[_FREE_COST]
                            count[c, _FREES] += 1
                            subject = regs[row[4]]
                            at = subject >> shift
                            if subject <= 0 or subject >= n_words or at << shift != subject or not live[at] or not object_type[at]:
                                fault, fault_at = _F_FREE, subject
                                break
                            kind = object_type[at] - 1
                            n = type_lines[kind]
                            # Whoever spins on the object must meet the fault that its next load is.
                            for x in range(n_cpus):
                                if core[x, _PARKED]:
                                    for j in range(core[x, _PATH]):
                                        if at <= path[x, j, 2] < at + n:
                                            _unpark(x, t, a, core, path, count, code, registers, agent, tree)
                                            break
                            live[at : at + n] = 0
                            object_type[at] = 0
                            free_next[at] = free_head[c, kind]
                            free_head[c, kind] = at
                    if tracing:
                        r = control[_ROWS]
                        trace[r, 0], trace[r, 1], trace[r, 2] = t, a, what
                        trace[r, 3], trace[r, 4] = subject, value
                        control[_ROWS] = r + 1
                pc += 1
                if nothing_more:
                    core[c, _PC] = pc
                    break
                does = _RESUME
                if after > 0:
                    core[c, _PC] = pc
                    agent[a, _DOES] = _RESUME
                    _schedule(tree, a, ((t + after) << AGENT_BITS) | a)
                    break
            if fault:
                break
            if nothing_more:
                if core[c, _FINISHED] or core[c, _PARKED]:
                    core[c, _PC] = pc - 1
                _schedule(tree, a, _NEVER)
                continue
            if not request:
                continue

        # ---- a request for a line
        if request:
            agent[a, _LINE] = wanted
            agent[a, _SINCE] = t
            agent[a, _DOES] = _SERVE
            agent[a, _EXCLUSIVE] = request == 2
            from_time = line[wanted, _QUIET] if request == 2 else line[wanted, _FREE]
            if line[wanted, _HEAD] < 0 and from_time <= t:
                served = True
            else:
                agent[a, _NEXT] = -1
                if line[wanted, _HEAD] < 0:
                    line[wanted, _HEAD] = a
                    _schedule(tree, a, (from_time << AGENT_BITS) | a)
                else:
                    agent[line[wanted, _TAIL], _NEXT] = a
                    _schedule(tree, a, _NEVER)
                line[wanted, _TAIL] = a
                continue
        elif served:
            line[wanted, _HEAD] = agent[a, _NEXT]
            if agent[a, _NEXT] < 0:
                line[wanted, _TAIL] = -1

        # ---- it is served
        exclusive = agent[a, _EXCLUSIVE] != 0
        owner = line[wanted, _OWNER]
        mine = (sharers[wanted, c >> 6] >> np.uint64(c & 63)) & np.uint64(1) != 0
        if owner == c or (mine and not exclusive):
            # This CPU's other agent has fetched it meanwhile.
            ready = t + l1
            agent[a, _DELAY] = 0
            count[c, _HITS] += 1
        else:
            supplier_node = np.int64(-1)
            if owner >= 0:
                d = np.int64(distance[c, owner])
                supply = latency[0, d]
                supplier_node = node_of[owner]
                count[c, _FROM_CORE + min(d - 1, _LAST_CLASS)] += 1
            else:
                h = np.int64(home_distance[home[wanted], c])
                supplier_node = home[wanted]
                if mine:
                    supply = latency[2, h]
                    count[c, _UPGRADES] += 1
                elif line[wanted, _SHARERS] > 0 and cost[_NEAREST]:
                    supply = np.int64(0)
                    for d in range(near.shape[1]):
                        for w in range(sharer_words):
                            bits = sharers[wanted, w] & near[c, d, w]
                            if bits:
                                x = w * 64
                                while not bits & np.uint64(1):
                                    bits >>= np.uint64(1)
                                    x += 1
                                supply = latency[0, d]
                                supplier_node = node_of[x]
                                count[c, _FROM_CORE + min(d - 1, _LAST_CLASS)] += 1
                                break
                        if supply:
                            break
                else:
                    supply = latency[1, h]
                    count[c, _MEMORY] += 1
            if exclusive:
                invalidation = np.int64(0)
                if owner >= 0:
                    count[owner, _INVALIDATED] += 1
                    if core[owner, _PARKED]:
                        for j in range(core[owner, _PATH]):
                            if path[owner, j, 2] == wanted:
                                _unpark(owner, t, a, core, path, count, code, registers, agent, tree)
                                break
                elif line[wanted, _SHARERS] > 0:
                    farthest = 0
                    others = 0
                    for w in range(sharer_words):
                        bits = sharers[wanted, w]
                        x = w * 64
                        while bits:
                            if bits & np.uint64(0xFF) == 0:
                                bits >>= np.uint64(8)
                                x += 8
                                continue
                            if bits & np.uint64(1) and x != c:
                                others += 1
                                farthest = max(farthest, np.int64(distance[c, x]))
                                count[x, _INVALIDATED] += 1
                                if core[x, _PARKED]:
                                    for j in range(core[x, _PATH]):
                                        if path[x, j, 2] == wanted:
                                            _unpark(x, t, a, core, path, count, code, registers, agent, tree)
                                            break
                            bits >>= np.uint64(1)
                            x += 1
                        sharers[wanted, w] = 0
                    line[wanted, _SHARERS] = 0
                    if others:
                        invalidation = latency[2, farthest] + cost[_INV_EACH] * (others - 1)
                line[wanted, _OWNER] = c
                took = max(supply, invalidation)
                pipelined = False
            else:
                took = supply
                pipelined = False
                if owner >= 0:
                    line[wanted, _OWNER] = -1
                    sharers[wanted, owner >> 6] |= np.uint64(1) << np.uint64(owner & 63)
                    sharers[wanted, c >> 6] |= np.uint64(1) << np.uint64(c & 63)
                    line[wanted, _SHARERS] = 2
                elif line[wanted, _SHARERS] > 0:
                    sharers[wanted, c >> 6] |= np.uint64(1) << np.uint64(c & 63)
                    line[wanted, _SHARERS] += 1
                    pipelined = cost[_BLOCKING] == 0
                else:
                    line[wanted, _OWNER] = c
            start = t
            if cost[_BUS_KIND] == 1:
                start = max(t, bus[node_of[c]], bus[supplier_node])
                bus[node_of[c]] = start + cost[_BUS]
                bus[supplier_node] = start + cost[_BUS]
            elif cost[_BUS_KIND] == 2:
                start = max(t, bus[0])
                bus[0] = start + cost[_BUS]
            if cost[_JITTER]:
                took += draw(seed, TRANSACTIONS, control[_SERVED]) % (cost[_JITTER] + 1)
                control[_SERVED] += 1
            agent[a, _DELAY] = took - took * cost[_BUSY] // 100
            ready = start + took * cost[_BUSY] // 100
            line[wanted, _FILLER] = c
            line[wanted, _READY] = ready
            if exclusive:
                line[wanted, _FREE] = ready + cost[_TENURE]
                line[wanted, _QUIET] = ready + cost[_TENURE]
            else:
                line[wanted, _FREE] = start + cost[_SHARED_READ] if pipelined else ready
                line[wanted, _QUIET] = max(line[wanted, _QUIET], ready + cost[_TENURE])
            transactions[wanted] += 1
        count[c, _QUEUE_PS] += t - agent[a, _SINCE]
        count[c, _MISS_PS] += ready - agent[a, _SINCE]
        if tracing:
            r = control[_ROWS]
            trace[r, 0], trace[r, 1], trace[r, 2] = t, a, SERVED
            trace[r, 3], trace[r, 4] = wanted, ready
            control[_ROWS] = r + 1
        agent[a, _DOES] = _COMPLETE
        _schedule(tree, a, (ready << AGENT_BITS) | a)
        waiter = line[wanted, _HEAD]
        if waiter >= 0:
            from_time = line[wanted, _QUIET] if agent[waiter, _EXCLUSIVE] else line[wanted, _FREE]
            _schedule(tree, waiter, (max(from_time, t) << AGENT_BITS) | waiter)

    if fault:
        status = _FAULTED
        control[_FAULT], control[_FAULT_PC], control[_FAULT_CPU] = fault, pc, c
        control[_FAULT_TIME], control[_FAULT_AT] = t, fault_at
    control[_EVENTS] += events
    control[_NOW] = t
    return status
