"""One step of one thread: an operation, then its register code up to the next operation.

A thread *rests* at an operation that others can notice: on a word of memory, on the heap, a sleep
or a wake-up, a full fence where the model needs it, a random choice that matters. Marks,
assertions, ``pause``, ``compute`` and weaker fences concern no other thread at that moment (a mark
moves to just after the operation before it), so they run at once. What an operation on a word does
is the memory model's (:mod:`locksim.checker.models`). Under TSO the store buffer takes steps of
its own: action ``FLUSH`` makes its oldest store visible.
"""

from __future__ import annotations

from locksim.checker.models import c11, reduction, sc, tso
from locksim.checker.models import layout as m
from locksim.checker.models.outcome import (
    CHOICES,
    DISABLED,
    DONE,
    EXCLUSION,
    FAULT_MEMORY,
    HEAP_FULL,
    alive,
    fault,
)
from locksim.checker.models.registers import (
    N_ADDRESS,
    N_FAULT_AT,
    N_FAULT_PC,
    N_MARKS,
    N_NEW,
    N_PC,
    compute,
)
from locksim.compiler import bytecode as b
from locksim.compiler.arithmetic import jumps
from locksim.core.faults import Fault
from locksim.lang.ops import Mark, Order
from locksim.lang.words import plus

FLUSH = 63
"""The action of a store buffer. Actions from 0 are the thread's own: the choice that it makes."""
MAX_CHOICES = 16
"""Values that a random choice may have."""
MAX_ACTIONS = m.POOL + 2
"""Choices that a thread may have: a random value, or under C11 a message. The last is none."""
LONGEST = 10_000
"""Instructions that run as one step; a thread that only pauses rests after that many."""

ASLEEP = -1
"""What ``_block`` gives for a thread that has just gone to sleep."""

_FREE, _RANDOM, _ASSERTION, _WAKE = (
    int(f) for f in (Fault.FREE, Fault.RANDOM, Fault.ASSERTION, Fault.WAKE)
)
_SEQ_CST = int(Order.SEQ_CST)
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


def start(t: m.Tables, row: list[int], shared: list[int], regs: list[int], note: list[int]) -> int:
    """Run a thread's register code up to its first operation; arguments as for ``perform``."""
    _begin(note)
    return _run_on(t, row, shared, regs, row[m.PC], note)


def perform(
    t: m.Tables, row: list[int], shared: list[int], regs: list[int], action: int, note: list[int]
) -> int:
    """Let a thread act once.

    Arguments:
        t: the model's Tables.
        row: the thread's row, changed in place. shared: the shared row, changed in place.
        regs: the registers, scratch space that holds the constants.
        action: FLUSH, or the number of the choice (0 where there is none): of a random value, or
            under C11 of the message to read or to stand behind.
        note: int64[NOTES], where to note down what happened.
    """
    _begin(note)
    if action == FLUSH:
        return tso.flush(t, row, shared, note)
    pc = row[m.PC]
    code = t.code[pc]
    op = code[0]
    note[N_PC] = pc
    first = t.keep_start[pc]
    for i in range(t.keep_start[pc + 1] - first):
        regs[t.keep[first + i]] = row[m.REGISTERS + i]
    status = DONE  # a pause or compute at which it rests only because there were so many
    if b.LOAD <= op <= b.FETCH_XOR:
        status = _access(t, row, shared, regs, code, action, note)
    elif op == b.FENCE:
        if t.size[m.MODEL] == m.C11:
            c11.fence(t, row[m.THREAD], shared, code[b.WIDTH - 1])
        else:
            status = tso.fence(row)
    elif op == b.RANDOM:
        status = _choose(regs, code, action, note)
    elif op == b.BLOCK:
        status = _block(t, row, shared)
        if status == ASLEEP:
            return DONE  # it stays at this operation
    elif op == b.WAKE:
        status = _wake(t, row, shared, regs[code[4]], note)
    elif op == b.ALLOC:
        status = _alloc(t, row, shared, regs, code, note)
    elif op == b.FREE:
        status = _free(t, row, shared, regs[code[4]], note)
    elif op == b.EXIT:
        if t.size[m.AGAIN]:
            return _run_on(t, row, shared, regs, t.size[m.ENTRY], note)
        return DISABLED
    if status != DONE:
        return status
    return _run_on(t, row, shared, regs, pc + 1, note)


def _access(
    t: m.Tables,
    row: list[int],
    shared: list[int],
    regs: list[int],
    code: list[int],
    action: int,
    note: list[int],
) -> int:
    """An operation on a word, as the memory model has it."""
    address = plus(regs[code[2]], code[3])
    note[N_ADDRESS] = address
    if not alive(t, shared, address):
        return fault(note, FAULT_MEMORY, address, row[m.PC])
    if code[0] != b.STORE or t.size[m.MODEL] != m.TSO:  # that one gets into a buffer only
        reduction.touch(t, row, address, code[0] != b.LOAD)
    if t.size[m.MODEL] == m.C11:
        return c11.access(t, row, shared, regs, code, address, action, note)
    if t.size[m.MODEL] == m.TSO:
        return tso.access(t, row, shared, regs, code, address, note)
    return sc.access(t, shared, regs, code, address, note)


def _block(t: m.Tables, row: list[int], shared: list[int]) -> int:
    """Sleep, or take the permit, or go on after a wake-up; DISABLED while asleep."""
    asleep = t.size[m.SLEEP] + row[m.THREAD]
    permit = t.size[m.PERMIT] + row[m.THREAD]
    if shared[asleep] == 1:
        return DISABLED
    if shared[asleep] == 0 and shared[permit] == 0:
        shared[asleep] = 1
        return ASLEEP
    if shared[asleep] == 0:
        shared[permit] = 0
    shared[asleep] = 0
    if t.size[m.MODEL] == m.C11:
        c11.woken(t, row[m.THREAD], shared)
    return DONE


def _wake(t: m.Tables, row: list[int], shared: list[int], other: int, note: list[int]) -> int:
    note[N_NEW] = other
    if other < 0 or other >= t.size[m.N_THREADS]:
        return fault(note, _WAKE, other, row[m.PC])
    if shared[t.size[m.SLEEP] + other] == 1:
        shared[t.size[m.SLEEP] + other] = 2
    else:
        shared[t.size[m.PERMIT] + other] = 1
    if t.size[m.MODEL] == m.C11:
        c11.wake(t, row[m.THREAD], shared, other)
    return DONE


def _choose(regs: list[int], code: list[int], action: int, note: list[int]) -> int:
    bound = regs[code[2]]
    if bound <= 0:
        return fault(note, _RANDOM, bound, note[N_PC])
    if bound > MAX_CHOICES:
        return CHOICES
    if action >= bound:
        return DISABLED
    regs[code[1]] = action
    note[N_NEW] = action
    return DONE


def _alloc(
    t: m.Tables,
    row: list[int],
    shared: list[int],
    regs: list[int],
    code: list[int],
    note: list[int],
) -> int:
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
    _fill(shared, t.size[m.LIVE] + at, lines, 1)
    shared[t.size[m.OBJECT] + at] = kind + 1
    regs[code[1]] = at << shift
    note[N_NEW] = at << shift
    return DONE


def _free(t: m.Tables, row: list[int], shared: list[int], address: int, note: list[int]) -> int:
    shift = t.size[m.LINE_SHIFT]
    at = address >> shift
    note[N_ADDRESS] = address
    bad = address <= 0 or at << shift != address or not alive(t, shared, address)
    if bad or t.size[m.N_TYPES] == 0 or shared[t.size[m.OBJECT] + at] == 0:
        return fault(note, _FREE, address, row[m.PC])
    kind = shared[t.size[m.OBJECT] + at] - 1
    lines = t.type_lines[kind]
    if t.size[m.MODEL] == m.C11:
        status = c11.free(t, row[m.THREAD], shared, at << shift, (at + lines) << shift)
        if status != DONE:
            return status
    head = t.size[m.FREE_HEAD] + row[m.THREAD] * t.size[m.N_TYPES] + kind
    _fill(shared, t.size[m.LIVE] + at, lines, 0)
    shared[t.size[m.OBJECT] + at] = 0
    shared[t.size[m.FREE_NEXT] + at] = shared[head]
    shared[head] = at
    # No thread can read these words until alloc, which gives zeroed ones: if they are zeroed now,
    # states collapse.
    _fill(shared, at << shift, lines << shift, 0)
    return DONE


def _fill(shared: list[int], start: int, n: int, value: int) -> None:
    for i in range(start, start + n):
        shared[i] = value


def _begin(note: list[int]) -> None:
    """Clear a note; the pairs behind the number of marks count for nothing."""
    for i in range(N_MARKS + 1):
        note[i] = 0


def _run_on(
    t: m.Tables, row: list[int], shared: list[int], regs: list[int], pc: int, note: list[int]
) -> int:
    """Run register code from ``pc`` to where the thread rests, and write its row."""
    memory, thread = t.size[m.MODEL], row[m.THREAD]
    budget = LONGEST
    while True:
        code = t.code[pc]
        op = code[0]
        if op >= b.FIRST_OPERATION:
            idle = op == b.PAUSE or op == b.COMPUTE
            full_fence = op == b.FENCE and code[b.WIDTH - 1] == _SEQ_CST
            if not idle and (op != b.FENCE or (full_fence and memory != m.SC)):
                break
            if idle and budget <= 0:
                break
            if op == b.FENCE and memory == m.C11:
                c11.fence(t, thread, shared, code[b.WIDTH - 1])
            pc += 1
            budget -= 1
            continue
        if op == b.EXIT or (op == b.RANDOM and code[b.WIDTH - 1]):
            break
        budget -= 1
        if b.JMP <= op <= b.JGE:
            pc = code[1] if jumps(op, regs[code[2]], regs[code[3]]) else pc + 1
        elif op == b.MARK:
            status = _mark(t, row, shared, code[1], regs[code[2]], note)
            if status != DONE:
                note[N_FAULT_PC] = pc
                return status
            pc += 1
        elif op == b.ASSERT:
            if regs[code[2]] == 0 and t.size[m.WATCH] & m.WATCH_ASSERTIONS:
                return fault(note, _ASSERTION, 0, pc)
            pc += 1
        elif op == b.CPU or op == b.THREAD:
            regs[code[1]] = thread
            pc += 1
        elif op == b.NODE:
            regs[code[1]] = t.size[m.NODES + thread]
            pc += 1
        elif op == b.NCPUS or op == b.NTHREADS:
            regs[code[1]] = t.size[m.N_THREADS]
            pc += 1
        else:
            wrong = compute(code, regs, note)
            if wrong:
                return fault(note, wrong, note[N_FAULT_AT], pc)
            pc += 1
    row[m.PC] = pc
    first = t.keep_start[pc]
    n = t.keep_start[pc + 1] - first
    for i in range(t.size[m.WIDTH]):
        row[m.REGISTERS + i] = regs[t.keep[first + i]] if i < n else 0
    if memory == m.C11 and t.op[pc] == b.EXIT:
        c11.leave(t, thread, shared)
    return DONE


def _mark(
    t: m.Tables, row: list[int], shared: list[int], what: int, subject: int, note: list[int]
) -> int:
    """A mark of the meters: who is inside the lock from now on."""
    if what > _LAST_MARK or subject < 0 or subject >= len(t.lock_of):
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
    at, mine = t.size[m.HOLDERS] + 2 * lock, t.size[m.INSIDE] + 2 * lock
    if what in (_ACQUIRED, _READ_ACQUIRED):
        reads = int(what == _READ_ACQUIRED)
        again = row[mine] > 0 and t.recursive[lock] != 0
        if not again and (shared[at] or (shared[at + 1] and not reads)):
            return EXCLUSION
        if row[mine + reads] == 0:
            shared[at + reads] += 1
        row[mine + reads] += 1
    elif what in (_RELEASED, _READ_RELEASED):
        reads = int(what == _READ_RELEASED)
        if row[mine + reads] == 0:
            return EXCLUSION
        row[mine + reads] -= 1
        if row[mine + reads] == 0:
            shared[at + reads] -= 1
    return DONE
