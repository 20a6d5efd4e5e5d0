"""The reference engine: SimPy drives the programs' generators. It defines correct results.

It implements ``sim/PHYSICS.md`` rule by rule, and values clarity over speed. Every CPU
has two agents: a core (:mod:`locksim.engine.reference.core`), which runs a thread
(:mod:`locksim.engine.reference.threads`), and a store buffer
(:mod:`locksim.engine.reference.agents`). An agent has at most one event in SimPy's heap, which
orders by (time, priority); the priority is the agent's number, so the order is total. The supplier
of a line and the time of a transfer are in :mod:`locksim.engine.reference.coherence`.

It does not jump over spinning: each idle load and each pause is an event.
"""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Generator
from typing import Any, Protocol

import simpy

from locksim.core import faults
from locksim.core.faults import Fault, Wait
from locksim.core.memory import Memory, wrap64
from locksim.core.places import Place
from locksim.core.result import DeadlockError, RunResult, SimulationError
from locksim.engine import meters
from locksim.engine.counters import CPU_COUNTERS
from locksim.engine.reference.agents import Agent, StoreBuffer
from locksim.engine.reference.arbiter import Arbiter
from locksim.engine.reference.caches import Caches
from locksim.engine.reference.coherence import Coherence, Line, Served
from locksim.engine.reference.core import Core
from locksim.engine.reference.threads import Thread
from locksim.engine.trace import EVICTED, GIVEN_UP, MARK, SERVED
from locksim.lang import ops
from locksim.lang.ops import Kind, Mark, Op
from locksim.machine import MachineTables

Program = Generator[Op, Any, Any]


class Observer(Protocol):
    """An observer of a run, which sees the callers of programs."""

    def issued(
        self, cpu: int, thread: int, now: int, program: Program | None, kind: Kind | None
    ) -> None:
        """A CPU issues a thread's operation; None for both means that the thread has returned."""
        ...

    def marked(
        self, thread: int, now: int, program: Program | None, what: Mark, lock: int, stops: int
    ) -> None:
        """A thread passes a lock's mark: as for :func:`locksim.engine.meters.mark`."""
        ...


def run(
    memory: Memory,
    tables: MachineTables,
    *,
    seed: int,
    until_ps: int,
    trace: bool = False,
    stall_ps: int | None = None,
    observer: Observer | None = None,
) -> RunResult:
    """Run a workload from time 0.

    Arguments:
        memory: memory before time 0, with the workload; it is not changed.
        tables: the machine that ``memory`` was built for.
        seed: of the threads' random streams, from 0 to 2**63 - 1.
        until_ps: events before this time are processed.
        trace: True records the rows of :mod:`locksim.engine.trace`.
        stall_ps: None, or the livelock limit: the simulated time after which threads that only wait
            are a livelock. Waiting is everything between the start of an acquisition and its
            success or failure. Elsewhere it is loads, pauses, and atomic operations that do not
            change their word.
        observer: gets every operation and lock mark, with its program; it
            changes nothing.

    Raises:
        SimulationError: a fault of the program.
        DeadlockError: no thread can go on, or the threads have only waited for ``stall_ps``.
    """
    if until_ps < 0:
        raise SimulationError(f"the end of a run must be at least 0 ps (got {until_ps})")
    if not 0 <= seed < 1 << 63:
        raise SimulationError(f"a seed must be between 0 and 2**63 - 1 (got {seed})")
    if memory.space.n_cpus != tables.n_cpus:
        raise SimulationError(
            f"memory is laid out for {memory.space.n_cpus} CPUs and the machine has "
            f"{tables.n_cpus}: build both for the same number"
        )
    try:
        return Engine(memory, tables, seed, trace, stall_ps, observer).run(until_ps)
    finally:
        ops.set_context(None)


class Engine:
    """The simulated machine: clock, memory, lines, agents and counters."""

    def __init__(
        self,
        memory: Memory,
        tables: MachineTables,
        seed: int,
        trace: bool,
        stall_ps: int | None,
        observer: Observer | None = None,
    ) -> None:
        self.observer = observer
        self.env = simpy.Environment(initial_time=0)
        self.memory = dataclasses.replace(
            memory,
            **{
                name: getattr(memory, name)[:]
                for name in ("words", "home", "live", "object_type", "free_next")
            },
            free_head=[heads.copy() for heads in memory.free_head],
        )
        self.tables, self.seed, self.stall_ps = tables, seed, stall_ps
        self.coherence = Coherence(tables, seed)
        self.arbiter = Arbiter(tables, seed)
        self.caches = Caches(tables, memory.place) if tables.private_sets else None
        self.lines: dict[int, Line[Agent]] = {}
        self.counts = [dict.fromkeys(CPU_COUNTERS, 0) for _ in range(tables.n_cpus)]
        self.locks: dict[tuple[int, int], int] = defaultdict(int)
        self.locks.update(dict.fromkeys(meters.fresh(memory.recursive), 1))
        self.durations: dict[tuple[int, int], int] = defaultdict(int)
        self.threads = [Thread(self, number) for number in range(memory.space.n_threads)]
        self.meter: dict[tuple[int, int, int], int] = defaultdict(int)
        self.rows: list[tuple[int, int, int, int, int]] | None = [] if trace else None
        self.origins: list[tuple[int, int, int]] = []
        self.places: dict[Place, int] = {}
        self.events = 0
        self.finished = 0
        self.progress_ps = 0
        self.cores = [Core(self, cpu, self.threads[cpu]) for cpu in range(tables.n_cpus)]

    @property
    def now(self) -> int:
        """The time in picoseconds."""
        return int(self.env.now)

    def run(self, until_ps: int) -> RunResult:
        """Process all events before ``until_ps``."""
        starts_ps = self.tables.starting_places or (0,) * len(self.cores)
        for core, start_ps in zip(self.cores, starts_ps, strict=True):
            core.at(start_ps, core.start)
        while self.env.peek() < until_ps:
            self.env.step()
            self.events += 1
            if self.stall_ps is not None and self.now - self.progress_ps > self.stall_ps:
                raise DeadlockError(faults.livelock_message(*self._waits(), self.now))
        over = self.env.peek() == math.inf
        if over and self.finished < len(self.cores):
            raise DeadlockError(faults.deadlock_message(*self._waits(), self.now))
        lines = [0] * len(self.memory.home)
        for line in self.lines.values():
            lines[line.number] = line.transactions
        end_ps, n_locks = self.now if over else until_ps, len(self.memory.locks)
        return RunResult(
            end_ps=end_ps,
            events=self.events,
            finished=self.finished,
            cpu=[list(count.values()) for count in self.counts],
            locks=meters.rows(meters.end_window(self.locks, n_locks, end_ps), n_locks),
            durations=dict(self.durations),
            lines=lines,
            trace=self.rows,
            memory=self.memory.words,
            origins=None if self.rows is None else self.origins,
            places=tuple(self.places),
        )

    def record(self, agent: Agent, what: int, address: int = 0, value: int = 0) -> None:
        """Write a row of the trace, with its provenance."""
        if self.rows is not None:
            self.rows.append((self.now, agent.number, what, address, value))
            place = -1
            if what < MARK:
                place = self.places.setdefault(agent.place(), len(self.places))
            served = what == SERVED
            asked_ps = agent.asked_ps if served else self.now
            self.origins.append((place, asked_ps, (agent.exclusive + agent.far) * served))

    def progress(self, until_ps: int = 0) -> None:
        """Note that a thread does more than wait, now or in a computation until ``until_ps``."""
        self.progress_ps = max(self.progress_ps, self.now, until_ps)

    # Memory

    def alive(self, address: int) -> bool:
        """Whether a word belongs to a live object."""
        line = address // self.memory.space.words_per_line
        return 0 <= line < len(self.memory.live) and bool(self.memory.live[line])

    def read(self, address: int) -> int:
        """A word's value."""
        return self.memory.words[address]

    def write(self, address: int, value: int) -> None:
        """Change a word, in 64 bits."""
        self.memory.words[address] = wrap64(value)
        self.line(address).modified = True

    def line(self, address: int) -> Line[Agent]:
        """The cache line of a word."""
        number = address // self.memory.space.words_per_line
        if number not in self.lines:
            self.lines[number] = Line(number, self.memory.home[number])
        return self.lines[number]

    # Requests for lines

    def request(
        self, agent: Agent, line: Line[Agent], exclusive: bool, *, far: bool = False
    ) -> None:
        """Serve an agent's request for a line now, or queue it; ``far``: of a far atomic."""
        agent.exclusive, agent.asked_ps, agent.passed, agent.asked = exclusive, self.now, 0, True
        agent.far = far
        if not line.queue and line.servable_at(exclusive) <= self.now:
            self._serve(agent, line)
        else:
            line.queue.append(agent)
            if len(line.queue) == 1:
                agent.at(line.servable_at(exclusive), lambda: self._serve_next(line))

    def _serve_next(self, line: Line[Agent]) -> None:
        head = line.queue[0]
        selected = self.arbiter.select(line)
        if line.servable_at(selected.exclusive) > self.now:
            # Another request than the head, or a write-back is running: a CPU has evicted the line
            # since this event was made.
            head.at(line.servable_at(selected.exclusive), lambda: self._serve_next(line))
            return
        for passed in range(line.queue.index(selected)):
            line.queue[passed].passed += 1
        line.queue.remove(selected)
        self._serve(selected, line)
        if line.queue:
            head = line.queue[0]
            time_ps = max(self.now, line.servable_at(head.exclusive))
            head.at(time_ps, lambda: self._serve_next(line))

    def _serve(self, agent: Agent, line: Line[Agent]) -> None:
        atomic = agent.exclusive and not isinstance(agent, StoreBuffer)
        waited_ps = self.now - agent.asked_ps
        kept = line.kept
        served = self.coherence.serve(
            line,
            agent.holder,
            agent.exclusive,
            self.now,
            atomic=atomic,
            waited_ps=waited_ps,
            far=agent.far,
        )
        agent.count(served.counter)
        agent.count("queue_ps", waited_ps)
        agent.count("miss_ps", served.completes_ps - agent.asked_ps)
        for loser in served.losers:
            self.counts[loser]["invalidated"] += 1
        self.record(agent, SERVED, line.number, served.completes_ps)
        if self.caches is not None:
            for node in kept - line.kept:
                self.caches.shared[node].drop(line.number)
            self._make_room(self.caches, agent, line, served)
        agent.delay_ps = served.delay_ps

        def arrive() -> None:
            agent.asked = False
            agent.complete()

        agent.at(served.completes_ps, arrive)

    def _make_room(self, caches: Caches, agent: Agent, line: Line[Agent], served: Served) -> None:
        """Update the caches after a served request, and evict lines to make room."""
        for loser in served.losers:
            caches.lose(loser, line.number)
        if served.counter != "hits" and caches.had(
            agent.holder, line.number, exclusive=agent.exclusive
        ):
            agent.count("capacity")
        if served.at_home:
            caches.lose(agent.holder, line.number)
            return
        node = self.tables.node_of[agent.cpu]
        put = None
        if served.counter != "hits" and node in line.kept:
            if self.tables.shared_inclusive:
                put = line.number
            else:
                caches.shared[node].use(line.number)
        victim = caches.use(agent.holder, line.number)
        if victim is not None:
            agent.count("evictions")
            back = self.coherence.evict(self.lines[victim], agent.holder, self.now)
            agent.count("writebacks", int(back and not caches.shared))
            self.record(agent, EVICTED, victim, int(back))
            if not self.tables.shared_inclusive:
                put = victim
        if caches.shared and put is not None:
            self._share(caches, agent, put)

    def _share(self, caches: Caches, agent: Agent, number: int) -> None:
        """Use a line in the shared cache of an agent's node, and give one up to make room."""
        victim = caches.shared[self.tables.node_of[agent.cpu]].use(number)
        if victim is None:
            return
        losers, back = self.coherence.give_up(self.lines[victim], agent.cpu, self.now)
        for loser in losers:
            caches.lose(loser, victim)
            self.counts[loser]["invalidated"] += 1
        agent.count("writebacks", int(back))
        self.record(agent, GIVEN_UP, victim, int(back))

    # Errors

    def fault(self, kind: Fault, cpu: int, place: Place, detail: str = "") -> SimulationError:
        """The error that stops the run."""
        return SimulationError(faults.message(kind, cpu, self.now, *place, detail))

    def memory_fault(
        self, operation: Kind, address: int, cpu: int, place: Place
    ) -> SimulationError:
        """The error for an operation on a word outside every live object."""
        name, wpl = self.memory.name(address), self.memory.space.words_per_line
        detail = faults.memory_detail(operation.name.lower(), address, wpl, name)
        return self.fault(Fault.MEMORY, cpu, place, detail)

    def _waits(self) -> tuple[list[Wait], list[Place | None]]:
        """Places of the threads: those on CPUs, and the suspended ones."""
        running = [core.wait() for core in self.cores if not core.thread.returned]
        aside = [t.place() if t.program else None for t in self.threads if t.core is None]
        return running, aside
