"""The memory models once more, in plain Python: what a counterexample is replayed on.

Nothing here is compiled, and nothing is shared with :mod:`locksim.checker.models`: these classes
are the definition, written for reading. Where the compiled C11 model has bits and a pool,
this one has messages with times, views that map words to times, and vector clocks for races.

A memory is asked first what an operation may do (:meth:`options`), and then asked to do it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from locksim.core.memory import Memory, new_value, wrap64
from locksim.lang.ops import Kind, Op, Order

ACQUIRES = (Order.ACQUIRE, Order.ACQ_REL, Order.SEQ_CST)
RELEASES = (Order.RELEASE, Order.ACQ_REL, Order.SEQ_CST)


class Race(Exception):
    """Two accesses of plain data, one of them a store, that nothing orders."""


class SequentialMemory:
    """Sequential consistency.

    Arguments:
        memory: the words. n_threads: how many threads.
        touch: fails if a word belongs to no live object.
    """

    full_fences_wait = False

    def __init__(self, memory: Memory, n_threads: int, touch: Callable[[int], None]) -> None:
        self.words, self.touch = memory.words, touch
        self.buffers: list[list[tuple[int, int]]] = [[] for _ in range(n_threads)]

    def options(self, thread: int, op: Op) -> list[tuple[int, int]]:
        """What the operation may do: the value before and the value after; none if it waits."""
        self.touch(op.address)
        old = int(self.words[op.address])
        return [(old, wrap64(new_value(op.kind, old, op.a, op.b)))]

    def perform(self, thread: int, op: Op, option: int) -> int:
        """Do what an option says; the value that the operation gives."""
        old, new = self.options(thread, op)[option]
        self.words[op.address] = new
        return old

    def fence(self, thread: int, order: Order) -> bool:
        """A fence; False if it has to wait."""
        return True

    def wake(self, waker: int, sleeper: int) -> None:
        """A wake-up is sent."""

    def woken(self, thread: int) -> None:
        """A wake-up arrives."""

    def freed(self, thread: int, start: int, end: int) -> None:
        """Some words are freed."""


class StoreBuffers(SequentialMemory):
    """Total store order."""

    full_fences_wait = True

    def options(self, thread: int, op: Op) -> list[tuple[int, int]]:
        """As sequential memory, but through the buffer."""
        self.touch(op.address)
        old = int(self.words[op.address])
        if op.kind == Kind.LOAD:
            mine = [value for address, value in self.buffers[thread] if address == op.address]
            value = mine[-1] if mine else old
            return [(value, value)]
        if self.buffers[thread] and not _buffered(op):
            return []
        return [(old, wrap64(new_value(op.kind, old, op.a, op.b)))]

    def perform(self, thread: int, op: Op, option: int) -> int:
        """A store that is not SEQ_CST enters the buffer."""
        old, new = self.options(thread, op)[option]
        if _buffered(op):
            self.buffers[thread].append((op.address, new))
        elif op.kind != Kind.LOAD:
            self.words[op.address] = new
        return old

    def flush(self, thread: int) -> tuple[int, int]:
        """The thread's oldest store becomes visible."""
        address, value = self.buffers[thread].pop(0)
        self.touch(address)
        old = int(self.words[address])
        self.words[address] = value
        return old, value

    def fence(self, thread: int, order: Order) -> bool:
        """A full fence waits for the buffer."""
        return order != Order.SEQ_CST or not self.buffers[thread]


def _buffered(op: Op) -> bool:
    return op.kind == Kind.STORE and op.order != Order.SEQ_CST


View = dict[int, Fraction]
Clock = dict[int, int]


@dataclass
class Knowledge:
    """How far a thread is along each word's line, and what happened before (a vector clock)."""

    view: View = field(default_factory=dict)
    clock: Clock = field(default_factory=dict)

    def join(self, other: Knowledge) -> None:
        """Take over what another knows."""
        for address, time in other.view.items():
            self.view[address] = max(time, self.view.get(address, Fraction(0)))
        for thread, epoch in other.clock.items():
            self.clock[thread] = max(epoch, self.clock.get(thread, 0))

    def copy(self) -> Knowledge:
        """The same, apart."""
        return Knowledge(dict(self.view), dict(self.clock))

    def time(self, address: int) -> Fraction:
        """How far along a word's line."""
        return self.view.get(address, Fraction(0))


@dataclass
class Message:
    """A store: its place in the word's line, what it carries, whether one stands right behind."""

    time: Fraction
    value: int
    carried: Knowledge
    taken: bool = False


class Views(SequentialMemory):
    """C11: messages and views. ``words`` holds each word's last message for all to see.

    Arguments:
        memory, n_threads, touch: as above.
        plain: addresses of words that are not atomic.
    """

    full_fences_wait = True

    def __init__(
        self, memory: Memory, n_threads: int, touch: Callable[[int], None], plain: set[int]
    ) -> None:
        super().__init__(memory, n_threads, touch)
        self.plain = plain
        self.lines: dict[int, list[Message]] = {}
        self.now = [Knowledge(clock={t: 1}) for t in range(n_threads)]
        self.to_acquire = [Knowledge() for _ in range(n_threads)]
        self.released = [Knowledge() for _ in range(n_threads)]
        self.sent = [Knowledge() for _ in range(n_threads)]
        self.handed = [Knowledge() for _ in range(n_threads)]
        self.ordered: View = {}  # what SEQ_CST operations share
        self.stored: dict[int, tuple[int, int]] = {}  # plain word -> (thread, epoch)
        self.loaded: dict[int, Clock] = {}

    def options(self, thread: int, op: Op) -> list[tuple[int, int]]:
        """One for each message that may be read, or be stood behind, the last one first."""
        self.touch(op.address)
        if op.address in self.plain:
            self._check(thread, op)
            old = int(self.words[op.address])
            return [(old, wrap64(new_value(op.kind, old, op.a, op.b)))]
        return [
            (m.value, wrap64(new_value(op.kind, m.value, op.a, op.b)))
            for m in self._open(thread, op)
        ]

    def perform(self, thread: int, op: Op, option: int) -> int:
        """Read a message, put one behind it, or both."""
        if op.address in self.plain:
            return self._plain(thread, op)
        message = self._open(thread, op)[option]
        line, now = self._line(op.address), self.now[thread]
        new = wrap64(new_value(op.kind, message.value, op.a, op.b))
        stores = not _only_reads(op, message.value)
        now.view[op.address] = max(message.time, now.time(op.address))
        carried = Knowledge()
        if op.kind != Kind.STORE:
            carried = message.carried.copy()
            into = now if op.order in ACQUIRES else self.to_acquire[thread]
            into.join(message.carried)
        if stores:
            carried.join(now if op.order in RELEASES else self.released[thread])
            at = line.index(message)
            after = line[at + 1].time if at + 1 < len(line) else message.time + 2
            time = (message.time + after) / 2
            carried.view[op.address] = time
            line.insert(at + 1, Message(time, new, carried))
            message.taken |= op.kind != Kind.STORE
            now.view[op.address] = time
            if op.kind != Kind.STORE or op.order == Order.SEQ_CST:
                self.sent[thread].join(now if op.order in RELEASES else self.released[thread])
                self.sent[thread].view[op.address] = time
            if op.order == Order.SEQ_CST:
                self.ordered[op.address] = max(time, self.ordered.get(op.address, Fraction(0)))
            self.words[op.address] = line[-1].value
            now.clock[thread] += 1
        return message.value

    def fence(self, thread: int, order: Order) -> bool:
        """A fence never waits."""
        now = self.now[thread]
        if order in ACQUIRES:
            now.join(self.to_acquire[thread])
        if order == Order.SEQ_CST:
            now.join(Knowledge(self.ordered))
            self.ordered = dict(now.view)
            self.sent[thread].join(now)
        if order in RELEASES:
            self.released[thread] = now.copy()
            now.clock[thread] += 1
        return True

    def wake(self, waker: int, sleeper: int) -> None:
        """A wake-up carries what has left the waker's store buffer for sure."""
        self.handed[sleeper].join(self.sent[waker])

    def woken(self, thread: int) -> None:
        """The sleeper takes it over."""
        self.now[thread].join(self.handed[thread])
        self.handed[thread] = Knowledge()

    def freed(self, thread: int, start: int, end: int) -> None:
        """The words begin anew. Who frees has to know their last stores."""
        for address in range(start, end):
            line = self.lines.pop(address, [])
            if line and self.now[thread].time(address) < line[-1].time:
                raise Race
            for known in (*self.now, *self.to_acquire, *self.released, *self.sent, *self.handed):
                known.view.pop(address, None)
            self.ordered.pop(address, None)
            for messages in self.lines.values():
                for message in messages:
                    message.carried.view.pop(address, None)

    def _line(self, address: int) -> list[Message]:
        if address not in self.lines:
            first = Message(Fraction(0), int(self.words[address]), Knowledge())
            self.lines[address] = [first]
        return self.lines[address]

    def _open(self, thread: int, op: Op) -> list[Message]:
        """The messages that an operation may read or stand behind, the last one first."""
        known = self.now[thread].time(op.address)
        if op.order == Order.SEQ_CST:
            known = max(known, self.ordered.get(op.address, Fraction(0)))
        return [
            m
            for m in reversed(self._line(op.address))
            if m.time >= known and (not m.taken or _only_reads(op, m.value))
        ]

    def _check(self, thread: int, op: Op) -> None:
        """Fail on a race."""
        clock = self.now[thread].clock
        storer, epoch = self.stored.get(op.address, (thread, 0))
        if clock.get(storer, 0) < epoch:
            raise Race
        if op.kind != Kind.LOAD:
            for reader, epoch in self.loaded.get(op.address, {}).items():
                if clock.get(reader, 0) < epoch:
                    raise Race

    def _plain(self, thread: int, op: Op) -> int:
        """An access of a word that is not atomic."""
        self._check(thread, op)
        clock = self.now[thread].clock
        old = int(self.words[op.address])
        if op.kind == Kind.LOAD:
            self.loaded.setdefault(op.address, {})[thread] = clock[thread]
        else:
            self.words[op.address] = wrap64(new_value(op.kind, old, op.a, op.b))
            self.stored[op.address] = (thread, clock[thread])
            self.loaded[op.address] = {}
        return old


def _only_reads(op: Op, value: int) -> bool:
    return op.kind == Kind.LOAD or (op.kind == Kind.COMPARE_SWAP and value != op.a)
