"""A reader-writer lock of one's own: the solution.

Readers count themselves in one of eight words, each on a line of its own. A writer raises a flag
and waits until all eight are zero. Whoever finds the flag queues up behind the writers, first come,
first served. So readers of different groups move no line between them, and nobody waits for ever.
"""

from locksim.lang import (
    ACQUIRE,
    RELAXED,
    RELEASE,
    SEQ_CST,
    RWLock,
    Struct,
    array,
    cpu,
    pause,
    word,
)

GROUPS = 8


class Group(Struct):
    """The readers of some CPUs."""

    readers = word(padded=True)


class Own(RWLock):
    """Readers in eight groups, writers in a queue that readers join when they must wait."""

    writing = word(padded=True)
    next_ticket = word(padded=True)
    now_serving = word()
    groups = array(GROUPS, Group, padded=True)

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
        """Take a number and wait for it."""
        mine = yield self.next_ticket.fetch_add(1, RELAXED)
        while (yield self.now_serving.load(ACQUIRE)) != mine:
            yield pause()

    def next_one(self):
        """Serve the next number."""
        served = yield self.now_serving.load(RELAXED)
        yield self.now_serving.store(served + 1, RELEASE)
