"""Total store order: each thread has a store buffer, first in first out, in its own row."""

from __future__ import annotations

from locksim.checker.models import layout as m
from locksim.checker.models import reduction, sc
from locksim.checker.models.outcome import DISABLED, DONE, FAULT_MEMORY, FULL_BUFFER, alive, fault
from locksim.checker.models.registers import N_ADDRESS, N_NEW, N_OLD, N_PC
from locksim.compiler import bytecode as b


def access(
    t: m.Tables,
    row: list[int],
    shared: list[int],
    regs: list[int],
    code: list[int],
    address: int,
    note: list[int],
) -> int:
    """A load, store or atomic read-modify-write of a live word."""
    op = code[0]
    first = t.size[m.BUFFER]
    n = row[m.BUFFERED]
    if op == b.LOAD:
        old = shared[address]
        for i in range(n):
            if row[first + 2 * i] == address:
                old = row[first + 2 * i + 1]
        note[N_OLD] = note[N_NEW] = old
        regs[code[1]] = old
        return DONE
    if op == b.STORE:
        if n == t.size[m.ENTRIES]:
            return FULL_BUFFER
        note[N_OLD] = shared[address]
        note[N_NEW] = sc.written(code, regs, shared[address])
        row[first + 2 * n] = address
        row[first + 2 * n + 1] = note[N_NEW]
        row[m.BUFFERED] = n + 1
        return DONE
    if n:
        return DISABLED
    return sc.access(t, shared, regs, code, address, note)


def fence(row: list[int]) -> int:
    """A full fence waits until the buffer is empty."""
    return DISABLED if row[m.BUFFERED] else DONE


def flush(t: m.Tables, row: list[int], shared: list[int], note: list[int]) -> int:
    """The oldest store in the buffer becomes visible to all."""
    n = row[m.BUFFERED]
    if n == 0:
        return DISABLED
    first = t.size[m.BUFFER]
    address, value = row[first], row[first + 1]
    note[N_PC], note[N_ADDRESS], note[N_NEW] = row[m.PC], address, value
    if not alive(t, shared, address):
        return fault(note, FAULT_MEMORY, address, row[m.PC])
    reduction.touch(t, row, address, True)
    note[N_OLD] = shared[address]
    shared[address] = value
    for i in range(first, first + 2 * (n - 1)):
        row[i] = row[i + 2]
    row[first + 2 * n - 2] = 0
    row[first + 2 * n - 1] = 0
    row[m.BUFFERED] = n - 1
    return DONE
