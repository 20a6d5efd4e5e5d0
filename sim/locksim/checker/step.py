"""One step of one thread, compiled: an operation, then its register code up to the next operation.

A thread *rests* at an operation that others can notice: on a word of memory, on the heap, a sleep
or a wake-up, a full fence under TSO, a random choice that matters. Marks, assertions, ``pause`` and
``compute`` concern nobody else at that moment (a mark moves to just after the operation before
it), so they run at once. Under TSO the store buffer takes steps of its own: action ``FLUSH`` makes
its oldest store visible.

Not cached by itself: see :mod:`locksim.checker.compiled`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from locksim.checker import model as m
from locksim.checker.registers import (
    N_ADDRESS,
    N_FAULT,
    N_FAULT_AT,
    N_FAULT_PC,
    N_MARKS,
    N_NEW,
    N_OLD,
    N_PC,
    compute,
    jumps,
)
from locksim.compiler import bytecode as b
from locksim.engine.faults import Fault
from locksim.lang.ops import Mark

FLUSH = 63
"""The action of a store buffer. Actions from 0 are the thread's own: the choice that it makes."""
MAX_CHOICES = 16
"""Values that a random choice may have."""
LONGEST = 10_000
"""Instructions that run as one step; a thread that only pauses rests after that many."""

(DISABLED, DONE, FAULT, EXCLUSION, CHOICES, HEAP_FULL, FULL_BUFFER) = range(7)
"""What came of a step. FULL_BUFFER: as DISABLED, since the store buffer has no room."""

_MEMORY, _FREE, _RANDOM, _ASSERTION, _WAKE = (
    int(f)
    for f in (
        Fault.MEMORY,
        Fault.FREE,
        Fault.RANDOM,
        Fault.ASSERTION,
        Fault.WAKE,
    )
)
_ACQUIRED, _RELEASED, _READ_ACQUIRED, _READ_RELEASED, _LAST_MARK = (
    int(k)
    for k in (
        Mark.ACQUIRED,
        Mark.RELEASED,
        Mark.READ_ACQUIRED,
        Mark.READ_RELEASED,
        Mark.READ_TRY_FAILED,
    )
)


@njit
def start(t, row, shared, regs, note):  # type: ignore[no-untyped-def]
    """Run a thread's register code up to its first operation; arguments as for ``perform``."""
    note[:] = 0
    return _run_on(t, row, shared, regs, row[m.PC], note)


@njit
def perform(t, row, shared, regs, action, note):  # type: ignore[no-untyped-def]
    """Let a thread act once.

    Arguments:
        t: the model's Tables.
        row: the thread's row, changed in place. shared: the shared row, changed in place.
        regs: int64[n_registers], scratch space that holds the constants.
        action: FLUSH, or the number of the choice (0 where there is none).
        note: int64[NOTES], where to note down what happened.
    """
    note[:] = 0
    if action == FLUSH:
        return _flush(t, row, shared, note)
    pc = row[m.PC]
    code = t.code[pc]
    op = code[0]
    note[N_PC] = pc
    first = t.keep_start[pc]
    for i in range(t.keep_start[pc + 1] - first):
        regs[t.keep[first + i]] = row[m.REGISTERS + i]
    if b.LOAD <= op <= b.FETCH_XOR:
        status = _access(t, row, shared, regs, code, note)
    elif op == b.FENCE:
        status = DISABLED if row[m.BUFFERED] else DONE
    elif op == b.RANDOM:
        status = _choose(regs, code, action, note)
    elif op == b.BLOCK:
        asleep = t.size[m.SLEEP] + row[m.THREAD]
        permit = t.size[m.PERMIT] + row[m.THREAD]
        if shared[asleep] == 1:
            return DISABLED
        if shared[asleep] == 0 and shared[permit] == 0:
            shared[asleep] = 1
            return DONE  # it stays at this operation, asleep
        if shared[asleep] == 0:
            shared[permit] = 0
        shared[asleep] = 0
        status = DONE
    elif op == b.WAKE:
        other = regs[code[4]]
        note[N_NEW] = other
        status = DONE
        if other < 0 or other >= t.size[m.N_THREADS]:
            status = _fault(note, _WAKE, other, pc)
        elif shared[t.size[m.SLEEP] + other] == 1:
            shared[t.size[m.SLEEP] + other] = 2
        else:
            shared[t.size[m.PERMIT] + other] = 1
    elif op == b.ALLOC:
        status = _alloc(t, row, shared, regs, code, note)
    elif op == b.FREE:
        status = _free(t, row, shared, regs[code[4]], note)
    elif op == b.EXIT:
        return DISABLED
    else:  # a pause or compute at which it rests only because there were so many
        status = DONE
    if status != DONE:
        return status
    return _run_on(t, row, shared, regs, pc + 1, note)


@njit
def _fault(note, kind, at, pc):  # type: ignore[no-untyped-def]
    note[N_FAULT], note[N_FAULT_AT], note[N_FAULT_PC] = kind, at, pc
    return FAULT


@njit
def _alive(t, shared, address):  # type: ignore[no-untyped-def]
    if address < 0 or address >= t.size[m.N_WORDS]:
        return False
    return shared[t.size[m.LIVE] + (address >> t.size[m.LINE_SHIFT])] != 0


@njit
def _flush(t, row, shared, note):  # type: ignore[no-untyped-def]
    n = row[m.BUFFERED]
    if n == 0:
        return DISABLED
    first = m.REGISTERS + t.size[m.WIDTH]
    address, value = row[first], row[first + 1]
    note[N_PC], note[N_ADDRESS], note[N_NEW] = row[m.PC], address, value
    if not _alive(t, shared, address):
        return _fault(note, _MEMORY, address, row[m.PC])
    note[N_OLD] = shared[address]
    shared[address] = value
    for i in range(first, first + 2 * (n - 1)):
        row[i] = row[i + 2]
    row[first + 2 * n - 2] = 0
    row[first + 2 * n - 1] = 0
    row[m.BUFFERED] = n - 1
    return DONE


@njit
def _access(t, row, shared, regs, code, note):  # type: ignore[no-untyped-def]
    op = code[0]
    address = regs[code[2]] + code[3]
    note[N_ADDRESS] = address
    if not _alive(t, shared, address):
        return _fault(note, _MEMORY, address, row[m.PC])
    first = m.REGISTERS + t.size[m.WIDTH]
    n = row[m.BUFFERED]
    old = shared[address]
    if op == b.LOAD:
        for i in range(n):
            if row[first + 2 * i] == address:
                old = row[first + 2 * i + 1]
        note[N_OLD] = note[N_NEW] = old
        regs[code[1]] = old
        return DONE
    operand = regs[code[4]]
    if op == b.STORE:
        note[N_OLD], note[N_NEW] = old, operand
        if t.size[m.TSO] == 0:
            shared[address] = operand
            return DONE
        if n == t.size[m.ENTRIES]:
            return FULL_BUFFER
        row[first + 2 * n] = address
        row[first + 2 * n + 1] = operand
        row[m.BUFFERED] = n + 1
        return DONE
    if n:
        return DISABLED
    new = operand
    if op == b.COMPARE_SWAP:
        new = regs[code[5]] if old == operand else old
    elif op == b.FETCH_ADD:
        new = old + operand
    elif op == b.FETCH_AND:
        new = old & operand
    elif op == b.FETCH_OR:
        new = old | operand
    elif op == b.FETCH_XOR:
        new = old ^ operand
    note[N_OLD], note[N_NEW] = old, new
    shared[address] = new
    regs[code[1]] = old
    return DONE


@njit
def _choose(regs, code, action, note):  # type: ignore[no-untyped-def]
    bound = regs[code[2]]
    if bound <= 0:
        return _fault(note, _RANDOM, bound, note[N_PC])
    if bound > MAX_CHOICES:
        return CHOICES
    if action >= bound:
        return DISABLED
    regs[code[1]] = action
    note[N_NEW] = action
    return DONE


@njit
def _alloc(t, row, shared, regs, code, note):  # type: ignore[no-untyped-def]
    """As the engines do: from the CPU's free list, last freed first, else a fresh line."""
    kind, shift = code[6], t.size[m.LINE_SHIFT]
    lines = t.type_lines[kind]
    head = t.size[m.FREE_HEAD] + row[m.THREAD] * t.size[m.N_TYPES] + kind
    at = shared[head]
    if at:
        shared[head] = shared[t.size[m.FREE_NEXT] + at]
        shared[t.size[m.FREE_NEXT] + at] = 0
    else:
        at = shared[t.size[m.HEAP]]
        if at + lines > t.size[m.N_LINES]:
            return HEAP_FULL
        shared[t.size[m.HEAP]] = at + lines
    shared[t.size[m.LIVE] + at : t.size[m.LIVE] + at + lines] = 1
    shared[t.size[m.OBJECT] + at] = kind + 1
    regs[code[1]] = at << shift
    note[N_NEW] = at << shift
    return DONE


@njit
def _free(t, row, shared, address, note):  # type: ignore[no-untyped-def]
    shift = t.size[m.LINE_SHIFT]
    at = address >> shift
    note[N_ADDRESS] = address
    bad = address <= 0 or at << shift != address or not _alive(t, shared, address)
    if bad or t.size[m.N_TYPES] == 0 or shared[t.size[m.OBJECT] + at] == 0:
        return _fault(note, _FREE, address, row[m.PC])
    kind = shared[t.size[m.OBJECT] + at] - 1
    lines = t.type_lines[kind]
    head = t.size[m.FREE_HEAD] + row[m.THREAD] * t.size[m.N_TYPES] + kind
    shared[t.size[m.LIVE] + at : t.size[m.LIVE] + at + lines] = 0
    shared[t.size[m.OBJECT] + at] = 0
    shared[t.size[m.FREE_NEXT] + at] = shared[head]
    shared[head] = at
    # Nobody can read these words until alloc, which gives zeroed ones: states collapse if they are
    # zeroed now.
    shared[at << shift : (at + lines) << shift] = 0
    return DONE


@njit
def _run_on(t, row, shared, regs, pc, note):  # type: ignore[no-untyped-def]
    """Run register code from ``pc`` to where the thread rests, and write its row."""
    tso, thread = t.size[m.TSO] != 0, row[m.THREAD]
    budget = LONGEST
    while True:
        code = t.code[pc]
        op = code[0]
        if op >= b.FIRST_OPERATION:
            idle = op == b.PAUSE or op == b.COMPUTE
            if not idle and (op != b.FENCE or tso):
                break
            if idle and budget <= 0:
                break
            pc += 1
            budget -= 1
            continue
        if op == b.EXIT or (op == b.RANDOM and code[b.WIDTH - 1]):
            break
        budget -= 1
        if b.JMP <= op <= b.JNZ or b.JEQ <= op <= b.JGE:
            pc = code[1] if jumps(code, regs) else pc + 1
        elif op == b.MARK:
            status = _mark(t, shared, thread, code[1], regs[code[2]], note)
            if status != DONE:
                note[N_FAULT_PC] = pc
                return status
            pc += 1
        elif op == b.ASSERT:
            if regs[code[2]] == 0 and t.size[m.WATCH] & m.WATCH_ASSERTIONS:
                return _fault(note, _ASSERTION, 0, pc)
            pc += 1
        elif op == b.CPU or op == b.THREAD:
            regs[code[1]] = thread
            pc += 1
        elif op == b.NCPUS:
            regs[code[1]] = t.size[m.N_THREADS]
            pc += 1
        else:
            fault = compute(code, regs, note)
            if fault:
                return _fault(note, fault, note[N_FAULT_AT], pc)
            pc += 1
    row[m.PC] = pc
    first = t.keep_start[pc]
    n = t.keep_start[pc + 1] - first
    for i in range(t.size[m.WIDTH]):
        row[m.REGISTERS + i] = regs[t.keep[first + i]] if i < n else 0
    return DONE


@njit
def _mark(t, shared, thread, what, subject, note):  # type: ignore[no-untyped-def]
    """A mark of the meters: who holds the lock from now on."""
    if what > _LAST_MARK or subject < 0 or subject >= t.lock_of.shape[0]:
        return DONE
    lock = t.lock_of[subject] - 1
    if lock < 0:
        return DONE
    n = note[N_MARKS]
    if n < 8:
        note[N_MARKS + 1 + 2 * n], note[N_MARKS + 2 + 2 * n] = what, lock
        note[N_MARKS] = n + 1
    if not t.size[m.WATCH] & m.WATCH_EXCLUSION:
        return DONE
    at = t.size[m.HOLDERS] + 2 * lock
    me = np.int64(1) << thread
    if what == _ACQUIRED:
        if shared[at] or shared[at + 1]:
            return EXCLUSION
        shared[at] = thread + 1
    elif what == _READ_ACQUIRED:
        if shared[at] or shared[at + 1] & me:
            return EXCLUSION
        shared[at + 1] |= me
    elif what == _RELEASED:
        if shared[at] != thread + 1:
            return EXCLUSION
        shared[at] = 0
    elif what == _READ_RELEASED:
        if not shared[at + 1] & me:
            return EXCLUSION
        shared[at + 1] ^= me
    return DONE
