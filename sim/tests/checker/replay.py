"""A counterexample, replayed on the generators themselves: nothing here is compiled or shared.

The interpreter runs the programs as Python, one generator a thread, and does exactly the steps that
the counterexample lists: its own memory, its own store buffers, its own idea of who holds a lock.
It knows nothing of bytecode, registers or states. What it confirms is therefore a violation of the
language's own semantics.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from locksim import machine
from locksim.checker import Counterexample
from locksim.lang import Workload, ops
from locksim.lang.ops import SEQ_CST, Kind, Mark
from locksim.memory import allocate, build, new_value, release, wrap64

FAIR_ROUNDS = 3000
"""Turns of every thread after which a program that has not ended counts as stuck."""


class Violation(Exception):
    """What went wrong; the first argument is a kind of :class:`Counterexample`."""


@dataclass
class Machine:
    """The threads, their memory, and what has happened.

    Arguments:
        workload: what runs. n_threads: on how many threads. tso: stores go through buffers.
        types: the structs that the programs allocate. choices: what random_below() gives, in order.
    """

    workload: Workload
    n_threads: int
    tso: bool
    types: list[Any] = field(default_factory=list)
    current: int = 0

    def __post_init__(self) -> None:
        tables = machine.load("ideal-8").tables(self.n_threads, "compact")
        heap = 16 if self.types else 0
        self.memory = build(self.workload, tables, self.types, heap_lines=heap)
        self.buffers: list[list[tuple[int, int]]] = [[] for _ in range(self.n_threads)]
        self.writer: dict[int, int] = {}
        self.readers: dict[int, set[int]] = {}
        self.pending: list[Any] = [None] * self.n_threads
        self.asleep: set[int] = set()
        self.woken: set[int] = set()
        self.permits: set[int] = set()
        self.programs = [self.memory.root.thread() for _ in range(self.n_threads)]
        for thread in range(self.n_threads):
            self.advance(thread, None)

    # What the language asks.
    def cpu(self) -> int:
        return self.current

    thread = cpu

    def n_cpus(self) -> int:
        return self.n_threads

    def random(self) -> int:
        return 0

    def view(self, target: type[Any], address: int) -> Any:
        return self.memory.space.view(target, address)

    # Steps

    def advance(self, thread: int, result: Any) -> None:
        """Run a thread to the next operation that others can notice."""
        self.current = thread
        ops.set_context(self)
        try:
            while True:
                op = self.programs[thread].send(result)
                result = 0
                if op.kind == Kind.MARK:
                    self.mark(thread, Mark(op.a), op.address)
                elif op.kind in (Kind.PAUSE, Kind.COMPUTE):
                    continue
                elif op.kind != Kind.FENCE or (op.order == SEQ_CST and self.tso):
                    self.pending[thread] = op
                    return
        except StopIteration:
            self.pending[thread] = None
        except AssertionError as e:
            raise Violation("assertion") from e
        finally:
            ops.set_context(None)

    def flush(self, thread: int) -> tuple[int, int]:
        """The thread's oldest store becomes visible."""
        address, value = self.buffers[thread].pop(0)
        self.touch(address)
        old = int(self.memory.words[address])
        self.memory.words[address] = value
        return old, value

    def run(self, thread: int) -> tuple[int, int] | None:
        """The thread's pending operation; the word before and after, None if it has to wait."""
        op, buffer = self.pending[thread], self.buffers[thread]
        if op is None:
            return None
        words = self.memory.words
        plain_store = op.kind == Kind.STORE and op.order != SEQ_CST
        waits_for_buffer = op.kind in range(Kind.STORE, Kind.FENCE + 1) and not plain_store
        if waits_for_buffer and buffer:
            return None
        old = new = 0
        if Kind.LOAD <= op.kind <= Kind.FETCH_XOR:
            self.touch(op.address)
            old = int(words[op.address])
            new = wrap64(new_value(op.kind, old, op.a, op.b))
            if op.kind == Kind.LOAD:
                mine = [value for address, value in buffer if address == op.address]
                old = new = mine[-1] if mine else old
            elif plain_store and self.tso:
                buffer.append((op.address, new))
            else:
                words[op.address] = new
        result: Any = 0 if op.kind == Kind.STORE else old
        if op.kind == Kind.BLOCK:
            if thread in self.asleep:
                return None
            passes = self.woken if thread in self.woken else self.permits
            if thread not in passes:
                self.asleep.add(thread)
                return 0, 0
            passes.remove(thread)
        elif op.kind == Kind.WAKE:
            new = op.a
            (self.woken if op.a in self.asleep else self.permits).add(op.a)
            self.asleep.discard(op.a)
        elif op.kind == Kind.ALLOC:
            line = allocate(self.memory, self.memory.types.index(op.target), thread, 0)
            result = new = line * self.memory.space.words_per_line
            result = self.view(op.target, result)
        elif op.kind == Kind.FREE and not release(self.memory, op.a, thread):
            raise Violation("memory")
        self.advance(thread, op.wrap(result) if op.wrap is not None else result)
        return old, new

    def touch(self, address: int) -> None:
        """Fault unless a word belongs to a live object."""
        line = address // self.memory.space.words_per_line
        if not 0 <= line < len(self.memory.live) or not self.memory.live[line]:
            raise Violation("memory")

    def mark(self, thread: int, mark: Mark, lock: int) -> None:
        """Keep track of who is inside."""
        readers = self.readers.setdefault(lock, set())
        match mark:
            case Mark.ACQUIRED:
                if lock in self.writer or readers:
                    raise Violation("exclusion")
                self.writer[lock] = thread
            case Mark.READ_ACQUIRED:
                if lock in self.writer or thread in readers:
                    raise Violation("exclusion")
                readers.add(thread)
            case Mark.RELEASED:
                if self.writer.pop(lock, None) != thread:
                    raise Violation("exclusion")
            case Mark.READ_RELEASED:
                if thread not in readers:
                    raise Violation("exclusion")
                readers.remove(thread)

    @property
    def over(self) -> bool:
        """Whether all threads have returned and all stores are visible."""
        return not any(self.pending) and not any(self.buffers)


def replay(
    counterexample: Counterexample,
    workload: Workload,
    expect: dict[str, int],
    *,
    tso: bool,
    types: list[Any] | None = None,
) -> str:
    """Do the steps and say what is wrong at their end, as :class:`Counterexample` names it.

    Arguments:
        counterexample: the steps. workload: the same description that was checked.
        expect: word's name → its value when all threads have finished.
        tso: stores go through buffers. types: what the programs allocate.

    Raises:
        AssertionError: a step can not happen, reads or writes something else, or the path shows
            nothing wrong.
    """
    vm = Machine(workload, counterexample.threads, tso, types or [])
    for number, step in enumerate(counterexample.steps, start=1):
        last = number == len(counterexample.steps)
        try:
            did = vm.flush(step.thread) if step.action == "flush" else vm.run(step.thread)
        except Violation as violation:
            if not last:
                raise AssertionError(f"step {number} already shows {violation}") from violation
            return str(violation)
        assert did is not None, f"step {number} can not happen"
        if step.operation not in ("fence", "block", "free", "random"):
            assert did == (step.old, step.new), f"step {number} does something else"
        named = [[(vm.memory.name(a), v) for a, v in buffer] for buffer in vm.buffers]
        assert named == [[entry[:2] for entry in buffer] for buffer in step.buffers]
    if vm.over:
        words = {name: int(vm.memory.words[address]) for address, name in vm.memory.names}
        assert any(words[name] != value for name, value in expect.items()), "nothing is wrong"
        return "assertion"
    for _ in range(FAIR_ROUNDS):
        for thread in range(vm.n_threads):
            if vm.buffers[thread]:
                vm.flush(thread)
            vm.run(thread)
    assert not vm.over, "the threads have finished after all"
    return "deadlock"
