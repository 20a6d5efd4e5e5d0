"""Agents of the reference engine, which make events and request lines, and the store buffer.

A store buffer keeps total store order (TSO): other CPUs see a CPU's stores later, in FIFO order,
while its own loads already see them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

import simpy
from simpy.events import EventPriority

from locksim.core.places import Place
from locksim.engine.trace import DRAINED
from locksim.lang.ops import Kind

if TYPE_CHECKING:
    from locksim.engine.reference.coherence import Line
    from locksim.engine.reference.core import Core
    from locksim.engine.reference.engine import Engine


class AgentEvent(simpy.Event):
    """An agent's next event: in the heap at once, as a SimPy timeout is, but with a priority."""

    def __init__(self, env: simpy.Environment, delay: int, priority: int) -> None:
        super().__init__(env)
        self._ok, self._value = True, None
        env.schedule(self, priority=EventPriority(priority), delay=delay)


class Agent:
    """An agent with events and line requests: a core or a store buffer."""

    def __init__(self, engine: Engine, cpu: int, number: int) -> None:
        self.engine, self.cpu, self.number = engine, cpu, number
        self.holder = engine.tables.holder(cpu)
        self.pending = False
        self.exclusive = False
        self.asked_ps = 0
        self.passed = 0
        self.asked = self.far = False
        self.delay_ps = 0

    def at(self, time_ps: int, action: Callable[[], None]) -> None:
        """Make this agent's next event."""
        assert not self.pending, f"agent {self.number} has an event already"
        self.pending = True
        event = AgentEvent(self.engine.env, time_ps - self.engine.now, self.number)

        def happen(_: simpy.Event) -> None:
            self.pending = False
            action()

        assert event.callbacks is not None
        event.callbacks.append(happen)

    def count(self, counter: str, n: int = 1) -> None:
        """Add to one of the CPU's counters."""
        self.engine.counts[self.cpu][counter] += n

    def hit(self, line: Line[Agent]) -> int:
        """Use a line that the CPU holds; the extra ps if it is not in L1."""
        self.count("hits")
        caches = self.engine.caches
        if caches is None:
            return 0
        at_hand = caches.at_hand(self.holder, line.number)
        caches.use(self.holder, line.number)
        if at_hand:
            return 0
        self.count("beyond_l1")
        return self.engine.tables.private_hit_ps - self.engine.tables.l1_hit_ps

    def complete(self) -> None:
        """The requested line has arrived."""
        raise NotImplementedError

    def place(self) -> Place:
        """The place in the program of the agent's operation."""
        raise NotImplementedError


class StoreBuffer(Agent):
    """The stores of a CPU that are not visible yet, oldest first.

    An entry is (address, value, place of its issue in the program).
    """

    def __init__(self, engine: Engine, core: Core) -> None:
        super().__init__(engine, core.cpu, 2 * core.cpu + 1)
        self.core = core
        self.entries: deque[tuple[int, int, Place]] = deque()

    @property
    def full(self) -> bool:
        """Whether another store has to wait."""
        return len(self.entries) >= self.engine.tables.store_buffer_entries

    def youngest(self, address: int) -> int | None:
        """The value of a word's youngest entry."""
        return next((value for at, value, _ in reversed(self.entries) if at == address), None)

    def enter(self, address: int, value: int, place: Place) -> None:
        """Add a store."""
        self.entries.append((address, value, place))
        if len(self.entries) == 1:
            self.at(self.engine.now, self.issue)

    def issue(self) -> None:
        """Get the head's line if needed, and drain the head."""
        line = self.engine.line(self.entries[0][0])
        if not line.writable(self.holder):
            self.engine.request(self, line, exclusive=True)
        elif line.under_way(self.holder, self.engine.now):
            self.at(line.ready_at, self.issue)
        else:
            self.hit(line)
            self.delay_ps = 0
            self.complete()

    def complete(self) -> None:
        """Drain the head: its line is here."""
        address, value, place = self.entries[0]
        if not self.engine.alive(address):
            raise self.engine.memory_fault(Kind.STORE, address, self.cpu, place)
        self.engine.write(address, value)
        self.engine.record(self, DRAINED, address, value)
        self.entries.popleft()
        self.core.drained()
        if self.entries:
            self.at(self.engine.now + self.engine.tables.store_ps + self.delay_ps, self.issue)

    def place(self) -> Place:
        """The place where the oldest store was issued."""
        return self.entries[0][2]
