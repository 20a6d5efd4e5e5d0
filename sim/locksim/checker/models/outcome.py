"""What can come of a step, and the two questions that every memory model asks about a word."""

from __future__ import annotations

from locksim.checker.models import layout as m
from locksim.checker.models.registers import N_FAULT, N_FAULT_AT, N_FAULT_PC
from locksim.core.faults import Fault

(DISABLED, DONE, FAULT, EXCLUSION, CHOICES, HEAP_FULL, FULL_BUFFER, RACE) = range(8)
"""What came of a step. FULL_BUFFER: as DISABLED, since the store buffer has no room."""

FAULT_MEMORY = int(Fault.MEMORY)


def fault(note: list[int], kind: int, at: int, pc: int) -> int:
    """Note a fault of the program down."""
    note[N_FAULT], note[N_FAULT_AT], note[N_FAULT_PC] = kind, at, pc
    return FAULT


def alive(t: m.Tables, shared: list[int], address: int) -> bool:
    """Whether a word belongs to a live object."""
    if address < 0 or address >= t.size[m.N_WORDS]:
        return False
    return shared[t.size[m.LIVE] + (address >> t.size[m.LINE_SHIFT])] != 0
