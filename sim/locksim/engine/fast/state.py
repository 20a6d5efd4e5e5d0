"""The state of a run in the fast engine: rows of numbers in arrays, and what their columns are.

A thread is a row of registers and a program counter, and a core knows the thread that it runs. A
line is a row of numbers and a bit set of sharers. The next event comes from a tournament tree over
the agents (time and agent packed in one integer), so that it costs O(log agents).

A table is indexed in full (``core[c, C_PC]``), never through a view of a row: the same text also
runs as plain Python, on views of memory that have no slices. Opcodes and columns are global names,
which compile faster than attributes; the loop's modules import all of them.

The first letter of a column's name is its table: A agents, C cores, U threads, L lines, K the
machine's numbers, P its costs by class, B entries of store buffers, X rows of the trace, R the
run's control block, N counters; T is a trace row's kind.
"""

from __future__ import annotations

from dataclasses import fields
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from locksim.engine.counters import CPU_COUNTERS
from locksim.lang.ops import Kind
from locksim.lang.words import index
from locksim.machine.costs import ROWS
from locksim.machine.tables import MachineTables

AGENT_BITS = 11
"""A key is time << AGENT_BITS | agent: 1024 CPUs, and 2**52 ps (75 minutes) of simulated time."""
MAX_TIME_PS = 1 << (63 - AGENT_BITS - 1)
AGENT_MASK = (1 << AGENT_BITS) - 1
NEVER = np.iinfo(np.int64).max
CHUNK = 4_000_000
"""Events between two checks for Ctrl-C and updates of the progress bar."""
TRACE_ROWS = 1 << 16

# Actions of an agent at its event.
RESUME, REISSUE, SERVE, COMPLETE = range(4)

# Columns of the table of agents.
A_DOES, A_LINE, A_NEXT, A_SINCE, A_EXCLUSIVE, A_DELAY, A_PASSED = range(7)
AGENT_COLUMNS = 8

# Columns of the table of cores.
(C_PC, C_THREAD, C_SPIN_CLEAN, C_SB_LEN, C_SB_HEAD, C_PATH, C_SPIN_TIME, C_SPIN_PC) = range(8)
(C_WAITS, C_PERMIT, C_PARKED, C_PERIOD, C_FINISHED, C_TIMER) = range(8, 14)
CORE_COLUMNS = 16  # columns of every operation come first; a row is two cache lines of the host
W_NOTHING, W_SLOT, W_DRAIN, W_SLEEP = range(4)
"""What a core without an event waits for: a buffer entry, an empty buffer, a wake-up."""

# Columns of the table of threads. The program counter of a running one is its core's.
U_PC, U_CPU, U_DRAWS, U_STOPS, U_RETURNED, U_REST, U_STREAM = range(7)
THREAD_COLUMNS = 8
NOWHERE = -1
"""The CPU of a suspended thread."""

PATH_MAX = 8
"""Most operations in an iteration of an idle spin; longer iterations run one by one."""

# Columns of the table of lines.
L_OWNER, L_FILLER, L_READY, L_FREE, L_QUIET, L_HEAD, L_TAIL, L_SHARERS = range(8)

NUMBERS = (
    *(one.name.removesuffix("_ps") for one in fields(MachineTables) if one.type == "int"),
    *("line_shift", "seed", "jump", "tracing"),
)
"""The columns of the machine's numbers, and of the run's own that stand beside them."""


def columns(*names: str) -> tuple[int, ...]:
    """Return the columns of some of ``NUMBERS``."""
    return tuple(map(NUMBERS.index, names))


def by_class(*names: str) -> tuple[int, ...]:
    """Return the rows of some costs that have a value for each distance class."""
    return tuple(ROWS.index(f"{name}_ps") for name in names)


K_L1_HIT, K_STORE, K_RMW = columns("l1_hit", "store", "rmw")
K_LINE_SHIFT, K_SEED, K_JUMP, K_TRACING = columns("line_shift", "seed", "jump", "tracing")

# Columns of an entry of a store buffer, and of a row of the trace with its provenance.
B_ADDRESS, B_VALUE, B_PC = range(3)
BUFFER_COLUMNS = 3
(X_TIME, X_AGENT, X_WHAT, X_ADDRESS, X_VALUE, X_PC, X_ASKED, X_RIGHT) = range(8)
TRACE_COLUMNS = 8
ROW_COLUMNS = X_PC
"""Columns of a row; those behind it are its provenance."""

# The control block.
(R_EVENTS, R_FINISHED, R_ROWS, R_HEAP_NEXT, R_FAULT, R_FAULT_PC, R_FAULT_CPU) = range(7)
(R_FAULT_TIME, R_FAULT_AT, R_NOW, R_SERVED, R_LATEST) = range(7, 12)
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
T_LOAD, T_STORE, T_FENCE, T_PAUSE, T_COMPUTE = (
    int(k) for k in (Kind.LOAD, Kind.STORE, Kind.FENCE, Kind.PAUSE, Kind.COMPUTE)
)
T_BLOCK, T_WAKE, T_ALLOC, T_FREE = (int(k) for k in (Kind.BLOCK, Kind.WAKE, Kind.ALLOC, Kind.FREE))
T_SWAP, T_SWITCH, T_TIMER = int(Kind.SWAP), int(Kind.SWITCH), int(Kind.TIMER)
(MORE, TIME_UP, STUCK, FAULTED) = range(4)
"""Why a call of :func:`locksim.engine.fast.loop.advance` returned."""
(SCHEDULED, SLEEPS, READY, PERFORMED, BLOCKED, SERVED_NOW, FAILED) = range(7)
"""What became of an agent's event: the tree has its next one; it has none until another agent gives
it one; a thread has reached an operation; the operation took effect; it did, and the CPU sleeps;
its line serves it at once; a fault of the program."""
SHARED, EXCLUSIVE, AT_HOME = range(3)
"""What a request asks for (A_EXCLUSIVE): a copy, the line, an atomic instruction at its home."""


class State(NamedTuple):
    """All state of a run, in arrays, so that the loop can stop and continue."""

    code: npt.NDArray[np.uint32]
    cost: npt.NDArray[np.int64]  # the machine's numbers and the run's (NUMBERS)
    latency: npt.NDArray[np.int64]  # costs by class (P_…) x classes
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


def schedule(tree, agent, key):  # type: ignore[no-untyped-def]
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


def fill(row, begin, end, value):  # type: ignore[no-untyped-def]
    """Give some elements of a row the same value."""
    for i in range(begin, end):
        row[i] = value


def record(trace, control, t, a, what, address, value, pc):  # type: ignore[no-untyped-def]
    """Add a row to the trace; ``pc`` is its place in the program."""
    r = control[R_ROWS]
    trace[r, X_TIME] = t
    trace[r, X_AGENT] = a
    trace[r, X_WHAT] = what
    trace[r, X_ADDRESS] = address
    trace[r, X_VALUE] = value
    trace[r, X_PC] = pc
    trace[r, X_ASKED] = t
    trace[r, X_RIGHT] = 0
    control[R_ROWS] = r + 1


def fail(control, fault, at, pc, c, t):  # type: ignore[no-untyped-def]
    """Keep a fault of the program: its number, the value behind it, its place, CPU and time."""
    control[R_FAULT], control[R_FAULT_AT] = fault, at
    control[R_FAULT_PC], control[R_FAULT_CPU], control[R_FAULT_TIME] = pc, c, t
    return FAILED
