"""A reader-writer lock of one's own: the solution.

Readers count themselves in one of four words, each on a line of its own. A writer raises a flag and
waits until all four are zero. Whoever finds the flag queues up behind the writers, first come,
first served, each on a line of its own (an MCS queue). So readers of different groups move no line
between them, and nobody waits forever.
"""

from locksim.lang import (
    ACQ_REL,
    ACQUIRE,
    NULL,
    RELAXED,
    RELEASE,
    SEQ_CST,
    RWLock,
    Struct,
    array,
    cpu,
    pause,
    percpu,
    pointer,
    word,
)

GROUPS = 4


class Group(Struct):
    """The readers of some CPUs."""

    readers = word(padded=True)


class Place(Struct):
    """A CPU's place in the queue."""

    next = pointer("Place")
    waiting = word()


class Own(RWLock):
    """Readers in four groups, writers in a queue that readers join when they must wait."""

    writing = word(padded=True)
    tail = pointer(Place, padded=True)
    groups = array(GROUPS, Group, padded=True)
    places = percpu(Place)

    def read_acquire(self):
        group = self.groups[cpu() % GROUPS]
        # Both in one order for all: either the writer sees the count, or the reader the flag.
        yield group.readers.fetch_add(1, SEQ_CST)
        if (yield self.writing.load(SEQ_CST)) == 0:
            return
        yield group.readers.fetch_add(-1, RELEASE)
        yield from self.queue_up()
        # The writers before are gone, and the next one is behind this thread.
        yield group.readers.fetch_add(1, RELAXED)
        yield from self.next_one()

    def read_release(self):
        yield self.groups[cpu() % GROUPS].readers.fetch_add(-1, RELEASE)

    def write_acquire(self):
        yield from self.queue_up()
        yield self.writing.store(1, SEQ_CST)
        for i in range(GROUPS):
            while (yield self.groups[i].readers.load(SEQ_CST)):
                yield pause()

    def write_release(self):
        yield self.writing.store(0, RELEASE)
        yield from self.next_one()

    def queue_up(self):
        """Wait behind those who are in the queue."""
        me = self.places[cpu()]
        yield me.next.store(NULL, RELAXED)
        before = yield self.tail.swap(me, ACQ_REL)
        if before:
            yield me.waiting.store(1, RELAXED)
            yield before.next.store(me, RELEASE)
            while (yield me.waiting.load(ACQUIRE)):
                yield pause()

    def next_one(self):
        """Let the next one of the queue go on."""
        me = self.places[cpu()]
        after = yield me.next.load(ACQUIRE)
        if not after:
            if (yield self.tail.compare_swap(me, NULL, RELEASE)) == me:
                return
            after = yield me.next.load(ACQUIRE)
            while not after:
                yield pause()
                after = yield me.next.load(ACQUIRE)
        yield after.waiting.store(0, RELEASE)
