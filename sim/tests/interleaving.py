"""A driver that interleaves the threads of a program at random (the fixture ``interleave``).

It runs the generators themselves on a workload's initial memory, one operation at a time, in an
order drawn from a seed, with sequentially consistent memory. It knows no costs, so it meets orders
of events that a timed engine may never show; and every few hundred operations it picks a thread
that nearly stands still for a while, so that others do much between two of its steps. It fails the
test (:class:`ViolationError`) when a lock lets two in, when dead memory is used, and when a finite
program does not end.
"""

from __future__ import annotations

import dataclasses
import functools
import random
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from locksim import machine
from locksim.core import memory
from locksim.lang import Struct, Workload, ops
from locksim.lang.ops import Kind, Mark, Op

WORDS_PER_LINE = 8
STRETCH = 300  # operations between two choices of the slow thread
SLOWNESS = 0.98  # share of the operations from which the slow thread is left out
SPECIAL = frozenset(
    {
        *(Kind.FENCE, Kind.PAUSE, Kind.COMPUTE, Kind.MARK),
        *(Kind.BLOCK, Kind.WAKE, Kind.ALLOC, Kind.FREE),
    }
)
"""What is no access to a word."""


class ViolationError(AssertionError):
    """The program did what it must never do."""


@dataclass
class Holders:
    """Who holds one lock, as far as its marks tell."""

    writer: int | None = None
    readers: set[int] = field(default_factory=set)


@dataclass
class Driver:
    """One run: the memory, the threads, and what has happened so far.

    Arguments:
        memory: the run's own memory.
        n_cpus: threads, one on each CPU.
        seed: of the schedule, of the threads' nodes, and of every thread's own stream of random
            numbers.
        log: (thread, mark, subject) of every mark, in order.
        moments: for every entry of ``log``, how many operations had been performed by then.
        performed: (thread, operation) of every operation that is no mark, in order.
        live_objects: objects allocated and not freed.
    """

    memory: memory.Memory
    n_cpus: int
    seed: int
    log: list[tuple[int, Mark, int]] = field(default_factory=list)
    moments: list[int] = field(default_factory=list)
    performed: list[tuple[int, Op]] = field(default_factory=list)
    live_objects: int = 0
    steps: int = 0
    no_memory: bool = False
    _thread: int = 0
    _slow: int = 0
    _holders: dict[int, Holders] = field(default_factory=dict)
    _asleep: set[int] = field(default_factory=set)
    _permits: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._schedule = random.Random(self.seed)
        nodes, dice = range(self.memory.space.places["node"]), random.Random(f"{self.seed} nodes")
        self.nodes = [dice.choice(nodes) for _ in range(self.n_cpus)]
        self._streams = [random.Random(f"{self.seed} {t}") for t in range(self.n_cpus)]

    # The context that cpu(), thread(), random_below() and pointers ask.
    def cpu(self) -> int:
        return self._thread

    thread = cpu

    def n_cpus_(self) -> int:
        return self.n_cpus

    def random(self) -> int:
        return self._streams[self._thread].getrandbits(62)

    def view(self, target: type[Any], address: int) -> Any:
        return self.memory.space.view(target, address)

    def word(self, ref: Any) -> int:
        """What a word holds now: ``run.word(run.root.lock.locked)``."""
        return int(self.memory.words[int(ref)])

    @property
    def root(self) -> Any:
        """The workload, placed in this run's memory."""
        return self.memory.root

    def marks(self, *wanted: Mark) -> list[int]:
        """The threads that left these marks, in order."""
        return [thread for thread, mark, _ in self.log if mark in wanted]

    def run(self, programs: list[Generator[Op, Any, Any]], steps: int, finite: bool) -> None:
        """Take one step of a random thread after another.

        Arguments:
            programs: one generator for each thread.
            steps: operations after which to stop.
            finite: True if all programs must have ended by then.
        """
        results: list[Any] = [None] * len(programs)
        running = list(range(len(programs)))
        ops.set_context(_Context(self))
        try:
            while running and self.steps < steps:
                ready = [t for t in running if t not in self._asleep] if self._asleep else running
                if not ready:
                    raise ViolationError(f"threads {running} sleep and nobody is left to wake them")
                self._thread = self._choose(ready)
                self.steps += 1
                try:
                    op = programs[self._thread].send(results[self._thread])
                except StopIteration:
                    running.remove(self._thread)
                    continue
                value = self._apply(op)
                results[self._thread] = op.wrap(value) if op.wrap is not None else value
        finally:
            ops.set_context(None)
        if finite and running:
            raise ViolationError(f"threads {running} have not ended after {steps} steps")

    def _choose(self, ready: list[int]) -> int:
        if self.steps % STRETCH == 0:
            self._slow = self._schedule.choice(ready)
        if self._slow in ready and len(ready) > 1 and self._schedule.random() < SLOWNESS:
            ready = [t for t in ready if t != self._slow]
        return self._schedule.choice(ready)

    def _apply(self, op: Op) -> Any:
        if op.kind != Kind.MARK:
            self.performed.append((self._thread, op))
        return self._special(op) if op.kind in SPECIAL else self._access(op)

    def _access(self, op: Op) -> int:
        words = self.memory.words
        line = op.address // WORDS_PER_LINE
        if not 0 <= line < len(self.memory.live) or not self.memory.live[line]:
            raise ViolationError(f"{op.kind.name} of dead memory: {self.memory.name(op.address)}")
        old = int(words[op.address])
        if op.kind != Kind.LOAD:
            words[op.address] = memory.wrap64(memory.new_value(op.kind, old, op.a, op.b))
        return old

    def _special(self, op: Op) -> Any:
        match op.kind:
            case Kind.FENCE | Kind.PAUSE | Kind.COMPUTE:
                return 0
            case Kind.MARK:
                return self._mark(Mark(op.a), op.address)
            case Kind.BLOCK:
                if self._thread in self._permits:
                    self._permits.remove(self._thread)
                else:
                    self._asleep.add(self._thread)
                return 0
            case Kind.WAKE:
                if op.a in self._asleep:
                    self._asleep.remove(op.a)
                else:
                    self._permits.add(op.a)
                return 0
            case Kind.ALLOC:
                return self._alloc(op)
            case Kind.FREE:
                if not memory.release(self.memory, op.a, self._thread):
                    raise ViolationError(f"free of {op.a}, which is no live object")
                self.live_objects -= 1
                return 0
        raise AssertionError(op.kind)

    def _alloc(self, op: Op) -> Any:
        assert op.target is not None
        kind = self.memory.types.index(op.target)
        line = 0 if self.no_memory else memory.allocate(self.memory, kind, self._thread, 0)
        self.live_objects += line != 0
        return self.memory.space.view(op.target, line * WORDS_PER_LINE)

    def _mark(self, mark: Mark, subject: int) -> int:
        self.log.append((self._thread, mark, subject))
        self.moments.append(len(self.performed))
        holders = self._holders.setdefault(subject, Holders())
        match mark:
            case Mark.ACQUIRED:
                if holders.writer is not None or holders.readers:
                    raise ViolationError(f"thread {self._thread} enters beside {holders}")
                holders.writer = self._thread
            case Mark.READ_ACQUIRED:
                if holders.writer is not None:
                    raise ViolationError(f"reader {self._thread} enters beside {holders}")
                holders.readers.add(self._thread)
            case Mark.RELEASED:
                if holders.writer != self._thread:
                    raise ViolationError(f"thread {self._thread} releases what {holders} has")
                holders.writer = None
            case Mark.READ_RELEASED:
                if self._thread not in holders.readers:
                    raise ViolationError(f"reader {self._thread} releases what {holders} has")
                holders.readers.remove(self._thread)
        return 0


class _Context:
    """What the language asks about the running thread."""

    def __init__(self, driver: Driver) -> None:
        self.cpu = self.thread = driver.cpu
        self.node = lambda: driver.nodes[driver.cpu()]
        self.n_cpus = self.n_threads = driver.n_cpus_
        self.now = lambda: driver.steps
        self.random, self.view = driver.random, driver.view


@functools.cache
def _tables(n_cpus: int, n_nodes: int) -> machine.MachineTables:
    tables = machine.load("ideal-1024").tables(n_cpus, "compact")
    return dataclasses.replace(tables, n_nodes=n_nodes)


def interleave(
    workload: Workload,
    n_threads: int,
    seed: int,
    *,
    types: tuple[type[Struct], ...] = (),
    steps: int = 200_000,
    finite: bool = True,
    no_memory: bool = False,
    nodes: int = 2,
) -> Driver:
    """Run a workload and give the driver back.

    Arguments:
        workload: a description. n_threads: one for each CPU. seed: of the schedule.
        types: the structs that its programs allocate.
        steps: operations after which to stop; the default is enough for small finite programs.
        finite: False for programs that go on for ever.
        no_memory: True makes every allocation fail.
        nodes: NUMA nodes, over which the threads are spread by the seed.

    Raises:
        ViolationError: see the module's description.
    """
    image = memory.build(workload, _tables(n_threads, nodes), list(types), heap_lines=2048)
    driver = Driver(image, n_threads, seed, no_memory=no_memory)
    ops.set_context(_Context(driver))
    driver.run([image.root.thread() for _ in range(n_threads)], steps, finite)
    return driver
