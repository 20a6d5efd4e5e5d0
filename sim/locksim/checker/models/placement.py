"""Threads of a check on chosen CPUs of a larger machine.

As a rule thread k of a check runs on CPU k, and the machine has no CPU more. A program can ask
where it runs, and so behave otherwise on the machine that it is measured on. With a placement the
program under check gets the answers of that machine: ``cpu()`` and ``thread()`` are the CPU on
which the thread runs there, ``n_cpus()`` is the machine's number. The test client itself still
counts its threads from 0.

The steps need to know nothing of this. Each thread begins with a row of its own, which puts the
CPU's number into a register that nothing else writes; the questions become copies of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from locksim.checker.errors import CheckError
from locksim.compiler import bytecode as b


@dataclass(frozen=True)
class Placement:
    """The CPUs of a check's threads.

    Arguments:
        cpus: of each thread. n_cpus: of the machine.
        client: the file of the test client, whose own questions are not touched.
    """

    cpus: tuple[int, ...]
    n_cpus: int
    client: str


def number_threads(
    code: list[list[int]], registers: list[int], entry: int, placement: Placement, whose: list[str]
) -> tuple[int, ...]:
    """Let the questions of a program be answered for a placement; the first row of each thread.

    Arguments:
        code: unfolded rows; changed, and grown by the threads' first rows.
        registers: the values at the start; grown. entry: the program's first row.
        placement: the CPUs. whose: the source file of each row.

    Raises:
        CheckError: the program wakes or switches threads, which it names by number.
    """
    mine, all_of_them = len(registers), len(registers) + 1
    registers += [0, placement.n_cpus]
    for row, file in zip(code, whose, strict=True):
        if row[0] in (b.WAKE, b.SWITCH, b.BLOCK):
            raise CheckError(
                "threads that block and wake each other cannot be checked on chosen CPUs\n"
                "help: check them on CPUs from 0 on"
            )
        if file == placement.client:
            continue
        if row[0] in (b.CPU, b.THREAD):
            row[:] = _row(b.MOV, row[1], mine)
        elif row[0] in (b.NCPUS, b.NTHREADS):
            row[:] = _row(b.MOV, row[1], all_of_them)
    entries = []
    for cpu in placement.cpus:
        entries.append(len(code))
        registers.append(cpu)
        code += [_row(b.MOV, mine, len(registers) - 1), _row(b.JMP, entry)]
    return tuple(entries)


def _row(*fields: int) -> list[int]:
    return [*fields, *[0] * (b.WIDTH - len(fields))]
