"""The fast engine's loop: PHYSICS.md for numba, over the rows of numbers of linked bytecode.

It is plain Python, and a short run runs it so, on views of the same arrays
(:mod:`locksim.engine.fast.plain`). What may leave 64 bits is therefore computed by the functions of
:mod:`locksim.lang.words`, and no row is sliced.

The next event comes from a tournament tree over the agents (time and agent packed in one integer),
so that it costs O(log agents). A thread is a row of registers and a program counter, and a core
knows the thread that it runs. A line is a row of numbers and a bit set of sharers. Idle spins
(:mod:`locksim.compiler.spin`) are jumped over. A waiter whose last iteration only hit leaves the
tree. It returns, at its place inside an iteration, when another CPU takes away a line that it
reads.

The loop is one function on purpose: its state is some thirty arrays, which a call that is not
inlined would have to pass one by one. Two habits of its text are for speed, and measured. A table
is indexed in full (``code[pc, 1]``), never through a view of a row, which would cost numba an
atomic reference count each time. Opcodes and columns are global names, which compile faster than
attributes.

``caches`` holds the CPUs' cache contents (:mod:`locksim.engine.fast.capacity`), or is None if they
hold everything. ``contention`` holds the mechanisms of :mod:`locksim.engine.fast.contention`, or is
None if the machine has none of them. What stands under ``if caches is not None`` or ``if contention
is not None`` is then not compiled.

The search for a spinner's line occurs in three places. As a separate function, inlined or not, it
took contended ticket from 1.4 to 2.1 times the time of the C model (`make bench`).

The first letter of a column's name is its table: A agents, C cores, U threads, L lines, K costs,
R the run's control block, N counters; T is a trace row's kind, F a fault.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from locksim.compiler.bytecode import (
    ADD,
    ADDI,
    ALLOC,
    AND,
    ASSERT,
    BLOCK,
    CALL,
    COMPARE_SWAP,
    COMPUTE,
    CPU,
    EQ,
    EXPONENTIAL,
    FENCE,
    FETCH_ADD,
    FETCH_AND,
    FETCH_OR,
    FETCH_XOR,
    FIRST_OPERATION,
    FLOORDIV,
    GE,
    GT,
    INDEX,
    INV,
    JEQ,
    JGE,
    JGT,
    JLE,
    JLT,
    JMP,
    JNE,
    JNZ,
    JZ,
    LE,
    LOAD,
    LT,
    MARK,
    MOD,
    MOV,
    MUL,
    NCPUS,
    NE,
    NEG,
    NOT,
    NOW,
    NTHREADS,
    OR,
    PAUSE,
    RANDOM,
    RET,
    SHL,
    SHR,
    SPIN,
    SPIN_ENTER,
    STORE,
    SUB,
    SWAP,
    SWITCH,
    THREAD,
    WAKE,
    XOR,
)
from locksim.core.faults import Fault
from locksim.engine.counters import CPU_COUNTERS
from locksim.engine.fast.capacity import (
    EMPTY,
    H_HIT,
    H_INCLUSIVE,
    at_hand,
    drop_shared,
    had,
    hit,
    keeps,
    kept_elsewhere,
    lose,
    nearest_keeper,
    recall,
    use,
    use_shared,
)
from locksim.engine.fast.contention import (
    A_NEXT,
    A_PASSED,
    S_AHEAD,
    S_FAR,
    S_ISSUE,
    hold_time,
    overtake,
    path_free,
    select,
    take_path,
)
from locksim.engine.meters import mark
from locksim.engine.trace import DRAINED, EVICTED, GIVEN_UP, SERVED
from locksim.engine.trace import MARK as TRACE_MARK
from locksim.lang.ops import Kind, Mark
from locksim.lang.randomness import TRANSACTIONS, draw, exponential_of
from locksim.lang.words import index, minus, plus, times, wrap64

AGENT_BITS = 11
"""A key is time << AGENT_BITS | agent: 1024 CPUs, and 2**52 ps (75 minutes) of simulated time."""
MAX_TIME_PS = 1 << (63 - AGENT_BITS - 1)
AGENT_MASK = (1 << AGENT_BITS) - 1
NEVER = np.iinfo(np.int64).max
CHUNK = 4_000_000
"""Events between two checks for Ctrl-C and updates of the progress bar."""
TRACE_ROWS = 1 << 16
TRACE_COLUMNS = 8  # five of the row, three of its provenance

# Actions of an agent at its event.
RESUME, REISSUE, SERVE, COMPLETE = range(4)

# Columns of the table of agents.
A_DOES, A_LINE, A_SINCE, A_EXCLUSIVE, A_DELAY = 0, 1, 3, 4, 5  # A_NEXT, A_PASSED: contention
AGENT_COLUMNS = 8

# Columns of the table of cores.
(C_PC, C_THREAD, C_SPIN_CLEAN, C_SB_LEN, C_SB_HEAD, C_PATH, C_SPIN_TIME, C_SPIN_PC) = range(8)
(C_WAITS, C_PERMIT, C_PARKED, C_PERIOD, C_FINISHED) = range(8, 13)
CORE_COLUMNS = 16  # columns of every operation come first; a row is two cache lines of the host
W_NOTHING, W_SLOT, W_DRAIN, W_SLEEP = range(4)
"""What a core without an event waits for: a buffer entry, an empty buffer, a wake-up."""

# Columns of the table of threads. The program counter of a running one is its core's.
U_PC, U_CPU, U_DRAWS, U_STOPS, U_RETURNED = range(5)
THREAD_COLUMNS = 8
NOWHERE = -1
"""The CPU of a suspended thread."""

PATH_MAX = 8
"""Most operations in an iteration of an idle spin; longer iterations run one by one."""

# Columns of the table of lines.
L_OWNER, L_FILLER, L_READY, L_FREE, L_QUIET, L_HEAD, L_TAIL, L_SHARERS = range(8)

# Costs.
(
    K_L1,
    K_STORE,
    K_RMW,
    K_FENCE,
    K_PAUSE,
    K_TENURE,
    K_INV_EACH,
    K_SHARED_READ,
    K_BUS,
    K_ALLOC,
    K_FREE,
) = range(11)
(
    K_SWITCH,
    K_WAKE,
    K_BLOCKING,
    K_NEAREST,
    K_BUS_KIND,
    K_SB_ENTRIES,
    K_LINE_SHIFT,
    K_SEED,
) = range(11, 19)
(K_JUMP, K_TRACING, K_JITTER, K_BUSY, K_TENURE_PLAIN) = range(19, 24)
COSTS = 24

# The control block.
(
    R_EVENTS,
    R_FINISHED,
    R_ROWS,
    R_HEAP_NEXT,
    R_FAULT,
    R_FAULT_PC,
    R_FAULT_CPU,
    R_FAULT_TIME,
    R_FAULT_AT,
    R_NOW,
    R_SERVED,
    R_LATEST,
) = range(12)
CONTROL_COLUMNS = 12

_C = {name: i for i, name in enumerate(CPU_COUNTERS)}
N_DONE, N_LOADS, N_STORES, N_RMWS, N_FENCES, N_PAUSES = (
    _C[k] for k in ("done", "loads", "stores", "rmws", "fences", "pauses")
)
N_COMPUTE_PS, N_ALLOCS, N_FREES, N_BLOCKS, N_WAKES, N_SWITCHES, N_FORWARDED = (
    _C[k] for k in ("compute_ps", "allocs", "frees", "blocks", "wakes", "switches", "forwarded")
)
N_HITS, N_UPGRADES, N_MEMORY, N_FROM_CORE, N_INVALIDATED, N_MISS_PS, N_QUEUE_PS = (
    _C[k] for k in ("hits", "upgrades", "memory", "from_core", "invalidated", "miss_ps", "queue_ps")
)
N_EVICTIONS, N_WRITEBACKS, N_CAPACITY = (_C[k] for k in ("evictions", "writebacks", "capacity"))
LAST_CLASS = _C["from_far3"] - _C["from_core"]
MARK_DONE, MARK_NOTE = int(Mark.DONE), int(Mark.NOTE)
T_LOAD, T_STORE, T_FENCE, T_PAUSE, T_COMPUTE = (
    int(k) for k in (Kind.LOAD, Kind.STORE, Kind.FENCE, Kind.PAUSE, Kind.COMPUTE)
)
T_BLOCK, T_WAKE, T_ALLOC, T_FREE = (int(k) for k in (Kind.BLOCK, Kind.WAKE, Kind.ALLOC, Kind.FREE))
T_SWAP, T_SWITCH = int(Kind.SWAP), int(Kind.SWITCH)
F_MEMORY, F_FREE, F_COMPUTE, F_INDEX, F_DIVISION, F_SHIFT, F_RANDOM, F_ASSERT, F_WAKE, F_SWITCH = (
    int(f)
    for f in (
        Fault.MEMORY,
        Fault.FREE,
        Fault.COMPUTE,
        Fault.INDEX,
        Fault.DIVISION,
        Fault.SHIFT,
        Fault.RANDOM,
        Fault.ASSERTION,
        Fault.WAKE,
        Fault.SWITCH,
    )
)
(MORE, TIME_UP, STUCK, FAULTED) = range(4)


class State(NamedTuple):
    """All state of a run, in arrays, so that the loop can stop and continue."""

    code: npt.NDArray[np.uint32]
    cost: npt.NDArray[np.int64]
    latency: npt.NDArray[np.int64]  # [transfer, memory, invalidate, overlap] x class
    node_of: npt.NDArray[np.int64]
    distance: npt.NDArray[np.int8]
    home_distance: npt.NDArray[np.int8]
    near: npt.NDArray[np.uint64]  # CPUs x classes x sharer words: the CPUs at each distance
    registers: npt.NDArray[np.int64]  # of each thread
    core: npt.NDArray[np.int64]
    thread: npt.NDArray[np.int64]
    agent: npt.NDArray[np.int64]
    buffer: npt.NDArray[np.int64]  # CPUs x entries x (address, value, pc)
    tree: npt.NDArray[np.int64]
    line: npt.NDArray[np.int64]
    served: npt.NDArray[np.int64]  # transfers of each line
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
    durations: npt.NDArray[np.int32]  # locks x buckets of their histograms
    meter: npt.NDArray[np.int64]
    bus: npt.NDArray[np.int64]
    count: npt.NDArray[np.int64]  # type: ignore[assignment] # not the method of tuple
    path: npt.NDArray[np.int64]  # CPUs x operations of the last iteration x (pc, offset, line)
    trace: npt.NDArray[np.int64]
    control: npt.NDArray[np.int64]


def _schedule(tree, agent, key):  # type: ignore[no-untyped-def]
    """Give an agent its next event."""
    # Unsigned, otherwise numba checks for a negative index at every step.
    one = index(1)
    i = index((len(tree) >> 1) + agent)
    tree[i] = key
    while i > one:
        other = tree[i ^ one]
        i >>= one
        if other < key:
            key = other
        tree[i] = key


def _fill(row, begin, end, value):  # type: ignore[no-untyped-def]
    """Give some elements of a row the same value."""
    for i in range(begin, end):
        row[i] = value


def _record(trace, control, t, a, what, address, value, pc):  # type: ignore[no-untyped-def]
    """Add a row to the trace; ``pc`` is its place in the program."""
    r = control[R_ROWS]
    trace[r, 0] = t
    trace[r, 1] = a
    trace[r, 2] = what
    trace[r, 3] = address
    trace[r, 4] = value
    trace[r, 5] = pc
    trace[r, 6] = t
    trace[r, 7] = 0
    control[R_ROWS] = r + 1


def _shares(contention, core, agent, c):  # type: ignore[no-untyped-def]
    """Whether another thread of a CPU's core works."""
    x = contention.sibling[c]
    while x != c:
        does = agent[2 * x, A_DOES]
        if (
            not core[x, C_FINISHED]
            and core[x, C_WAITS] == W_NOTHING
            and does != SERVE
            and does != COMPLETE
            and not contention.pauses[x]
        ):
            return True
        x = contention.sibling[x]
    return False


def unpark(c, s, a, caches, core, thread, path, count, code, registers, agent, tree):  # type: ignore[no-untyped-def]
    """Advance a spinning core to event (s, a), with all of its events up to that key.

    ``a`` is the highest agent that has had an event at ``s``. It may differ from the agent whose
    event takes the line away: that event may have been made at ``s`` for ``s``, after events of
    agents with higher numbers.
    """
    start, period, n = core[c, C_SPIN_TIME], core[c, C_PERIOD], core[c, C_PATH]
    me = 2 * c
    rounds = (s - start) // period  # finished iterations, or one more (corrected below)
    if rounds * period == s - start and me > a:
        rounds -= 1
    partial = 0  # operations done in the iteration that began at start + rounds * period
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
        often = rounds + (1 if j < partial else 0)
        pc = path[c, j, 0]
        op = code[pc, 0]
        if op == LOAD:
            count[c, N_LOADS] += often
            count[c, N_HITS] += often
        elif op == PAUSE:
            count[c, N_PAUSES] += often
            thread[core[c, C_THREAD], U_STOPS] += often
        else:
            each = max(1, registers[core[c, C_THREAD], code[pc, 4]])
            count[c, N_COMPUTE_PS] = plus(count[c, N_COMPUTE_PS], times(often, each))
    if caches is not None:
        # One more iteration leaves the order of use of all iterations; then the unfinished one.
        for j in range(n if rounds else 0):
            if path[c, j, 2] >= 0:
                use(caches, c, path[c, j, 2])
        for j in range(partial):
            if path[c, j, 2] >= 0:
                use(caches, c, path[c, j, 2])
    if partial == n:
        rounds += 1
        partial = 0
    core[c, C_PARKED] = 0
    core[c, C_SPIN_CLEAN] = 0
    core[c, C_PC] = path[c, partial, 0]
    agent[me, A_DOES] = REISSUE
    _schedule(tree, me, ((start + rounds * period + path[c, partial, 1]) << AGENT_BITS) | me)


def _write_back(  # type: ignore[no-untyped-def]
    x, c, t, caches, contention, cost, latency, node_of, home_distance, home, bus, line, count
):
    """Write modified line x back to memory, from the node of CPU c."""
    count[c, N_WRITEBACKS] += 1
    caches.modified[x] = 0
    mine, back_to = node_of[c], home[x]
    far = np.int64(home_distance[back_to, c])
    start = t
    if contention is not None:
        start = path_free(contention, t, mine, back_to, far, back_to, far)
    if cost[K_BUS_KIND] == 1:
        start = max(start, bus[mine], bus[back_to])
        bus[mine] = start + cost[K_BUS]
        bus[back_to] = start + cost[K_BUS]
    elif cost[K_BUS_KIND] == 2:
        start = max(start, bus[0])
        bus[0] = start + cost[K_BUS]
    if contention is not None:
        take_path(contention, start, mine, back_to, far, back_to, far)
    until = start + latency[1, far]
    line[x, L_FREE] = max(line[x, L_FREE], until)
    line[x, L_QUIET] = max(line[x, L_QUIET], until)


def _share(  # type: ignore[no-untyped-def]
    x, c, t, a, latest, caches, contention, cost, latency, node_of, home_distance, home, bus, line,
    sharers, core, thread, path, count, code, registers, agent, tree, trace, control, pc,
):  # fmt: skip
    """Use line x in the shared cache of CPU c's node, and give a line up to make room."""
    victim = use_shared(caches, node_of[c], x)
    if victim < 0:
        return
    for other in range(core.shape[0] if caches.sharing[H_INCLUSIVE] else 0):
        owns = line[victim, L_OWNER] == other
        shares = (sharers[victim, other >> 6] >> index(other & 63)) & index(1) != 0
        if node_of[other] != node_of[c] or not (owns or shares):
            continue
        if core[other, C_PARKED]:
            for j in range(core[other, C_PATH]):
                if path[other, j, 2] == victim:
                    unpark(
                        other,
                        t,
                        latest & AGENT_MASK,
                        caches,
                        core,
                        thread,
                        path,
                        count,
                        code,
                        registers,
                        agent,
                        tree,
                    )
                    break
        if owns:
            line[victim, L_OWNER] = -1
        else:
            sharers[victim, other >> 6] ^= index(1) << index(other & 63)
            line[victim, L_SHARERS] -= 1
        lose(caches, other, victim)
        count[other, N_INVALIDATED] += 1
    back = np.int64(0)
    if caches.modified[victim] and line[victim, L_OWNER] < 0:
        back = np.int64(1)
        _write_back(
            victim,
            c,
            t,
            caches,
            contention,
            cost,
            latency,
            node_of,
            home_distance,
            home,
            bus,
            line,
            count,
        )
    if cost[K_TRACING]:
        _record(trace, control, t, a, GIVEN_UP, victim, back, pc)


def unpark_all(state, caches, s):  # type: ignore[no-untyped-def]
    """Advance all spinning cores to time ``s``, where a run stops, so that results count it."""
    for c in range(state.core.shape[0]):
        if state.core[c, C_PARKED]:
            unpark(
                c,
                s,
                -1,
                caches,
                state.core,
                state.thread,
                state.path,
                state.count,
                state.code,
                state.registers,
                state.agent,
                state.tree,
            )


def advance(state, caches, contention, limit, budget):  # type: ignore[no-untyped-def]
    """Process events with keys below ``limit``; returns a status. At most ``budget`` of them."""
    code, cost, latency, node_of = state.code, state.cost, state.latency, state.node_of
    distance, home_distance, near = state.distance, state.home_distance, state.near
    registers, core, agent, buffer, tree = (
        state.registers,
        state.core,
        state.agent,
        state.buffer,
        state.tree,
    )
    line, sharers, home, live, words = (
        state.line,
        state.sharers,
        state.home,
        state.live,
        state.words,
    )
    object_type, type_lines = state.object_type, state.type_lines
    free_head, free_next, lock_of = state.free_head, state.free_next, state.lock_of
    locks, meter, bus, count, path = state.locks, state.meter, state.bus, state.count, state.path
    durations = state.durations
    trace, control, transactions = state.trace, state.control, state.served
    thread = state.thread
    n_cpus, n_words, sharer_words = core.shape[0], words.shape[0], sharers.shape[1]
    n_threads = thread.shape[0]
    shift, entries = cost[K_LINE_SHIFT], cost[K_SB_ENTRIES]
    jump, tracing, seed = cost[K_JUMP] != 0, cost[K_TRACING] != 0, cost[K_SEED]
    l1, store_cost, rmw_cost = cost[K_L1], cost[K_STORE], cost[K_RMW]
    rows_end = trace.shape[0] - code.shape[0] - 16
    events = 0
    fault = 0
    fault_at = 0
    status = MORE
    t = control[R_NOW]
    latest = control[R_LATEST]
    c = 0
    pc = 0

    while True:
        key = tree[1]
        if key >= limit:
            status = STUCK if key == NEVER else TIME_UP
            break
        if events >= budget or (tracing and control[R_ROWS] >= rows_end):
            break
        events += 1
        t = key >> AGENT_BITS
        latest = max(latest, key)
        a = key & AGENT_MASK
        c = a >> 1
        holder = c  # the CPU under whose number its lines stand
        if contention is not None:
            holder = contention.holder[c]
        does = agent[a, A_DOES]
        request = 0  # 1: a shared copy, 2: an exclusive one, 3: a far atomic
        served = does == SERVE
        wanted = np.int64(0)

        if served:
            wanted = agent[a, A_LINE]
            selected = a
            if contention is not None:
                selected = select(contention, agent, a, line[wanted, L_FILLER])
            if caches is not None or contention is not None:
                # Not the head is selected, or the line has been evicted and its write-back runs.
                from_time = (
                    line[wanted, L_QUIET] if agent[selected, A_EXCLUSIVE] else line[wanted, L_FREE]
                )
                if from_time > t:
                    _schedule(tree, a, (from_time << AGENT_BITS) | a)
                    continue
            if selected == a:
                line[wanted, L_HEAD] = agent[a, A_NEXT]
                if agent[a, A_NEXT] < 0:
                    line[wanted, L_TAIL] = -1
            elif contention is not None:
                before = overtake(agent, a, selected)
                if agent[before, A_NEXT] < 0:
                    line[wanted, L_TAIL] = before
                a = selected
                c = a >> 1
                holder = contention.holder[c]
        elif a & 1:
            # ---- the store buffer: its oldest store
            head = core[c, C_SB_HEAD]
            address = buffer[c, head, 0]
            wanted = address >> shift
            if does == COMPLETE or (
                line[wanted, L_OWNER] == holder
                and not (line[wanted, L_FILLER] == holder and line[wanted, L_READY] > t)
            ):
                if not live[wanted]:
                    fault, fault_at = F_MEMORY, address
                    pc = buffer[c, head, 2]
                    break
                if does != COMPLETE:
                    count[c, N_HITS] += 1
                    if caches is not None:
                        hit(caches, holder, wanted, c, count)
                if caches is not None:
                    caches.modified[wanted] = 1
                words[address] = buffer[c, head, 1]
                if tracing:
                    _record(
                        trace,
                        control,
                        t,
                        a,
                        DRAINED,
                        address,
                        buffer[c, head, 1],
                        buffer[c, head, 2],
                    )
                head += 1
                core[c, C_SB_HEAD] = 0 if head == entries else head
                core[c, C_SB_LEN] -= 1
                left = core[c, C_SB_LEN]
                waits = core[c, C_WAITS]
                if waits == W_SLOT or (waits == W_DRAIN and left == 0):
                    core[c, C_WAITS] = W_NOTHING
                    agent[a - 1, A_DOES] = REISSUE
                    _schedule(tree, a - 1, ((t + l1) << AGENT_BITS) | (a - 1))
                delay = store_cost + (agent[a, A_DELAY] if does == COMPLETE else 0)
                agent[a, A_DOES] = REISSUE
                _schedule(tree, a, ((t + delay) << AGENT_BITS) | a if left else NEVER)
                continue
            if line[wanted, L_OWNER] == holder:
                _schedule(tree, a, (line[wanted, L_READY] << AGENT_BITS) | a)
                continue
            request = 2
        else:
            # ---- the core: resume, issue, take effect; repeated while that costs no time
            pc = core[c, C_PC]
            u = core[c, C_THREAD]
            nothing_more = False
            while True:
                if does == RESUME:
                    op = code[pc, 0]
                    while op < FIRST_OPERATION:
                        at = pc
                        pc += 1
                        if op == MOV:
                            registers[u, code[at, 1]] = registers[u, code[at, 2]]
                        elif op == ADDI:
                            registers[u, code[at, 1]] = plus(registers[u, code[at, 2]], code[at, 3])
                        elif op == JMP:
                            pc = code[at, 1]
                        elif op == JZ:
                            if registers[u, code[at, 2]] == 0:
                                pc = code[at, 1]
                        elif op == JNZ:
                            if registers[u, code[at, 2]] != 0:
                                pc = code[at, 1]
                        elif op == JEQ:
                            if registers[u, code[at, 2]] == registers[u, code[at, 3]]:
                                pc = code[at, 1]
                        elif op == JNE:
                            if registers[u, code[at, 2]] != registers[u, code[at, 3]]:
                                pc = code[at, 1]
                        elif op == JLT:
                            if registers[u, code[at, 2]] < registers[u, code[at, 3]]:
                                pc = code[at, 1]
                        elif op == JLE:
                            if registers[u, code[at, 2]] <= registers[u, code[at, 3]]:
                                pc = code[at, 1]
                        elif op == JGT:
                            if registers[u, code[at, 2]] > registers[u, code[at, 3]]:
                                pc = code[at, 1]
                        elif op == JGE:
                            if registers[u, code[at, 2]] >= registers[u, code[at, 3]]:
                                pc = code[at, 1]
                        elif op == CALL:
                            registers[u, code[at, 1]] = pc
                            pc = code[at, 2]
                        elif op == RET:
                            pc = registers[u, code[at, 1]]
                        elif op == MARK:
                            what, subject = code[at, 1], registers[u, code[at, 2]]
                            if what == MARK_DONE:
                                count[c, N_DONE] += 1
                            elif what != MARK_NOTE:
                                lock = lock_of[subject] if 0 <= subject < n_words else 0
                                if lock:
                                    stops = thread[u, U_STOPS]
                                    mark(locks, durations, meter, lock - 1, what, u, t, stops)
                            if tracing:
                                _record(trace, control, t, a, TRACE_MARK + what, subject, 0, -1)
                        elif op == SPIN:
                            if (
                                core[c, C_SPIN_PC] == pc
                                and core[c, C_SPIN_CLEAN] == 1
                                and core[c, C_SB_LEN] == 0
                            ):
                                # A whole iteration hit: park, if every line that it read is still
                                # here.
                                n = core[c, C_PATH]
                                park = n > 0
                                for j in range(n):
                                    x = path[c, j, 2]
                                    if (
                                        x >= 0
                                        and line[x, L_OWNER] != c
                                        and not (sharers[x, c >> 6] >> index(c & 63)) & index(1)
                                    ):
                                        park = False
                                    if caches is not None and x >= 0 and not at_hand(caches, c, x):
                                        park = False
                                if park:
                                    core[c, C_PERIOD] = t - core[c, C_SPIN_TIME]
                                    core[c, C_SPIN_TIME] = t
                                    core[c, C_PARKED] = 1
                                    nothing_more = True
                                    break
                            core[c, C_SPIN_PC] = pc
                            core[c, C_SPIN_TIME] = t
                            core[c, C_SPIN_CLEAN] = jump
                            if contention is not None and contention.sibling[c] != c:
                                core[c, C_SPIN_CLEAN] = 0
                            core[c, C_PATH] = 0
                        elif op == SPIN_ENTER:
                            core[c, C_SPIN_PC] = -1
                        elif op == ADD:
                            registers[u, code[at, 1]] = plus(
                                registers[u, code[at, 2]], registers[u, code[at, 3]]
                            )
                        elif op == SUB:
                            registers[u, code[at, 1]] = minus(
                                registers[u, code[at, 2]], registers[u, code[at, 3]]
                            )
                        elif op == MUL:
                            registers[u, code[at, 1]] = times(
                                registers[u, code[at, 2]], registers[u, code[at, 3]]
                            )
                        elif op == FLOORDIV or op == MOD:
                            by = registers[u, code[at, 3]]
                            if by == 0:
                                fault = F_DIVISION
                                pc -= 1
                                break
                            # Division by -1 separately, since only that can overflow.
                            q = (
                                registers[u, code[at, 2]] // by
                                if by != -1
                                else minus(0, registers[u, code[at, 2]])
                            )
                            registers[u, code[at, 1]] = (
                                q
                                if op == FLOORDIV
                                else minus(registers[u, code[at, 2]], times(q, by))
                            )
                        elif op == AND:
                            registers[u, code[at, 1]] = (
                                registers[u, code[at, 2]] & registers[u, code[at, 3]]
                            )
                        elif op == OR:
                            registers[u, code[at, 1]] = (
                                registers[u, code[at, 2]] | registers[u, code[at, 3]]
                            )
                        elif op == XOR:
                            registers[u, code[at, 1]] = (
                                registers[u, code[at, 2]] ^ registers[u, code[at, 3]]
                            )
                        elif op == SHL or op == SHR:
                            by = registers[u, code[at, 3]]
                            if by < 0 or by > 63:
                                fault, fault_at = F_SHIFT, by
                                pc -= 1
                                break
                            registers[u, code[at, 1]] = (
                                wrap64(registers[u, code[at, 2]] << by)
                                if op == SHL
                                else registers[u, code[at, 2]] >> by
                            )
                        elif op == NEG:
                            registers[u, code[at, 1]] = minus(0, registers[u, code[at, 2]])
                        elif op == INV:
                            registers[u, code[at, 1]] = ~registers[u, code[at, 2]]
                        elif op == NOT:
                            registers[u, code[at, 1]] = 1 if registers[u, code[at, 2]] == 0 else 0
                        elif op == EQ:
                            registers[u, code[at, 1]] = (
                                1 if registers[u, code[at, 2]] == registers[u, code[at, 3]] else 0
                            )
                        elif op == NE:
                            registers[u, code[at, 1]] = (
                                1 if registers[u, code[at, 2]] != registers[u, code[at, 3]] else 0
                            )
                        elif op == LT:
                            registers[u, code[at, 1]] = (
                                1 if registers[u, code[at, 2]] < registers[u, code[at, 3]] else 0
                            )
                        elif op == LE:
                            registers[u, code[at, 1]] = (
                                1 if registers[u, code[at, 2]] <= registers[u, code[at, 3]] else 0
                            )
                        elif op == GT:
                            registers[u, code[at, 1]] = (
                                1 if registers[u, code[at, 2]] > registers[u, code[at, 3]] else 0
                            )
                        elif op == GE:
                            registers[u, code[at, 1]] = (
                                1 if registers[u, code[at, 2]] >= registers[u, code[at, 3]] else 0
                            )
                        elif op == INDEX:
                            i = registers[u, code[at, 4]]
                            if i < 0 or i >= code[at, 6]:
                                fault, fault_at = F_INDEX, i
                                pc -= 1
                                break
                            registers[u, code[at, 1]] = plus(
                                registers[u, code[at, 2]], code[at, 3] + i * code[at, 5]
                            )
                        elif op == CPU:
                            registers[u, code[at, 1]] = c
                        elif op == THREAD:
                            registers[u, code[at, 1]] = u
                        elif op == NCPUS:
                            registers[u, code[at, 1]] = n_cpus
                        elif op == NTHREADS:
                            registers[u, code[at, 1]] = n_threads
                        elif op == NOW:
                            registers[u, code[at, 1]] = t
                        elif op == RANDOM or op == EXPONENTIAL:
                            by = registers[u, code[at, 2]]
                            if by <= 0:
                                fault, fault_at = F_RANDOM, by
                                pc -= 1
                                break
                            bits = draw(seed, u, thread[u, U_DRAWS])
                            thread[u, U_DRAWS] += 1
                            registers[u, code[at, 1]] = (
                                bits % by if op == RANDOM else exponential_of(bits, by)
                            )
                        elif op == ASSERT:
                            if registers[u, code[at, 2]] == 0:
                                fault = F_ASSERT
                                pc -= 1
                                break
                        else:  # EXIT
                            core[c, C_FINISHED] = 1
                            thread[u, U_RETURNED] = 1
                            control[R_FINISHED] += 1
                            nothing_more = True
                            break
                        op = code[pc, 0]
                    if fault or nothing_more:
                        break

                op = code[pc, 0]
                if op <= FETCH_XOR:
                    # ---- a word of memory
                    address = plus(registers[u, code[pc, 2]], code[pc, 3])
                    wanted = address >> shift
                    if does != COMPLETE and (address < 0 or address >= n_words or not live[wanted]):
                        fault, fault_at = F_MEMORY, address
                        break
                    if contention is not None:
                        contention.pauses[c] = 0
                        waited = t + agent[a, A_DELAY] - agent[a, A_SINCE]
                        contention.ahead[c] = (
                            min(contention.setting[S_AHEAD], waited) if does == COMPLETE else 0
                        )
                    owned = line[wanted, L_OWNER] == holder
                    arrived = not (line[wanted, L_FILLER] == holder and line[wanted, L_READY] > t)
                    after = np.int64(0)
                    if op == LOAD:
                        value = np.int64(0)
                        after = l1
                        forwarded = False
                        if core[c, C_SB_LEN] and does != COMPLETE:
                            at = core[c, C_SB_HEAD]
                            for _ in range(core[c, C_SB_LEN]):
                                if buffer[c, at, 0] == address:
                                    forwarded = True
                                    value = buffer[c, at, 1]
                                at += 1
                                if at == entries:
                                    at = 0
                        if forwarded:
                            count[c, N_FORWARDED] += 1
                            core[c, C_SPIN_CLEAN] = 0
                        elif does == COMPLETE:
                            value = words[address]
                            after = agent[a, A_DELAY]
                        elif owned or (sharers[wanted, holder >> 6] >> index(holder & 63)) & index(
                            1
                        ):
                            if not arrived:
                                core[c, C_SPIN_CLEAN] = 0
                                agent[a, A_DOES] = REISSUE
                                core[c, C_PC] = pc
                                _schedule(tree, a, (line[wanted, L_READY] << AGENT_BITS) | a)
                                break
                            value = words[address]
                            count[c, N_HITS] += 1
                            if caches is not None and not hit(caches, holder, wanted, c, count):
                                after += caches.beyond_l1_ps[0]
                                core[c, C_SPIN_CLEAN] = 0
                            if core[c, C_SPIN_CLEAN]:
                                j = core[c, C_PATH]
                                if j == PATH_MAX:
                                    core[c, C_SPIN_CLEAN] = 0
                                else:
                                    path[c, j, 0] = pc
                                    path[c, j, 1] = t - core[c, C_SPIN_TIME]
                                    path[c, j, 2] = wanted
                                    core[c, C_PATH] = j + 1
                        else:
                            core[c, C_SPIN_CLEAN] = 0
                            request = 1
                            core[c, C_PC] = pc
                            break
                        registers[u, code[pc, 1]] = value
                        count[c, N_LOADS] += 1
                        what = np.int64(T_LOAD)
                    elif op == STORE:
                        core[c, C_SPIN_CLEAN] = 0
                        value = registers[u, code[pc, 4]]
                        after = store_cost
                        if core[c, C_SB_LEN] == 0 and owned and arrived:
                            words[address] = value
                            count[c, N_HITS] += 1
                            if caches is not None:
                                hit(caches, holder, wanted, c, count)
                                caches.modified[wanted] = 1
                        elif core[c, C_SB_LEN] == 0 and owned:
                            # It is on its way to another thread of the core.
                            agent[a, A_DOES] = REISSUE
                            core[c, C_PC] = pc
                            _schedule(tree, a, (line[wanted, L_READY] << AGENT_BITS) | a)
                            break
                        elif core[c, C_SB_LEN] < entries:
                            at = core[c, C_SB_HEAD] + core[c, C_SB_LEN]
                            if at >= entries:
                                at -= entries
                            buffer[c, at, 0] = address
                            buffer[c, at, 1] = value
                            buffer[c, at, 2] = pc
                            core[c, C_SB_LEN] += 1
                            if core[c, C_SB_LEN] == 1:
                                agent[a + 1, A_DOES] = REISSUE
                                _schedule(tree, a + 1, (t << AGENT_BITS) | (a + 1))
                        else:
                            core[c, C_WAITS] = W_SLOT
                            core[c, C_PC] = pc
                            nothing_more = True
                            break
                        count[c, N_STORES] += 1
                        what = np.int64(T_STORE)
                    else:
                        core[c, C_SPIN_CLEAN] = 0
                        after = rmw_cost
                        if does != COMPLETE:
                            if core[c, C_SB_LEN]:
                                core[c, C_WAITS] = W_DRAIN
                                core[c, C_PC] = pc
                                nothing_more = True
                                break
                            if not owned:
                                request = 2
                                if contention is not None and contention.setting[S_FAR]:
                                    request = 3
                                core[c, C_PC] = pc
                                break
                            if not arrived:
                                agent[a, A_DOES] = REISSUE
                                core[c, C_PC] = pc
                                _schedule(tree, a, (line[wanted, L_READY] << AGENT_BITS) | a)
                                break
                            count[c, N_HITS] += 1
                            if caches is not None and not hit(caches, holder, wanted, c, count):
                                after += caches.beyond_l1_ps[0]
                        if caches is not None:
                            caches.modified[wanted] = 1
                        value = words[address]
                        operand = registers[u, code[pc, 4]]
                        if op == SWAP:
                            words[address] = operand
                        elif op == COMPARE_SWAP:
                            if value == operand:
                                words[address] = registers[u, code[pc, 5]]
                        elif op == FETCH_ADD:
                            words[address] = plus(value, operand)
                        elif op == FETCH_AND:
                            words[address] = value & operand
                        elif op == FETCH_OR:
                            words[address] = value | operand
                        else:
                            words[address] = value ^ operand
                        registers[u, code[pc, 1]] = value
                        if does == COMPLETE:
                            after += agent[a, A_DELAY]
                        count[c, N_RMWS] += 1
                        what = T_SWAP + op - SWAP
                    if tracing:
                        _record(trace, control, t, a, what, address, value, pc)
                else:
                    # ---- an operation without a word
                    ahead = np.int64(0)
                    if contention is not None:
                        ahead = contention.ahead[c]
                        contention.ahead[c] = 0
                        contention.pauses[c] = op == PAUSE
                    subject = np.int64(0)
                    value = np.int64(0)
                    if op == PAUSE or op == COMPUTE:
                        if op == PAUSE:
                            what = np.int64(T_PAUSE)
                            after = cost[K_PAUSE]
                            count[c, N_PAUSES] += 1
                            thread[u, U_STOPS] += 1
                        else:
                            what = np.int64(T_COMPUTE)
                            value = registers[u, code[pc, 4]]
                            if value < 0:
                                fault, fault_at = F_COMPUTE, value
                                break
                            count[c, N_COMPUTE_PS] = plus(count[c, N_COMPUTE_PS], max(value, 1))
                            # Later than the end of any run; the sum with t must fit in a key.
                            after = min(max(value, 1), MAX_TIME_PS)
                        if op == COMPUTE and contention is not None:
                            if _shares(contention, core, agent, c):
                                after = min(after * contention.setting[S_ISSUE] // 100, MAX_TIME_PS)
                            if ahead:
                                after = max(after - ahead, 1)
                                core[c, C_SPIN_CLEAN] = 0
                        if core[c, C_SPIN_CLEAN]:
                            j = core[c, C_PATH]
                            if j == PATH_MAX:
                                core[c, C_SPIN_CLEAN] = 0
                            else:
                                path[c, j, 0] = pc
                                path[c, j, 1] = t - core[c, C_SPIN_TIME]
                                path[c, j, 2] = -1
                                core[c, C_PATH] = j + 1
                    else:
                        core[c, C_SPIN_CLEAN] = 0
                        if op == FENCE:
                            if core[c, C_SB_LEN]:
                                core[c, C_WAITS] = W_DRAIN
                                core[c, C_PC] = pc
                                nothing_more = True
                                break
                            what = np.int64(T_FENCE)
                            after = cost[K_FENCE]
                            count[c, N_FENCES] += 1
                        elif op == BLOCK:
                            what = np.int64(T_BLOCK)
                            after = cost[K_SWITCH]
                            count[c, N_BLOCKS] += 1
                            thread[u, U_STOPS] += 1
                            if core[c, C_PERMIT]:
                                core[c, C_PERMIT] = 0
                            else:
                                core[c, C_WAITS] = W_SLEEP
                                nothing_more = True
                        elif op == WAKE:
                            what = np.int64(T_WAKE)
                            value = registers[u, code[pc, 4]]
                            if value < 0 or value >= n_cpus:
                                fault, fault_at = F_WAKE, value
                                break
                            after = cost[K_WAKE]
                            count[c, N_WAKES] += 1
                            if core[value, C_WAITS] == W_SLEEP:
                                core[value, C_WAITS] = W_NOTHING
                                agent[2 * value, A_DOES] = RESUME
                                _schedule(
                                    tree,
                                    2 * value,
                                    ((t + cost[K_WAKE] + cost[K_SWITCH]) << AGENT_BITS)
                                    | (2 * value),
                                )
                            else:
                                core[value, C_PERMIT] = 1
                        elif op == SWITCH:
                            what = np.int64(T_SWITCH)
                            value = registers[u, code[pc, 4]]
                            after = np.int64(0)
                            if value != u:
                                if value < 0 or value >= n_threads or thread[value, U_CPU] >= 0:
                                    fault, fault_at = F_SWITCH, value
                                    break
                                if core[c, C_SB_LEN]:
                                    core[c, C_WAITS] = W_DRAIN
                                    core[c, C_PC] = pc
                                    nothing_more = True
                                    break
                                after = cost[K_SWITCH]
                                count[c, N_SWITCHES] += 1
                        elif op == ALLOC:
                            what = np.int64(T_ALLOC)
                            after = cost[K_ALLOC]
                            count[c, N_ALLOCS] += 1
                            kind = code[pc, 6]
                            n = type_lines[kind]
                            at = free_head[c, kind]
                            if at:
                                free_head[c, kind] = free_next[at]
                            else:
                                at = control[R_HEAP_NEXT]
                                if at + n > live.shape[0]:
                                    at = 0
                                else:
                                    control[R_HEAP_NEXT] = at + n
                                    _fill(home, at, at + n, node_of[c])
                            if at:
                                _fill(live, at, at + n, 1)
                                object_type[at] = kind + 1
                                _fill(words, at << shift, (at + n) << shift, 0)
                            subject = at << shift
                            registers[u, code[pc, 1]] = subject
                        else:
                            what = np.int64(T_FREE)
                            after = cost[K_FREE]
                            count[c, N_FREES] += 1
                            subject = registers[u, code[pc, 4]]
                            at = subject >> shift
                            if (
                                subject <= 0
                                or subject >= n_words
                                or at << shift != subject
                                or not live[at]
                                or not object_type[at]
                            ):
                                fault, fault_at = F_FREE, subject
                                break
                            kind = object_type[at] - 1
                            n = type_lines[kind]
                            # A core that spins on the object must meet the fault of its next load.
                            for x in range(n_cpus):
                                if core[x, C_PARKED]:
                                    for j in range(core[x, C_PATH]):
                                        if at <= path[x, j, 2] < at + n:
                                            unpark(
                                                x,
                                                t,
                                                latest & AGENT_MASK,
                                                caches,
                                                core,
                                                thread,
                                                path,
                                                count,
                                                code,
                                                registers,
                                                agent,
                                                tree,
                                            )
                                            break
                            _fill(live, at, at + n, 0)
                            object_type[at] = 0
                            free_next[at] = free_head[c, kind]
                            free_head[c, kind] = at
                    if op == SWITCH:
                        if value != u:
                            if tracing:
                                _record(trace, control, t, a, what, subject, value, pc)
                            thread[u, U_PC] = pc + 1
                            thread[u, U_CPU] = NOWHERE
                            thread[u, U_STOPS] += 1
                            u = value
                            core[c, C_THREAD] = u
                            thread[u, U_CPU] = c
                            pc = thread[u, U_PC] - 1
                    elif tracing:
                        _record(trace, control, t, a, what, subject, value, pc)
                pc += 1
                if nothing_more:
                    core[c, C_PC] = pc
                    break
                does = RESUME
                if after > 0:
                    core[c, C_PC] = pc
                    agent[a, A_DOES] = RESUME
                    _schedule(tree, a, ((t + after) << AGENT_BITS) | a)
                    break
            if fault:
                break
            if nothing_more:
                if core[c, C_FINISHED] or core[c, C_PARKED]:
                    core[c, C_PC] = pc - 1
                _schedule(tree, a, NEVER)
                continue
            if not request:
                continue

        # ---- a request for a line
        if request:
            agent[a, A_LINE] = wanted
            agent[a, A_SINCE] = t
            agent[a, A_DOES] = SERVE
            agent[a, A_EXCLUSIVE] = request - 1
            if contention is not None:
                agent[a, A_PASSED] = 0
            from_time = line[wanted, L_QUIET] if request >= 2 else line[wanted, L_FREE]
            if line[wanted, L_HEAD] < 0 and from_time <= t:
                served = True
            else:
                agent[a, A_NEXT] = -1
                if line[wanted, L_HEAD] < 0:
                    line[wanted, L_HEAD] = a
                    _schedule(tree, a, (from_time << AGENT_BITS) | a)
                else:
                    agent[line[wanted, L_TAIL], A_NEXT] = a
                    _schedule(tree, a, NEVER)
                line[wanted, L_TAIL] = a
                continue

        # ---- it is served
        exclusive = agent[a, A_EXCLUSIVE] != 0
        at_home = False
        moved = False
        owner = line[wanted, L_OWNER]
        mine = (sharers[wanted, holder >> 6] >> index(holder & 63)) & index(1) != 0
        if owner == holder or (mine and not exclusive):
            # Another agent of this CPU, or of its core, has fetched the line meanwhile.
            ready = t + l1
            if contention is not None and line[wanted, L_FILLER] == holder:
                ready = max(t, line[wanted, L_READY]) + l1
            agent[a, A_DELAY] = 0
            count[c, N_HITS] += 1
        else:
            moved = True
            supplier_node = np.int64(-1)
            from_cache = owner >= 0
            keeper = np.int64(-1)
            alone = False  # only the keeper has what is not old
            waited = t - agent[a, A_SINCE]
            if contention is not None:
                at_home = agent[a, A_EXCLUSIVE] == 2
            if contention is not None and at_home:
                supplier_node = home[wanted]
                far = np.int64(home_distance[supplier_node, c])
                supply = contention.far_atomic[far]
                from_cache = False
                waited = np.int64(0)
                count[c, N_MEMORY] += 1
                if caches is not None and mine:
                    lose(caches, holder, wanted)
            elif owner >= 0:
                d = np.int64(distance[c, owner])
                far = d
                supply = latency[0, d] - min(waited, latency[3, d])
                supplier_node = node_of[owner]
                count[c, N_FROM_CORE + min(d - 1, LAST_CLASS)] += 1
            else:
                h = np.int64(home_distance[home[wanted], c])
                far = h
                supplier_node = home[wanted]
                supply = np.int64(0)
                classes = near.shape[1]
                if caches is not None and not mine:
                    keeper = np.int64(nearest_keeper(caches, home_distance, c, wanted))
                    if keeper >= 0:
                        alone = keeper != node_of[c] and caches.modified[wanted] != 0
                        # A sharer of the same class comes before another node's shared cache.
                        classes = np.int64(home_distance[keeper, c]) + 1
                        if alone or keeper == node_of[c]:
                            classes = 0
                if mine:
                    supply = latency[2, h] - min(waited, latency[3, h])
                    count[c, N_UPGRADES] += 1
                elif line[wanted, L_SHARERS] > 0 and cost[K_NEAREST]:
                    for d in range(classes):
                        for w in range(sharer_words):
                            bits = sharers[wanted, w] & near[c, d, w]
                            if bits:
                                x = w * 64
                                while not bits & index(1):
                                    bits >>= index(1)
                                    x += 1
                                supply = latency[0, d] - min(waited, latency[3, d])
                                far = np.int64(d)
                                from_cache = True
                                supplier_node = node_of[x]
                                count[c, N_FROM_CORE + min(d - 1, LAST_CLASS)] += 1
                                break
                        if supply:
                            break
                if caches is not None and supply == 0 and keeper >= 0:
                    if alone or keeper == node_of[c] or cost[K_NEAREST]:
                        far = np.int64(home_distance[keeper, c])
                        supply = latency[0, far] - min(waited, latency[3, far])
                        if keeper == node_of[c]:
                            supply = caches.sharing[H_HIT]
                        from_cache = True
                        supplier_node = keeper
                        count[c, N_FROM_CORE + min(far - 1, LAST_CLASS)] += 1
                if supply == 0:
                    supply = latency[1, h]
                    count[c, N_MEMORY] += 1
            if exclusive:
                invalidation = np.int64(0)
                farthest = 0
                others = 0
                if owner >= 0:
                    if at_home:
                        invalidation = latency[0, home_distance[home[wanted], owner]]
                    count[owner, N_INVALIDATED] += 1
                    if core[owner, C_PARKED]:
                        for j in range(core[owner, C_PATH]):
                            if path[owner, j, 2] == wanted:
                                unpark(
                                    owner,
                                    t,
                                    latest & AGENT_MASK,
                                    caches,
                                    core,
                                    thread,
                                    path,
                                    count,
                                    code,
                                    registers,
                                    agent,
                                    tree,
                                )
                                break
                    if caches is not None:
                        lose(caches, owner, wanted)
                elif line[wanted, L_SHARERS] > 0:
                    for w in range(sharer_words):
                        bits = sharers[wanted, w]
                        x = w * 64
                        while bits:
                            if bits & index(0xFF) == 0:
                                bits >>= index(8)
                                x += 8
                                continue
                            if bits & index(1) and x != holder:
                                others += 1
                                if at_home:
                                    reach = np.int64(home_distance[home[wanted], x])
                                else:
                                    reach = np.int64(distance[c, x])
                                farthest = max(farthest, reach)
                                count[x, N_INVALIDATED] += 1
                                if core[x, C_PARKED]:
                                    for j in range(core[x, C_PATH]):
                                        if path[x, j, 2] == wanted:
                                            unpark(
                                                x,
                                                t,
                                                latest & AGENT_MASK,
                                                caches,
                                                core,
                                                thread,
                                                path,
                                                count,
                                                code,
                                                registers,
                                                agent,
                                                tree,
                                            )
                                            break
                                if caches is not None:
                                    lose(caches, x, wanted)
                            bits >>= index(1)
                            x += 1
                        sharers[wanted, w] = 0
                    line[wanted, L_SHARERS] = 0
                if caches is not None and caches.shared.shape[1]:
                    origin = home[wanted] if at_home else node_of[c]
                    but = np.int64(-1) if at_home else node_of[c]
                    close, reach = recall(caches, home_distance, origin, but, wanted)
                    if at_home and owner < 0 and close and caches.modified[wanted]:
                        invalidation = latency[0, close]
                        farthest = 0
                    elif owner < 0:
                        farthest = max(farthest, reach)
                if farthest:
                    invalidation = latency[2, farthest] - min(waited, latency[3, farthest])
                    invalidation += cost[K_INV_EACH] * max(others - 1, 0)
                line[wanted, L_OWNER] = -1 if at_home else holder
                took = supply + invalidation if at_home else max(supply, invalidation)
                pipelined = False
            else:
                took = supply
                pipelined = False
                if owner >= 0:
                    line[wanted, L_OWNER] = -1
                    sharers[wanted, owner >> 6] |= index(1) << index(owner & 63)
                    sharers[wanted, holder >> 6] |= index(1) << index(holder & 63)
                    line[wanted, L_SHARERS] = 2
                elif line[wanted, L_SHARERS] > 0:
                    sharers[wanted, holder >> 6] |= index(1) << index(holder & 63)
                    line[wanted, L_SHARERS] += 1
                    pipelined = cost[K_BLOCKING] == 0 and not alone
                elif caches is not None and kept_elsewhere(caches, node_of[c], wanted):
                    sharers[wanted, holder >> 6] |= index(1) << index(holder & 63)
                    line[wanted, L_SHARERS] = 1
                    pipelined = cost[K_BLOCKING] == 0 and not alone
                else:
                    line[wanted, L_OWNER] = holder
            start = t
            if contention is not None:
                mine_node = node_of[c]
                link = np.int64(home_distance[supplier_node, c]) if far != 1 else 0
                agent_class = np.int64(home_distance[home[wanted], c])
                if from_cache and supplier_node == mine_node:
                    agent_class = 0
                start = path_free(
                    contention, t, mine_node, supplier_node, link, home[wanted], agent_class
                )
            if cost[K_BUS_KIND] == 1:
                start = max(start, bus[node_of[c]], bus[supplier_node])
                bus[node_of[c]] = start + cost[K_BUS]
                bus[supplier_node] = start + cost[K_BUS]
            elif cost[K_BUS_KIND] == 2:
                start = max(start, bus[0])
                bus[0] = start + cost[K_BUS]
            if contention is not None:
                take_path(
                    contention, start, mine_node, supplier_node, link, home[wanted], agent_class
                )
            if cost[K_JITTER]:
                took += draw(seed, TRANSACTIONS, control[R_SERVED]) % (cost[K_JITTER] + 1)
                control[R_SERVED] += 1
            if contention is not None and at_home:
                hold_time(contention, 1, far)  # counts the transaction
                agent[a, A_DELAY] = start + took - t
                ready = t
                line[wanted, L_FILLER] = holder
                line[wanted, L_READY] = t
                busy = (invalidation + contention.far_atomic[0]) * cost[K_BUSY] // 100
                line[wanted, L_FREE] = start + busy
                line[wanted, L_QUIET] = start + busy
            else:
                agent[a, A_DELAY] = took - took * cost[K_BUSY] // 100
                ready = start + took * cost[K_BUSY] // 100
                line[wanted, L_FILLER] = holder
                line[wanted, L_READY] = ready
                # Even agents are cores, and a core requests the right to write only for an atomic.
                atomic = 1 if exclusive and a & 1 == 0 else 0
                if contention is not None:
                    held = ready + hold_time(contention, atomic, far)
                else:
                    held = ready + (cost[K_TENURE] if atomic else cost[K_TENURE_PLAIN])
                if exclusive:
                    line[wanted, L_FREE] = held
                    line[wanted, L_QUIET] = held
                else:
                    line[wanted, L_FREE] = start + cost[K_SHARED_READ] if pipelined else ready
                    line[wanted, L_QUIET] = max(line[wanted, L_QUIET], held)
            transactions[wanted] += 1
            if caches is not None:
                if exclusive or keeper < 0 or keeper != node_of[c]:
                    caches.modified[wanted] = exclusive and not at_home
                if line[wanted, L_OWNER] == holder and not caches.sharing[H_INCLUSIVE]:
                    drop_shared(caches, node_of[c], wanted)
                count[c, N_CAPACITY] += had(caches, holder, wanted, exclusive)
        count[c, N_QUEUE_PS] += t - agent[a, A_SINCE]
        count[c, N_MISS_PS] += ready - agent[a, A_SINCE]
        if tracing:
            pc = buffer[c, core[c, C_SB_HEAD], 2] if a & 1 else core[c, C_PC]
            _record(trace, control, t, a, SERVED, wanted, ready, pc)
            trace[control[R_ROWS] - 1, 6] = agent[a, A_SINCE]
            trace[control[R_ROWS] - 1, 7] = agent[a, A_EXCLUSIVE]
        if caches is not None:
            shared = moved and not at_home and caches.shared.shape[1] != 0
            inclusive = caches.sharing[H_INCLUSIVE] != 0
            if shared and (inclusive or keeps(caches, node_of[c], wanted)):
                _share(
                    wanted,
                    c, t, a, latest, caches, contention, cost, latency, node_of, home_distance,
                    home, bus, line, sharers, core, thread, path, count, code, registers, agent,
                    tree, trace, control, pc,
                )  # fmt: skip
            victim = np.int64(EMPTY) if at_home else use(caches, holder, wanted)
            if victim >= 0:
                count[c, N_EVICTIONS] += 1
                caches.gone[victim, holder >> 6] |= index(1) << index(holder & 63)
                back = np.int64(0)
                if line[victim, L_OWNER] == holder:
                    line[victim, L_OWNER] = -1
                    back = np.int64(caches.modified[victim])
                else:
                    sharers[victim, holder >> 6] ^= index(1) << index(holder & 63)
                    line[victim, L_SHARERS] -= 1
                if back and caches.shared.shape[1]:
                    until = t + caches.sharing[H_HIT]
                    line[victim, L_FREE] = max(line[victim, L_FREE], until)
                    line[victim, L_QUIET] = max(line[victim, L_QUIET], until)
                elif back:
                    _write_back(
                        victim, c, t, caches, contention, cost, latency, node_of, home_distance,
                        home, bus, line, count,
                    )  # fmt: skip
                if tracing:
                    _record(trace, control, t, a, EVICTED, victim, back, pc)
                if shared and not inclusive:
                    _share(
                        victim,
                        c, t, a, latest, caches, contention, cost, latency, node_of, home_distance,
                        home, bus, line, sharers, core, thread, path, count, code, registers, agent,
                        tree, trace, control, pc,
                    )  # fmt: skip
        agent[a, A_DOES] = COMPLETE
        _schedule(tree, a, (ready << AGENT_BITS) | a)
        waiter = line[wanted, L_HEAD]
        if waiter >= 0:
            from_time = (
                line[wanted, L_QUIET] if agent[waiter, A_EXCLUSIVE] else line[wanted, L_FREE]
            )
            _schedule(tree, waiter, (max(from_time, t) << AGENT_BITS) | waiter)

    if fault:
        status = FAULTED
        control[R_FAULT], control[R_FAULT_PC], control[R_FAULT_CPU] = fault, pc, c
        control[R_FAULT_TIME], control[R_FAULT_AT] = t, fault_at
    control[R_EVENTS] += events
    control[R_LATEST] = latest
    control[R_NOW] = t
    return status
