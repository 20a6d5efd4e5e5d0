"""A queue: each CPU waits on a word of its own (Mellor-Crummey and Scott, 1991)."""

from locksim.lang import *


class Node(Struct):
    next = pointer("Node")
    waits = word()


class MCS(Lock):
    tail = pointer(Node)
    nodes = percpu(Node)

    def acquire(self):
        mine = self.nodes[cpu()]
        yield mine.next.store(NULL, RELAXED)
        before = yield self.tail.swap(mine, ACQ_REL)
        if before:
            yield mine.waits.store(1, RELAXED)
            yield before.next.store(mine, RELEASE)
            while (yield mine.waits.load(ACQUIRE)) != 0:
                yield pause()

    def release(self):
        mine = self.nodes[cpu()]
        after = yield mine.next.load(ACQUIRE)
        if not after:
            if (yield self.tail.compare_swap(mine, NULL, RELEASE)) == mine:
                return
            after = yield mine.next.load(ACQUIRE)
            while not after:
                yield pause()
                after = yield mine.next.load(ACQUIRE)
        yield after.waits.store(0, RELEASE)
