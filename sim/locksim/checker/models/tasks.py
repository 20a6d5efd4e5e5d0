"""More threads than CPUs: ``switch``, ``cpu()`` and ``now()`` in terms of what the models know.

To the models every thread runs on a CPU of its own for ever. A program that schedules tasks is
rewritten so that this is no difference. The word ``running[t]`` says on which CPU thread t runs, by
its number + 1, or 0 while it is put aside. ``switch(t)`` becomes: put 0 into one's own word;
exchange t's word for the CPU's number; wait until one's own word is not 0 again. The exchange must
find a 0, else a task runs on two CPUs: that is a failed assertion, and named. A thread keeps its
CPU's number in a register, which is what ``cpu()`` gives. The exchange orders as the engines'
switch does: the store buffer is empty before it, and who goes on knows what the CPU knew.

``now()`` reads the word ``clock`` and may move it on first, at every call anew: by nothing, or past
the end of any time slice. It never falls. Two moves are all, so that there are not endlessly many
states.

``timer()`` does nothing: no task is interrupted. A task may stop for ever so long before any
operation, as a preempted one does; but it goes on where it was, on the same CPU.

Where tasks are switched, the marks of locks count for nothing: a scheduler may take its lock in one
task and release it in the next. What happens without mutual exclusion is found all the same.

``block`` and ``wake`` stay: only a CPU's first thread, number i on CPU i, may call ``block``.
"""

from __future__ import annotations

from dataclasses import dataclass

from locksim.checker.errors import CheckError
from locksim.compiler import bytecode as b
from locksim.core.client import MOST, SwitchedTasks
from locksim.core.memory import Memory
from locksim.lang.ops import Mark, Order
from locksim.lang.struct import Workload

JUMP = 1 << 40
"""How far the clock moves, in picoseconds: a second, longer than any time slice."""
_MOVES = 3
"""Values of a choice of ``now()``: the clock has moved never, once, or twice."""
_LOCK_MARKS = range(Mark.ACQUIRE_START, Mark.READ_TRY_FAILED + 1)


@dataclass(frozen=True, slots=True)
class Switching:
    """Where the words are, and how many CPUs and threads there are."""

    running: int
    stopped: int
    clock: int
    n_cpus: int
    n_threads: int


def switching(workload: Workload, memory: Memory, n_cpus: int, tasks: int) -> Switching:
    """The words of a workload with tasks; those of the CPUs' first threads get their values.

    Raises:
        CheckError: it is not derived from SwitchedTasks, or has too many threads.
    """
    name = type(workload).__name__
    if not isinstance(workload, SwitchedTasks):
        raise CheckError(
            f"{name} has tasks: the checker takes them only from a workload that is derived from "
            "locksim.core.client.SwitchedTasks"
        )
    if n_cpus + tasks > MOST:
        raise CheckError(f"{name}: {n_cpus} CPUs and {tasks} tasks: give at most {MOST} in all")
    at = {found: address for address, found in memory.names}
    for i in range(n_cpus):
        memory.words[at[f"running[{i}]"]] = i + 1
    return Switching(at["running[0]"], at["stopped"], at["clock"], n_cpus, n_cpus + tasks)


@dataclass
class Rewritten:
    """A program without ``switch`` and ``now``: rows, registers, and two entries.

    ``source`` says of each row which one it was made of.
    """

    code: list[list[int]]
    source: list[int]
    registers: list[int]
    entry: int
    task_entry: int


def rewritten(
    code: list[list[int]],
    registers: tuple[int, ...],
    entries: tuple[int, int],
    by: Switching,
) -> Rewritten:
    """Rewrite an unfolded program.

    Arguments:
        code: rows without calls. registers: at the start.
        entries: of ``thread()`` and of ``task()``. by: where the words are.
    """
    writer = _Writer(by, list(registers))
    moved = []
    for source, row in enumerate(code):
        moved.append(len(writer.code))
        writer.made_of = source
        writer.row(row)
    for k, target in writer.jumps:
        writer.code[k][1] = moved[target]
    writer.made_of = entries[0]
    first = writer.put(b.THREAD, writer.cpu)
    writer.put(b.JMP, moved[entries[0]])
    writer.made_of = entries[1]
    task = len(writer.code)
    writer.wait()
    writer.put(b.JMP, moved[entries[1]])
    return Rewritten(writer.code, writer.source, writer.registers, first, task)


class _Writer:
    """Writes rows; what follows a switch or a look at the clock is more than one."""

    def __init__(self, by: Switching, registers: list[int]) -> None:
        self.by, self.registers = by, registers
        self.code: list[list[int]] = []
        self.source: list[int] = []
        self.jumps: list[tuple[int, int]] = []
        self.made_of = 0
        constants = (0, 1, _MOVES, JUMP, by.n_cpus)
        self.cpu, self.me, self.at, self.value = (self._register(0) for _ in range(4))
        self.zero, self.one, self.moves, self.jump, self.cpus = map(self._register, constants)

    def _register(self, value: int) -> int:
        self.registers.append(value)
        return len(self.registers) - 1

    def put(self, *fields: int, order: int = 0) -> int:
        """Append a row; gives its index."""
        self.code.append([*fields, *[0] * (b.WIDTH - 1 - len(fields)), order])
        self.source.append(self.made_of)
        return len(self.code) - 1

    def row(self, row: list[int]) -> None:
        """Append what a row of the program becomes."""
        op = row[0]
        if op == b.SWITCH:
            self._switch(row[4])
        elif op == b.NOW:
            self._now(row[1])
        elif op == b.CPU:
            self.put(b.MOV, row[1], self.cpu)
        elif op == b.NCPUS:
            self.put(b.MOV, row[1], self.cpus)
        elif op == b.NODE:
            raise CheckError(
                "node() in a workload with tasks: a task may move to another node, and the checker "
                "does not follow it\nhelp: check the lock by itself"
            )
        elif op == b.TIMER or (op == b.MARK and row[1] in _LOCK_MARKS):
            self.put(b.MOV, self.value, self.zero)
        else:
            self.code.append(list(row))
            self.source.append(self.made_of)
            if b.JMP <= op <= b.JGE:
                self.jumps.append((len(self.code) - 1, row[1]))

    def _switch(self, target: int) -> None:
        self.put(b.THREAD, self.me)
        same = self.put(b.JEQ, 0, target, self.me)
        self._word(self.me)
        self.put(b.STORE, 0, self.at, 0, self.zero, order=Order.RELEASE)
        self._word(target)
        self.put(b.ADDI, self.value, self.cpu, 1)
        self.put(b.SWAP, self.value, self.at, 0, self.value, order=Order.ACQ_REL)
        self.put(b.NOT, self.value, self.value)
        self.put(b.ASSERT, 0, self.value)
        self.wait()
        self.code[same][1] = len(self.code)

    def wait(self) -> None:
        """Wait until a CPU runs this thread; end when all have stopped."""
        self.put(b.THREAD, self.me)
        self._word(self.me)
        again = self.put(b.LOAD, self.cpu, self.at, 0, order=Order.ACQUIRE)
        go_on = self.put(b.JNZ, 0, self.cpu)
        self.put(b.LOAD, self.value, self.zero, self.by.stopped, order=Order.RELAXED)
        self.put(b.JLT, again, self.value, self.cpus)
        self.put(b.EXIT)
        self.code[go_on][1] = self.put(b.ADDI, self.cpu, self.cpu, -1)

    def _word(self, thread: int) -> None:
        count = self.by.n_threads
        self.put(b.INDEX, self.at, self.zero, self.by.running, thread, 1, count)

    def _now(self, result: int) -> None:
        # 0, 1 or 3 times JUMP: each has the bits of those before, so the clock never falls.
        self.put(b.RANDOM, self.value, self.moves)
        self.put(b.SHL, self.value, self.one, self.value)
        self.put(b.ADDI, self.value, self.value, -1)
        self.put(b.MUL, self.value, self.value, self.jump)
        self.put(b.FETCH_OR, result, self.zero, self.by.clock, self.value, order=Order.RELAXED)
        self.put(b.OR, result, result, self.value)
