"""The reference semantics: the programs themselves, as Python generators, one step at a time.

One generator a thread, a memory of :mod:`locksim.checker.replay.reference_memory`, and an idea of
its own of who holds a lock. Nothing here knows of bytecode, registers or states. What it confirms
is therefore a violation of the language's own semantics.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from locksim.checker.models.model import address_of, machine_of
from locksim.checker.replay.reference_memory import Race, SequentialMemory, StoreBuffers, Views
from locksim.core.memory import allocate, build, release, structs
from locksim.lang import Workload, ops
from locksim.lang.ops import Kind, Mark, Op, Order

HEAP_LINES = 16


class Violation(Exception):
    """What went wrong; the first argument is a kind of :class:`Counterexample`."""


class ReferenceMachine:
    """The threads, their memory, and what has happened.

    Arguments:
        workload: what runs. n_threads: on how many threads.
        memory: "sc", "tso" or "c11".
        types: the structs that the programs allocate.
        plain: names of words that are not atomic, beside those that are declared so; None: races
            are not looked for.
        heap_lines: lines that ``alloc`` can hand out.
        nodes: of each thread, where the programs ask for it.
    """

    def __init__(
        self,
        workload: Workload,
        n_threads: int,
        memory: str,
        types: Iterable[type[Any]] = (),
        plain: Iterable[str] | None = (),
        heap_lines: int = HEAP_LINES,
        nodes: Sequence[int] = (),
    ) -> None:
        tables, self.nodes = machine_of(n_threads), nodes
        kinds = list(types)
        self.current = 0
        self.pending: list[Op | None] = [None] * n_threads
        self.memory = build(workload, tables, kinds, heap_lines=heap_lines)
        self.model = self._memory_model(memory, plain)
        self.writer: dict[int, list[int]] = defaultdict(list)
        self.readers: dict[int, list[int]] = defaultdict(list)
        self.asleep: set[int] = set()
        self.woken: set[int] = set()
        self.permits: set[int] = set()
        self.marks: list[tuple[int, Mark]] = []
        self.programs: list[Any] = [self.memory.root.thread() for _ in range(n_threads)]
        for thread in range(n_threads):
            self._advance(thread, None)

    def _memory_model(self, memory: str, plain: Iterable[str] | None) -> SequentialMemory:
        if memory == "c11":
            words = {address_of(self.memory, name) for name in plain or ()}
            words |= {*self.memory.plain} if plain is not None else set()
            return Views(self.memory, self.n_cpus(), self._touch, words)
        kind = StoreBuffers if memory == "tso" else SequentialMemory
        return kind(self.memory, self.n_cpus(), self._touch)

    # What the programs ask

    def cpu(self) -> int:
        """The number of the running thread's CPU."""
        return self.current

    thread = cpu

    def node(self) -> int:
        """The node of that CPU."""
        return self.nodes[self.current]

    def n_cpus(self) -> int:
        """As many as threads."""
        return len(self.pending)

    n_threads = n_cpus

    def now(self) -> int:
        """There is no clock: a program that asks for the time is refused before."""
        return 0

    def random(self) -> int:
        """Nothing is random: a draw that decides anything is a step of its own."""
        return 0

    def view(self, target: type[Any], address: int) -> Any:
        """The struct of a class at an address."""
        return self.memory.space.view(target, address)

    # Steps

    def options(self, thread: int) -> list[tuple[int, int]]:
        """What the thread's pending operation may do: pairs of old and new; none if it waits.

        Raises:
            Violation: it can only go wrong.
        """
        op = self.pending[thread]
        if op is None:
            return []
        try:
            if Kind.LOAD <= op.kind <= Kind.FETCH_XOR:
                return self.model.options(thread, op)
        except Race:
            raise Violation("race") from None
        waits = op.kind == Kind.BLOCK and thread in self.asleep
        return [] if waits else [(0, op.a if op.kind == Kind.WAKE else 0)]

    def run(self, thread: int, option: int = 0) -> bool:
        """Do the thread's pending operation, and go on to the next; False if it has to wait.

        Raises:
            Violation: something goes wrong.
        """
        op = self.pending[thread]
        if op is None:
            return False
        result: Any = 0
        try:
            if Kind.LOAD <= op.kind <= Kind.FETCH_XOR:
                if not self.model.options(thread, op):
                    return False
                result = self.model.perform(thread, op, option)
                result = 0 if op.kind == Kind.STORE else result
            elif op.kind == Kind.FENCE:
                if not self.model.fence(thread, op.order):
                    return False
            elif op.kind == Kind.BLOCK:
                return self._block(thread)
            elif op.kind == Kind.WAKE:
                (self.woken if op.a in self.asleep else self.permits).add(op.a)
                self.asleep.discard(op.a)
                self.model.wake(thread, op.a)
            elif op.kind == Kind.ALLOC:
                assert op.target is not None
                line = allocate(self.memory, self.memory.types.index(op.target), thread, 0)
                result = self.view(op.target, line * self.memory.space.words_per_line)
            elif op.kind == Kind.FREE:
                self._free(thread, op.a)
        except Race:
            raise Violation("race") from None
        self._advance(thread, op.wrap(result) if op.wrap is not None else result)
        return True

    def restart(self, thread: int) -> None:
        """Let a thread that has returned run its program once more.

        Raises:
            Violation: something goes wrong before its first operation.
        """
        self.programs[thread] = self.memory.root.thread()
        self._advance(thread, None)

    def flush(self, thread: int) -> tuple[int, int]:
        """The thread's oldest buffered store becomes visible.

        Raises:
            Violation: its word belongs to no live object any more.
        """
        assert isinstance(self.model, StoreBuffers)
        return self.model.flush(thread)

    @property
    def over(self) -> bool:
        """Whether all threads have returned and all stores are visible."""
        return not any(self.pending) and not any(self.model.buffers)

    def word(self, name: str) -> int:
        """A word's value, by its name."""
        return int(self.memory.words[address_of(self.memory, name)])

    def invariants_hold(self) -> bool:
        """Whether every ``invariant()`` holds of the memory that all threads agree on."""
        found = (getattr(struct, "invariant", None) for struct, _ in structs(self.memory.root, ""))
        ops.set_context(self)
        try:
            for invariant in filter(None, found):
                self._ask(invariant())
        except (AssertionError, IndexError, ZeroDivisionError, ValueError, Violation):
            return False
        finally:
            ops.set_context(None)
        return True

    def _ask(self, program: Any) -> None:
        """Run a program that only loads, at once; one that loads nothing has run already."""
        result: Any = None
        while program is not None:
            try:
                op = program.send(result)
            except StopIteration:
                return
            if op.kind == Kind.LOAD:
                self._touch(op.address)
                value = int(self.memory.words[op.address])
                result = op.wrap(value) if op.wrap is not None else value

    def leaked(self) -> list[int]:
        """Addresses of live objects that nothing live points to, wherever one starts looking."""
        wpl = self.memory.space.words_per_line
        lines = {
            int(start): int(self.memory.type_lines[self.memory.object_type[start] - 1])
            for start in range(len(self.memory.live))
            if self.memory.object_type[start]
        }
        objects = {line for start, n in lines.items() for line in range(start, start + n)}
        reached: set[int] = set()
        todo = [
            int(self.memory.words[address])
            for address in range(len(self.memory.words))
            if address // wpl not in objects and self.memory.live[address // wpl]
        ]
        while todo:
            line = todo.pop() // wpl
            for start, n in lines.items():
                if start <= line < start + n and start not in reached:
                    reached.add(start)
                    todo += [int(v) for v in self.memory.words[start * wpl : (start + n) * wpl]]
        return [start * wpl for start in lines if start not in reached]

    def _advance(self, thread: int, result: Any) -> None:
        """Run a thread to the next operation that others can notice."""
        self.current = thread
        ops.set_context(self)
        try:
            while True:
                op = self.programs[thread].send(result)
                result = 0
                if op.kind == Kind.MARK:
                    self._mark(thread, Mark(op.a), op.address)
                elif op.kind in (Kind.PAUSE, Kind.COMPUTE):
                    continue
                elif op.kind == Kind.FENCE and not (
                    op.order == Order.SEQ_CST and self.model.full_fences_wait
                ):
                    self.model.fence(thread, op.order)
                else:
                    self.pending[thread] = op
                    return
        except StopIteration:
            self.pending[thread] = None
        except AssertionError as e:
            raise Violation("assertion") from e
        except (IndexError, ZeroDivisionError, ValueError) as e:
            raise Violation("fault") from e
        finally:
            ops.set_context(None)

    def _block(self, thread: int) -> bool:
        if thread in self.asleep:
            return False
        passes = self.woken if thread in self.woken else self.permits
        if thread not in passes:
            self.asleep.add(thread)
            return True
        passes.remove(thread)
        self.model.woken(thread)
        self._advance(thread, 0)
        return True

    def _free(self, thread: int, address: int) -> None:
        line = address // self.memory.space.words_per_line
        kind = self.memory.object_type[line] if 0 < line < len(self.memory.live) else 0
        if not release(self.memory, address, thread):
            raise Violation("memory")
        lines = int(self.memory.type_lines[kind - 1])
        self.model.freed(thread, address, address + lines * self.memory.space.words_per_line)

    def _touch(self, address: int) -> None:
        """Fault unless a word belongs to a live object."""
        line = address // self.memory.space.words_per_line
        if not 0 <= line < len(self.memory.live) or not self.memory.live[line]:
            raise Violation("memory")

    def _mark(self, thread: int, mark: Mark, lock: int) -> None:
        """Keep track of who is inside, each as often as it entered."""
        self.marks.append((thread, mark))
        writer, readers = self.writer[lock], self.readers[lock]
        match mark:
            case Mark.ACQUIRED | Mark.READ_ACQUIRED:
                reads = mark == Mark.READ_ACQUIRED
                again = thread in writer and self.memory.recursive[self.memory.lock_of[lock] - 1]
                if not again and (writer or (readers and not reads)):
                    raise Violation("exclusion")
                (readers if reads else writer).append(thread)
            case Mark.RELEASED | Mark.READ_RELEASED:
                inside = writer if mark == Mark.RELEASED else readers
                if thread not in inside:
                    raise Violation("exclusion")
                inside.remove(thread)
